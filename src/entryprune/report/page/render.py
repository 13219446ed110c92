"""From a report to its page: plots, templates, and what they are filled with.

The templates say what the page tells; everything they are given is escaped, and texts from
strangers' files lose the signs that no page can hold. The page has no right to load anything: its
policy names the fingerprints of its one style and one script.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from entryprune._text import counted, some_of
from entryprune.report.base import plain
from entryprune.report.files import methods_text
from entryprune.report.page.tables import comparison_tables, selection_tables
from entryprune.report.plots.features import (
    MOST_CLASSES,
    frequent_levels,
    panel_height,
    plot_feature_distributions,
    plot_mask,
    plot_scores,
)
from entryprune.report.plots.history import (
    plot_convergence,
    plot_growth,
    plot_loss,
    plot_threshold,
)
from entryprune.report.plots.prediction import (
    MOST_CONFUSED,
    plot_comparison,
    plot_confusion,
    plot_k_curve,
    plot_predicted,
    plot_roc,
)
from entryprune.report.plots.together import (
    MOST_COLOURED,
    draw_correlations,
    plot_pair,
    plot_survival,
)
from entryprune.report.selection import LEAST_CORRELATION
from entryprune.report.statistics import (
    EFFECT_CAUTION,
    EFFECT_MEANINGS,
    EFFECT_NAMES,
    LEVELS_MEANINGS,
    NEAR,
    early_and_late,
    samples_by_class,
)
from entryprune.report.style import new_figure, png_bytes, svg_bytes
from entryprune.report.text import (
    MISSING,
    capitalise,
    clean,
    number_text,
    seconds_text,
    shorten,
    spread_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from entryprune.report.base import DataFacts, Provenance
    from entryprune.report.comparison import ComparisonReport
    from entryprune.report.page.tables import PageTable
    from entryprune.report.selection import SelectionReport
    from entryprune.report.validation import Predictions

# Bytes above which a drawing is cheaper as a picture.
_MOST_SVG = 150_000
_DOTS_PER_INCH = 96
# Letters of a note or a setting that are shown, and classes that are named.
_MOST_LETTERS, _MOST_NAMED = 2000, 30

_KINDS = {
    "classification": "classes",
    "regression": "numbers",
    "survival": "times until an event",
}

# By section: its heading. Sections come in this order, those with something to tell.
_SELECTION = {
    "ranking": "The selected features",
    "sureness": "How sure each feature is",
    "accuracy": "How well it predicts",
    "k_curve": "How many features are enough",
    "mask": "Where the selected pixels lie",
    "plane": "The samples by the two best features",
    "pairs": "Features that matter only together",
    "levels": "Categories, dates and gaps",
    "distributions": "The first features one by one",
    "scores": "The scores",
    "correlation": "Features that go together",
    "data": "What was read and asked",
    "methods": "For a section on methods",
    "again": "How to do it again",
}
_COMPARISON = {
    "verdict": "How sure this is",
    "results": "All results",
    "curves": "Score against K",
    "frequencies": "Which features are selected again and again",
    "data": "What was read and asked",
    "again": "How to do it again",
}


@dataclass(frozen=True)
class Picture:
    """A plot as an image: no name in it can do anything."""

    src: str
    width: int
    height: int


def render_selection_page(report: SelectionReport) -> str:
    """Return the report of a selection as one HTML file; the same report gives the same page."""
    plots = selection_plots(report)
    is_told = {
        "sureness": report.sureness,
        "accuracy": report.validation,
        "k_curve": report.k_curve,
        "mask": report.images,
        "plane": "plane" in plots,
        "pairs": report.pairs,
        "levels": report.breakdowns,
        "distributions": report.distributions,
        "scores": report.known_scores,
        "correlation": report.correlation or report.has_near_duplicates,
    }
    sections = {name: head for name, head in _SELECTION.items() if is_told.get(name, True)}
    if report.threshold is not None and "scores" in sections:
        sections["scores"] = "Scores and threshold"
    asked = {
        "Asked for": report.asked or counted(report.k, "feature"),
        "Selected": counted(len(report.selected.names), "feature") if report.asked else "",
        "Method": report.method,
        "Time taken": _time(report.selected.seconds),
    }
    return _page(
        "selection.html",
        report,
        sections,
        asked,
        plots=plots,
        tables=selection_tables(report),
        methods=methods_text(report),
        effects=_effects(report),
        most_classes=MOST_CLASSES,
        most_coloured=MOST_COLOURED,
        most_confused=MOST_CONFUSED,
        least_correlation=LEAST_CORRELATION,
        near=NEAR,
    )


def render_comparison_page(report: ComparisonReport) -> str:
    """Return the report of a comparison as one HTML file; the same report gives the same page."""
    sections = {
        name: head
        for name, head in _COMPARISON.items()
        if name != "frequencies" or report.frequencies
    }
    return _page(
        "comparison.html",
        report,
        sections,
        {"Time taken": _time(report.seconds)},
        plots=comparison_plots(report),
        tables=comparison_tables(report),
    )


def render_selection_fragment(report: SelectionReport) -> str:
    """Return a selection as a part of another page, such as a notebook, without scripts."""
    sure = report.sureness.sentences if report.sureness else ()
    texts = [report.verdict, report.answer, *sure, *report.validation_sentences, report.pairs_note]
    warnings = (*report.data.cautions, *report.selected.warnings, *report.remarks)
    return _fragment(texts, warnings, selection_tables(report)["short"])


def render_comparison_fragment(report: ComparisonReport) -> str:
    """Return a comparison as a part of another page, such as a notebook, without scripts."""
    texts = [report.interruption, *(one.statement for one in report.judgements)]
    warnings = (*report.data.cautions, *report.remarks)
    return _fragment(texts, warnings, comparison_tables(report)["short"])


def _fragment(texts: Sequence[str], warnings: Sequence[str], table: PageTable) -> str:
    template = _environment().get_template("fragment.html")
    return template.render(texts=texts, warnings=warnings, table=table)


def _page(
    template: str,
    report: SelectionReport | ComparisonReport,
    sections: Mapping[str, str],
    asked: Mapping[str, str],
    **content: Any,
) -> str:
    style, script = (_resource(name) for name in ("page.css", "page.js"))
    return (
        _environment()
        .get_template(template)
        .render(
            report=report,
            sections=sections,
            data_values=_data_values(report.data, asked),
            again_values=_again_values(report.provenance),
            policy=_policy(style, script),
            # Neither file is from outside, so neither is escaped: < and & are themselves in both.
            style=Markup(style),
            script=Markup(script),
            **content,
        )
    )


# -- templates, and what they are filled with ---------------------------------------------------


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("entryprune.report.page", "templates"),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        drawn=_drawn,
        capitalised=capitalise,
        note=lambda text: shorten(text, _MOST_LETTERS),
        number=number_text,
        plain=plain,
    )
    environment.globals.update(
        counted=counted, spread=spread_text, correlation=_correlation, zip=_zipped
    )
    return environment


def _finalize(value: Any) -> Any:
    """Replace what a page cannot hold, in all that is put into one."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _zipped(*sequences: Sequence[Any]) -> list[tuple[Any, ...]]:
    return list(zip(*sequences, strict=True))


