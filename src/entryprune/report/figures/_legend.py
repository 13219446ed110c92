"""A legend below all panels, and room for it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from entryprune.report.style import SMALL, Look

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

# Inches that a letter, an entry's sample with the gaps around it, and a line take in small text.
_LETTER, _SAMPLE, _LINE = 0.066, 0.62, 0.19


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


def bar_handles(looks: Mapping[str, Look]) -> list[Artist]:
    """Return samples of bars."""
    return [
        Patch(facecolor=look.fill, edgecolor="black", hatch=look.hatch, linewidth=0.6, label=name)
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
    return _LINE * math.ceil(len(labels) / legend_columns(labels, width)) + 0.1


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
