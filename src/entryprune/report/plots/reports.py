"""The plots that a report has data for, each on a figure of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from entryprune.report.plots.together import draw_correlations, plot_pair
from entryprune.report.statistics import samples_by_class
from entryprune.report.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from entryprune.report.comparison import ComparisonReport
    from entryprune.report.selection import SelectionReport

_SMALL_WIDTH = 3.15


def selection_plots(report: SelectionReport) -> dict[str, list[Axes]]:
    """Draw all plots of a selection, by section of the page."""
    plots: dict[str, list[Axes]] = {}
    selected, samples, steps = report.selected, report.samples, report.steps
    if report.known_scores:
        plots["scores"] = [
            plot_scores(
                selected.names,
                [one.score for one in report.features],
                score_name=selected.score_name,
                has_threshold=report.threshold is not None,
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
        data = report.data
        for pair in report.pairs[:1]:
            if pair.values is not None:
                plots["pairs"] = [
                    plot_pair(
                        pair.values, samples.y, pair.names, task=data.task, target=data.target
                    )
                ]
        if report.distributions:
            plots["distributions"] = _distributions(report)
    if report.correlation:
        plots["correlation"] = [
            draw_correlations(report.correlation.table, report.correlation.names)
        ]
    if report.images is not None:
        images = report.images
        plots["images"] = [plot_mask(images.mask, images.shape, samples=images.examples)]
    return plots


def comparison_plots(report: ComparisonReport) -> list[Axes]:
    """Draw the scores against K, a figure for each judgement."""
    return [
        plot_comparison(
            [result.method for result in one.results],
            [result.k for result in one.results],
            [result.mean for result in one.results],
            [result.sd for result in one.results],
            metric=one.metric,
            reference=one.reference.mean if one.reference else None,
        )
        for one in report.judgements
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
