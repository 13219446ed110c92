"""A grid of panels of one size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entryprune.report.figures._legend import legend_height
from entryprune.report.style import NORMAL, SMALL, new_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# A figure of one small panel must still hold a legend.
_LEAST_WIDTH = 4.5


@dataclass(frozen=True)
class Grid:
    """Panels in rows; the last row may be shorter.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
        What they are on.
    panels : tuple of matplotlib.axes.Axes
        Row by row.
    n_columns : int
        Panels in a full row.
    """

    figure: Figure
    panels: tuple[Axes, ...]
    n_columns: int

    def label(self, x: str, y: str) -> None:
        """Name the axes, once for each row and column."""
        for i, axes in enumerate(self.panels):
            if i % self.n_columns == 0:
                axes.set_ylabel(y, fontsize=NORMAL)
            if i + self.n_columns >= len(self.panels):
                axes.set_xlabel(x, fontsize=NORMAL)


def grid_shape(n_panels: int, max_columns: int) -> tuple[int, int]:
    """Return the rows and columns in which panels leave few places empty.

    Examples
    --------
    >>> grid_shape(5, max_columns=4), grid_shape(13, max_columns=4)
    ((2, 3), (3, 5))
    """
    n_rows = math.ceil(n_panels / max_columns)
    n_columns = math.ceil(n_panels / n_rows)
    if n_rows > 1 and n_panels % n_columns == 1:
        # Rather one panel more in each row than a row for one panel.
        n_rows = math.ceil(n_panels / (max_columns + 1))
        n_columns = math.ceil(n_panels / n_rows)
    return n_rows, n_columns


def panel_grid(
    n_panels: int,
    legend: Sequence[str] = (),
    max_columns: int = 4,
    panel_size: tuple[float, float] = (2.4, 2.0),
    note_height: float = 0.0,
) -> Grid:
    """Return a figure with panels in rows of similar length.

    Parameters
    ----------
    n_panels : int
        How many.
    legend : sequence of str, default=()
        The entries of a legend that shall stand below.
    max_columns : int, default=4
        Most panels side by side; one more if else the last row had only one.
    panel_size : tuple of float, default=(2.4, 2.0)
        Width and height of a panel, with its labels, in inches.
    note_height : float, default=0.0
        Room in inches for anything else below.

    Examples
    --------
    >>> grid = panel_grid(5)
    >>> len(grid.panels), grid.n_columns
    (5, 3)
    """
    n_rows, n_columns = grid_shape(n_panels, max_columns)
    width = max(_LEAST_WIDTH, n_columns * panel_size[0])
    # A lone panel takes the least width, so it may be taller too.
    height = n_rows * panel_size[1] * (1.4 if n_panels == 1 else 1.0)
    figure = new_figure(width, height + legend_height(legend, width) + note_height)
    panels = tuple(figure.add_subplot(n_rows, n_columns, i + 1) for i in range(n_panels))
    return Grid(figure, panels, n_columns)


def say_empty(axes: Axes) -> None:
    """Write into a panel that there is nothing to show."""
    axes.text(
        0.5,
        0.5,
        "no results",
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=SMALL,
        color="0.4",
    )
