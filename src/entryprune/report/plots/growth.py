"""How a set of features grows, seat by seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from entryprune.report._history import read_history
from entryprune.report.plots._axes import axes_or_new
from entryprune.report.style import SMALL, dress, looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

# By phase: what its points are called, and their line and marker.
_PHASES = {
    "growth": ("feature taken", "-", "o"),
    "pairs": ("pair taken", "none", "s"),
    "exchange": ("features exchanged", "none", "D"),
}
# Portions up to which each has a marker.
_MOST_MARKED = 60
# Smaller differences in loss shall not look large.
_LEAST_SPAN = 0.05


def plot_growth(history: Mapping[str, ArrayLike], ax: Axes | None = None) -> Axes:
    """Plot the loss against the number of features taken, and what pairs and exchanges made of it.

    Parameters
    ----------
    history : mapping of str to array
        As a selector's ``history_``, with the phases "growth", "pairs" and "exchange".
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib.axes.Axes
        A line for the growth and, where the seats are all taken, a square for each pair that
        takes seats of others and a diamond for each exchange; with a legend if there are several.

    Examples
    --------
    >>> nothing = [float("nan")] * 3
    >>> ax = plot_growth({
    ...     "phase": ["growth", "growth", "exchange"], "training_loss": [-0.1, -0.3, -0.4],
    ...     "n_changed": [1, 1, 1], "input_size": [1, 2, 2],
    ...     "validation_loss": nothing, "min_entry_score": nothing,
    ... })
    >>> [(line.get_label(), line.get_xdata().tolist()) for line in ax.get_lines()]
    [('feature taken', [1.0, 2.0]), ('features exchanged', [2.0])]
    """
    read = read_history(history)
    ax = axes_or_new(ax)
    dress(ax)
    is_marked = len(read) <= _MOST_MARKED
    chosen = looks(label for label, _, _ in _PHASES.values())
    for phase, (label, line, marker) in _PHASES.items():
        part = read.phase == phase
        if np.isfinite(read.training_loss[part]).any():
            ax.plot(
                read.input_size[part],
                read.training_loss[part],
                color=chosen[label].colour,
                linestyle=line,
                linewidth=1.3,
                marker=marker if is_marked or line == "none" else "none",
                markersize=5 if line == "none" else 4,
                label=label,
            )
    low, high = ax.get_ylim()
    if high - low < _LEAST_SPAN:
        middle = (low + high) / 2
        ax.set_ylim(middle - _LEAST_SPAN / 2, middle + _LEAST_SPAN / 2)
    ax.set_xlabel("features taken")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylabel("loss (lower is better)")
    if len(ax.get_legend_handles_labels()[0]) > 1:
        ax.legend(fontsize=SMALL, frameon=False)
    return ax
