"""The axes that a plot is drawn on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from entryprune.report.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches. A page shows a plot of this width in full even on most phones.
WIDTH, HEIGHT = 4.6, 2.7
# Inches that a line of small text takes.
LINE = 0.17


def axes_or_new(ax: Axes | None, width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    return new_figure(width, height).add_subplot() if ax is None else ax