def _correlation(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}"


def _drawn(ax: Axes) -> Picture:
    """Return the figure that axes are on; a PNG if it would be large as SVG."""
    figure = ax.figure
    if not isinstance(figure, Figure):
        raise ValueError("The axes are on no figure of their own, so there is nothing to show.")
    content, kind = svg_bytes(figure), "svg+xml"
    if len(content) >= _MOST_SVG:
        content, kind = png_bytes(figure), "png"
    width, height = (round(_DOTS_PER_INCH * size) for size in figure.get_size_inches())
    encoded = base64.b64encode(content).decode("ascii")
    return Picture(f"data:image/{kind};base64,{encoded}", width, height)


def _effects(report: SelectionReport) -> str:
    """Say how to read the effects; nothing if there are none."""
    if report.samples is None:
        return ""
    if report.data.targets:
        return f"The effects on each target: {EFFECT_NAMES[report.data.task]}. {EFFECT_CAUTION}"
    levels = ""
    if any(one.kind == "levels" for one in report.breakdowns):
        levels = LEVELS_MEANINGS[report.data.task]
    is_chance = report.headline is not None and report.headline.is_nothing
    chance = " As these features predict nothing, theirs are of chance." if is_chance else ""
    return f"{EFFECT_MEANINGS[report.data.task]}{levels} {EFFECT_CAUTION}{chance}"


