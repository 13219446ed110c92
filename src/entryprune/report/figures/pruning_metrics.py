"""Accuracy by the metric that features are pruned by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from entryprune.report.layout import (
    by_key,
    grid_shape,
    in_order,
    legend_below,
    legend_height,
    number,
    say_empty,
)
from entryprune.report.style import NORMAL, dress, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from entryprune.report.figures.rows import MetricResult

_MAX_COLUMNS = 4
# Inches: of a panel and of the metrics' names beside the first, of a metric's line, and of a
# panel's title and axis.
_PANEL, _NAMES, _LINE, _FRAME = 1.9, 1.5, 0.19, 0.75
_COLOUR = "#332288"
_WITH, _WITHOUT = "with an entry score (E)", "without"


_Results = dict[tuple[str, str, str], "MetricResult"]


def draw_pruning_metrics(results: Sequence[MetricResult]) -> Figure:
    """Draw a panel for each data set and variant with a dot for each metric, the first on top.

    The variants of a data set are below each other, on one scale.
    """
    found = by_key(results, lambda one: (one.dataset, one.variant, one.label), "results")
    datasets = in_order(one.dataset for one in results)
    variants = in_order(one.variant for one in results)
    metrics = {one.label: one.has_entry_score for one in results}
    n_blocks, n_columns = grid_shape(len(datasets), _MAX_COLUMNS)
    n_rows = n_blocks * len(variants)

    width = max(4.5, n_columns * _PANEL + _NAMES)
    # A panel of one metric must still have room for its axis' name.
    height = n_rows * (max(3, len(metrics)) * _LINE + _FRAME) + legend_height(
        [_WITH, _WITHOUT], width
    )
    figure = new_figure(width, height)
    for i, dataset in enumerate(datasets):
        block, column = divmod(i, n_columns)
        first: Axes | None = None
        for j, variant in enumerate(variants):
            place = (block * len(variants) + j) * n_columns + column + 1
            axes = figure.add_subplot(n_rows, n_columns, place, sharex=first)
            first = first or axes
            dress(axes, grid="both")
            _draw_panel(axes, (dataset, variant), metrics, found)
            axes.set_title(f"{dataset}\n{variant}", fontsize=NORMAL, parse_math=False)
            if column == 0:
                axes.set_ylabel("pruning metric", fontsize=NORMAL)
            else:
                axes.tick_params(axis="y", labelleft=False)
        axes.set_xlabel("accuracy (%)", fontsize=NORMAL)
    legend_below(figure, [_handle(True), _handle(False)])
    return figure


def _draw_panel(
    axes: Axes, panel: tuple[str, str], metrics: Mapping[str, bool], found: _Results
) -> None:
    results = [found.get((*panel, label)) for label in metrics]
    means = np.array([number(one.mean if one else None) for one in results])
    sds = np.array([number(one.sd if one else None) for one in results])
    rows = np.arange(len(metrics))
    is_entry = np.array(list(metrics.values()))
    for has_entry_score in (True, False):
        chosen = (is_entry == has_entry_score) & np.isfinite(means)
        axes.errorbar(
            means[chosen],
            rows[chosen],
            xerr=sds[chosen],
            linestyle="none",
            elinewidth=1.0,
            capsize=2,
            **_dot(has_entry_score),
        )
    axes.set_yticks(rows, list(metrics), parse_math=False)
    axes.set_ylim(len(metrics) - 0.5, -0.5)
    if not np.isfinite(means).any():
        say_empty(axes)


def _dot(has_entry_score: bool) -> dict[str, Any]:
    return {
        "color": _COLOUR,
        "marker": "o" if has_entry_score else "s",
        "markerfacecolor": _COLOUR if has_entry_score else "white",
        "markersize": 5.5,
    }


def _handle(has_entry_score: bool) -> Line2D:
    label = _WITH if has_entry_score else _WITHOUT
    return Line2D([], [], linestyle="none", label=label, **_dot(has_entry_score))
