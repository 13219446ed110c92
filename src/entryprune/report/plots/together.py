"""How features go together, and with the target, also over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from entryprune._survival import kaplan_meier
from entryprune.report.statistics import correlations, samples_by_class
from entryprune.report.style import (
    LINE,
    NORMAL,
    POINTS,
    SMALL,
    WIDTH,
    axes_or_new,
    dress,
    looks,
    say_empty,
)
from entryprune.report.text import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.base import Task

    FloatArray = NDArray[np.float64]

    from numpy.typing import NDArray

# Features up to which each has its name, and up to which each has its rank.
_MOST_NAMED, _MOST_NUMBERED = 40, 20
_MOST_WIDTH = 7.0
# Negative correlations from this size on have a mark.
_MARKED = 0.3


def plot_correlation(X: ArrayLike, names: Sequence[str], ax: Axes | None = None) -> Axes:
    """Plot the correlation of each two features.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The features' values; NaN where one is missing.
    names : sequence of str
        A name for each feature; shown if there are no more than 40.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Red where two features rise together, blue where one falls as the other rises, white
        where neither, grey where a feature does not vary; with a colour bar. A dash marks
        correlations below -0.3.

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
    return draw_correlations(correlations(values), names, ax)


def draw_correlations(table: FloatArray, names: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw correlations that are known already."""
    n = len(names)
    is_named = n <= _MOST_NAMED
    width = min(_MOST_WIDTH, max(WIDTH, LINE * n + 2.4)) if is_named else WIDTH
    ax = axes_or_new(ax, width, max(2.2, width - 1.9) if is_named else width - 0.7)
    colours = mpl.colormaps["RdBu_r"].with_extremes(bad="0.7")
    dress(ax, grid="none")
    picture = ax.imshow(
        np.ma.masked_invalid(table),
        cmap=colours,
        aspect="auto",  # or the layout does not know how wide it is, and cuts off names
        vmin=-1,
        vmax=1,
        interpolation="nearest",
    )
    # Red and blue are one grey on paper.
    rows, columns = np.nonzero(table <= -_MARKED)
    ax.plot(columns, rows, linestyle="none", marker="_", markersize=4, color="black")
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
    ax.set_xlabel(f"rank\ndashes mark correlations below -{_MARKED}" if len(rows) else "rank")
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


# Classes and samples that are drawn.
MOST_COLOURED, _MOST_POINTS = 6, 3000
# With so few different values, or so many samples for each, many lie on one spot and are spread
# around it.
_FEW_VALUES, _MANY_SAMPLES = 12, 20
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
    levels: Mapping[int, Sequence[str]] | None = None,
) -> Axes:
    """Plot two features against each other, a point for each sample, coloured by the target.

    Parameters
    ----------
    values : array of shape (n_samples, 2)
        The features' values; a sample with a missing one is left out.
    y : array of shape (n_samples,)
        The class labels or the numbers to predict.
    names : sequence of two str
        The features.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    task : {"classification", "regression"}, default="classification"
        Whether y has classes or numbers.
    target : str, default="target"
        Name of the target.
    levels : mapping of int to sequence of str, optional
        Of a feature that is a category, 0 or 1: what its values 0, 1, ... stand for. If that is the
        first of two only, it stands on the vertical axis, where names have room.

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
    named = dict(levels or {})
    if 0 in named and 1 not in named:
        points, names, named = points[:, ::-1].copy(), names[::-1], {1: named[0]}
    for axis, column in ((ax.xaxis, 0), (ax.yaxis, 1)):
        distinct = np.unique(points[np.isfinite(points[:, column]), column])
        if 1 < len(distinct) <= max(_FEW_VALUES, len(points) // _MANY_SAMPLES):
            if len(distinct) <= _FEW_VALUES:
                axis.set_ticks(distinct)
            else:
                axis.set_major_locator(MaxNLocator(integer=bool((distinct % 1 == 0).all())))
            points[:, column] += _shifts(len(points), distinct, _STEPS[column])
        if column in named:
            texts = [shorten(label, most=14) for label in named[column]]
            axis.set_ticks(range(len(texts)), texts, parse_math=False, fontsize=SMALL)
            if column == 0:
                ax.tick_params(axis="x", labelrotation=90)
    # Evenly over the file, so that the same samples are drawn each time.
    step = max(1, -(-len(points) // _MOST_POINTS))
    points, labels = points[::step], labels[::step]
    if task == "classification":
        _draw_labels(ax, points, labels, target)
    else:
        _draw_numbers(ax, points, labels.astype(np.float64), target)
    ax.set_xlabel(shorten(names[0], most=40), parse_math=False)
    ax.set_ylabel(shorten(names[1], most=34), parse_math=False)
    if not np.isfinite(points).all(axis=1).any():
        say_empty(ax)
    return ax


def _shifts(n_samples: int, distinct: FloatArray, step: float) -> FloatArray:
    """Return how far to move each sample so that those of one value do not hide each other."""
    turns = np.arange(1, n_samples + 1) * step % 1 - 0.5
    shifts: FloatArray = (0.5 * float(np.diff(distinct).min()) * turns).astype(np.float64)
    return shifts


def _draw_labels(ax: Axes, points: FloatArray, labels: NDArray[np.generic], target: str) -> None:
    groups = samples_by_class(labels, MOST_COLOURED)
    chosen = looks(group.label for group in groups)
    handles: list[Artist] = []
    for group in groups:
        look = chosen[group.label]
        own = {**POINTS, "marker": look.marker, "markersize": 4, "alpha": 0.7}
        handles += ax.plot(*points[group.rows].T, color=look.colour, **own)
    texts = [shorten(group.label, most=16) for group in groups]
    legend = ax.legend(
        handles,
        texts,
        title=shorten(target, most=16),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        fontsize=SMALL,
        title_fontsize=SMALL,
        # Marks must be told apart where there are no colours.
        markerscale=1.6,
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


# -- over time -------------------------------------------------------------------------------------


_CURVES_HEIGHT = 3.0


def plot_survival(
    y: ArrayLike,
    groups: Mapping[str, NDArray[np.intp]],
    ax: Axes | None = None,
    *,
    time: str = "time",
) -> Axes:
    """Plot for each group of samples the share that is still without the event (Kaplan-Meier).

    Parameters
    ----------
    y : array of shape (n_samples, 2)
        Times, and 1 where the event was seen then, else 0.
    groups : dict of str to array of int
        The samples of each group.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    time : str, default="time"
        What the times are.

    Returns
    -------
    ax : matplotlib.axes.Axes
        A line of steps for each group that has samples, and a legend.

    Examples
    --------
    >>> import numpy as np
    >>> y = [[1, 1], [2, 0], [3, 1], [4, 1]]
    >>> ax = plot_survival(y, {"low": np.array([2, 3]), "high": np.array([0, 1])})
    >>> ax.get_lines()[1].get_ydata().tolist()
    [100.0, 50.0, 50.0]
    """
    times, events = np.asarray(y, dtype=np.float64).T
    ax = axes_or_new(ax, WIDTH, _CURVES_HEIGHT)
    dress(ax, grid="both")
    some = {name: rows for name, rows in groups.items() if len(rows)}
    for (name, rows), look in zip(some.items(), looks(some).values(), strict=True):
        at, left = kaplan_meier(times[rows], events[rows] > 0)
        # To the end of what was watched.
        at, left = np.append(at, times[rows].max()), np.append(left, left[-1])
        ax.step(
            at,
            100 * left,
            where="post",
            color=look.colour,
            linestyle=look.line,
            linewidth=1.6,
            label=shorten(name),
        )
    ax.set_ylim(0, 102)
    ax.set_xlim(left=0)
    ax.set_xlabel(shorten(time), parse_math=False)
    ax.set_ylabel("without the event (%)")
    legend = ax.legend(fontsize=SMALL, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return ax
