"""Names, numbers and sentences as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

# Signs that no HTML or SVG may hold: controls but for tab and line feed, and half signs.
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SECONDS, _MINUTES = 60, 3600
_MOST_DECIMALS = 6
_SMALLEST_PERCENT = 0.1
# What stands where there is no number.
MISSING = "—"


def clean(text: object) -> str:
    """Return a text without the signs that a page cannot hold; others take their place."""
    lines = str(text).replace("\r\n", "\n").replace("\r", "\n")
    return _FORBIDDEN.sub("\ufffd", lines)


def shorten(text: object, most: int = 28) -> str:
    """Return a text on one line, its middle left out if it is too long.

    The end stays, for many names differ only there.
    """
    line = " ".join(clean(text).split())
    if len(line) <= most:
        return line
    n_end = (most - 1) // 2
    return f"{line[: most - 1 - n_end]}…{line[len(line) - n_end :]}"


def capitalise(text: str) -> str:
    """Return a text as a sentence begins, all but the first letter as it is."""
    return text[:1].upper() + text[1:]


def number_text(value: float | None) -> str:
    """Return a number with four digits at least, and a dash if there is none."""
    if value is None or not math.isfinite(value):
        return _no_number(value)
    if isinstance(value, int) or 1000 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def _no_number(value: float | None) -> str:
    """Return what stands for a value that has no digits."""
    return MISSING if value is None or math.isnan(value) else "∞" if value > 0 else "-∞"


def column_texts(values: Sequence[float | None]) -> list[str]:
    """Return a column of numbers, with the decimals that the largest has in three digits.

    Nothing at all is 0, so that it does not pass for a number that was rounded.
    """
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(sizes, default=0.0)
    n_decimals = 2 - math.floor(math.log10(largest)) if largest > 0 else 0
    if n_decimals > _MOST_DECIMALS:
        return [number_text(value) for value in values]
    decimals = max(0, n_decimals)
    return [_with_decimals(value, decimals) for value in values]


def _with_decimals(value: float | None, decimals: int) -> str:
    if value is None or not math.isfinite(value):
        return _no_number(value)
    # Adding nothing makes 0 of -0.
    return f"{round(value, decimals) + 0.0:,.{decimals}f}" if value else "0"


def two_decimals(value: float) -> str:
    """Return a number with two decimals, and 0 without a sign."""
    return f"{round(value, 2) + 0.0:.2f}"


def probability_text(value: float | None) -> str:
    """Return a p-value; how much smaller than the smallest it is tells nobody anything."""
    if value is None or not math.isfinite(value):
        return MISSING
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def share_text(share: float) -> str:
    """Return a share that is neither nothing nor all in percent, and never as if it were."""
    percent = 100 * share
    if percent < _SMALLEST_PERCENT:
        return f"less than {_SMALLEST_PERCENT} %"
    return f"{min(round(percent, 1 if percent < 10 else None), 99):g} %"


def spread_text(mean: float | None, sd: float | None, coarser: float = 0.0) -> str:
    """Return a number and its spread, with no more digits than that, or a coarser, supports."""
    if mean is None or sd is None or not math.isfinite(mean) or not math.isfinite(sd):
        return number_text(mean)
    if sd <= 0:
        return f"{number_text(mean)} ± 0"
    n_decimals = max(0, 1 - math.floor(math.log10(max(sd, coarser))))
    if n_decimals > _MOST_DECIMALS:
        return f"{mean:.4g} ± {sd:.2g}"
    # Adding nothing makes 0 of -0.
    return f"{round(mean, n_decimals) + 0.0:,.{n_decimals}f} ± {sd:,.{n_decimals}f}"


def seconds_text(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _SECONDS:
        return f"{whole} s"
    if whole < _MINUTES:
        return f"{whole // _SECONDS} min {whole % _SECONDS} s"
    return f"{whole // _MINUTES:,} h {whole % _MINUTES // _SECONDS} min"


def label_text(label: object) -> str:
    """Return a class label; a whole number has no decimals even if it is kept as a float."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


# Two that came in one after the other may work together as well, so that no more can be said.
def folds_text(how: str) -> str:
    """Say how folds were made, given what follows "cross-validation"; empty if by chance alone."""
    return f"Checked by cross-validation {how}." if how else ""


_NONE = "No two features were selected only for what they do together. "


def pairs_text(
    searched: float | None,
    *,
    n_found: int,
    n_selected: int,
    is_interrupted: bool = False,
    option: str = "",
) -> str:
    """Return how thoroughly pairs were looked for, and whether none was found."""
    if searched is None or n_selected < 2:
        return ""
    if searched <= 0:
        few = "there are too few samples for so many features"
        why = "the run was interrupted before that" if is_interrupted else few
        return f"Pairs of features were not looked for: {why}."
    none = "" if n_found else _NONE
    if searched >= 1:
        return f"{none}All pairs were looked at."
    hint = f" ({option})" if option else ""
    return (
        f"{none}{capitalise(share_text(searched))} of all pairs were looked at; all would take too "
        f"long. Leave out features that cannot matter{hint} to look at more."
    )
