"""The score against the number of features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator

from entryprune.report.style import SMALL, axes_or_new, dress, looks
from entryprune.report.text import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

# Ratio of the largest to the smallest K from which on they stand on a logarithmic scale, and ticks.
_WIDE, _MOST_TICKS = 10, 8


def plot_k_curve(
    ks: Sequence[int],
    scores: Sequence[float],
    errors: Sequence[float],
    ax: Axes | None = None,
    *,
    best: int,
    parsimonious: int,
    measure: str = "score",
) -> Axes:
    """Plot the score against the number of features, and mark the best and the fewest that do.

    Parameters
    ----------
    ks : sequence of int
        Numbers of features that were tried.
    scores, errors : sequence of float
        The score with each, and the standard error of its difference from the best, which is
        drawn as a band.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    best : int
        The K with the best score: a filled square.
    parsimonious : int
        The smallest K within one standard error of the best, where the band reaches the dashed
        line: a hollow diamond.
    measure : str, default="score"
        What the score is.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With a legend.

    Examples
    --------
    >>> ax = plot_k_curve([5, 10], [0.90, 0.91], [0.02, 0.02], best=10, parsimonious=5)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['± one standard error', 'best: K = 10', 'enough: K = 5']
    """
    if not len(ks) == len(scores) == len(errors) > 0:
        raise ValueError(
            f"There must be a score and an error for each K; got {len(ks)} K, {len(scores)} scores "
            f"and {len(errors)} errors."
        )
    ax = axes_or_new(ax)
    dress(ax)
    order = np.argsort(ks, kind="stable")
    x, y, error = (np.asarray(ones, dtype=np.float64)[order] for ones in (ks, scores, errors))
    look = looks([""])[""]
    ax.fill_between(
        x,
        y - error,
        y + error,
        facecolor=look.fill,
        edgecolor=look.colour,
        alpha=0.5,
        linewidth=0,
        label="± one standard error",
    )
    ax.plot(x, y, color=look.colour, linewidth=1.3, marker="o", markersize=3)
    at = {int(k): i for i, k in enumerate(x)}
    ax.axhline(y[at[best]], color="0.3", linestyle="--", linewidth=1.0)
    marks = {"s": (f"best: K = {best:,}", best, "black")}
    if parsimonious != best:
        marks["D"] = (f"enough: K = {parsimonious:,}", parsimonious, "white")
    for marker, (label, k, filling) in marks.items():
        ax.plot(
            [k],
            [y[at[k]]],
            linestyle="none",
            marker=marker,
            markersize=7,
            color="black",
            markerfacecolor=filling,
            label=label,
        )
    if x[-1] >= _WIDE * x[0]:
        ax.set_xscale("log")
    ticks = x[:: -(-len(x) // _MOST_TICKS)].tolist()
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [f"{k:,.0f}" for k in ticks])
    ax.set_xlabel("number of features, K")
    ax.set_ylabel(shorten(measure), parse_math=False)
    ax.legend(fontsize=SMALL, frameon=False)
    return ax
