"""How accurate methods are: by the number of selected features, averaged, and in ranks."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from entryprune.report.style import (
    NORMAL,
    REFERENCE,
    SMALL,
    Look,
    by_key,
    dot_handles,
    dress,
    in_order,
    legend_below,
    legend_height,
    line_handles,
    looks,
    new_figure,
    number,
    offsets,
    panel_grid,
    say_empty,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from entryprune.report.figures.rows import Accuracies, Point, RankPanel

# Share of the distance between two K over which the methods are spread, or bars hide each other.
_SPREAD = 0.45
_ALL, _PUBLISHED = "all features", "published (hollow)"
# One data set's points, by method and K.
_Points = dict[tuple[str, int], "Point"]


def draw_accuracy_by_k(accuracies: Accuracies) -> Figure:
    """Draw accuracy against K, with a panel for each data set and one legend below.

    Error bars are one standard deviation, and lines break where a K is missing. Results of others
    are hollow, all features a horizontal line, and a title tells which share of the features the
    panel's largest K is.
    """
    points, published = accuracies.points, accuracies.published
    reference, n_features = accuracies.reference, accuracies.n_features
    ours = by_key(points, _key, "points")
    theirs = by_key(published, _key, "published points") if published else {}
    everything = [*points, *published]
    datasets = in_order(point.dataset for point in everything)
    by_method = looks(point.method for point in everything)
    handles = line_handles(by_method)
    if reference:
        handles.append(Line2D([], [], label=_ALL, **REFERENCE))
    if published:
        handles.append(_published_handle())
    grid = panel_grid(len(datasets), [str(handle.get_label()) for handle in handles])
    for axes, dataset in zip(grid.panels, datasets, strict=True):
        ks = sorted({point.k for point in everything if point.dataset == dataset})
        dress(axes)
        if dataset in reference:
            axes.axhline(reference[dataset], **REFERENCE)
        _draw_panel(axes, ks, by_method, _of(dataset, ours), _of(dataset, theirs))
        share = f" ({_share(ks[-1], n_features[dataset])})" if dataset in n_features else ""
        axes.set_title(f"{dataset}{share}", fontsize=NORMAL, parse_math=False)
    grid.label("number of selected features K", "accuracy (%)")
    legend_below(grid.figure, handles)
    return grid.figure


def _draw_panel(
    axes: Axes,
    ks: Sequence[int],
    by_method: Mapping[str, Look],
    ours: _Points,
    theirs: _Points,
) -> None:
    gap = float(np.diff(ks).min()) if len(ks) > 1 else 1.0
    is_empty = True
    for shift, (method, look) in zip(
        offsets(len(by_method), _SPREAD * gap), by_method.items(), strict=True
    ):
        x = np.array(ks) + shift
        means, sds = _values(ours, method, ks)
        if np.isfinite(means).any():
            is_empty = False
            axes.errorbar(
                x,
                means,
                yerr=sds,
                color=look.colour,
                marker=look.marker,
                linestyle=look.line,
                label=method,
                markersize=4,
                linewidth=1.1,
                elinewidth=0.8,
                capsize=1.5,
            )
        means, _ = _values(theirs, method, ks)
        if np.isfinite(means).any():
            is_empty = False
            axes.plot(
                x,
                means,
                color=look.colour,
                marker=look.marker,
                linestyle="none",
                label=f"{method}, published",
                markersize=6,
                markerfacecolor="none",
                markeredgewidth=1.0,
            )
    axes.set_xticks(ks, [str(k) for k in ks])
    axes.set_xlim(ks[0] - 0.6 * gap, ks[-1] + 0.6 * gap)
    if is_empty:
        say_empty(axes)


def _values(points: _Points, method: str, ks: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    found = [points.get((method, k)) for k in ks]
    means = np.array([number(point.mean if point else None) for point in found])
    return means, np.array([number(point.sd if point else None) for point in found])


def _of(dataset: str, points: Mapping[tuple[str, str, int], Point]) -> _Points:
    return {(method, k): point for (name, method, k), point in points.items() if name == dataset}


def _published_handle() -> Artist:
    return Line2D(
        [],
        [],
        color="black",
        marker="o",
        linestyle="none",
        markersize=6,
        markerfacecolor="none",
        label=_PUBLISHED,
    )


def _key(point: Point) -> tuple[str, str, int]:
    return point.dataset, point.method, point.k


def _share(k: int, n_features: int) -> str:
    percent = 100 * k / n_features
    return f"{percent:.1f} %" if percent >= 0.05 else "below 0.1 %"


# -- averaged over K ----------------------------------------------------------------------------

_ROWS_WIDTH = 7.5
# Inches: of a row, of each further method in it, and of the axis below.
_ROW, _ROW_METHOD, _ROWS_AXIS = 0.26, 0.035, 0.7


def draw_average_accuracy(accuracies: Accuracies) -> Figure:
    """Draw a row for each data set, the first on top, with a dot for each method.

    Within a row the methods stand one below the other, so that equal ones do not hide each other.
    """
    averages, ks = _averages(accuracies.points)
    if not averages:
        raise ValueError("There are no averages, so there is nothing to draw. Give at least one.")
    datasets = in_order(dataset for dataset, _ in averages)
    by_method = looks(method for _, method in averages)
    height = max(0.8, len(datasets) * (_ROW + _ROW_METHOD * (len(by_method) - 1))) + _ROWS_AXIS
    figure = new_figure(_ROWS_WIDTH, height + legend_height(list(by_method), _ROWS_WIDTH))
    axes = figure.add_subplot()
    dress(axes, grid="x")
    for row in range(0, len(datasets), 2):
        axes.axhspan(row - 0.5, row + 0.5, color="0.95", linewidth=0, zorder=0)
    # With few methods a straight row is easier to read than a slanting one.
    shifts = offsets(len(by_method), 0.75 if len(by_method) > 3 else 0.4)
    for shift, (method, look) in zip(shifts, by_method.items(), strict=True):
        axes.plot(
            [number(averages.get((dataset, method))) for dataset in datasets],
            [row + shift for row in range(len(datasets))],
            color=look.colour,
            marker=look.marker,
            linestyle="none",
            label=method,
            markersize=5,
            markeredgecolor="black",
            markeredgewidth=0.4,
        )
    axes.set_yticks(range(len(datasets)), datasets, parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(datasets) - 0.5, -0.5)
    listed = ", ".join(map(str, ks))
    what = f"accuracy at K = {listed}" if len(ks) == 1 else f"accuracy, average over K = {listed}"
    axes.set_xlabel(f"{what} (%)", fontsize=NORMAL)
    axes.set_ylabel("data set", fontsize=NORMAL)
    legend_below(figure, dot_handles(by_method))
    return figure


def _averages(points: Sequence[Point]) -> tuple[dict[tuple[str, str], float], list[int]]:
    """Return the means over K by data set and method, and over which K they are."""
    means: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for point in points:
        if point.mean is not None:
            means[point.dataset, point.method][point.k] = point.mean
    # An average over other K is another thing, so what lacks one of most K has no dot.
    ks = max((sorted(by_k) for by_k in means.values()), key=len, default=[])
    full = {names: by_k.values() for names, by_k in means.items() if sorted(by_k) == ks}
    return {names: statistics.fmean(values) for names, values in full.items()}, ks


_WIDTH = 7.5
# Inches: of a line of text, and of what stands above the first one.
_LINE, _HEAD = 0.21, 0.75
# In lines: between two bars, and from the last bar to the first name.
_BAR, _GAP = 0.45, 0.9


def draw_critical_difference(panels: Sequence[RankPanel]) -> Figure:
    """Draw an axis of mean ranks, all of the same range, for each group of data sets.

    The better half of the methods is named on the left, the best on top.
    """
    drawn = [panel for panel in panels if panel.ranks]
    if not drawn:
        raise ValueError("There are no ranks, so there is nothing to draw. Give at least one.")
    heights = [_HEAD + _LINE * _n_lines(panel) for panel in drawn]
    figure = new_figure(_WIDTH, sum(heights) + 0.1 * len(heights))
    worst = max(2, *(math.ceil(max(panel.ranks.values())) for panel in drawn))
    grid = figure.add_gridspec(len(drawn), 1, height_ratios=heights)
    for row, panel in enumerate(drawn):
        _draw(figure.add_subplot(grid[row]), panel, worst)
    return figure


def _n_lines(panel: RankPanel) -> float:
    """Return how many lines of text a panel is high, below its axis."""
    return _BAR * len(panel.groups) + _GAP + math.ceil(len(panel.ranks) / 2)


def _draw(axes: Axes, panel: RankPanel, worst: int) -> None:
    dress(axes, grid="none")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xticks(range(1, worst + 1))
    axes.set_yticks([])
    axes.set_xlim(1, worst)
    axes.set_ylim(-_n_lines(panel), 0)
    axes.set_xlabel(f"mean rank, {panel.title}", fontsize=NORMAL, parse_math=False)
    for place, group in enumerate(panel.groups):
        ends = [panel.ranks[name] for name in group]
        height = -_BAR * (place + 1)
        # Beyond the dots, so that a bar between neighbours is seen.
        slack = 0.012 * (worst - 1)
        axes.plot(
            [min(ends) - slack, max(ends) + slack],
            [height, height],
            color="black",
            linewidth=3.0,
            solid_capstyle="butt",
            clip_on=False,
        )
    ordered = sorted(panel.ranks, key=lambda name: panel.ranks[name])
    half = math.ceil(len(ordered) / 2)
    top = -(_BAR * len(panel.groups) + _GAP)
    for place, name in enumerate(ordered):
        is_left = place < half
        # On the right the worst is on top, so that no two lines cross.
        line = place if is_left else len(ordered) - 1 - place
        _name(axes, name, panel.ranks[name], top - line, 1 if is_left else worst)


def _name(axes: Axes, name: str, rank: float, height: float, edge: int) -> None:
    """Write a method's name at an edge, and lead a line from it to its place on the axis."""
    axes.plot([edge, rank, rank], [height, height, 0], color="0.35", linewidth=0.8, clip_on=False)
    axes.plot([rank], [0], color="black", marker="o", markersize=3.5, clip_on=False)
    is_left = edge == 1
    axes.annotate(
        f"{name}  {rank:.2f}" if is_left else f"{rank:.2f}  {name}",
        (edge, height),
        xytext=(-4 if is_left else 4, 0),
        textcoords="offset points",
        ha="right" if is_left else "left",
        va="center",
        fontsize=SMALL,
        parse_math=False,
        annotation_clip=False,
    )
