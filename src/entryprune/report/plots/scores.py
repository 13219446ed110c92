"""The scores of the selected features."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from entryprune.report._texts import number_text, shorten
from entryprune.report.figures._panels import say_empty
from entryprune.report.figures._values import number
from entryprune.report.plots._axes import HEIGHT, LINE, WIDTH, axes_or_new
from entryprune.report.style import dress, looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

# Features up to which each has a bar with its name.
_MOST_NAMED = 60
_AXIS = 0.8


def plot_scores(
    names: Sequence[str],
    scores: Sequence[float | None],
    ax: Axes | None = None,
    *,
    score_name: str = "entry score",
    has_threshold: bool = True,
) -> Axes:
    """Plot the score of each selected feature, and the smallest of them as a line.

    Parameters
    ----------
    names : sequence of str
        The selected features, best first; a long name is shortened.
    scores : sequence of float or None
        One for each; a missing one leaves a gap.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    score_name : str, default="entry score"
        What the scores are.
    has_threshold : bool, default=True
        Whether the smallest is what a feature had to reach. If not, there is no line for it.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Up to 60 features have a bar each, the best on top; more are a line by rank.

    Examples
    --------
    >>> ax = plot_scores(["radius", "texture"], [0.8, 0.3])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1  radius', '2  texture']
    """
    if len(names) != len(scores) or not len(names):
        raise ValueError(
            f"There must be as many scores as names, at least one; got {len(names)} names and "
            f"{len(scores)} scores."
        )
    values = np.array([number(score) for score in scores])
    is_named = len(values) <= _MOST_NAMED
    height = max(1.0, LINE * len(values)) + _AXIS if is_named else HEIGHT
    ax = axes_or_new(ax, WIDTH, height)
    look = looks([""])[""]
    threshold = float(np.nanmin(values)) if np.isfinite(values).any() else math.nan
    label = shorten(score_name)
    if is_named:
        dress(ax, grid="x")
        positions = np.arange(len(values))
        ax.barh(
            positions, values, height=0.7, color=look.fill, edgecolor=look.colour, linewidth=0.6
        )
        ranked = [f"{i}  {shorten(name)}" for i, name in enumerate(names, start=1)]
        ax.set_yticks(positions, ranked, parse_math=False)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(len(values) - 0.5, -0.5)
        if has_threshold:
            ax.axvline(threshold, color="black", linestyle="--", linewidth=1.0)
            label = f"{label}\n{_dashed(threshold)}"
        elif threshold < 0:
            ax.axvline(0, color="black", linewidth=0.8)
        ax.set_xlabel(label, parse_math=False)
    else:
        dress(ax)
        ax.plot(np.arange(1, len(values) + 1), values, color=look.colour, linewidth=1.3)
        if has_threshold:
            ax.axhline(threshold, color="black", linestyle="--", linewidth=1.0)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel(f"rank\n{_dashed(threshold)}" if has_threshold else "rank")
        ax.set_ylabel(label, parse_math=False)
    if math.isnan(threshold):
        say_empty(ax)
    return ax


def _dashed(threshold: float) -> str:
    return f"dashed: the smallest, {number_text(threshold)}"
