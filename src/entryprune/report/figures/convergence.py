"""How a run settles: changes to the selection, and the scores and weights at its edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from entryprune.report.style import (
    NORMAL,
    dress,
    legend_below,
    legend_height,
    looks,
    new_figure,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from entryprune.report.figures.rows import Run

_WIDTH, _HEIGHT = 8.5, 3.2
_SCORE, _WEIGHT = "smallest entry score (left axis)", "smallest weight sum (right axis)"
# Markers on a line; one on each rotation would hide it.
_N_MARKERS = 12


def draw_convergence(run: Run) -> Figure:
    """Draw the changes by rotation, and beside them the smallest score and weight sum.

    The right panel has two y axes, each with the style of its line in its name.
    """
    n_rotations = len(run.n_changed)
    lengths = (n_rotations, len(run.min_entry_score), len(run.min_weight_sum))
    if n_rotations == 0 or len(set(lengths)) > 1:
        raise ValueError(
            "A run has as many changes as entry scores and weight sums, and at least one of each; "
            f"got {lengths[0]}, {lengths[1]} and {lengths[2]}. Take all three from one history."
        )
    figure = new_figure(_WIDTH, _HEIGHT + legend_height([_SCORE, _WEIGHT], _WIDTH))
    changes, scores = figure.subplots(1, 2, squeeze=False)[0]
    weights = scores.twinx()
    rotations = np.arange(1, n_rotations + 1)
    for axes in (changes, scores, weights):
        dress(axes, grid="none" if axes is weights else "y")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (changes, scores):
        axes.set_xlabel("rotation", fontsize=NORMAL)
    weights.spines["right"].set_visible(True)

    # Steps, for a number of changes belongs to one rotation and to nothing in between.
    n_changed = [number(n) for n in run.n_changed]
    changes.plot(
        rotations,
        n_changed,
        color="black",
        linewidth=1.0,
        drawstyle="steps-mid",
        marker="o" if n_rotations <= 60 else "none",
        markersize=3,
    )
    changes.set_ylim(bottom=0)
    changes.yaxis.set_major_locator(MaxNLocator(integer=True))
    changes.set_ylabel("changes to the selected features", fontsize=NORMAL)

    by_line = looks([_SCORE, _WEIGHT])
    handles: list[Line2D] = []
    parts: tuple[tuple[Axes, str, Sequence[float | None]], ...] = (
        (scores, _SCORE, run.min_entry_score),
        (weights, _WEIGHT, run.min_weight_sum),
    )
    for axes, label, values in parts:
        look = by_line[label]
        handles += axes.plot(
            rotations,
            [number(value) for value in values],
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            markersize=4.5,
            markevery=max(1, n_rotations // _N_MARKERS),
            linewidth=1.3,
            label=label,
        )
    scores.set_ylabel("smallest entry score (solid)", fontsize=NORMAL)
    weights.set_ylabel("smallest weight sum (dashed)", fontsize=NORMAL)
    legend_below(figure, handles)
    return figure
