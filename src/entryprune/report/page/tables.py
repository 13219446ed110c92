"""The tables of a page: their columns, and the files that can be downloaded."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from entryprune._text import some_of
from entryprune.report.confidence import REJECTED, percent
from entryprune.report.files import features_table, named_duplicates
from entryprune.report.statistics import EFFECT_NAMES
from entryprune.report.table import Table, spreadsheet_csv
from entryprune.report.text import (
    MISSING,
    capitalise,
    column_texts,
    number_text,
    probability_text,
    seconds_text,
    shorten,
    spread_text,
    two_decimals,
)
from entryprune.report.verdict import gain_text

if TYPE_CHECKING:
    from entryprune.report.comparison import ComparisonReport, Judgement, Result
    from entryprune.report.levels import Breakdown
    from entryprune.report.selected import Feature
    from entryprune.report.selection import SelectionReport
    from entryprune.report.statistics import Effect

_TSV, _JSON = "text/tab-separated-values", "application/json"
# Near duplicates of one feature that are named; the file to download has them all.
_MOST_DUPLICATES = 5
# Letters that are kept on one line.
_MOST_UNBROKEN = 24
# Features of a group of which any one will do.
_MOST_ALIKE = 20
# Targets whose effects are shown; the files to download have all.
_MOST_TARGETS = 8
# Rows of a page's table, and of one in a notebook.
MOST_ROWS, _MOST_SHORT = 1000, 20


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and the number that it is sorted by if it has one."""

    content: str
    value: float | None = None


Value = str | float | None | Cell
Kind = Literal["text", "name", "names", "number", "numbers"]


class Column:
    """A column of a table, and the values of further rows below a rule.

    Names come from strangers and may be long; numbers stand to the right. Several numbers in one
    cell are broken into lines between them where there is little room, and nowhere else.
    """

    def __init__(
        self,
        heading: str,
        values: Sequence[Value],
        kind: Kind = "text",
        below: Sequence[Value] = (),
    ) -> None:
        self.heading = heading
        self.kind: Kind = kind
        self.cells = [_cell(value) for value in values[:MOST_ROWS]]
        self.below = [_cell(value) for value in below]


@dataclass(frozen=True)
class Download:
    """A file that is part of the page."""

    label: str
    file_name: str
    address: str


@dataclass(frozen=True)
class PageTable:
    """A table that scrolls inside its box."""

    caption: str
    columns: list[Column]
    n_rows: int  # the first 1,000 are shown
    below: str = ""  # above the rows below the rule, which are neither sorted nor searched
    downloads: tuple[Download, ...] = ()  # a table with some can be sorted and searched, too


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
    for one in report.breakdowns:
        if one.kind != "gaps" and (one.high is None or one.high != one.low):
            tables[f"levels {one.rank}"] = _levels(one, report.data.task == "classification")
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


def _levels(one: Breakdown, is_class: bool) -> PageTable:
    """Return the levels of a feature, those that differ most from the others first."""
    outcomes = [_mean(level.outcome, is_share=is_class) for level in one.levels]
    columns = [
        Column(one.part or "level", [level.name for level in one.levels], "name"),
        Column("samples", [level.n_samples for level in one.levels], "number"),
        Column(
            one.what,
            [
                Cell(f"{text} {level.label}".rstrip(), level.outcome)
                for text, level in zip(outcomes, one.levels, strict=True)
            ],
            "number",
        ),
    ]
    return _table(f"{one.name}: those that differ most come first", columns, n_rows=one.n_levels)


