"""How the selected features go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from entryprune.report._correlation import correlations
from entryprune.report._texts import shorten
from entryprune.report.plots._axes import LINE, WIDTH, axes_or_new
from entryprune.report.style import NORMAL, SMALL, dress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

# Features up to which each has its name, and up to which each has its rank.
_MOST_NAMED, _MOST_NUMBERED = 40, 20
_MOST_WIDTH = 7.0


def plot_correlation(X: ArrayLike, names: Sequence[str], ax: Axes | None = None) -> Axes:
    """Plot the correlation of each two features.

    Parameters
    ----------
    X : array of shape (n_cases, n_features)
        The features' values; NaN where one is missing.
    names : sequence of str
        A name for each feature; shown if there are no more than 40.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Red where two features rise together, blue where one falls as the other rises, white
        where neither, grey where a feature does not vary; with a colour bar.

    Examples
    --------
    >>> ax = plot_correlation([[1.0, 9.0], [2.0, 8.0], [3.0, 7.0]], ["radius", "texture"])
    >>> ax.images[0].get_array().round(1).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(names):
        raise ValueError(
            f"X must have a column for each of the {len(names)} names; its shape is {values.shape}."
        )
    n = len(names)
    is_named = n <= _MOST_NAMED
    width = min(_MOST_WIDTH, max(WIDTH, LINE * n + 2.4)) if is_named else WIDTH
    ax = axes_or_new(ax, width, max(2.2, width - 1.9) if is_named else width - 0.7)
    colours = mpl.colormaps["RdBu_r"].with_extremes(bad="0.7")
    dress(ax, grid="none")
    picture = ax.imshow(
        np.ma.masked_invalid(correlations(values)),
        cmap=colours,
        aspect="auto",  # or the layout does not know how wide it is, and cuts off names
        vmin=-1,
        vmax=1,
        interpolation="nearest",
    )
    if is_named:
        ranked = [f"{shorten(name, most=22)}  {i}" for i, name in enumerate(names, start=1)]
        ax.set_yticks(range(n), ranked, parse_math=False)
    else:
        _number_axis(ax, "y")
    if n <= _MOST_NUMBERED:
        ax.set_xticks(range(n), [str(i + 1) for i in range(n)])
    else:
        _number_axis(ax, "x")
    ax.tick_params(length=0)
    ax.set_xlabel("rank")
    figure = ax.figure
    bar = figure.colorbar(picture, ax=ax, shrink=0.7, pad=0.02, ticks=[-1, -0.5, 0, 0.5, 1])
    bar.set_label("correlation", fontsize=NORMAL)
    bar.ax.tick_params(labelsize=SMALL)
    return ax


def _number_axis(ax: Axes, which: str) -> None:
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    # Counted from one, as the ranks are.
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value + 1:.0f}"))
