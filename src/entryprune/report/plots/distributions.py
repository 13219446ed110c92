"""The values of single features by class, or against the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from entryprune.report._distributions import two_values
from entryprune.report._groups import Group, groups_of
from entryprune.report._texts import number_text, shorten
from entryprune.report.figures._panels import panel_grid, say_empty
from entryprune.report.plots._axes import LINE
from entryprune.report.style import dress, looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.run import Task
    from entryprune.report.style import Look

    FloatArray = NDArray[np.float64]

# Classes that are drawn, cases that a class may have to be drawn one by one, and points.
MOST_CLASSES, _MOST_DOTS, _MOST_POINTS = 12, 40, 5000
# The share of the cases between a box's whiskers, and in the box.
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_PANEL_WIDTH = 3.0


def plot_feature_distributions(
    X: ArrayLike,
    y: ArrayLike,
    names: Sequence[str],
    axes: Sequence[Axes] | None = None,
    *,
    task: Task = "classification",
    target: str = "target",
) -> list[Axes]:
    """Plot how each feature is distributed in each class, or goes with the target.

    Parameters
    ----------
    X : array of shape (n_cases, n_features)
        The features' values; NaN where one is missing.
    y : array of shape (n_cases,)
        The class labels or the numbers to predict.
    names : sequence of str
        A name for each feature.
    axes : sequence of matplotlib.axes.Axes, optional
        One for each feature; panels of a new figure if not given.
    task : {"classification", "regression"}, default="classification"
        Whether y has classes or numbers.
    target : str, default="target"
        Name of a target that has numbers.

    Returns
    -------
    axes : list of matplotlib.axes.Axes
        By class: a box from the first to the third quartile with a line at the median, and
        whiskers from 5 % to 95 % of the cases; the 12 most frequent classes only, and the cases
        themselves where a class has few. A feature with only two values has a bar for the share
        of the larger one. With a numerical target: a point for each case.

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
    groups = groups_of(y, MOST_CLASSES) if task == "classification" else []
    if axes is None:
        size = (_PANEL_WIDTH, panel_height(len(groups)))
        axes = panel_grid(len(names), max_columns=3, panel_size=size).panels
    for i, (ax, name) in enumerate(zip(axes, names, strict=True)):
        dress(ax, grid="x" if groups else "both")
        ax.set_xlabel(shorten(name, most=34), parse_math=False)
        if groups:
            _draw_classes(ax, values[:, i], groups)
        else:
            _draw_points(ax, values[:, i], np.asarray(y, dtype=np.float64))
            ax.set_ylabel(shorten(target), parse_math=False)
        if not np.isfinite(values[:, i]).any():
            say_empty(ax)
    return list(axes)


def panel_height(n_classes: int) -> float:
    """Return the inches that a panel with this many classes takes; none stands for numbers."""
    return 2.2 if n_classes == 0 else 0.75 + 2 * LINE * max(2, n_classes)


def _draw_classes(ax: Axes, values: FloatArray, groups: Sequence[Group]) -> None:
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
    # Evenly over the file, so that the same cases are drawn each time.
    step = max(1, -(-len(values) // _MOST_POINTS))
    ax.plot(
        values[::step],
        y[::step],
        linestyle="none",
        marker="o",
        markersize=2.5,
        markeredgewidth=0,
        alpha=0.5,
        color=looks([""])[""].colour,
        rasterized=True,
    )


def _draw_shares(ax: Axes, values: FloatArray, groups: Sequence[Group], larger: float) -> None:
    for position, (group, look) in enumerate(zip(groups, _looks(groups), strict=True)):
        known = _known(values, group)
        if len(known):
            share = 100 * float(np.mean(known == larger))
            ax.barh(position, share, height=0.6, color=look.fill, edgecolor=look.colour)
    ax.set_xlim(0, 100)


def _draw_boxes(ax: Axes, values: FloatArray, groups: Sequence[Group]) -> None:
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


def _looks(groups: Sequence[Group]) -> list[Look]:
    return list(looks(group.label for group in groups).values())


def _known(values: FloatArray, group: Group) -> FloatArray:
    known: FloatArray = values[group.cases]
    return known[np.isfinite(known)]