def _ranking(report: SelectionReport) -> PageTable:
    features, below = report.features, report.runners_up
    nothing = [""] * len(below)

    def column(heading: str, attribute: str, kind: Literal["name", "number"]) -> Column:
        both = ([getattr(one, attribute) for one in some] for some in (features, below))
        return Column(heading, next(both), kind, next(both))

    score_name, has_scores = report.selected.score_name, bool(report.known_scores)
    columns = [column("rank", "rank", "number"), column("feature", "name", "name")]
    if has_scores:
        scores = _numbers([one.score for one in (*features, *below)])
        n = len(features)
        columns.append(Column(score_name, scores[:n], "number", scores[n:]))
    for name in report.selected.other_scores:
        others = _numbers([one.other_scores[name] for one in features])
        columns.append(Column(name, others, "number", nothing))
    if report.sureness is not None:
        columns += _standing_columns(features, below)
    if report.panel is not None:
        columns += _panel_columns(report, nothing)
    known = [one.effect for one in features if one.effect is not None]
    if known:
        sizes = [Cell(MISSING if e.size is None else f"{e.size:.2f}", e.size) for e in known]
        columns.append(Column(EFFECT_NAMES[report.data.task], sizes, "number", nothing))
        is_class = report.data.task == "classification"
        means = [Cell(_means(e, is_class=is_class), e.high_mean) for e in known]
        columns.append(Column("highest and lowest mean", means, "numbers", nothing))
    for target in report.data.targets[:_MOST_TARGETS]:
        of_target = [one.by_target.get(target) for one in features]
        cells = [Cell(MISSING if size is None else f"{size:.2f}", size) for size in of_target]
        heading = f"{EFFECT_NAMES[report.data.task]}: {shorten(target)}"
        columns.append(Column(heading, cells, "number", nothing))
    columns.append(column(report.data.place, "column", "number"))
    if report.has_near_duplicates:
        # Their names have a table of their own; here they would be wider than all the rest.
        n_near = [len(near) for near in report.near_duplicates]
        columns.append(Column("near duplicates left out", n_near, "number", nothing))
    by_score = f", by {score_name}" if report.threshold is not None else ""
    return _table(
        f"The selected features, best first{by_score}",
        columns,
        n_rows=len(features),
        below="Next, not selected",
        downloads=(
            _csv("selected-features.csv", features_table(report)),
            _download("TSV", "selected-features.tsv", _TSV, report.to_tsv()),
            _download("JSON (all results)", "selection.json", _JSON, report.to_json()),
        ),
    )


def _means(effect: Effect, *, is_class: bool) -> str:
    if effect.is_of_levels and not effect.high:
        return MISSING
    is_share = effect.is_of_levels and is_class
    high, low = (_mean(mean, is_share=is_share) for mean in (effect.high_mean, effect.low_mean))
    parts = (f"{high} ({shorten(effect.high)}),", f"{low} ({shorten(effect.low)})")
    return " ".join(map(_unbroken, parts))


def _mean(mean: float | None, *, is_share: bool) -> str:
    if mean is not None and is_share:
        return f"{100 * mean:.3g}\u00a0%"
    return number_text(mean if mean is None or abs(mean) >= 1000 else float(f"{mean:.3g}"))


def _unbroken(text: str) -> str:
    """Return a text that stays on one line, as long as that is short."""
    return text.replace(" ", "\u00a0") if len(text) <= _MOST_UNBROKEN else text


def _panel_columns(report: SelectionReport, nothing: Sequence[str]) -> list[Column]:
    """Return what features cost, which group they are of and whether they were kept."""
    assert report.panel is not None
    rows = [report.panel.row(place) for place in range(len(report.features))]
    columns = []
    for name in rows[0]:
        ones = [row[name] for row in rows]
        if name == "cost":
            columns.append(Column(name, _numbers(ones), "number", nothing))
        elif name == "kept":
            columns.append(Column(name, ["yes" if one else "" for one in ones], "text", nothing))
        else:
            columns.append(Column(name, [one or "" for one in ones], "name", nothing))
    return columns


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
        Column(report.data.place, [one.column for one in features], "number"),
    ]
    if report.known_scores:
        scores = _numbers([one.score for one in features])
        columns.append(Column(report.selected.score_name, scores, "number"))
    if report.sureness is not None:
        columns += _standing_columns(features)
    return _table("The selected features, best first", columns, n_rows=len(report.features))


