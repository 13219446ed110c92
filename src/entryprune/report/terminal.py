"""Reports as text on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table as Grid
from rich.text import Text

from entryprune._text import printable
from entryprune.report.sureness import percent
from entryprune.report.text import probability_text

if TYPE_CHECKING:
    from rich.console import Console

    from entryprune.report.comparison import ComparisonReport
    from entryprune.report.selection import Feature, SelectionReport

_MOST_ROWS = 20
_MOST_SENTENCES = 7


def print_selection(report: SelectionReport, console: Console) -> None:
    """Show the ranked features, the next ones, and pairs that matter only together."""
    selected = report.selected
    # Where all that is known is how sure each feature is, there are no scores.
    score = () if report.sureness and not report.known_scores else (selected.score_name,)
    sure = ("frequency", "verdict") if report.sureness else ()
    grid = Grid("rank", "feature", "column", *map(printable, score), *sure)
    for one in report.features[:_MOST_ROWS]:
        cells = (*([_short(one.score)] if score else []), *_standing(one))
        grid.add_row(str(one.rank), _text(one.name), str(one.column), *cells)
    console.print(grid)
    is_command = bool(report.provenance.command)
    n_more = len(report.features) - _MOST_ROWS
    if n_more > 0:
        how = "--output writes all" if is_command else "to_frame() has all"
        console.print(f"and {n_more} more; {how}.")
    if selected.score_unit:
        what = selected.score_name.capitalize()
        console.print(f"{what}: {selected.score_unit} that would be lost without it.")
    if report.runners_up:
        how = ", with what each would bring" if selected.score_unit else ""
        named = []
        for one in report.runners_up:
            known = [text for text in (_short(one.score), *_standing(one)) if text]
            named.append(f"{one.name} ({', '.join(known)})" if known else one.name)
        console.print(_text(f"Next, not selected{how}: {', '.join(named)}"), soft_wrap=True)
    _print_pairs(report, console, is_command=is_command)
    for sentence in (*_sentences(report), *report.validation_sentences):
        console.print(_text(sentence), soft_wrap=True)


def _standing(feature: Feature) -> tuple[str, ...]:
    standing = feature.standing
    return () if standing is None else (percent(standing.frequency), standing.verdict)


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
    """Show the scores and, in a sentence, which method to use."""
    rows = [
        {name: cell for name, cell in row.items() if name != "learner"} for row in report.rows()
    ]
    grid = Grid(*rows[0])
    for row in rows:
        cells = [
            f"{cell:.2f}" if isinstance(cell, float) else str(cell or "") for cell in row.values()
        ]
        grid.add_row(*(_text(cell) for cell in cells))
    console.print(grid)
    for sentence in (*(one.statement for one in report.judgements), *report.warnings):
        console.print(_text(sentence))


def _text(text: str) -> Text:
    # Names come from strangers' files: neither rich's markup nor what steers a terminal.
    return Text(printable(text))


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"
