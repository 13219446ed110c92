"""What was predicted against what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from entryprune.report.predictions import roc_curve
from entryprune.report.statistics import samples_by_class
from entryprune.report.style import REFERENCE, SMALL, axes_or_new, dress, looks
from entryprune.report.text import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

# Classes that have a row, and up to which each cell has its number.
MOST_CONFUSED, _MOST_COUNTED = 20, 12
_MOST_POINTS = 5000
# Inches.
_SQUARE = 3.2


def plot_confusion(true: ArrayLike, predicted: ArrayLike, ax: Axes | None = None) -> Axes:
    """Plot how many samples of each class were predicted to be of which.

    Parameters
    ----------
    true, predicted : array of shape (n_samples,)
        The classes of the samples, and what was predicted.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib.axes.Axes
        A row for each class, of the 20 most frequent, and as many columns; the darker, the larger
        the share of the row. Up to 12 classes have the numbers of samples in the cells.

    Examples
    --------
    >>> ax = plot_confusion(["no", "no", "yes"], ["no", "yes", "yes"])
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '0', '1']
    """
    truth, guesses = (np.asarray(labels, dtype=object).astype(str) for labels in (true, predicted))
    if truth.shape != guesses.shape or truth.ndim != 1 or not len(truth):
        raise ValueError(
            "There must be as many predictions as true classes, at least one; got shapes "
            f"{truth.shape} and {guesses.shape}."
        )
    labels = [group.label for group in samples_by_class(true, MOST_CONFUSED)]
    counts = np.array(
        [[np.count_nonzero(guesses[truth == one] == other) for other in labels] for one in labels]
    )
    totals = np.array([[np.count_nonzero(truth == one)] for one in labels])
    n = len(labels)
    side = max(2.0, 0.32 * n) if n <= _MOST_COUNTED else _SQUARE
    ax = axes_or_new(ax, side + 1.3, side + 0.6)
    dress(ax, grid="none")
    shares = counts / np.maximum(totals, 1)
    # Not quite black, so that the frame of the cell can be seen.
    ax.imshow(shares, cmap="Greys", vmin=0, vmax=1.15, aspect="auto", interpolation="nearest")
    if n <= _MOST_COUNTED:
        for i, j in np.ndindex(n, n):
            ax.text(
                j,
                i,
                f"{counts[i, j]:,}",
                ha="center",
                va="center",
                fontsize=SMALL,
                color="white" if shares[i, j] > 0.6 else "black",
            )
    names = [shorten(label, most=14) for label in labels]
    is_long = max(map(len, names)) * n > 24
    ax.set_xticks(range(n), names, rotation=90 if is_long else 0, parse_math=False)
    ax.set_yticks(range(n), names, parse_math=False)
    ax.tick_params(length=0)
    ax.set_xlabel("predicted")
    ax.set_ylabel("true")
    return ax


def plot_roc(is_second: ArrayLike, scores: ArrayLike, ax: Axes | None = None) -> Axes:
    """Plot the share of samples that are found against the share of false alarms.

    Parameters
    ----------
    is_second : array of bool of shape (n_samples,)
        Whether a sample is of the class that is looked for.
    scores : array of shape (n_samples,)
        How likely that was held to be; any scale.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The ROC curve, and a dashed line for guessing.

    Examples
    --------
    >>> ax = plot_roc([True, False, True, False], [0.9, 0.6, 0.5, 0.1])
    >>> ax.get_lines()[1].get_ydata().tolist()
    [0.0, 50.0, 50.0, 100.0, 100.0]
    """
    false, true = roc_curve(is_second, scores)
    ax = axes_or_new(ax, _SQUARE, _SQUARE)
    dress(ax, grid="both")
    ax.plot([0, 100], [0, 100], **REFERENCE)
    ax.plot(100 * false, 100 * true, color=looks([""])[""].colour, linewidth=1.6)
    ax.annotate("guessing", (65, 53), fontsize=SMALL, color="0.3", rotation=45, ha="center")
    ax.set(xlim=(-2, 102), ylim=(-2, 102), aspect="equal")
    ax.set_xlabel("false alarms (%)")
    ax.set_ylabel("found (%)")
    return ax


def plot_predicted(
    true: ArrayLike, predicted: ArrayLike, ax: Axes | None = None, *, target: str = "target"
) -> Axes:
    """Plot predicted against true numbers, a point for each sample.

    Parameters
    ----------
    true, predicted : array of shape (n_samples,)
        The numbers.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    target : str, default="target"
        What they are.

    Returns
    -------
    ax : matplotlib.axes.Axes
        On the dashed line predictions are right.

    Examples
    --------
    >>> plot_predicted([1.0, 2.0], [1.5, 2.5], target="age").get_xlabel()
    'true age'
    """
    truth, guesses = (np.asarray(ones, dtype=np.float64) for ones in (true, predicted))
    if truth.shape != guesses.shape or truth.ndim != 1 or not len(truth):
        raise ValueError(
            "There must be as many predictions as true numbers, at least one; got shapes "
            f"{truth.shape} and {guesses.shape}."
        )
    ax = axes_or_new(ax, _SQUARE + 0.3, _SQUARE)
    dress(ax, grid="both")
    ends = [min(truth.min(), guesses.min()), max(truth.max(), guesses.max())]
    ax.plot(ends, ends, **REFERENCE)
    # Evenly over the file, so that the same samples are drawn each time.
    step = -(-len(truth) // _MOST_POINTS)
    ax.plot(
        truth[::step],
        guesses[::step],
        linestyle="none",
        marker="o",
        markersize=3,
        markeredgewidth=0,
        alpha=0.5,
        color=looks([""])[""].colour,
        rasterized=True,
    )
    name = shorten(target, most=24)
    ax.set_xlabel(f"true {name}", parse_math=False)
    ax.set_ylabel(f"predicted {name}", parse_math=False)
    return ax
