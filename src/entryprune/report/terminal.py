"""Reports as text on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table as Grid
from rich.text import Text

from entryprune._text import printable
from entryprune.report.confidence import percent
from entryprune.report.statistics import EFFECT_NAMES
from entryprune.report.text import (
    capitalise,
    column_texts,
    number_text,
    probability_text,
    seconds_text,
    shorten,
    spread_text,
    two_decimals,
)
from entryprune.report.verdict import short_gain_text

if TYPE_CHECKING:
    from rich.console import Console

    from entryprune.report.comparison import ComparisonReport
    from entryprune.report.selected import Feature
    from entryprune.report.selection import SelectionReport
    from entryprune.report.statistics import Effect

_MOST_ROWS, _MOST_TARGETS = 20, 4
_MOST_SENTENCES = 7


def print_selection(report: SelectionReport, console: Console) -> None:
    """Show the verdict, the ranked features, the next ones, and pairs that matter only together."""
    selected = report.selected
    is_command = bool(report.provenance.command)
    # The command line has told the warnings on the error stream before this.
    warnings = () if is_command else (*report.data.cautions, *selected.warnings)
    for sentence in (*warnings, report.verdict or _unchecked(report)):
        if sentence:
            console.print(_text(sentence), soft_wrap=True)
    targets = report.data.targets[:_MOST_TARGETS]
    has_effects = any(one.effect for one in report.features)
    # Where all that is known is how sure each feature is, there are no scores.
    has_scores = bool(report.known_scores) or report.sureness is None
    grid = Grid(
        *("rank", "feature", report.data.place),
        *([printable(selected.score_name)] if has_scores else []),
        *(["frequency", "verdict"] if report.sureness else []),
        *(name for name in (report.panel.row(0) if report.panel else ()) if name != "kept"),
        *([EFFECT_NAMES[report.data.task]] if has_effects else []),
        *(printable(shorten(name)) for name in targets),
    )
    shown = report.features[:_MOST_ROWS]
    scores = column_texts([one.score for one in shown])
    for one, score in zip(shown, scores, strict=True):
        grid.add_row(
            *(str(one.rank), _text(one.name), str(one.column)),
            *([score] if has_scores else []),
            *_standing(one),
            *_asked(report, one),
            *([_effect(one.effect)] if has_effects else []),
            *(_rounded(one.by_target.get(name)) for name in targets),
        )
    console.print(grid)
    if targets:
        console.print(f"Below each target: {EFFECT_NAMES[report.data.task]}.")
    n_more = len(report.features) - _MOST_ROWS
    if n_more > 0:
        how = "--output writes all" if is_command else "to_frame() has all"
        console.print(f"and {n_more} more; {how}.")
    for sentence in report.panel_sentences:
        console.print(_text(sentence), soft_wrap=True)
    if selected.score_unit:
        what = selected.score_name.capitalize()
        is_idle = any(one.score is not None and one.score <= 0 for one in report.features)
        idle = "; one of 0 or less brings nothing beside the others" if is_idle else ""
        console.print(
            f"{what}: {selected.score_unit} that would be lost without it{idle}.", soft_wrap=True
        )
    elif selected.score_meaning:
        console.print(_text(selected.score_meaning), soft_wrap=True)
    if report.runners_up:
        how = ", with what each would bring" if selected.score_unit else ""
        named = []
        for one in report.runners_up:
            known = [text for text in (_short(one.score), *_standing(one)) if text]
            named.append(f"{one.name} ({', '.join(known)})" if known else one.name)
        console.print(_text(f"Next, not selected{how}: {', '.join(named)}"), soft_wrap=True)
    for found in report.breakdowns[:_MOST_SENTENCES]:
        console.print(_text(f"{found.name}: {found.text}"), soft_wrap=True)
    _print_pairs(report, console, is_command=is_command)
    curve = report.k_curve.sentences if report.k_curve else ()
    notes = (f"Note: {one}" for one in report.remarks)
    for sentence in (*curve, *_sentences(report), *report.validation_sentences, *notes):
        console.print(_text(sentence), soft_wrap=True)


def _standing(feature: Feature) -> tuple[str, ...]:
    standing = feature.standing
    return () if standing is None else (percent(standing.frequency), standing.verdict)


def _asked(report: SelectionReport, feature: Feature) -> list[Text]:
    """Return what a feature costs, and its group; who was kept is told below the table."""
    row = report.panel.row(feature.rank - 1) if report.panel else {}
    cost = [number_text(row["cost"])] if "cost" in row else []
    return [_text(one) for one in (*cost, *([row["group"] or ""] if "group" in row else []))]


def _sentences(report: SelectionReport) -> list[str]:
    """Return how sure the features are, and how many of the groups are left for elsewhere."""
    said = [] if report.sureness is None else report.sureness.sentences
    more = f"and {len(said) - _MOST_SENTENCES} more groups." if len(said) > _MOST_SENTENCES else ""
    return [*said[:_MOST_SENTENCES], *([more] if more else [])]


def _print_pairs(report: SelectionReport, console: Console, *, is_command: bool) -> None:
    pairs = report.pairs
    if pairs:
        which = "These two matter" if len(pairs) == 1 else "The two in each row matter"
        console.print(f"\n{which} only together:")
        grid = Grid("feature", "and", "strength (SD)", "p, corrected")
        for one in pairs[:_MOST_ROWS]:
            names = [_text(name) for name in one.names]
            grid.add_row(*names, _short(one.strength), probability_text(one.p_value))
        console.print(grid)
    n_more = len(pairs) - _MOST_ROWS
    if n_more > 0:
        how = "--output FILE.json writes all" if is_command else "pairs has all"
        console.print(f"and {n_more} more; {how}.")
    if report.pairs_note:
        console.print(report.pairs_note, soft_wrap=True)


def print_comparison(report: ComparisonReport, console: Console) -> None:
    """Show what to do, the scores, and how sure that is."""
    if report.interruption:
        console.print(_text(report.interruption), soft_wrap=True)
    for one in report.judgements:
        console.print(_text(one.statement), style="bold", soft_wrap=True)
        # Without rules between the columns it fits on 80 letters; if not, names go on below, for
        # half a number tells nothing.
        headings = ("", "K", one.metric, "gain on all", "stability", "time")
        grid = Grid(*headings, box=SIMPLE, padding=(0, 1, 0, 0), show_edge=False)
        for column in grid.columns[1:]:
            column.justify = "right"
            column.no_wrap = True
        for i, row in enumerate((*one.results, *one.others)):
            grid.add_row(
                _text(row.method),
                str(row.k or ""),
                spread_text(row.mean, row.sd),
                short_gain_text(row.gain, row.gain_high, one.metric, row.sd),
                "" if row.stability is None else two_decimals(row.stability),
                "" if row.seconds is None else seconds_text(row.seconds),
                end_section=i == len(one.results) - 1,
            )
        console.print(grid)
        direction = "higher" if one.higher_is_better else "lower"
        console.print(
            _text(
                f"{capitalise(one.judge)}, mean ± SD over the folds; {direction} is better. Gain "
                "on all: against all features, ± half the 95 % interval."
            ),
            soft_wrap=True,
        )
        for sentence in one.sureness:
            console.print(_text(sentence), soft_wrap=True)
    if report.folds_note:
        console.print(report.folds_note, soft_wrap=True)
    cautions = () if report.provenance.command else report.data.cautions
    for sentence in (*cautions, *report.remarks):
        console.print(_text(f"Note: {sentence}"), soft_wrap=True)


def _text(text: str) -> Text:
    # Names come from strangers' files: neither rich's markup nor what steers a terminal.
    return Text(printable(text))


def _unchecked(report: SelectionReport) -> str:
    how = "--report" if report.provenance.command else "validate()"
    was_asked = "--report" in report.provenance.command.split()
    return report.unchecked("" if was_asked else f"{how} does that")


def _effect(effect: Effect | None) -> str:
    return "" if effect is None else _rounded(effect.size)


def _rounded(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}".replace("inf", "∞")
