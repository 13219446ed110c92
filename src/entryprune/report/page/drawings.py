"""The plots of a page, by its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from entryprune.report.plots.comparison import plot_comparison
from entryprune.report.plots.features import (
    MOST_CLASSES,
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
from entryprune.report.plots.k_curve import plot_k_curve
from entryprune.report.plots.predictions import (
    plot_confusion,
    plot_predicted,
    plot_roc,
)
from entryprune.report.plots.together import draw_correlations, plot_pair
from entryprune.report.statistics import samples_by_class
from entryprune.report.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from entryprune.report.comparison import ComparisonReport
    from entryprune.report.predictions import Predictions
    from entryprune.report.selection import SelectionReport

# Inches: of the plot of one feature's distribution.
_SMALL_WIDTH = 3.15


def selection_plots(report: SelectionReport) -> dict[str, list[Axes]]:
    """Draw all plots of a selection, by section of the page."""
    plots: dict[str, list[Axes]] = {}
    selected, samples, steps = report.selected, report.samples, report.steps
    # One bar says no more than its number.
    if len(report.known_scores) > 1:
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
                parsimonious=curve.parsimonious,
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
    y, task, target = report.samples.y, report.data.task, report.data.target
    planes: dict[str, list[Axes]] = {}
    strongest = report.pairs[0] if report.pairs and report.pairs[0].values is not None else None
    best = tuple(str(name) for name in report.selected.names[:2])
    if strongest is not None and strongest.values is not None:
        planes["pairs"] = [
            plot_pair(strongest.values, y, strongest.names, task=task, target=target)
        ]
    # Not the same picture twice.
    if len(best) == 2 and (strongest is None or set(strongest.names) != set(best)):
        planes["plane"] = [plot_pair(report.values[:, :2], y, best, task=task, target=target)]
    return planes


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
    names, data, y = [one.name for one in report.distributions], report.data, report.samples.y
    n_classes = len(samples_by_class(y, MOST_CLASSES)) if data.task == "classification" else 0
    axes = [new_figure(_SMALL_WIDTH, panel_height(n_classes)).add_subplot() for _ in names]
    return plot_feature_distributions(
        report.values[:, : len(names)], y, names, axes, task=data.task, target=data.target
    )
