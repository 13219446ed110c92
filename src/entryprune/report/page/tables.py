"""The tables of a page: their columns, and the files that can be downloaded."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from entryprune._text import some_of
from entryprune.report.sureness import REJECTED, percent
from entryprune.report.table import Table, spreadsheet_csv
from entryprune.report.text import (
    MISSING,
    capitalise,
    number_text,
    probability_text,
    seconds_text,
    spread_text,
)

if TYPE_CHECKING:
    from entryprune.report.comparison import ComparisonReport, Result
    from entryprune.report.selection import Feature, SelectionReport

# Near duplicates of one feature that are named; the file to download has them all.
_MOST_DUPLICATES = 5
# Features of a group of which any one will do.
_MOST_ALIKE = 20
# Rows of a page's table, and of one in a notebook.
MOST_ROWS, _MOST_SHORT = 1000, 20


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and the number that it is sorted by if it has one."""

    content: str
    value: float | None = None


Value = str | float | None | Cell


class Column:
    """A column of a table, and the values of further rows below a rule.

    Names come from strangers and may be long; numbers stand to the right.
    """

    def __init__(
        self,
        heading: str,
        values: Sequence[Value],
        kind: Literal["text", "name", "names", "number"] = "text",
        below: Sequence[Value] = (),
    ) -> None:
        self.heading = heading
        self.kind = kind
        self.cells = [_cell(value) for value in values[:MOST_ROWS]]
        self.below = [_cell(value) for value in below]


@dataclass(frozen=True)
class PageTable:
    """A table that scrolls inside its box."""

    caption: str
    columns: list[Column]
    n_rows: int  # the first 1,000 are shown
    below: str = ""  # above the rows below the rule, which are neither sorted nor searched
    # Name and content of a file to download; such a table can be sorted and searched, too.
    file_name: str = ""
    address: str = ""


def selection_tables(report: SelectionReport) -> dict[str, PageTable]:
    """Return the tables of a selection's page."""
    tables = {"ranking": _ranking(report), "short": _short_ranking(report)}
    if report.validation:
        rows = report.validation
        tables["accuracy"] = _table(
            "How well the target is predicted, from cross-validation",
            [
                Column("features", [row.what for row in rows], "name"),
                # Second, so that a phone shows it without scrolling.
                Column("mean ± SD", [_spread(row.mean, row.sd) for row in rows], "number"),
                Column("predicted by", [row.learner for row in rows]),
                Column(
                    "measure",
                    [
                        f"{row.metric} ({'higher' if row.higher_is_better else 'lower'} is better)"
                        for row in rows
                    ],
                ),
                Column(
                    "folds",
                    [
                        f"{row.n_splits}"
                        + (f", {row.n_repeats} times" if row.n_repeats > 1 else "")
                        for row in rows
                    ],
                ),
            ],
        )
    if report.pairs:
        pairs = report.pairs
        tables["pairs"] = _table(
            "Features that matter only together",
            [
                Column("feature", [str(one.names[0]) for one in pairs], "name"),
                Column("and", [str(one.names[1]) for one in pairs], "name"),
                Column("strength (SD)", [float(one.strength) for one in pairs], "number"),
                Column(
                    "p, corrected",
                    [Cell(probability_text(one.p_value), float(one.p_value)) for one in pairs],
                    "number",
                ),
            ],
        )
    if report.sureness and (
        groups := [one for one in report.sureness.groups if one.verdict != REJECTED]
    ):
        tables["groups"] = _table(
            "Any one of these will do",
            [
                Column("features", [some_of(one.names, _MOST_ALIKE) for one in groups], "names"),
                Column(
                    "one or more of them",
                    [Cell(percent(one.frequency), one.frequency) for one in groups],
                    "number",
                ),
                Column("verdict", [one.verdict for one in groups]),
            ],
        )
    if report.correlation and report.correlation.pairs:
        alike = report.correlation.pairs
        tables["correlated"] = _table(
            "The strongest pairs among the selected",
            [
                Column("feature", [f"{one.rank}.\u00a0{one.name}" for one in alike], "name"),
                Column(
                    "and", [f"{one.other_rank}.\u00a0{one.other_name}" for one in alike], "name"
                ),
                Column(
                    "correlation",
                    [Cell(f"{one.correlation:.3f}", one.correlation) for one in alike],
                    "number",
                ),
            ],
        )
    if report.has_near_duplicates:
        found = [
            (one, near)
            for one, near in zip(report.features, report.near_duplicates, strict=True)
            if len(near)
        ]
        tables["near_duplicates"] = _table(
            "Near duplicates that were left out",
            [
                Column("selected", [f"{one.rank}.\u00a0{one.name}" for one, _ in found], "name"),
                Column("left out (correlation)", [_duplicates(near) for _, near in found], "names"),
            ],
        )
    return tables


