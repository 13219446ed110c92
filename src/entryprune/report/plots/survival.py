"""How many are still without the event, as time goes by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from entryprune._survival import kaplan_meier
from entryprune.report.style import SMALL, WIDTH, axes_or_new, dress, looks
from entryprune.report.text import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

_HEIGHT = 3.0


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
    ax = axes_or_new(ax, WIDTH, _HEIGHT)
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
