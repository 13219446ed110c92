"""The page of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from entryprune.report._texts import MISSING, capitalise, count_text, spread_text
from entryprune.report.comparison_facts import summarise_comparison
from entryprune.report.page._document import Section, document
from entryprune.report.page._markup import join, paragraphs, tag
from entryprune.report.page._pictures import picture, side_by_side
from entryprune.report.page._plots import comparison_plots
from entryprune.report.page._shared import again_section, data_section, notice, time_text
from entryprune.report.page._tables import Column, Sorted, table
from entryprune.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from entryprune.report.comparison import ComparisonReport

    Facts = Mapping[str, Any]

_INTERRUPTED = (
    "The run was interrupted. This is what was known when it was interrupted; not all that was "
    "asked for was tried."
)


def render_comparison_page(report: ComparisonReport) -> str:
    """Return the report of a comparison as one HTML file.

    Parameters
    ----------
    report : ComparisonReport
        What is known; what is not is left out.

    Returns
    -------
    page : str
        It needs no network, and all of it but sorting and searching works without JavaScript.
        The same report gives the same page.

    Examples
    --------
    >>> from entryprune.report import ComparisonReport, Contender, DataFacts, Provenance
    >>> page = render_comparison_page(ComparisonReport(
    ...     data=DataFacts(
    ...         file_name="a.csv", n_cases=99, n_features=9, target="y", task="regression"
    ...     ),
    ...     contenders=[
    ...         Contender(method="STG", k=2, learner="ridge", metric="R²", mean=0.5, sd=0.1)
    ...     ],
    ...     provenance=Provenance(command="entryprune compare a.csv"),
    ... ))
    >>> "Use STG with K = 2" in page
    True
    """
    facts = summarise_comparison(report)
    return comparison_page(facts, comparison_plots(facts))


def comparison_page(facts: Facts, plots: Sequence[Axes]) -> str:
    """Return the page from the facts and the plots.

    Parameters
    ----------
    facts : dict
        From `summarise_comparison`.
    plots : sequence of matplotlib.axes.Axes
        One for each judgement.
    """
    sections = [_verdict(facts), _results(facts), _curves(facts, plots)]
    if facts["frequencies"]:
        sections.append(_frequencies(facts))
    sections += [
        data_section(facts["data"], {"Time taken": time_text(facts["seconds"])}),
        again_section(facts["again"]),
    ]
    said = [_INTERRUPTED] if facts["ended"] == "interrupted" else []
    opening = join(
        [
            *(tag("p", one["statement"], class_="answer") for one in facts["judgements"]),
            notice([*said, *facts["warnings"]]),
        ]
    )
    return document(facts["title"], opening, sections)


def _verdict(facts: Facts) -> Section:
    content = []
    for one in facts["judgements"]:
        texts = [*one["sureness"]]
        reference = one["reference"]
        if reference:
            score = spread_text(reference["mean"], reference["sd"])
            with_all = count_text(facts["data"]["n_features"], "feature")
            texts.append(f"With all {with_all} the {one['metric']} is {score}.")
        if texts and len(facts["judgements"]) > 1:
            content.append(tag("h3", capitalise(_judge(one))))
        content.append(paragraphs(texts))
    content.append(
        tag(
            "p",
            "The selection was repeated inside each fold, without the cases kept aside for "
            "testing. So the numbers estimate how a set selected this way does on new cases. The "
            "number after ± is the standard deviation (SD) over the folds.",
        )
    )
    return Section("verdict", "How sure this is", join(content))


def _results(facts: Facts) -> Section:
    rows = [
        {
            **row,
            "learner": one["learner"],
            "metric": one["metric"],
            "judge": _judge(one),
            "is_choice": i == one["choice"],
        }
        for one in facts["judgements"]
        for i, row in enumerate((*one["rows"], *([one["reference"]] if one["reference"] else ())))
    ]
    columns = [
        Column("method", [row["method"] for row in rows], "name"),
        Column("K", [row["k"] for row in rows], "number"),
        Column("mean ± SD", [_pair(row, "mean", "sd") for row in rows], "number"),
        Column("against the best", [_standing(row) for row in rows]),
        Column(
            "behind by ± SE", [_pair(row, "behind", "standard_error") for row in rows], "number"
        ),
    ]
    judges = [capitalise(_judge(one)) for one in facts["judgements"]]
    if len(judges) > 1:
        columns.insert(2, Column("judged by", [row["judge"] for row in rows]))
    if any(row["seconds"] is not None for row in rows):
        times = [Sorted(time_text(row["seconds"]) or MISSING, row["seconds"]) for row in rows]
        columns.append(Column("time", times, "number"))
    if any(row["note"] for row in rows):
        columns.append(Column("note", [row["note"] for row in rows]))
    better = {"higher" if one["higher_is_better"] else "lower" for one in facts["judgements"]}
    hint = f" ({better.pop()} is better)" if len(better) == 1 else ""
    judge = judges[0] if len(judges) == 1 else "Scores"
    content = table(f"{judge}{hint}", columns, ("comparison.csv", _results_csv(rows)))
    explained = tag(
        "p",
        "Behind by: the mean difference to the best over the same folds, and its standard error "
        "(SE). Up to one standard error counts as not clearly worse.",
    )
    return Section("results", "All results", join([content, explained]))


def _results_csv(rows: Sequence[Facts]) -> Table:
    names = (
        "method",
        "k",
        "learner",
        "metric",
        "mean",
        "sd",
        "verdict",
        "behind",
        "standard_error",
        "seconds",
        "note",
    )
    n_folds = max(len(row["fold_scores"]) for row in rows)
    cells = []
    for row in rows:
        missing = [None] * (n_folds - len(row["fold_scores"]))
        cells.append((*(row[name] for name in names), *row["fold_scores"], *missing))
    folds = tuple(f"fold_{i}" for i in range(1, n_folds + 1))
    return Table("", (*names, *folds), tuple(cells))


def _curves(facts: Facts, plots: Sequence[Axes]) -> Section:
    text = "The score against the number of selected features K. Bars: one SD over the folds."
    pictures = []
    for one, ax in zip(facts["judgements"], plots, strict=True):
        known = [row for row in one["rows"] if row["mean"] is not None]
        best = (
            ""
            if one["best"] is None
            else (
                f" The best is {one['rows'][one['best']]['method']} with K = "
                f"{one['rows'][one['best']]['k']}."
            )
        )
        judge = capitalise(_judge(one))
        alt = f"{judge}, {count_text(len(known), 'result')}.{best}"
        pictures.append(picture(ax, alt, judge))
    return Section("curves", "Score against K", join([tag("p", text), side_by_side(pictures)]))


def _frequencies(facts: Facts) -> Section:
    content = []
    steady = [one for one in facts["frequencies"] if one["stability"] is not None]
    if steady:
        columns = [
            Column("method", [one["method"] for one in steady], "name"),
            Column("K", [one["k"] for one in steady], "number"),
            Column(
                "different features in all folds",
                [one["n_features_ever"] for one in steady],
                "number",
            ),
            Column(
                "agreement",
                [Sorted(f"{one['stability']:.2f}", one["stability"]) for one in steady],
                "number",
            ),
        ]
        content += [
            table("How alike the sets from different folds are", columns),
            tag(
                "p",
                "Agreement: 1 if every fold selects the same features, about 0 if they are as "
                "different as by chance (Nogueira and others, 2018).",
            ),
        ]
    rows = [
        {**feature, "method": one["method"], "k": one["k"], "n_times": one["n_times"]}
        for one in facts["frequencies"]
        for feature in one["features"]
    ]
    columns = [
        Column("feature", [row["name"] for row in rows], "name"),
        Column("column", [row["column"] for row in rows], "number"),
        Column("method", [row["method"] for row in rows], "name"),
        Column("K", [row["k"] for row in rows], "number"),
        Column(
            "selected in",
            [
                Sorted(f"{row['n']} of {row['n_times']} folds", row["n"] / row["n_times"])
                for row in rows
            ],
            "number",
        ),
    ]
    names = ("name", "column", "method", "k", "n", "n_times")
    csv = Table(
        "",
        ("feature", "column", "method", "k", "times_selected", "n_folds"),
        tuple(tuple(row[name] for name in names) for row in rows),
    )
    content.append(
        table(
            "The features selected most often, for each method and K",
            columns,
            ("frequencies.csv", csv),
        )
    )
    return Section("frequencies", "Which features are selected again and again", join(content))


def _judge(judgement: Facts) -> str:
    return f"{judgement['metric']} of {judgement['learner']}"


def _pair(row: Facts, mean: str, spread: str) -> Sorted:
    return Sorted(spread_text(row[mean], row[spread]), row[mean])


def _standing(row: Facts) -> str:
    return f"{row['verdict']}, recommended" if row["is_choice"] else str(row["verdict"])
