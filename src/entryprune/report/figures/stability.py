"""How much the features selected in different runs overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entryprune.report.layout import (
    bar_figure,
    bar_positions,
    by_key,
    draw_bar,
    in_order,
    number,
    rows_of_groups,
)
from entryprune.report.style import looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Stability:
    """The overlap of one method's selections on one data set.

    Attributes
    ----------
    dataset, method : str
        As they are to be written.
    jaccard : float or None
        Average Jaccard index over all pairs of runs, 0 to 1; None if not known.
    n_runs : int
        Number of runs.
    """

    dataset: str
    method: str
    jaccard: float | None
    n_runs: int


def draw_stability(stabilities: Sequence[Stability]) -> Figure:
    """Draw a group of bars for each data set, with a bar for each method.

    Parameters
    ----------
    stabilities : sequence of Stability
        One that is missing leaves a gap.

    Returns
    -------
    figure : matplotlib.figure.Figure
        With a legend below that tells the number of runs; many bars are spread over several
        panels.

    Examples
    --------
    >>> figure = draw_stability([Stability("MNIST", "EntryPrune", 0.13, n_runs=20)])
    >>> figure.axes[0].get_ylabel()
    'average Jaccard index'
    """
    found = by_key(stabilities, lambda one: (one.dataset, one.method), "stabilities")
    by_method = looks(one.method for one in stabilities)
    rows = rows_of_groups(in_order(one.dataset for one in stabilities), len(by_method))
    figure, panels = bar_figure(
        rows,
        by_method,
        labels=("data set", "average Jaccard index"),
        legend_title=f"Over {_runs(stabilities)}",
    )
    for axes, datasets in zip(panels, rows, strict=True):
        axes.set_ylim(0, 1)
        for group, dataset in enumerate(datasets):
            positions, width = bar_positions(group, len(by_method))
            for x, (method, look) in zip(positions.tolist(), by_method.items(), strict=True):
                one = found.get((dataset, method))
                height = number(one.jaccard if one else None)
                draw_bar(axes, look, x=x, width=width, height=height, error=math.nan)
    return figure


def _runs(stabilities: Sequence[Stability]) -> str:
    fewest = min(one.n_runs for one in stabilities)
    most = max(one.n_runs for one in stabilities)
    return f"{most} runs" if fewest == most else f"{fewest} to {most} runs"
