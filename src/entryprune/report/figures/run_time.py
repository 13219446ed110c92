"""Run time by data set and method, with the number of training epochs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entryprune.report.layout import (
    bar_figure,
    bar_positions,
    by_key,
    draw_bar,
    in_order,
    number,
    rows_of_groups,
    say_empty,
)
from entryprune.report.style import looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Bars side by side from which on the numbers above them must stand upright.
_UPRIGHT_FROM = 16
# Share of the axis that is left free for the numbers.
_HEADROOM = 0.22


@dataclass(frozen=True)
class Timing:
    """How long one method takes on one data set.

    Attributes
    ----------
    dataset, method : str
        As they are to be written.
    mean_seconds, sd_seconds : float or None
        Wall-clock time and its standard deviation over the runs; None if not known.
    epochs : float or None
        Mean number of training epochs; None for a method that has none.
    n : int
        Number of runs.
    """

    dataset: str
    method: str
    mean_seconds: float | None
    sd_seconds: float | None = None
    epochs: float | None = None
    n: int = 1


def draw_run_time(timings: Sequence[Timing]) -> Figure:
    """Draw a group of bars for each data set, on a logarithmic axis.

    Parameters
    ----------
    timings : sequence of Timing
        Each a bar with an error bar of one standard deviation and the number of epochs above it.
        A time that is missing or not above zero leaves a gap.

    Returns
    -------
    figure : matplotlib.figure.Figure
        With a legend below; many bars are spread over several panels.

    Examples
    --------
    >>> figure = draw_run_time([Timing("MNIST", "EntryPrune", 12.5, 0.8, epochs=310, n=5)])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['310']
    """
    found = by_key(timings, lambda timing: (timing.dataset, timing.method), "timings")
    by_method = looks(timing.method for timing in timings)
    rows = rows_of_groups(in_order(timing.dataset for timing in timings), len(by_method))
    has_epochs = any(not math.isnan(number(timing.epochs)) for timing in timings)
    figure, panels = bar_figure(
        rows,
        by_method,
        labels=("data set", "run time (seconds, log scale)"),
        legend_title="Above each bar: mean number of training epochs" if has_epochs else None,
    )
    limits = _limits(timings, has_epochs)
    is_upright = len(rows[0]) * len(by_method) >= _UPRIGHT_FROM
    for axes, datasets in zip(panels, rows, strict=True):
        axes.set_yscale("log")
        axes.set_ylim(*limits)
        has_bars = False
        for group, dataset in enumerate(datasets):
            positions, width = bar_positions(group, len(by_method))
            for x, (method, look) in zip(positions.tolist(), by_method.items(), strict=True):
                timing = found.get((dataset, method))
                if timing is not None and _is_drawn(timing):
                    has_bars = True
                    seconds, sd = number(timing.mean_seconds), number(timing.sd_seconds)
                    draw_bar(axes, look, x=x, width=width, height=seconds, error=sd)
                    _write_epochs(axes, x, timing, is_upright)
        if not has_bars:
            say_empty(axes)
    return figure


def _is_drawn(timing: Timing) -> bool:
    return number(timing.mean_seconds) > 0


def _top(timing: Timing) -> float:
    sd = number(timing.sd_seconds)
    return number(timing.mean_seconds) + (0.0 if math.isnan(sd) else sd)


def _limits(timings: Sequence[Timing], has_epochs: bool) -> tuple[float, float]:
    drawn = [timing for timing in timings if _is_drawn(timing)]
    if not drawn:
        return 1.0, 10.0
    lowest = math.log10(min(number(timing.mean_seconds) for timing in drawn))
    highest = math.log10(max(_top(timing) for timing in drawn))
    # From a power of ten, and so that the shortest bar can still be seen.
    bottom = math.floor(lowest - 0.3)
    headroom = _HEADROOM if has_epochs else 0.05
    # Two powers of ten at least, or there is nothing to tell the scale by.
    top = max(bottom + 1.1, bottom + (highest - bottom) / (1 - headroom))
    return 10.0**bottom, 10.0**top


def _write_epochs(axes: Axes, x: float, timing: Timing, is_upright: bool) -> None:
    epochs = number(timing.epochs)
    if math.isnan(epochs):
        return
    axes.annotate(
        f"{epochs:.0f}",
        (x, _top(timing)),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        rotation=90 if is_upright else 0,
        fontsize=6.5,
    )
