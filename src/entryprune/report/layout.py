"""Panels, legends and axes that figures and plots share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from matplotlib.lines import Line2D

from entryprune.report.style import NORMAL, SMALL, Look, new_figure

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from numpy.typing import NDArray


T = TypeVar("T")
K = TypeVar("K", bound="Hashable")


def in_order(names: Iterable[K]) -> list[K]:
    """Return each name once, where it came first.

    Examples
    --------
    >>> in_order(["MNIST", "HAR", "MNIST"])
    ['MNIST', 'HAR']
    """
    return list(dict.fromkeys(names))


def number(value: float | None) -> float:
    """Return a number; NaN if there is none or it is infinite, for neither can be drawn.

    Examples
    --------
    >>> number(3), number(None)
    (3.0, nan)
    """
    return float(value) if value is not None and math.isfinite(value) else math.nan


def by_key(items: Sequence[T], key: Callable[[T], K], what: str) -> dict[K, T]:
    """Return the items by a key that no two of them share.

    Examples
    --------
    >>> by_key(["a", "bb"], len, "words")
    {1: 'a', 2: 'bb'}
    """
    if not items:
        raise ValueError(f"There are no {what}, so there is nothing to draw. Give at least one.")
    found: dict[K, T] = {}
    for item in items:
        if key(item) in found:
            raise ValueError(f"There are two {what} for {key(item)}. Give one, such as their mean.")
        found[key(item)] = item
    return found


# Inches that a letter, an entry's sample with the gaps around it, and a line take in small text.
_LETTER, _SAMPLE, _LEGEND_LINE = 0.066, 0.62, 0.19


def line_handles(looks: Mapping[str, Look]) -> list[Artist]:
    """Return samples of lines with markers."""
    return [
        Line2D([], [], color=look.colour, marker=look.marker, linestyle=look.line, label=name)
        for name, look in looks.items()
    ]


def dot_handles(looks: Mapping[str, Look]) -> list[Artist]:
    """Return samples of markers without lines."""
    return [
        Line2D([], [], color=look.colour, marker=look.marker, linestyle="none", label=name)
        for name, look in looks.items()
    ]


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Return how many entries of equal width stand side by side, in lines of similar length.

    Examples
    --------
    >>> legend_columns(["EntryPrune", "STG"], width=8)
    2
    >>> legend_columns(["EntryPrune flex"] * 7, width=8)
    4
    """
    longest = max(len(label) for label in labels)
    fitting = max(1, int(width / (_LETTER * longest + _SAMPLE)))
    n_lines = math.ceil(len(labels) / fitting)
    return math.ceil(len(labels) / n_lines)


def legend_height(labels: Sequence[str], width: float) -> float:
    """Return the inches that a legend takes below a figure of this width."""
    if not labels:
        return 0.0
    return _LEGEND_LINE * math.ceil(len(labels) / legend_columns(labels, width)) + 0.1


def legend_below(figure: Figure, handles: Sequence[Artist], title: str | None = None) -> None:
    """Put one legend for all panels below them."""
    labels = [str(handle.get_label()) for handle in handles]
    legend = figure.legend(
        handles=handles,
        labels=[str(i) for i in range(len(labels))],
        loc="outside lower center",
        ncols=legend_columns(labels, figure.get_figwidth()),
        fontsize=SMALL,
        title=title,
        title_fontsize=SMALL,
        frameon=False,
        handlelength=2.8,  # so that a line's style can be told
    )
    _set_texts(legend, labels)
    legend.set_in_layout(True)


def legend_inside(axes: Axes, handles: Sequence[Artist]) -> None:
    """Put a legend where it hides least."""
    labels = [str(handle.get_label()) for handle in handles]
    numbers = [str(i) for i in range(len(labels))]
    legend = axes.legend(handles, numbers, fontsize=SMALL, frameon=False, handlelength=2.8)
    _set_texts(legend, labels)


def _set_texts(legend: Legend, labels: Sequence[str]) -> None:
    # Only now, for a label that begins with "_" would be left out, and "$x$" taken for a formula.
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set(text=label, parse_math=False)


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
        The entries of a legend that stands below.
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


# Inches. A page shows a plot of this width in full even on most phones.
WIDTH, HEIGHT = 4.6, 2.7
# Inches that a line of small text takes.
LINE = 0.17


def axes_or_new(ax: Axes | None, width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    return new_figure(width, height).add_subplot() if ax is None else ax


def offsets(n: int, room: float) -> NDArray[np.float64]:
    """Return where n things of equal width stand in a room around zero.

    Examples
    --------
    >>> offsets(2, room=1.0).tolist()
    [-0.25, 0.25]
    """
    return (np.arange(n) - (n - 1) / 2) * room / n
