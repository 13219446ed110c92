"""Figures of bars: run time and stability by method, and measures by kind of feature."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.patches import Patch

from entryprune.report.style import (
    NORMAL,
    SMALL,
    by_key,
    dress,
    in_order,
    legend_below,
    legend_height,
    looks,
    new_figure,
    number,
    offsets,
    panel_grid,
    say_empty,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from entryprune.report.figures.rows import Measure, Stability, Timing
    from entryprune.report.style import Look

# Share of a group's room that its bars take.
_FILLED = 0.84
# More bars side by side would be too narrow for a number above each.
_MOST_BARS = 64
_LEAST_WIDTH, _MOST_WIDTH, _ROW_HEIGHT = 5.0, 10.0, 2.5
# Inches that a letter of small text takes.
_LETTER = 0.07
# Bars side by side from which on the numbers above them must stand upright.
_UPRIGHT_FROM = 16
# Share of the axis that is left free for the numbers.
_HEADROOM = 0.22


def draw_run_time(timings: Sequence[Timing]) -> Figure:
    """Draw seconds on a logarithmic axis, with their SD and the number of epochs above.

    A time that is missing or not above zero leaves a gap.
    """
    found = by_key(timings, lambda timing: (timing.dataset, timing.method), "timings")
    by_method = looks(timing.method for timing in timings)
    rows = rows_of_groups(in_order(timing.dataset for timing in timings), len(by_method))
    has_epochs = any(not math.isnan(number(timing.epochs)) for timing in timings)
    figure, panels = _bar_figure(
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
        for names, look, x, width in _bars(datasets, by_method):
            timing = found.get(names)
            if timing is not None and _is_drawn(timing):
                has_bars = True
                seconds, sd = number(timing.mean_seconds), number(timing.sd_seconds)
                _draw_bar(axes, look, x=x, width=width, height=seconds, error=sd)
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


def draw_stability(stabilities: Sequence[Stability]) -> Figure:
    """Draw how much the selections of several runs overlap; one that is missing leaves a gap."""
    found = by_key(stabilities, lambda one: (one.dataset, one.method), "stabilities")
    by_method = looks(one.method for one in stabilities)
    rows = rows_of_groups(in_order(one.dataset for one in stabilities), len(by_method))
    fewest, most = (f(one.n_runs for one in stabilities) for f in (min, max))
    figure, panels = _bar_figure(
        rows,
        by_method,
        labels=("data set", "average Jaccard index"),
        legend_title=f"Over {most} runs" if fewest == most else f"Over {fewest} to {most} runs",
    )
    for axes, datasets in zip(panels, rows, strict=True):
        axes.set_ylim(0, 1)
        for names, look, x, width in _bars(datasets, by_method):
            height = number(found[names].jaccard if names in found else None)
            _draw_bar(axes, look, x=x, width=width, height=height)
    return figure


def draw_regrowth(measures: Sequence[Measure]) -> Figure:
    """Draw a panel, with a scale of its own, for each measure: a bar for each kind of feature."""
    found = by_key(measures, lambda measure: (measure.panel, measure.kind), "measures")
    names = in_order(measure.panel for measure in measures)
    by_kind = looks(measure.kind for measure in measures)
    grid = panel_grid(len(names), panel_size=(2.4, 2.3))
    for axes, name in zip(grid.panels, names, strict=True):
        dress(axes)
        axes.set_title(name, fontsize=NORMAL, parse_math=False)
        for x, (kind, look) in enumerate(by_kind.items()):
            measure = found.get((name, kind))
            if measure is not None:
                mean, sd = number(measure.mean), number(measure.sd)
                _draw_bar(axes, look, x=x, width=0.65, height=mean, error=sd)
        axes.set_xticks(range(len(by_kind)), list(by_kind), parse_math=False)
        axes.set_xlim(-0.6, len(by_kind) - 0.4)
        axes.tick_params(axis="x", length=0)
        if any(number(found[key].mean) < 0 for key in found if key[0] == name):
            axes.axhline(0, color="black", linewidth=0.8)
    has_errors = any(not math.isnan(number(measure.sd)) for measure in measures)
    grid.label("kind of feature", "mean ± SD" if has_errors else "mean")
    return grid.figure


# -- groups of bars -----------------------------------------------------------------------------


def rows_of_groups(groups: Sequence[str], n_bars: int) -> list[list[str]]:
    """Spread groups of n_bars bars over rows of similar length."""
    most = max(1, _MOST_BARS // n_bars)
    per_row = math.ceil(len(groups) / math.ceil(len(groups) / most))
    return [list(groups[i : i + per_row]) for i in range(0, len(groups), per_row)]


def _bar_figure(
    rows: Sequence[Sequence[str]],
    by_method: Mapping[str, Look],
    labels: tuple[str, str],
    legend_title: str | None,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel for each row of groups, a legend below, and named axes."""
    per_row, n_bars = len(rows[0]), len(by_method)
    # A lone wide bar would look like a wall, so few bars make a narrow figure with wide margins.
    margin = 0.5 if per_row * n_bars <= 3 else 0.0
    width = min(_MOST_WIDTH, max(_LEAST_WIDTH, 0.3 * per_row * n_bars + 0.3 * per_row))
    height = len(rows) * _ROW_HEIGHT + legend_height(list(by_method), width) + 0.2
    figure = new_figure(width, height)
    longest = max(len(group) for row in rows for group in row)
    is_tight = _LETTER * longest > (width - 0.8) / per_row
    panels = []
    for i, groups in enumerate(rows):
        axes = figure.add_subplot(len(rows), 1, i + 1)
        dress(axes)
        axes.set_xlim(-0.5 - margin, per_row - 0.5 + margin)
        axes.set_xticks(
            range(len(groups)),
            groups,
            rotation=25 if is_tight else 0,
            ha="right" if is_tight else "center",
            rotation_mode="anchor" if is_tight else "default",
            parse_math=False,
        )
        axes.tick_params(axis="x", length=0, labelsize=SMALL)
        axes.set_ylabel(labels[1], fontsize=NORMAL)
        panels.append(axes)
    panels[-1].set_xlabel(labels[0], fontsize=NORMAL)
    handles = [
        Patch(facecolor=look.fill, edgecolor="black", hatch=look.hatch, linewidth=0.6, label=name)
        for name, look in by_method.items()
    ]
    legend_below(figure, handles, legend_title)
    return figure, panels


def _bars(
    datasets: Sequence[str], by_method: Mapping[str, Look]
) -> Iterator[tuple[tuple[str, str], Look, float, float]]:
    """Yield what each bar is of, its look, its place and its width."""
    n_bars = len(by_method)
    # A lone bar a group would touch its neighbours if it took all the room of a full group.
    room = _FILLED if n_bars > 1 else 0.5
    for group, dataset in enumerate(datasets):
        places = (group + offsets(n_bars, room)).tolist()
        for x, (method, look) in zip(places, by_method.items(), strict=True):
            yield (dataset, method), look, x, room / n_bars


def _draw_bar(
    axes: Axes, look: Look, *, x: float, width: float, height: float, error: float = math.nan
) -> None:
    """Draw one bar with its error bar; nothing if it has no height."""
    if math.isnan(height):
        return
    axes.bar(
        [x],
        [height],
        width=width,
        facecolor=look.fill,
        edgecolor="black",
        hatch=look.hatch,
        linewidth=0.6,
    )
    if not math.isnan(error):
        axes.errorbar(
            [x], [height], yerr=[error], fmt="none", ecolor="black", elinewidth=1.0, capsize=2
        )
