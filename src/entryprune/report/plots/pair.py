"""Two features that matter together, and the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from entryprune.report._groups import groups_of
from entryprune.report._texts import shorten
from entryprune.report.figures._panels import say_empty
from entryprune.report.plots._axes import WIDTH, axes_or_new
from entryprune.report.style import NORMAL, SMALL, dress, looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.run import Task

    FloatArray = NDArray[np.float64]

# Classes and cases that are drawn.
MOST_CLASSES, _MOST_POINTS = 6, 3000
# With so few different values many cases lie on one spot, and are spread around it.
_FEW_VALUES = 12
# Multiples of irrational numbers fill the plane evenly, the same way each time.
_STEPS = (0.754877666, 0.569840291)
# Colours are for the share of the numbers between these: one outlier would make all others alike.
_COLOURED = (0.02, 0.98)
_HEIGHT = 3.6


def plot_pair(
    values: ArrayLike,
    y: ArrayLike,
    names: Sequence[str],
    ax: Axes | None = None,
    *,
    task: Task = "classification",
    target: str = "target",
) -> Axes:
    """Plot two features against each other, a point for each case, coloured by the target.

    Parameters
    ----------
    values : array of shape (n_cases, 2)
        The features' values; a case with a missing one is left out.
    y : array of shape (n_cases,)
        The class labels or the numbers to predict.
    names : sequence of two str
        The features.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    task : {"classification", "regression"}, default="classification"
        Whether y has classes or numbers.
    target : str, default="target"
        Name of the target.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Each class, of the six most frequent, has a colour and a marker of its own; numbers have a
        colour bar. The points of a feature with few different values are spread around them.

    Examples
    --------
    >>> ax = plot_pair([[0.0, 1.0], [1.0, 1.0]], ["no", "yes"], ["gene A", "gene B"])
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('gene A', ['no', 'yes'])
    """
    points = np.array(values, dtype=np.float64)
    labels = np.asarray(y)
    if points.shape != (len(labels), 2) or len(names) != 2:
        raise ValueError(
            "There must be two names, and two values for each target; got "
            f"{len(names)} names, {len(labels)} targets and values of shape {points.shape}."
        )
    ax = axes_or_new(ax, WIDTH, _HEIGHT)
    dress(ax, grid="both")
    for axis, column in ((ax.xaxis, 0), (ax.yaxis, 1)):
        distinct = np.unique(points[np.isfinite(points[:, column]), column])
        if 1 < len(distinct) <= _FEW_VALUES:
            axis.set_ticks(distinct)
            points[:, column] += _shifts(len(points), distinct, _STEPS[column])
    # Evenly over the file, so that the same cases are drawn each time.
    step = max(1, -(-len(points) // _MOST_POINTS))
    points, labels = points[::step], labels[::step]
    if task == "classification":
        _draw_classes(ax, points, labels, target)
    else:
        _draw_numbers(ax, points, labels.astype(np.float64), target)
    ax.set_xlabel(shorten(names[0], most=40), parse_math=False)
    ax.set_ylabel(shorten(names[1], most=34), parse_math=False)
    if not np.isfinite(points).all(axis=1).any():
        say_empty(ax)
    return ax


def _shifts(n_cases: int, distinct: FloatArray, step: float) -> FloatArray:
    """Return how far to move each case so that those of one value do not hide each other."""
    turns = np.arange(1, n_cases + 1) * step % 1 - 0.5
    shifts: FloatArray = (0.5 * float(np.diff(distinct).min()) * turns).astype(np.float64)
    return shifts


def _draw_classes(ax: Axes, points: FloatArray, labels: NDArray[np.generic], target: str) -> None:
    groups = groups_of(labels, MOST_CLASSES)
    chosen = looks(group.label for group in groups)
    handles: list[Artist] = []
    for group in groups:
        look = chosen[group.label]
        handles += ax.plot(
            *points[group.cases].T,
            linestyle="none",
            marker=look.marker,
            markersize=4,
            markeredgewidth=0,
            alpha=0.7,
            color=look.colour,
            rasterized=True,
        )
    texts = [shorten(group.label, most=16) for group in groups]
    legend = ax.legend(
        handles,
        texts,
        title=shorten(target, most=16),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        fontsize=SMALL,
        title_fontsize=SMALL,
        frameon=False,
    )
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_parse_math(False)


def _draw_numbers(ax: Axes, points: FloatArray, numbers: FloatArray, target: str) -> None:
    low, high = np.quantile(numbers, _COLOURED)
    drawn = ax.scatter(
        points[:, 0],
        points[:, 1],
        c=numbers,
        cmap="viridis",
        vmin=low,
        vmax=high,
        s=14,
        linewidths=0,
        alpha=0.9,
        rasterized=True,
    )
    bar = ax.figure.colorbar(drawn, ax=ax, pad=0.02, extend="both")
    bar.set_label(shorten(target), fontsize=NORMAL, parse_math=False)
    bar.ax.tick_params(labelsize=SMALL)
