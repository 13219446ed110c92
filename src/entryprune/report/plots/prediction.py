"""How well the target is predicted: by the number of features, and sample by sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from entryprune.report.statistics import samples_by_class
from entryprune.report.style import (
    POINTS,
    REFERENCE,
    SMALL,
    WIDTH,
    axes_or_new,
    dress,
    legend_below,
    legend_height,
    legend_inside,
    line_handles,
    looks,
    new_figure,
    number,
    offsets,
    say_empty,
)
from entryprune.report.text import shorten
from entryprune.report.validation import roc_curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

# Ratio of the largest to the smallest K from which on they stand on a logarithmic scale, and ticks.
_WIDE, _MOST_TICKS = 10, 8


def plot_k_curve(
    ks: Sequence[int],
    scores: Sequence[float],
    errors: Sequence[float],
    ax: Axes | None = None,
    *,
    best: int,
    parsimonious: int,
    measure: str = "score",
) -> Axes:
    """Plot the score against the number of features, and mark the best and the fewest that do.

    Parameters
    ----------
    ks : sequence of int
        Numbers of features that were tried.
    scores, errors : sequence of float
        The score with each, and the standard error of its difference from the best, which is
        drawn as a band.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    best : int
        The K with the best score: a filled square.
    parsimonious : int
        The smallest K within one standard error of the best, where the band reaches the dashed
        line: a hollow diamond.
    measure : str, default="score"
        What the score is.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With a legend.

    Examples
    --------
    >>> ax = plot_k_curve([5, 10], [0.90, 0.91], [0.02, 0.02], best=10, parsimonious=5)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['± one standard error', 'best: K = 10', 'enough: K = 5']
    """
    if not len(ks) == len(scores) == len(errors) > 0:
        raise ValueError(
            f"There must be a score and an error for each K; got {len(ks)} K, {len(scores)} scores "
            f"and {len(errors)} errors."
        )
    ax = axes_or_new(ax)
    dress(ax)
    order = np.argsort(ks, kind="stable")
    x, y, error = (np.asarray(ones, dtype=np.float64)[order] for ones in (ks, scores, errors))
    look = looks([""])[""]
    ax.fill_between(
        x,
        y - error,
        y + error,
        facecolor=look.fill,
        edgecolor=look.colour,
        alpha=0.5,
        linewidth=0,
        label="± one standard error",
    )
    ax.plot(x, y, color=look.colour, linewidth=1.3, marker="o", markersize=3)
    at = {int(k): i for i, k in enumerate(x)}
    ax.axhline(y[at[best]], color="0.3", linestyle="--", linewidth=1.0)
    marks = {"s": (f"best: K = {best:,}", best, "black")}
    if parsimonious != best:
        marks["D"] = (f"enough: K = {parsimonious:,}", parsimonious, "white")
    for marker, (label, k, filling) in marks.items():
        ax.plot(
            [k],
            [y[at[k]]],
            linestyle="none",
            marker=marker,
            markersize=7,
            color="black",
            markerfacecolor=filling,
            label=label,
        )
    if x[-1] >= _WIDE * x[0]:
        ax.set_xscale("log")
    ticks = x[:: -(-len(x) // _MOST_TICKS)].tolist()
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [f"{k:,.0f}" for k in ticks])
    ax.set_xlabel("number of features, K")
    ax.set_ylabel(shorten(measure), parse_math=False)
    ax.legend(fontsize=SMALL, frameon=False)
    return ax


_HEIGHT = 3.0
# Share of the distance between two K over which the methods are spread, or bars hide each other.
_SPREAD = 0.5


def plot_comparison(
    methods: Sequence[str],
    ks: Sequence[int],
    means: Sequence[float | None],
    sds: Sequence[float | None] | None = None,
    ax: Axes | None = None,
    *,
    metric: str = "score",
    reference: float | None = None,
    guess: float | None = None,
) -> Axes:
    """Plot the score of each method with each number of selected features K.

    Parameters
    ----------
    methods, ks, means : sequence
        One entry for each method and K; a missing mean leaves a gap.
    sds : sequence of float or None, optional
        Standard deviations, drawn as error bars.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given, with the legend below.
    metric : str, default="score"
        What the means are.
    reference : float, optional
        The score with all features: a dashed line.
    guess : float, optional
        The score of a guess that looks at no feature: a dotted line.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The K stand side by side at equal distances.

    Examples
    --------
    >>> ax = plot_comparison(["A", "A", "B", "B"], [5, 20, 5, 20], [0.7, 0.8, 0.6, 0.8])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['5', '20']
    """
    sds = [None] * len(means) if sds is None else sds
    if not len(means) or len({len(methods), len(ks), len(means), len(sds)}) > 1:
        raise ValueError(
            "There must be a method, a K and a mean for each score, and at least one score; got "
            f"{len(methods)} methods, {len(ks)} K, {len(means)} means and {len(sds)} SDs."
        )
    by_method = looks(methods)
    handles = line_handles({shorten(method): look for method, look in by_method.items()})
    lines = [
        (height, label, {**REFERENCE, "linestyle": style})
        for height, label, style in (
            (reference, "all features", REFERENCE["linestyle"]),
            (guess, "guessing", ":"),
        )
        if height is not None and np.isfinite(height)
    ]
    handles += [Line2D([], [], label=label, **drawn) for _, label, drawn in lines]
    if ax is None:
        labels = [str(handle.get_label()) for handle in handles]
        figure = new_figure(WIDTH, _HEIGHT + legend_height(labels, WIDTH))
        ax = figure.add_subplot()
        legend_below(figure, handles)
    else:
        legend_inside(ax, handles)
    dress(ax)
    all_ks = sorted(set(ks))
    has_any = False
    for shift, (method, look) in zip(
        offsets(len(by_method), _SPREAD), by_method.items(), strict=True
    ):
        found = {ks[i]: i for i in range(len(ks)) if methods[i] == method}
        rows = [found.get(k) for k in all_ks]
        heights = np.array([number(None if i is None else means[i]) for i in rows])
        errors = np.array([number(None if i is None else sds[i]) for i in rows])
        has_any |= bool(np.isfinite(heights).any())
        ax.errorbar(
            np.arange(len(all_ks)) + shift,
            heights,
            yerr=errors,
            color=look.colour,
            marker=look.marker,
            linestyle=look.line,
            markersize=4.5,
            linewidth=1.2,
            elinewidth=0.8,
            capsize=2,
        )
    for height, _, drawn in lines:
        ax.axhline(height, **drawn)
    if not has_any:
        say_empty(ax)
    ax.set_xticks(range(len(all_ks)), [str(k) for k in all_ks])
    ax.set_xlim(-0.6, len(all_ks) - 0.4)
    ax.set_xlabel("number of selected features K")
    ax.set_ylabel(shorten(metric), parse_math=False)
    return ax


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
    ax.plot(truth[::step], guesses[::step], markersize=3, color=looks([""])[""].colour, **POINTS)
    name = shorten(target, most=24)
    ax.set_xlabel(f"true {name}", parse_math=False)
    ax.set_ylabel(f"predicted {name}", parse_math=False)
    return ax
