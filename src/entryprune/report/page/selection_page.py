"""The page of one selection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from entryprune._text import some_of
from entryprune.report._texts import (
    MISSING,
    capitalise,
    count_text,
    number_text,
    probability_text,
    spread_text,
)
from entryprune.report.page._document import Section, document
from entryprune.report.page._markup import Html, bullets, join, paragraphs, tag
from entryprune.report.page._pictures import picture, side_by_side
from entryprune.report.page._plots import selection_plots
from entryprune.report.page._shared import again_section, data_section, notice, time_text
from entryprune.report.page._tables import Column, Sorted, table
from entryprune.report.plots.distributions import MOST_CLASSES
from entryprune.report.plots.pair import MOST_CLASSES as MOST_IN_PAIR
from entryprune.report.selection_facts import summarise_selection
from entryprune.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from entryprune.report.selection import SelectionReport

    Facts = Mapping[str, Any]

# Near duplicates of one feature that are named; the file to download has them all.
_MOST_DUPLICATES = 5

_ENDINGS = {
    "finished": "",
    "interrupted": "The run was interrupted. This is what was known when it was interrupted.",
    "cut off": "The search was cut off at a limit before it came to its own end, so the set may "
    "not have settled.",
}


def render_selection_page(report: SelectionReport) -> str:
    """Return the report of a selection as one HTML file.

    Parameters
    ----------
    report : SelectionReport
        What is known; what is not is left out.

    Returns
    -------
    page : str
        It needs no network, and all of it but sorting and searching works without JavaScript.
        The same report gives the same page.

    Examples
    --------
    >>> from entryprune.report import DataFacts, Provenance, Selected, SelectionReport
    >>> page = render_selection_page(SelectionReport(
    ...     data=DataFacts(
    ...         file_name="a.csv", n_cases=99, n_features=1000, target="y", task="regression"
    ...     ),
    ...     n_selected=2,
    ...     method="EntryPrune",
    ...     selected=Selected(names=["radius", "area"], columns=[3, 5], scores=[0.5, 0.2]),
    ...     provenance=Provenance(command="entryprune select a.csv"),
    ... ))
    >>> "Of 1,000 features, EntryPrune selected these 2" in page
    True
    """
    facts = summarise_selection(report)
    return selection_page(facts, selection_plots(report, facts))


def selection_page(facts: Facts, plots: Mapping[str, Sequence[Axes]]) -> str:
    """Return the page from the facts and the plots.

    Parameters
    ----------
    facts : dict
        From `summarise_selection`.
    plots : dict of str to sequence of matplotlib.axes.Axes
        By section: "pairs", "scores", "growth", "convergence", "distributions", "correlation" and
        "images".
    """
    sections = [_ranking(facts)]
    if facts["validation"]:
        sections.append(_validation(facts["validation"]))
    if facts["pairs"]:
        sections.append(_pairs(facts, plots.get("pairs", ())))
    if "scores" in plots:
        sections.append(_scores(facts, plots["scores"][0]))
    if facts["growth"]:
        sections.append(_growth(facts["growth"], plots.get("growth", ())))
    if facts["convergence"]:
        sections.append(_convergence(facts["convergence"], plots["convergence"]))
    if facts["distributions"]:
        sections.append(_distributions(facts, plots["distributions"]))
    if facts["correlation"] or facts["has_near_duplicates"]:
        sections.append(_correlation(facts, plots.get("correlation", ())))
    if facts["images"]:
        sections.append(_images(facts["images"], plots["images"][0]))
    n_asked = facts["n_asked"]
    asked = {
        "Asked for": count_text(n_asked, "feature"),
        "Method": facts["method"],
        "Time taken": time_text(facts["seconds"]),
    }
    sections += [data_section(facts["data"], asked), again_section(facts["again"])]
    return document(facts["title"], _opening(facts), sections)


def _opening(facts: Facts) -> Html:
    is_said = any(facts["ended"] in text for text in facts["warnings"])
    said = [] if is_said else [_ENDINGS[facts["ended"]]]
    if facts["n_selected"] != facts["n_asked"]:
        said.append(f"{facts['n_asked']:,} were asked for; there are {facts['n_selected']:,}.")
    sentences = facts["validation"]["sentences"] if facts["validation"] else []
    return join(
        [
            tag("p", facts["answer"], class_="answer"),
            notice([*said, *facts["warnings"]]),
            bullets(sentences),
        ]
    )


def _ranking(facts: Facts) -> Section:
    features, score_name, next_ones = facts["features"], facts["score_name"], facts["runners_up"]

    def column(heading: str, fact: str, kind: Literal["name", "number"]) -> Column:
        both = ([one[fact] for one in some] for some in (features, next_ones))
        return Column(heading, next(both), kind, next(both))

    columns = [column("rank", "rank", "number"), column("feature", "name", "name")]
    if facts["has_scores"]:
        columns.append(column(score_name, "score", "number"))
    nothing = [""] * len(next_ones)
    for name in facts["other_score_names"]:
        others = [one["other_scores"][name] for one in features]
        columns.append(Column(name, others, "number", nothing))
    columns.append(column("column", "column", "number"))
    headings = [column.heading for column in columns]
    cells: list[Sequence[Any]] = [column.cells for column in columns]
    if facts["has_near_duplicates"]:
        found = [one["near_duplicates"] for one in features]
        columns.append(
            Column(
                "near duplicates left out (correlation)",
                [_duplicates(ones) for ones in found],
                below=nothing,
            )
        )
        headings.append("near duplicates left out")
        cells.append([_named(ones, len(ones)) for ones in found])
    content = Table("", tuple(headings), tuple(zip(*cells, strict=True)))
    # With a meaning of their own the scores are not what the features are ranked by.
    by_score = f", by {score_name}" if facts["has_scores"] and not facts["score_meaning"] else ""
    caption = f"The selected features, best first{by_score}"
    whole = table(caption, columns, ("selected-features.csv", content), below="Next, not selected")
    notes = [
        facts["runners_up_note"] if next_ones else "",
        # Pairs that were found have a section of their own, which says it.
        "" if facts["pairs"] else facts["pairs_note"],
    ]
    return Section("ranking", "The selected features", join([whole, paragraphs(notes)]))


def _duplicates(ones: Sequence[Facts]) -> Sorted:
    return Sorted(tag("span", _named(ones, _MOST_DUPLICATES), class_="name many"), len(ones))


def _named(ones: Sequence[Facts], most: int) -> str:
    named = (f"{one['name']} ({_rounded(one['correlation'])})" for one in ones)
    return some_of(named, most, separator="; ", last="; and ")


def _validation(validation: Facts) -> Section:
    rows = validation["rows"]
    columns = [
        Column("features", [row["what"] for row in rows], "name"),
        Column("predicted by", [row["learner"] for row in rows]),
        Column("measure", [_measure(row) for row in rows]),
        Column(
            "mean ± SD",
            [Sorted(spread_text(row["mean"], row["sd"]), row["mean"]) for row in rows],
            "number",
        ),
        Column("folds", [_folds(row) for row in rows]),
    ]
    content = [
        table("How well the target is predicted, from cross-validation", columns),
        tag("p", validation["meaning"]),
    ]
    return Section("accuracy", "How well it predicts", join(content))


def _measure(row: Facts) -> str:
    return f"{row['metric']} ({'higher' if row['higher_is_better'] else 'lower'} is better)"


def _folds(row: Facts) -> str:
    return f"{row['n_splits']}" + (f", {row['n_repeats']} times" if row["n_repeats"] > 1 else "")


def _pairs(facts: Facts, plots: Sequence[Axes]) -> Section:
    pairs = facts["pairs"]
    which = "These two matter" if len(pairs) == 1 else "The two in each row of the table matter"
    text = (
        f"{which} only together: neither tells much of the target alone. The strength is how far "
        "what they do together is from nothing, in standard deviations (SD). The p-value is how "
        "often chance alone would show a pair as strong somewhere in the table; it is corrected "
        "for the number of pairs looked at."
    )
    columns = [
        Column("feature", [one["names"][0] for one in pairs], "name"),
        Column("and", [one["names"][1] for one in pairs], "name"),
        Column("strength (SD)", [one["strength"] for one in pairs], "number"),
        Column(
            "p, corrected",
            [Sorted(probability_text(one["p_value"]), one["p_value"]) for one in pairs],
            "number",
        ),
    ]
    first, second = pairs[0]["names"]
    by_target = f"a point for each case, coloured by {facts['data']['target']}"
    caption = "Each point is a case."
    if len(facts["data"]["classes"]) > MOST_IN_PAIR:
        caption += f" The {MOST_IN_PAIR} most frequent classes are shown."
    if len(pairs) > 1:
        caption = f"The strongest pair. {caption}"
    beside = [
        picture(ax, f"{first} and {second} against each other, {by_target}.", caption)
        for ax in plots
    ]
    beside.append(table("Features that matter only together", columns))
    said = tag("p", f"{text} {facts['pairs_note']}".rstrip())
    return Section(
        "pairs", "Features that matter only together", join([said, side_by_side(beside)])
    )


def _scores(facts: Facts, ax: Axes) -> Section:
    known = [one["score"] for one in facts["features"] if one["score"] is not None]
    best, least = (number_text(end) for end in (max(known), min(known)))
    name = facts["score_name"]
    alt = f"The {name} of each selected feature, from {best} down to {least}."
    if facts["score_meaning"]:
        alt = f"{capitalise(name)}, for each selected feature: from {best} down to {least}."
        content = join([tag("p", facts["score_meaning"]), picture(ax, alt)])
        return Section("scores", "The scores", content)
    threshold = number_text(facts["threshold"])
    text = (
        f"The threshold is the smallest {name} among the selected features, {threshold}: a "
        "feature that is not selected did not reach it. Where many scores lie close to it, which "
        "features are just above it may be a matter of chance."
    )
    return Section("scores", "Scores and threshold", join([tag("p", text), picture(ax, alt)]))


def _growth(facts: Facts, plots: Sequence[Axes]) -> Section:
    n_seats, lowest = facts["n_seats"], facts["seats_at_lowest"]
    texts = [
        "Features were taken one after the other, each time the one that explains most of what "
        "those before it leave unexplained. The loss is the negative log evidence per sample: it "
        "falls as long as a feature explains more than chance would."
    ]
    if facts["n_pairs"]:
        texts.append(
            f"Then {count_text(facts['n_pairs'], 'pair')} of features that matter only together "
            "took the places of features that would be missed least."
        )
    if facts["n_exchanges"]:
        texts.append(
            "Then those that would be missed least were exchanged for better ones: "
            f"{count_text(facts['n_exchanged'], 'exchange')} in "
            f"{count_text(facts['n_exchanges'], 'round')}."
        )
    elif not facts["n_pairs"] and lowest is not None and lowest < n_seats:
        rest = count_text(n_seats - lowest, "more", "more")
        texts.append(
            f"It was lowest with {count_text(lowest, 'feature')}: by this measure {rest} added "
            "nothing, though a learner may still gain from it."
        )
    alt = (
        f"Loss against the number of features taken: {number_text(facts['first_loss'])} after the "
        f"first step, {number_text(facts['last_loss'])} in the end."
    )
    content = join([paragraphs(texts), *(picture(ax, alt) for ax in plots)])
    return Section("growth", "How the set grew", content)


def _convergence(facts: Facts, plots: Sequence[Axes]) -> Section:
    rotations = count_text(facts["n_rotations"], "rotation")
    texts = [
        f"The method worked in {rotations}. In each, new features could take the places of "
        "selected ones. When the set no longer changes and the loss (the error of the "
        "predictions) no longer falls, the selection has settled."
    ]
    if facts["last_change"] is not None:
        last = f"The search changed the set for the last time in rotation {facts['last_change']:,}"
        texts.append(f"{last} of {facts['n_search']:,}.")
    if facts["n_final"]:
        texts.append(
            f"After the search a final training of {count_text(facts['n_final'], 'rotation')} "
            "used all cases."
        )
    alts = [
        "Features changed in each rotation, from "
        f"{number_text(facts['first_n_changed'])} in the first to "
        f"{number_text(facts['last_n_changed'])} in the last."
    ]
    if facts["has_loss"]:
        cases = "training and validation" if facts["has_validation_loss"] else "training"
        alts.append(
            f"Loss on the {cases} cases by rotation; in the last one "
            f"{number_text(facts['last_training_loss'])} on the training cases."
        )
    if facts["has_threshold"]:
        alts.append(
            "Smallest score among the selected features by rotation; in the last one "
            f"{number_text(facts['last_threshold'])}."
        )
    pictures = side_by_side(picture(ax, alt) for ax, alt in zip(plots, alts, strict=True))
    return Section("convergence", "How the selection settled", join([paragraphs(texts), pictures]))


def _distributions(facts: Facts, plots: Sequence[Axes]) -> Section:
    shown, data = facts["distributions"], facts["data"]
    which = (
        "each selected feature"
        if len(shown) == facts["n_selected"]
        else (f"the first {count_text(len(shown), 'feature')}")
    )
    if data["task"] == "classification":
        n_classes = len(data["classes"])
        most = (
            f", for the {MOST_CLASSES} most frequent of {n_classes} classes"
            if (n_classes > MOST_CLASSES)
            else ""
        )
        text = (
            f"The values of {which} by class{most}. A box holds the middle half of the cases, the "
            "line in it is the median, and the whiskers go from 5 % to 95 % of the cases. "
            "Classes with few cases show each of them as a dot."
        )
        how = "by class"
    else:
        text = f"The values of {which} against the target, a dot for each case."
        how = "against the target"
    pictures = [
        picture(
            ax,
            f"Values of {one['name']} {how}. {one['text']}",
            f"Rank {one['rank']}. {one['text']}",
        )
        for ax, one in zip(plots, shown, strict=True)
    ]
    content = join([tag("p", text), side_by_side(pictures, is_small=True)])
    return Section("distributions", "The first features one by one", content)


def _correlation(facts: Facts, plots: Sequence[Axes]) -> Section:
    correlation = facts["correlation"]
    content = []
    beside = []
    if correlation:
        pairs = correlation["pairs"]
        n = correlation["n_compared"]
        which = "the selected features" if n == facts["n_selected"] else f"the first {n} features"
        content.append(
            tag(
                "p",
                f"How {which} go together: 1 where two rise together, -1 where one falls as the "
                "other rises, 0 where neither. Strongly correlated features say much the same.",
            )
        )
        alt = f"Correlation of each two of {which}. " + (
            f"The strongest is {_rounded(pairs[0]['correlation'])}, of {pairs[0]['name']} and "
            f"{pairs[0]['other_name']}."
            if pairs
            else f"None is above {correlation['least']} or below -{correlation['least']}."
        )
        beside += [picture(ax, alt) for ax in plots]
        if pairs:
            columns = [
                Column("feature", [f"{one['rank']}.\u00a0{one['name']}" for one in pairs], "name"),
                Column(
                    "and",
                    [f"{one['other_rank']}.\u00a0{one['other_name']}" for one in pairs],
                    "name",
                ),
                Column("correlation", [_cell(one["correlation"]) for one in pairs], "number"),
            ]
            beside.append(table("The strongest pairs among the selected", columns))
    if facts["has_near_duplicates"]:
        found = [one for one in facts["features"] if one["near_duplicates"]]
        columns = [
            Column("selected", [f"{one['rank']}.\u00a0{one['name']}" for one in found], "name"),
            Column(
                "left out (correlation)", [_duplicates(one["near_duplicates"]) for one in found]
            ),
        ]
        beside.append(table("Near duplicates that were left out", columns))
    content.append(side_by_side(beside))
    return Section("correlation", "Features that go together", join(content))


def _images(images: Facts, ax: Axes) -> Section:
    size = " by ".join(str(length) for length in images["shape"][-2:])
    text = f"The mask: of the {size} pixels, those that are selected are light."
    if images["n_samples"]:
        text = (
            f"Top left the mask: of the {size} pixels, those that are selected are light. Then "
            "some cases as the selection sees them; what is not selected is grey."
        )
    alt = f"{count_text(images['n_selected'], 'selected feature')} as pixels of an image."
    return Section(
        "mask", "Where the selected pixels lie", join([tag("p", text), picture(ax, alt)])
    )


def _cell(value: float | None) -> Sorted:
    return Sorted(_rounded(value), value)


def _rounded(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}"
