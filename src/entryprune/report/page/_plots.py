"""The plots that a page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from entryprune.report._groups import groups_of
from entryprune.report.plots import (
    plot_comparison,
    plot_convergence,
    plot_correlation,
    plot_feature_distributions,
    plot_growth,
    plot_loss,
    plot_mask,
    plot_pair,
    plot_scores,
    plot_threshold,
)
from entryprune.report.plots.distributions import MOST_CLASSES, panel_height
from entryprune.report.selection_facts import MOST_COMPARED
from entryprune.report.style import new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from entryprune.report.selection import SelectionReport

_SMALL_WIDTH = 3.15


def selection_plots(report: SelectionReport, facts: Mapping[str, Any]) -> dict[str, list[Axes]]:
    """Draw all that there are data for, each plot on a figure of its own.

    Parameters
    ----------
    report : SelectionReport
        The data.
    facts : dict
        Their summary.

    Returns
    -------
    plots : dict of str to list of matplotlib.axes.Axes
        By section of the page.
    """
    plots: dict[str, list[Axes]] = {}
    selected, cases = report.selected, report.cases
    if facts["has_scores"] and selected.scores is not None:
        plots["scores"] = [
            plot_scores(
                selected.names,
                selected.scores,
                score_name=selected.score_name,
                has_threshold=facts["threshold"] is not None,
            )
        ]
    if report.history is not None and facts["growth"] and facts["growth"]["has_plot"]:
        plots["growth"] = [plot_growth(report.history)]
    if report.history is not None and facts["convergence"]:
        plots["convergence"] = [plot_convergence(report.history)]
        if facts["convergence"]["has_loss"]:
            plots["convergence"].append(plot_loss(report.history))
        if facts["convergence"]["has_threshold"]:
            plots["convergence"].append(plot_threshold(report.history))
    for pair in report.pairs[:1]:
        if cases is not None and pair.values is not None:
            data = report.data
            plots["pairs"] = [
                plot_pair(pair.values, cases.y, pair.names, task=data.task, target=data.target)
            ]
    if cases is not None:
        X = np.asarray(cases.X, dtype=np.float64)
        if facts["distributions"]:
            plots["distributions"] = _distributions(report, X, cases.y)
        if facts["correlation"]:
            plots["correlation"] = [
                plot_correlation(X[:, :MOST_COMPARED], selected.names[:MOST_COMPARED])
            ]
    if report.images is not None:
        images = report.images
        plots["images"] = [plot_mask(images.mask, images.shape, samples=images.samples)]
    return plots


def comparison_plots(facts: Mapping[str, Any]) -> list[Axes]:
    """Draw the scores against K, a figure for each learner and metric.

    Parameters
    ----------
    facts : dict
        Of a comparison.

    Returns
    -------
    plots : list of matplotlib.axes.Axes
        In the order of the judgements.
    """
    plots = []
    for one in facts["judgements"]:
        columns = {name: [row[name] for row in one["rows"]] for name in one["rows"][0]}
        reference = one["reference"] and one["reference"]["mean"]
        plots.append(
            plot_comparison(
                columns["method"],
                columns["k"],
                columns["mean"],
                columns["sd"],
                metric=one["metric"],
                reference=reference,
            )
        )
    return plots


def _distributions(report: SelectionReport, X: np.ndarray, y: ArrayLike) -> list[Axes]:
    names = report.selected.names[: report.n_distributions]
    task = report.data.task
    n_classes = len(groups_of(y, MOST_CLASSES)) if task == "classification" else 0
    axes = [new_figure(_SMALL_WIDTH, panel_height(n_classes)).add_subplot() for _ in names]
    return plot_feature_distributions(
        X[:, : len(names)], y, names, axes, task=task, target=report.data.target
    )
