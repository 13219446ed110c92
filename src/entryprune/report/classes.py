"""Classes that are uneven, and what that means for the measure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from entryprune._text import some_of
from entryprune.report.text import shorten

if TYPE_CHECKING:
    from entryprune.report.base import DataFacts

# Classes are uneven if one has more than this share; or less, and less than a third of its due.
_LARGE, _RARE = 0.7, 0.1
_MOST_CLASSES = 4
_ACCURACY = "accuracy"


def uneven_notes(data: DataFacts, measures: Iterable[str], *, is_command: bool) -> list[str]:
    """Propose another measure where accuracy hides how rare classes fare."""
    counts = [n for _, n in data.class_counts]
    if len(counts) < 2 or not any(one.startswith(_ACCURACY) for one in measures):
        return []
    total, due = sum(counts), 1 / len(counts)
    least = min(counts) / total
    if max(counts) <= _LARGE * total and not least < min(_RARE, due / 3):
        return []
    in_order = sorted(data.class_counts, key=lambda one: -one[1])
    shares = [f"{label} {_percent(n, total)}" for label, n in in_order]
    option = "--metric {}" if is_command else 'metric="{}"'
    balanced, area = (option.format(name) for name in ("balanced-accuracy", "auc"))
    return [
        f"The classes are uneven ({some_of(shares, _MOST_CLASSES)}), so accuracy says little of "
        f"the rare ones: {balanced} or {area} says more."
    ]


def majority_text(data: DataFacts, measure: str) -> str:
    """Say how large the largest class is; nothing by accuracy, where a guess reaches just that."""
    is_of_classes = data.task == "classification" and data.class_counts
    if not is_of_classes or measure.startswith(_ACCURACY):
        return ""
    label, most = max(data.class_counts, key=lambda one: one[1])
    share = _percent(most, sum(n for _, n in data.class_counts))
    return f"the most frequent class, {shorten(label)}, has {share} of the samples"


def _percent(n: int, total: int) -> str:
    return f"{100 * n / total:.1f} %"
