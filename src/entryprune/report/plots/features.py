"""The selected features one by one: scores, distributions, pixels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from entryprune.report.plots.together import plot_survival
from entryprune.report.statistics import (
    ClassSamples,
    high_and_low,
    samples_by_class,
    two_values,
)
from entryprune.report.style import (
    HEIGHT,
    LINE,
    NORMAL,
    POINTS,
    WIDTH,
    aspect,
    axes_or_new,
    check_mask,
    draw_mask,
    dress,
    looks,
    number,
    panel_grid,
    say_empty,
)
from entryprune.report.text import number_text, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.base import Task
    from entryprune.report.style import Look

    FloatArray = NDArray[np.float64]

# Features up to which each has a bar with its name.
_MOST_BARS = 60
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
    is_named = len(values) <= _MOST_BARS
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
        # Numbers with many decimals must not run into each other.
        ax.xaxis.set_major_locator(MaxNLocator(5))
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


# Classes that are drawn, samples that a class may have to be drawn one by one, and points.
MOST_CLASSES, _MOST_DOTS, _MOST_POINTS = 12, 40, 5000
# The share of the samples between a box's whiskers, and in the box.
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_PANEL_WIDTH = 3.0
# Levels that are drawn.
_MOST_LEVELS = 8


def plot_feature_distributions(
    X: ArrayLike,
    y: ArrayLike,
    names: Sequence[str],
    axes: Sequence[Axes] | None = None,
    *,
    task: Task = "classification",
    target: str = "target",
    levels: Mapping[int, Sequence[str]] | None = None,
) -> list[Axes]:
    """Plot how each feature is distributed in each class, or goes with the target.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The features' values; NaN where one is missing.
    y : array of shape (n_samples,)
        The class labels or the numbers to predict.
    names : sequence of str
        A name for each feature.
    axes : sequence of matplotlib.axes.Axes, optional
        One for each feature; panels of a new figure if not given.
    task : {"classification", "regression", "survival"}, default="classification"
        Whether y has classes, numbers, or times and events in two columns.
    target : str, default="target"
        Name of the target.
    levels : mapping of int to sequence of str, optional
        Of features that are categories, by their number: what their values 0, 1, ... stand for.

    Returns
    -------
    axes : list of matplotlib.axes.Axes
        By class: a box from the first to the third quartile with a line at the median, and
        whiskers from 5 % to 95 % of the samples; the 12 most frequent classes only, and the samples
        themselves where a class has few. A feature with only two values has a bar for the share
        of the larger one. With a numerical target: a point for each sample. With times: the share
        that is still without the event, of samples with more and with less of the feature. A
        feature with levels has a row for each of the 8 most frequent: the shares of the classes (of
        two classes only the rarer), or a box of the target.

    Examples
    --------
    >>> X = [[1.0], [2.0], [7.0], [9.0]]
    >>> (ax,) = plot_feature_distributions(X, ["no", "no", "yes", "yes"], ["radius"])
    >>> ax.get_xlabel(), [label.get_text() for label in ax.get_yticklabels()]
    ('radius', ['no', 'yes'])
    """
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(names) or values.shape[0] != len(np.asarray(y)):
        raise ValueError(
            "X must have a row for each target and a column for each name; its shape is "
            f"{values.shape}, with {len(np.asarray(y))} targets and {len(names)} names."
        )
    groups = samples_by_class(y, MOST_CLASSES) if task == "classification" else []
    if axes is None:
        size = (_PANEL_WIDTH, panel_height(len(groups)))
        axes = panel_grid(len(names), max_columns=3, panel_size=size).panels
    for i, (ax, name) in enumerate(zip(axes, names, strict=True)):
        labels = (levels or {}).get(i)
        if task == "survival":
            parted = high_and_low(values[:, i])
            if labels:
                parted = {one.label: one.rows for one in frequent_levels(values[:, i], labels)}
            plot_survival(y, parted, ax, time=target)
            ax.set_title(shorten(name, most=34), fontsize=NORMAL, parse_math=False)
            continue
        dress(ax, grid="x" if groups or labels else "both")
        ax.set_xlabel(shorten(name, most=34), parse_math=False)
        if labels:
            shown = frequent_levels(values[:, i], labels)
            _draw_levels(ax, shown, np.asarray(y), groups, target)
        elif groups:
            _draw_classes(ax, values[:, i], groups)
        else:
            _draw_points(ax, values[:, i], np.asarray(y, dtype=np.float64))
            ax.set_ylabel(shorten(target), parse_math=False)
        if not np.isfinite(values[:, i]).any():
            say_empty(ax)
    return list(axes)


def frequent_levels(values: FloatArray, labels: Sequence[str]) -> list[ClassSamples]:
    """Return the most frequent levels, in the order of their codes, and what is missing."""
    rows = [np.flatnonzero(values == code) for code in range(len(labels))]
    found = [ClassSamples(str(label), one) for label, one in zip(labels, rows, strict=True)]
    is_gap = np.isnan(values)
    if is_gap.any():
        found.append(ClassSamples("missing", np.flatnonzero(is_gap)))
    fewest = sorted((len(one.rows) for one in found), reverse=True)[:_MOST_LEVELS][-1]
    return [one for one in found if len(one.rows) >= max(1, fewest)][:_MOST_LEVELS]


def _draw_levels(
    ax: Axes,
    shown: Sequence[ClassSamples],
    y: NDArray[Any],
    groups: Sequence[ClassSamples],
    target: str,
) -> None:
    if not groups:
        _draw_boxes(ax, y.astype(np.float64), shown)
        what = target
    elif len(groups) == 2:
        rarer = min(groups, key=lambda one: len(one.rows))
        _draw_class_shares(ax, shown, [rarer], len(y))
        what = f"share with {shorten(target)} = {shorten(rarer.label)} (%)"
    else:
        _draw_class_shares(ax, shown, groups, len(y))
        what = f"share of each {shorten(target)} (%)"
    ax.set_xlabel(f"{ax.get_xlabel()}\n{what}", parse_math=False)
    names = [shorten(one.label, most=16) for one in shown]
    ax.set_yticks(range(len(shown)), names, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(shown) - 0.5, -0.5)


def _draw_class_shares(
    ax: Axes, shown: Sequence[ClassSamples], groups: Sequence[ClassSamples], n_samples: int
) -> None:
    """Draw for each level how many of its samples are of each class, one behind the other."""
    chosen = looks(group.label for group in groups)
    for position, level in enumerate(shown):
        start = 0.0
        is_here = np.zeros(n_samples, dtype=bool)
        is_here[level.rows] = True
        for group in groups:
            share = 100 * float(is_here[group.rows].sum()) / len(level.rows)
            look = chosen[group.label]
            ax.barh(position, share, left=start, height=0.6, color=look.fill, edgecolor=look.colour)
            start += share


def panel_height(n_classes: int) -> float:
    """Return the inches that a panel with this many classes takes; none stands for numbers."""
    return 2.2 if n_classes == 0 else 0.75 + 2 * LINE * max(2, n_classes)


def _draw_classes(ax: Axes, values: FloatArray, groups: Sequence[ClassSamples]) -> None:
    pair = two_values(values)
    if pair is None:
        _draw_boxes(ax, values, groups)
    else:
        _draw_shares(ax, values, groups, pair[1])
        share = f"share with the value {number_text(pair[1])} (%)"
        ax.set_xlabel(f"{ax.get_xlabel()}\n{share}")
    labels = [shorten(group.label, most=16) for group in groups]
    ax.set_yticks(range(len(groups)), labels, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(groups) - 0.5, -0.5)


def _draw_points(ax: Axes, values: FloatArray, y: FloatArray) -> None:
    # Evenly over the file, so that the same samples are drawn each time.
    step = max(1, -(-len(values) // _MOST_POINTS))
    ax.plot(values[::step], y[::step], markersize=2.5, color=looks([""])[""].colour, **POINTS)


def _draw_shares(
    ax: Axes, values: FloatArray, groups: Sequence[ClassSamples], larger: float
) -> None:
    for position, (group, look) in enumerate(zip(groups, _looks(groups), strict=True)):
        known = _known(values, group)
        if len(known):
            share = 100 * float(np.mean(known == larger))
            ax.barh(position, share, height=0.6, color=look.fill, edgecolor=look.colour)
    ax.set_xlim(0, 100)


def _draw_boxes(ax: Axes, values: FloatArray, groups: Sequence[ClassSamples]) -> None:
    for position, (group, look) in enumerate(zip(groups, _looks(groups), strict=True)):
        known = _known(values, group)
        if not len(known):
            continue
        low, first, median, third, high = np.quantile(known, _QUANTILES).tolist()
        for start, end in ((low, first), (third, high)):
            ax.plot([start, end], [position, position], color=look.colour, linewidth=1.0)
        ax.barh(
            position,
            third - first,
            left=first,
            height=0.6,
            color=look.fill,
            edgecolor=look.colour,
            linewidth=1.0,
        )
        ax.plot([median, median], [position - 0.3, position + 0.3], color="black", linewidth=1.8)
        if len(known) <= _MOST_DOTS:
            # Up and down by turns, so that equal values do not hide each other.
            turns = np.resize([-0.15, 0.1, -0.05, 0.15, 0.0, -0.1, 0.05], len(known))
            ax.plot(
                known,
                position + turns,
                linestyle="none",
                marker="o",
                markersize=2.5,
                markeredgewidth=0,
                alpha=0.7,
                color=look.colour,
            )


def _looks(groups: Sequence[ClassSamples]) -> list[Look]:
    return list(looks(group.label for group in groups).values())


def _known(values: FloatArray, group: ClassSamples) -> FloatArray:
    known: FloatArray = values[group.rows]
    return known[np.isfinite(known)]


def plot_mask(
    mask: ArrayLike,
    shape: tuple[int, ...],
    ax: Axes | None = None,
    *,
    samples: ArrayLike | None = None,
) -> Axes:
    """Plot the selected pixels, and what they show of some images.

    Parameters
    ----------
    mask : array of bool of shape (n_features,)
        True where a feature is selected: drawn light, in its own colour if there are channels.
    shape : (height, width) or (3, height, width)
        Of an image. With three channels a row holds all of red, then green, then blue.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    samples : array of shape (n_samples, n_features), optional
        Images to show after the mask, from black for their smallest value to white for their
        largest; what is not selected is grey.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With one picture.

    Examples
    --------
    >>> ax = plot_mask([True, False, False, True], shape=(2, 2))
    >>> ax.images[0].get_array()[:, :, 0].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    n_features = math.prod(shape)
    images = np.empty((0, n_features)) if samples is None else _from_0_to_1(samples)
    check_mask(mask, images, shape, "the selection")
    ax = axes_or_new(ax, WIDTH, WIDTH * min(2.0, aspect(len(images), shape)))
    draw_mask(ax, mask, images, shape)
    return ax


def _from_0_to_1(samples: ArrayLike) -> FloatArray:
    images: FloatArray = np.asarray(samples, dtype=np.float64)
    known = images[np.isfinite(images)]
    if not len(known) or known.min() == known.max():
        return images
    low, high = float(known.min()), float(known.max())
    return (images - low) / (high - low)