def _data_values(data: DataFacts, asked: Mapping[str, str]) -> dict[str, str]:
    values = {"File": data.file_name} if data.file_name else {}
    values |= {
        "Samples": f"{data.n_samples:,}",
        "Features": f"{data.n_features:,}",
        "Targets" if data.targets else "Target": data.target,
        "Kind of target": _KINDS[data.task],
    }
    if data.class_counts:
        named = (f"{label} ({n:,})" for label, n in data.class_counts)
        heading = "Labels (samples that have them)" if data.targets else "Classes (samples)"
        values[heading] = some_of(named, _MOST_NAMED)
    if data.n_events is not None:
        values["Events seen"] = f"{data.n_events:,}"
        seen = data.median_time is not None
        values["Half have had the event by"] = number_text(data.median_time) if seen else "not seen"
    if data.target_range is not None:
        low, high = data.target_range
        values["Values of the target"] = f"{number_text(low)} to {number_text(high)}"
    return values | {name: value for name, value in asked.items() if value}


def _again_values(provenance: Provenance) -> dict[str, Mapping[str, str]]:
    """Return tables of names and values, by their captions."""
    settings = {name: _setting(value) for name, value in provenance.settings.items()}
    if provenance.seed is not None:
        settings = {"seed (random numbers)": str(int(provenance.seed)), **settings}
    machine = dict(provenance.machine)
    if provenance.n_threads is not None:
        machine["threads used (may matter in the last digit)"] = str(int(provenance.n_threads))
    tables = {
        "Every setting as it was used": settings,
        "Versions": provenance.versions,
        "Machine": machine,
    }
    return {caption: values for caption, values in tables.items() if values}


