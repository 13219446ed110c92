"""Scores against the number of selected features, a line a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from entryprune.report.style import (
    REFERENCE,
    WIDTH,
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

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