def _ranking(report: SelectionReport) -> PageTable:
    features, below = report.features, report.runners_up
    nothing = [""] * len(below)

    def column(heading: str, attribute: str, kind: Literal["name", "number"]) -> Column:
        both = ([getattr(one, attribute) for one in some] for some in (features, below))
        return Column(heading, next(both), kind, next(both))

    score_name, has_scores = report.selected.score_name, bool(report.known_scores)
    columns = [column("rank", "rank", "number"), column("feature", "name", "name")]
    file: list[tuple[str, list[Any]]] = [
        ("rank", [one.rank for one in features]),
        ("feature", [one.name for one in features]),
    ]
    if has_scores:
        columns.append(column(score_name, "score", "number"))
        file.append((score_name, [one.score for one in features]))
    for name in report.selected.other_scores:
        others = [one.other_scores[name] for one in features]
        columns.append(Column(name, others, "number", nothing))
        file.append((name, others))
    if report.sureness is not None:
        columns += _standing_columns(features, below)
        for name in ("frequency", "verdict"):
            file.append((name, [getattr(one.standing, name, None) for one in features]))
    columns.append(column("column", "column", "number"))
    file.append(("column", [one.column for one in features]))
    if report.has_near_duplicates:
        found = report.near_duplicates
        heading = "near duplicates left out"
        columns.append(
            Column(
                f"{heading} (correlation)", [_duplicates(near) for near in found], "names", nothing
            )
        )
        file.append((heading, [_named(near, len(near)) for near in found]))
    headings, cells = zip(*file, strict=True)
    # With a meaning of their own the scores are not what the features are ranked by.
    by_score = f", by {score_name}" if has_scores and not report.selected.score_meaning else ""
    return _table(
        f"The selected features, best first{by_score}",
        columns,
        n_rows=len(features),
        below="Next, not selected",
        download=("selected-features.csv", headings, cells),
    )


def _standing_columns(features: Sequence[Feature], below: Sequence[Feature] = ()) -> list[Column]:
    """Return how often features were selected on half samples, and what that means."""

    def often(some: Sequence[Feature]) -> list[Value]:
        known = (one.standing for one in some)
        return [
            MISSING if one is None else Cell(percent(one.frequency), one.frequency) for one in known
        ]

    def verdicts(some: Sequence[Feature]) -> list[str]:
        return [MISSING if one.standing is None else one.standing.verdict for one in some]

    return [
        Column("frequency", often(features), "number", often(below)),
        Column("verdict", verdicts(features), "text", verdicts(below)),
    ]


def _short_ranking(report: SelectionReport) -> PageTable:
    features: Sequence[Feature] = report.features[:_MOST_SHORT]
    columns = [
        Column("rank", [one.rank for one in features], "number"),
        Column("feature", [one.name for one in features], "name"),
        Column("column", [one.column for one in features], "number"),
    ]
    if report.known_scores:
        scores = [one.score for one in features]
        columns.append(Column(report.selected.score_name, scores, "number"))
    if report.sureness is not None:
        columns += _standing_columns(features)
    return _table("The selected features, best first", columns, n_rows=len(report.features))


