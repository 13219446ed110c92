"""How a run went: rotation by rotation, or seat by seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from entryprune.report.history import History, read_history
from entryprune.report.style import SMALL, axes_or_new, dress, looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike


# Rotations up to which each has a marker, and markers on a longer line.
_MOST_ROTATIONS, _N_MARKERS = 60, 12


def plot_convergence(history: Mapping[str, ArrayLike] | History, ax: Axes | None = None) -> Axes:
    """Plot how many selected features each rotation changed.

    Parameters
    ----------
    history : mapping of str to array, or History
        As a selector's ``history_``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib.axes.Axes
        A dotted line stands where the final training begins, if there was one.

    Examples
    --------
    >>> history = {
    ...     "phase": ["search"] * 3, "training_loss": [0.9, 0.5, 0.4],
    ...     "validation_loss": [float("nan"), 0.6, 0.5], "n_changed": [50, 9, 0],
    ...     "min_entry_score": [0.1, 0.3, 0.4], "input_size": [400, 400, 400],
    ... }
    >>> plot_convergence(history).get_ylabel()
    'changed features'
    """
    read, ax, rotations = _prepared(history, ax)
    draw_changes(ax, rotations, read.n_changed)
    ax.set_ylabel("changed features")
    return ax


def draw_changes(ax: Axes, rotations: ArrayLike, n_changed: ArrayLike) -> None:
    """Draw steps, for a number of changes belongs to one rotation and to nothing in between."""
    ax.plot(
        rotations,
        n_changed,
        color="black",
        linewidth=1.0,
        drawstyle="steps-mid",
        marker="o" if len(np.asarray(rotations)) <= _MOST_ROTATIONS else "none",
        markersize=3,
    )
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))


def plot_loss(history: Mapping[str, ArrayLike] | History, ax: Axes | None = None) -> Axes:
    """Plot the loss on the training samples, and on the validation samples if there were any.

    Parameters
    ----------
    history : mapping of str to array, or History
        As a selector's ``history_``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With a legend if there are both.
    """
    read, ax, rotations = _prepared(history, ax)
    losses = {"training samples": read.training_loss, "validation samples": read.validation_loss}
    for (label, look), values in zip(looks(losses).items(), losses.values(), strict=True):
        if np.isfinite(values).any():
            ax.plot(
                rotations,
                values,
                color=look.colour,
                linestyle=look.line,
                linewidth=1.3,
                marker=look.marker,
                markersize=4,
                markevery=max(1, len(read) // _N_MARKERS),
                label=label,
            )
    ax.set_ylabel("loss (lower is better)")
    if len(ax.get_legend_handles_labels()[0]) > 1:
        ax.legend(fontsize=SMALL, frameon=False, handlelength=2.8)
    return ax


def plot_threshold(history: Mapping[str, ArrayLike] | History, ax: Axes | None = None) -> Axes:
    """Plot the smallest score among the selected features: what a new one has to beat.

    Parameters
    ----------
    history : mapping of str to array, or History
        As a selector's ``history_``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With one line.
    """
    read, ax, rotations = _prepared(history, ax)
    ax.plot(
        rotations,
        read.min_entry_score,
        color=looks([""])[""].colour,
        linewidth=1.3,
        marker="o",
        markersize=3,
        markevery=max(1, len(read) // _N_MARKERS),
    )
    ax.set_ylabel("smallest entry score")
    return ax


def _prepared(
    history: Mapping[str, ArrayLike] | History, ax: Axes | None
) -> tuple[History, Axes, np.ndarray]:
    """Return numbers, and axes whose x axis shows the rotations, with these."""
    read = read_history(history)
    ax = axes_or_new(ax)
    dress(ax)
    ax.set_xlabel("rotation")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if 0 < read.n_search < len(read):
        border = read.n_search + 0.5
        ax.axvline(border, color="0.4", linestyle=":", linewidth=1.0, label="_final")
        ax.annotate(
            "final training",
            (border, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            # Above the axes and towards their middle, so that it hides nothing and is not cut off.
            ha="right" if border > len(read) / 2 else "left",
            va="bottom",
            fontsize=SMALL,
            color="0.3",
        )
    return read, ax, np.arange(1, len(read) + 1)


# By phase: what its points are called, and their line and marker.
_PHASES = {
    "growth": ("feature taken", "-", "o"),
    "pairs": ("pair taken", "none", "s"),
    "exchange": ("features exchanged", "none", "D"),
}
# Seats up to which each has a marker.
_MOST_STEPS = 60
# Smaller differences in loss must not look large.
_LEAST_SPAN = 0.05


def plot_growth(history: Mapping[str, ArrayLike] | History, ax: Axes | None = None) -> Axes:
    """Plot the loss against the number of features taken, and what pairs and exchanges made of it.

    Parameters
    ----------
    history : mapping of str to array, or History
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
    is_marked = len(read) <= _MOST_STEPS
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
