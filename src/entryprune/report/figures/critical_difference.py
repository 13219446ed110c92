"""Mean ranks on an axis, with bars that join what cannot be told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from entryprune.report.style import NORMAL, SMALL, dress, new_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from entryprune.report.figures.rows import RankPanel

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
