"""Groups of bars, in as many rows of panels as they need."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from entryprune.report.layout import bar_handles, legend_below, legend_height
from entryprune.report.style import NORMAL, SMALL, Look, dress, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

# Share of a group's room that its bars take.
_FILLED = 0.84
# More bars side by side would be too narrow for a number above each.
_MOST_BARS = 64
_LEAST_WIDTH, _MOST_WIDTH, _ROW_HEIGHT = 5.0, 10.0, 2.5
# Inches that a letter of small text takes.
_LETTER = 0.07


def offsets(n: int, room: float) -> NDArray[np.float64]:
    """Return where n things of equal width stand in a room around zero.

    Examples
    --------
    >>> offsets(2, room=1.0).tolist()
    [-0.25, 0.25]
    """
    return (np.arange(n) - (n - 1) / 2) * room / n


def rows_of_groups(groups: Sequence[str], n_bars: int) -> list[list[str]]:
    """Spread groups of n_bars bars over rows of similar length.

    Examples
    --------
    >>> rows_of_groups(["MNIST", "HAR", "ISOLET"], n_bars=30)
    [['MNIST', 'HAR'], ['ISOLET']]
    """
    most = max(1, _MOST_BARS // n_bars)
    per_row = math.ceil(len(groups) / math.ceil(len(groups) / most))
    return [list(groups[i : i + per_row]) for i in range(0, len(groups), per_row)]


def bar_figure(
    rows: Sequence[Sequence[str]],
    looks: Mapping[str, Look],
    labels: tuple[str, str],
    legend_title: str | None = None,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel for each row of groups, a legend, and named axes.

    Parameters
    ----------
    rows : sequence of sequence of str
        The groups in each panel.
    looks : mapping of str to Look
        The bars of a group.
    labels : tuple of str
        What the x axis and the y axis show.
    legend_title : str, optional
        A line above the legend.
    """
    per_row = len(rows[0])
    # A lone wide bar would look like a wall, so few bars make a narrow figure with wide margins.
    margin = 0.5 if per_row * len(looks) <= 3 else 0.0
    width = min(_MOST_WIDTH, max(_LEAST_WIDTH, 0.3 * per_row * len(looks) + 0.3 * per_row))
    height = len(rows) * _ROW_HEIGHT + legend_height(list(looks), width) + 0.2
    figure = new_figure(width, height)
    longest = max(len(group) for row in rows for group in row)
    is_tight = _LETTER * longest > (width - 0.8) / per_row
    panels = []
    for i, groups in enumerate(rows):
        axes = figure.add_subplot(len(rows), 1, i + 1)
        dress(axes)
        axes.set_xlim(-0.5 - margin, per_row - 0.5 + margin)
        axes.set_xticks(
            range(len(groups)),
            groups,
            rotation=25 if is_tight else 0,
            ha="right" if is_tight else "center",
            rotation_mode="anchor" if is_tight else "default",
            parse_math=False,
        )
        axes.tick_params(axis="x", length=0, labelsize=SMALL)
        axes.set_ylabel(labels[1], fontsize=NORMAL)
        panels.append(axes)
    panels[-1].set_xlabel(labels[0], fontsize=NORMAL)
    legend_below(figure, bar_handles(looks), legend_title)
    return figure, panels


def draw_bar(
    axes: Axes, look: Look, *, x: float, width: float, height: float, error: float
) -> None:
    """Draw one bar with its error bar; nothing if it has no height."""
    if math.isnan(height):
        return
    axes.bar(
        [x],
        [height],
        width=width,
        facecolor=look.fill,
        edgecolor="black",
        hatch=look.hatch,
        linewidth=0.6,
    )
    if not math.isnan(error):
        axes.errorbar(
            [x], [height], yerr=[error], fmt="none", ecolor="black", elinewidth=1.0, capsize=2
        )


def bar_positions(group: int, n_bars: int) -> tuple[NDArray[np.float64], float]:
    """Return the centres of a group's bars and their width."""
    # A lone bar a group would touch its neighbours if it took all the room of a full group.
    room = _FILLED if n_bars > 1 else 0.5
    return group + offsets(n_bars, room), room / n_bars