def comparison_tables(report: ComparisonReport) -> dict[str, PageTable]:
    """Return the tables of a comparison's page."""
    ones = report.judgements
    rows = [(row, one, i == one.choice) for one in ones for i, row in enumerate(one.results)]
    others = [
        (row, one, one.kind == "keep all" and row is one.reference)
        for one in ones
        for row in one.others
    ]

    def column(
        heading: str,
        cell: Callable[[Result, Judgement, bool], Value],
        kind: Kind = "text",
    ) -> Column:
        upper, lower = ([cell(*row) for row in some] for some in (rows, others))
        return Column(heading, upper, kind, lower)

    is_one = len(ones) == 1
    columns = [
        column("method", lambda row, *_: row.method, "name"),
        column("K", lambda row, *_: row.k or Cell(""), "number"),
        column(
            ones[0].metric if is_one else "mean ± SD",
            lambda row, *_: _spread(row.mean, row.sd),
            "number",
        ),
        column("gain on all features", lambda row, one, _: _gain(row, one.metric), "numbers"),
        column("against the best", lambda row, _, is_choice: _standing(row, is_choice)),
        column("behind by ± SE", lambda row, *_: _spread(row.behind, row.standard_error), "number"),
    ]
    # A part of another page has no rows below a rule.
    short = [Column(one.heading, [*one.cells, *one.below], one.kind) for one in columns[:4]]
    if not is_one:
        columns.insert(2, column("judged by", lambda _, one, __: capitalise(one.judge)))
    all_rows = [row for row, _, _ in (*rows, *others)]
    if report.interrupted is not None:
        columns.insert(-3, column("folds", lambda row, *_: row.n_folds, "number"))
    if any(row.seconds is not None for row in all_rows):
        columns.append(column("time", lambda row, *_: _seconds(row.seconds), "number"))
    # What a guess is stands in the text.
    if any(row.note for row in all_rows if row.k):
        columns.append(column("note", lambda row, *_: row.note))
    better = {"higher" if one.higher_is_better else "lower" for one in ones}
    hint = f" ({better.pop()} is better)" if len(better) == 1 else ""
    caption = f"{capitalise(ones[0].judge) if is_one else 'Scores'}{hint}"
    tables = {
        "results": _table(
            caption,
            columns,
            n_rows=len(rows),
            below="To compare with",
            downloads=(
                _csv("comparison.csv", _results_file(all_rows)),
                _download("JSON (all results)", "comparison.json", _JSON, report.to_json()),
            ),
        ),
        "short": _table(caption, short, n_rows=len(all_rows)),
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
                    "stability",
                    [
                        Cell(two_decimals(one.stability), one.stability)
                        for one in steady
                        if one.stability is not None
                    ],
                    "number",
                ),
            ],
        )
    if report.frequencies:
        tables["frequencies"] = _frequencies(report)
    return tables


def _results_file(results: Sequence[Result]) -> Table:
    names = (
        *("method", "k", "learner", "metric", "mean", "sd", "gain", "gain_low", "gain_high"),
        *("n_folds", "verdict", "behind", "standard_error", "stability", "seconds", "note"),
    )
    n_folds = max(len(one.fold_scores) for one in results)
    folds = [
        [one.fold_scores[i] if i < len(one.fold_scores) else None for one in results]
        for i in range(n_folds)
    ]
    headings = (*names, *(f"fold_{i}" for i in range(1, n_folds + 1)))
    cells = [*([getattr(one, name) for one in results] for name in names), *folds]
    return Table("comparison", headings, tuple(zip(*cells, strict=True)))


def _standing(row: Result, is_choice: bool) -> str:
    return ", ".join(filter(None, (row.verdict, "recommended" if is_choice else "")))


def _gain(row: Result, metric: str) -> Cell:
    gain, space, interval = gain_text(row.gain, row.gain_low, row.gain_high, metric).partition(" ")
    return Cell(f"{gain}{space}{_unbroken(interval)}" or MISSING, row.gain)


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
            Column(report.data.place, columns, "number"),
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
        downloads=(
            _csv(
                "frequencies.csv",
                Table(
                    "frequencies",
                    ("feature", report.data.place, "method", "k", "times_selected", "n_folds"),
                    tuple(rows),
                ),
            ),
        ),
    )


def _table(
    caption: str,
    columns: list[Column],
    *,
    n_rows: int | None = None,
    below: str = "",
    downloads: tuple[Download, ...] = (),
) -> PageTable:
    n_rows = len(columns[0].cells) if n_rows is None else n_rows
    return PageTable(caption, columns, n_rows, below, downloads)


def _csv(file_name: str, table: Table) -> Download:
    return _download("CSV", file_name, "text/csv", spreadsheet_csv(table))


def _download(label: str, file_name: str, kind: str, content: str) -> Download:
    # Not as a text: whatever is in it, there is nothing in base64 that could end the attribute.
    encoded = base64.b64encode(content.encode("utf-8", "replace")).decode("ascii")
    return Download(label, file_name, f"data:{kind};charset=utf-8;base64,{encoded}")


def _cell(value: Value) -> Cell:
    if isinstance(value, Cell):
        return value
    return Cell(value) if isinstance(value, str) else Cell(number_text(value), value)


def _numbers(values: Sequence[float | None]) -> list[Cell]:
    texts = column_texts(values)
    return [Cell(text, _sorted_by(value)) for text, value in zip(texts, values, strict=True)]


def _sorted_by(value: float | None) -> float | None:
    """Return a number that a page can hold, in the place of an infinite one too."""
    return value if value is None else max(-sys.float_info.max, min(value, sys.float_info.max))


def _spread(mean: float | None, spread: float | None) -> Cell:
    return Cell(spread_text(mean, spread), mean)


def _seconds(seconds: float | None) -> Cell:
    return Cell(MISSING if seconds is None else seconds_text(seconds), seconds)


def _duplicates(ones: Sequence[tuple[str, float | None]]) -> Cell:
    return Cell(named_duplicates(ones, _MOST_DUPLICATES), len(ones))
