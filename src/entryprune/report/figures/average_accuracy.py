"""Accuracy averaged over several K, a row of dots a data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from entryprune.report.layout import (
    by_key,
    dot_handles,
    in_order,
    legend_below,
    legend_height,
    number,
    offsets,
)
from entryprune.report.style import NORMAL, dress, looks, new_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

_WIDTH = 7.5
# Inches: of a row, of each further method in it, and of the axis below.
_ROW, _METHOD, _AXIS = 0.26, 0.035, 0.7


@dataclass(frozen=True)
class Average:
    """One method's accuracy on one data set, averaged over several K.

    Attributes
    ----------
    dataset, method : str
        As they are to be written.
    mean : float or None
        In per cent; None if not known.
    """

    dataset: str
    method: str
    mean: float | None


def draw_average_accuracy(averages: Sequence[Average], ks: Sequence[int]) -> Figure:
    """Draw a row for each data set with a dot for each method.

    Parameters
    ----------
    averages : sequence of Average
        The first data set is on top. Within a row the methods stand one below the other, so that
        equal ones do not hide each other.
    ks : sequence of int
        The numbers of selected features that are averaged over.

    Returns
    -------
    figure : matplotlib.figure.Figure
        With a legend below.

    Examples
    --------
    >>> figure = draw_average_accuracy([Average("MNIST", "EntryPrune", 96.3)], [25, 50])
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['MNIST']
    """
    found = by_key(averages, lambda average: (average.dataset, average.method), "averages")
    datasets = in_order(average.dataset for average in averages)
    by_method = looks(average.method for average in averages)
    height = max(0.8, len(datasets) * (_ROW + _METHOD * (len(by_method) - 1))) + _AXIS
    figure = new_figure(_WIDTH, height + legend_height(list(by_method), _WIDTH))
    axes = figure.add_subplot()
    dress(axes, grid="x")
    for row in range(0, len(datasets), 2):
        axes.axhspan(row - 0.5, row + 0.5, color="0.95", linewidth=0, zorder=0)
    # With few methods a straight row is easier to read than a slanting one.
    shifts = offsets(len(by_method), 0.75 if len(by_method) > 3 else 0.4)
    for shift, (method, look) in zip(shifts, by_method.items(), strict=True):
        pairs = [found.get((dataset, method)) for dataset in datasets]
        axes.plot(
            [number(pair.mean if pair else None) for pair in pairs],
            [row + shift for row in range(len(datasets))],
            color=look.colour,
            marker=look.marker,
            linestyle="none",
            label=method,
            markersize=5,
            markeredgecolor="black",
            markeredgewidth=0.4,
        )
    axes.set_yticks(range(len(datasets)), datasets, parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(datasets) - 0.5, -0.5)
    listed = ", ".join(map(str, ks))
    what = f"accuracy at K = {listed}" if len(ks) == 1 else f"accuracy, average over K = {listed}"
    axes.set_xlabel(f"{what} (%)", fontsize=NORMAL)
    axes.set_ylabel("data set", fontsize=NORMAL)
    legend_below(figure, dot_handles(by_method))
    return figure