def _setting(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    # In full; and a float of NumPy's writes its type around the number.
    return shorten(repr(float(value)) if isinstance(value, float) else value, _MOST_LETTERS)


def _time(seconds: float | None) -> str:
    return "" if seconds is None else seconds_text(seconds)


def _policy(style: str, script: str) -> str:
    """Allow this style, this script and pictures that are part of the page."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src '{_fingerprint(style)}'",
            f"script-src '{_fingerprint(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _fingerprint(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _resource(name: str) -> str:
    file = resources.files("entryprune.report.page").joinpath("templates", name)
    return file.read_text(encoding="utf-8")


# Inches: of the plot of one feature's distribution.
_SMALL_WIDTH = 3.15


def selection_plots(report: SelectionReport) -> dict[str, list[Axes]]:
    """Draw all plots of a selection, by section of the page."""
    plots: dict[str, list[Axes]] = {}
    selected, samples, steps = report.selected, report.samples, report.steps
    # One bar says no more than its number, and what is infinite has none.
    if sum(map(math.isfinite, report.known_scores)) > 1:
        plots["scores"] = [
            plot_scores(
                selected.names,
                [one.score for one in report.features],
                score_name=selected.score_name,
                has_threshold=report.threshold is not None,
            )
        ]
    if report.predictions is not None:
        plots["predictions"] = _predictions(report.predictions, report.data.target)
    if report.k_curve is not None and len(report.k_curve.ks) > 1:
        curve = report.k_curve
        plots["k_curve"] = [
            plot_k_curve(
                curve.ks,
                curve.scores,
                curve.behind_errors,
                best=curve.best,
                # Of nothing nothing is enough.
                parsimonious=curve.best if curve.is_within_noise else curve.parsimonious,
                measure=curve.measure,
            )
        ]
    if steps is not None and report.growth and report.growth.has_plot:
        plots["growth"] = [plot_growth(steps)]
    if steps is not None and report.convergence:
        plots["convergence"] = [plot_convergence(steps)]
        if report.convergence.has_loss:
            plots["convergence"].append(plot_loss(steps))
        if report.convergence.has_threshold:
            plots["convergence"].append(plot_threshold(steps))
    if samples is not None:
        plots |= _planes(report)
        if report.distributions:
            plots["distributions"] = _distributions(report)
    # What two features have to do with each other is a sentence.
    if report.correlation and len(report.correlation.names) > 2:
        plots["correlation"] = [
            draw_correlations(report.correlation.table, report.correlation.names)
        ]
    if report.images is not None:
        images = report.images
        plots["images"] = [plot_mask(images.mask, images.shape, samples=images.examples)]
    return plots


def _predictions(found: Predictions, target: str) -> list[Axes]:
    """Draw predicted against true; of two classes the ROC curve, too."""
    if found.task == "survival":
        return [plot_survival(found.true, found.by_risk, time=target)]
    if found.task == "regression":
        return [plot_predicted(found.true, found.predicted, target=target)]
    axes = [plot_confusion(found.true, found.predicted)]
    if found.scores is not None:
        axes.append(plot_roc(np.asarray(found.true) == found.second, found.scores))
    return axes


def _planes(report: SelectionReport) -> dict[str, list[Axes]]:
    """Draw the samples by the two best features, and by the strongest pair."""
    assert report.samples is not None
    assert report.values is not None
    y, task, target = np.asarray(report.samples.y), report.data.task, report.data.target
    rows = np.arange(len(y))
    if report.data.targets:
        # One colour cannot stand for several.
        return {}
    if task == "survival":
        groups = early_and_late(y)
        rows = np.concatenate(list(groups.values()))
        labels = [label for label, some in groups.items() for _ in some]
        y, task, target = np.array(labels, dtype=object), "classification", "event"
    planes: dict[str, list[Axes]] = {}
    strongest = report.pairs[0] if report.pairs and report.pairs[0].values is not None else None
    best = tuple(str(name) for name in report.selected.names[:2])
    if strongest is not None and strongest.values is not None:
        names = [str(name) for name in report.selected.names]
        places = [names.index(name) if name in names else -1 for name in strongest.names]
        levels = _levels(report, places)
        planes["pairs"] = [
            plot_pair(
                np.asarray(strongest.values)[rows],
                y,
                strongest.names,
                task=task,
                target=target,
                levels=levels,
            )
        ]
    # Not the same picture twice.
    if len(best) == 2 and (strongest is None or set(strongest.names) != set(best)):
        levels = _levels(report, (0, 1))
        planes["plane"] = [
            plot_pair(report.values[rows, :2], y, best, task=task, target=target, levels=levels)
        ]
    return planes


def _levels(report: SelectionReport, places: Sequence[int]) -> dict[int, Sequence[str]]:
    """Return the levels of some of the selected features, by their number among these."""
    assert report.samples is not None
    known = report.samples.levels
    return {i: known[place] for i, place in enumerate(places) if place in known}


def comparison_plots(report: ComparisonReport) -> list[Axes]:
    """Draw the scores against K, a figure for each judgement."""
    return [
        plot_comparison(
            [result.method for result in rows],
            [result.k for result in rows],
            [result.mean for result in rows],
            [result.sd for result in rows],
            metric=one.metric,
            reference=one.reference.mean if one.reference else None,
            guess=one.guess.mean if one.guess else None,
        )
        for one in report.judgements
        for rows in [(*one.results, *one.controls)]
    ]


def _distributions(report: SelectionReport) -> list[Axes]:
    assert report.samples is not None
    assert report.values is not None
    axes: list[Axes] = []
    for i, one in enumerate(report.distributions):
        task, (target, y) = report.data.task, report.nearest_target(i)
        values, levels = report.values[:, [i]], report.samples.levels.get(i, ())
        n_rows = len(samples_by_class(y, MOST_CLASSES)) if task == "classification" else 0
        if levels and task != "survival":
            n_rows = len(frequent_levels(values[:, 0], levels))
        ax = new_figure(_SMALL_WIDTH, panel_height(n_rows)).add_subplot()
        days = report.samples.dates.get(i)
        name = one.name if days is None else f"{shorten(one.name)}: days from {days.earliest[:10]}"
        axes += plot_feature_distributions(
            values, y, [name], [ax], task=task, target=target, levels={0: levels}
        )
    return axes