def comparison_tables(report: ComparisonReport) -> dict[str, PageTable]:
    """Return the tables of a comparison's page."""
    rows = [
        (result, one.judge, i == one.choice)
        for one in report.judgements
        for i, result in enumerate((*one.results, *((one.reference,) if one.reference else ())))
    ]
    results = [result for result, _, _ in rows]
    columns = [
        Column("method", [one.method for one in results], "name"),
        Column("K", [one.k for one in results], "number"),
        Column("mean ± SD", [_spread(one.mean, one.sd) for one in results], "number"),
        Column(
            "against the best",
            [
                f"{one.verdict}, recommended" if is_choice else one.verdict
                for one, _, is_choice in rows
            ],
        ),
        Column(
            "behind by ± SE", [_spread(one.behind, one.standard_error) for one in results], "number"
        ),
    ]
    short = columns[:4]
    judges = [capitalise(one.judge) for one in report.judgements]
    if len(judges) > 1:
        columns.insert(2, Column("judged by", [judge for _, judge, _ in rows]))
    if any(one.seconds is not None for one in results):
        columns.append(Column("time", [_seconds(one.seconds) for one in results], "number"))
    if any(one.note for one in results):
        columns.append(Column("note", [one.note for one in results]))
    better = {"higher" if one.higher_is_better else "lower" for one in report.judgements}
    hint = f" ({better.pop()} is better)" if len(better) == 1 else ""
    caption = f"{judges[0] if len(judges) == 1 else 'Scores'}{hint}"
    tables = {
        "results": _table(
            caption, columns, n_rows=len(rows), download=("comparison.csv", *_results_file(results))
        ),
        "short": _table(caption, short, n_rows=len(rows)),
    }
    steady = [one for one in report.selected_often if one.stability is not None]
    if steady:
        tables["stability"] = _table(
            "How alike the sets from different folds are",
            [
                Column("method", [one.method for one in steady], "name"),
                Column("K", [one.k for one in steady], "number"),
                Column(
                    "different features in all folds",
                    [one.n_features_ever for one in steady],
                    "number",
                ),
                Column(
                    "agreement",
                    [Cell(f"{one.stability:.2f}", one.stability) for one in steady],
                    "number",
                ),
            ],
        )
    if report.frequencies:
        tables["frequencies"] = _frequencies(report)
    return tables


def _results_file(results: Sequence[Result]) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
    names = (
        *("method", "k", "learner", "metric", "mean", "sd"),
        *("verdict", "behind", "standard_error", "seconds", "note"),
    )
    n_folds = max(len(one.fold_scores) for one in results)
    folds = [
        [one.fold_scores[i] if i < len(one.fold_scores) else None for one in results]
        for i in range(n_folds)
    ]
    headings = (*names, *(f"fold_{i}" for i in range(1, n_folds + 1)))
    return headings, [*([getattr(one, name) for one in results] for name in names), *folds]


def _frequencies(report: ComparisonReport) -> PageTable:
    rows = [
        (name, column, one.method, one.k, n, one.n_times)
        for one in report.selected_often
        for name, column, n in one.features
    ]
    names, columns, methods, ks, ns, times = (
        list(values) for values in (zip(*rows, strict=True) if rows else [()] * 6)
    )
    return _table(
        "The features selected most often, for each method and K",
        [
            Column("feature", names, "name"),
            Column("column", columns, "number"),
            Column("method", methods, "name"),
            Column("K", ks, "number"),
            Column(
                "selected in",
                [
                    Cell(f"{n} of {n_times} folds", n / n_times)
                    for n, n_times in zip(ns, times, strict=True)
                ],
                "number",
            ),
        ],
        n_rows=len(rows),
        download=(
            "frequencies.csv",
            ("feature", "column", "method", "k", "times_selected", "n_folds"),
            (names, columns, methods, ks, ns, times),
        ),
    )


def _table(
    caption: str,
    columns: list[Column],
    *,
    n_rows: int | None = None,
    below: str = "",
    download: tuple[str, Sequence[str], Sequence[Sequence[Any]]] | None = None,
) -> PageTable:
    """Make a table; the file to download has a name, headings and columns."""
    n_rows = len(columns[0].cells) if n_rows is None else n_rows
    if download is None:
        return PageTable(caption, columns, n_rows, below)
    file_name, headings, cells = download
    content = spreadsheet_csv(Table("", tuple(headings), tuple(zip(*cells, strict=True))))
    # Not as a text: whatever is in it, there is nothing in base64 that could end the attribute.
    encoded = base64.b64encode(content.encode("utf-8", "replace")).decode("ascii")
    address = f"data:text/csv;charset=utf-8;base64,{encoded}"
    return PageTable(caption, columns, n_rows, below, file_name, address)


def _cell(value: Value) -> Cell:
    if isinstance(value, Cell):
        return value
    return Cell(value) if isinstance(value, str) else Cell(number_text(value), value)


def _spread(mean: float | None, spread: float | None) -> Cell:
    return Cell(spread_text(mean, spread), mean)


def _seconds(seconds: float | None) -> Cell:
    return Cell(MISSING if seconds is None else seconds_text(seconds), seconds)


def _duplicates(ones: Sequence[tuple[str, float | None]]) -> Cell:
    return Cell(_named(ones, _MOST_DUPLICATES), len(ones))


def _named(ones: Sequence[tuple[str, float | None]], most: int) -> str:
    named = (f"{name} ({MISSING if value is None else f'{value:.3f}'})" for name, value in ones)
    return some_of(named, most, separator="; ", last="; and ")
