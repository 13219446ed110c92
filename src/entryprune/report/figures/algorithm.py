"""EntryPrune itself: what its settings do, how a run settles, and which pixels it selects."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import BoundaryNorm
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from entryprune.report.plots.history import draw_changes
from entryprune.report.style import (
    NORMAL,
    SMALL,
    aspect,
    by_key,
    check_mask,
    draw_mask,
    dress,
    grid_shape,
    in_order,
    legend_below,
    legend_height,
    looks,
    new_figure,
    number,
    panel_grid,
    say_empty,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from entryprune.report.figures.rows import (
        MaskPanels,
        MetricResult,
        Run,
        Setting,
        SettingMaps,
        Trial,
    )

    FloatArray = NDArray[np.float64]


# -- pruning metrics -------------------------------------------------------------------------------

_MAX_COLUMNS = 4
# Inches: of a panel and of the metrics' names beside the first, of a metric's line, and of a
# panel's title and axis.
_METRIC_PANEL, _METRIC_NAMES, _METRIC_LINE, _METRIC_FRAME = 1.9, 1.5, 0.19, 0.75
_COLOUR = "#332288"
_WITH, _WITHOUT = "with an entry score (E)", "without"


_Results = dict[tuple[str, str, str], "MetricResult"]


def draw_pruning_metrics(results: Sequence[MetricResult]) -> Figure:
    """Draw a panel for each data set and variant with a dot for each metric, the first on top.

    The variants of a data set are below each other, on one scale.
    """
    found = by_key(results, lambda one: (one.dataset, one.variant, one.label), "results")
    datasets = in_order(one.dataset for one in results)
    variants = in_order(one.variant for one in results)
    metrics = {one.label: one.has_entry_score for one in results}
    n_blocks, n_columns = grid_shape(len(datasets), _MAX_COLUMNS)
    n_rows = n_blocks * len(variants)

    width = max(4.5, n_columns * _METRIC_PANEL + _METRIC_NAMES)
    # A panel of one metric must still have room for its axis' name.
    height = n_rows * (max(3, len(metrics)) * _METRIC_LINE + _METRIC_FRAME) + legend_height(
        [_WITH, _WITHOUT], width
    )
    figure = new_figure(width, height)
    for i, dataset in enumerate(datasets):
        block, column = divmod(i, n_columns)
        first: Axes | None = None
        for j, variant in enumerate(variants):
            place = (block * len(variants) + j) * n_columns + column + 1
            axes = figure.add_subplot(n_rows, n_columns, place, sharex=first)
            first = first or axes
            dress(axes, grid="both")
            _draw_metrics(axes, (dataset, variant), metrics, found)
            axes.set_title(f"{dataset}\n{variant}", fontsize=NORMAL, parse_math=False)
            if column == 0:
                axes.set_ylabel("pruning metric", fontsize=NORMAL)
            else:
                axes.tick_params(axis="y", labelleft=False)
        axes.set_xlabel("accuracy (%)", fontsize=NORMAL)
    legend_below(figure, [_metric_handle(True), _metric_handle(False)])
    return figure


def _draw_metrics(
    axes: Axes, panel: tuple[str, str], metrics: Mapping[str, bool], found: _Results
) -> None:
    results = [found.get((*panel, label)) for label in metrics]
    means = np.array([number(one.mean if one else None) for one in results])
    sds = np.array([number(one.sd if one else None) for one in results])
    rows = np.arange(len(metrics))
    is_entry = np.array(list(metrics.values()))
    for has_entry_score in (True, False):
        chosen = (is_entry == has_entry_score) & np.isfinite(means)
        axes.errorbar(
            means[chosen],
            rows[chosen],
            xerr=sds[chosen],
            linestyle="none",
            elinewidth=1.0,
            capsize=2,
            **_metric_dot(has_entry_score),
        )
    axes.set_yticks(rows, list(metrics), parse_math=False)
    axes.set_ylim(len(metrics) - 0.5, -0.5)
    if not np.isfinite(means).any():
        say_empty(axes)


def _metric_dot(has_entry_score: bool) -> dict[str, Any]:
    return {
        "color": _COLOUR,
        "marker": "o" if has_entry_score else "s",
        "markerfacecolor": _COLOUR if has_entry_score else "white",
        "markersize": 5.5,
    }


def _metric_handle(has_entry_score: bool) -> Line2D:
    label = _WITH if has_entry_score else _WITHOUT
    return Line2D([], [], linestyle="none", label=label, **_metric_dot(has_entry_score))


# -- candidate ratio and mini-batches of a rotation ------------------------------------------------

# Fewer points tell nothing of a surface.
_LEAST_POINTS = 4


def smooth_surface(
    points: FloatArray, values: FloatArray, n_steps: int = 50
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Interpolate by a Gaussian process over the rectangle that the points span.

    Returns the steps along both sides, and the heights with a row for each y; None if there are too
    few points, or all on a line along a side.
    """
    if len(points) < _LEAST_POINTS:
        return None
    low, high = points.min(axis=0), points.max(axis=0)
    if (low == high).any():
        return None
    # The only use of this package here, which takes long to import.
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(1.0, (1e-2, 1e2)) * RBF([0.3, 0.3], (5e-2, 1e1)) + WhiteKernel(
        0.1, (1e-4, 1e1)
    )
    process = GaussianProcessRegressor(
        kernel, normalize_y=True, n_restarts_optimizer=1, random_state=0
    )
    with warnings.catch_warnings():
        # A length at its bound only says that a parameter matters little, or that points are few.
        warnings.simplefilter("ignore", ConvergenceWarning)
        process.fit((points - low) / (high - low), values)
    steps = np.linspace(0.0, 1.0, n_steps)
    unit_x, unit_y = np.meshgrid(steps, steps)
    heights = process.predict(np.column_stack([unit_x.ravel(), unit_y.ravel()]))
    x, y = (low[i] + steps * (high[i] - low[i]) for i in range(2))
    return x, y, np.asarray(heights, dtype=np.float64).reshape(n_steps, n_steps)


# Goes from dark to light evenly, so it reads the same in grey and to colour-blind people.
_COLOURS = "cividis"
_TRIED, _MARKED = "setting tried, filled by its accuracy", "setting of the paper"
_BACKGROUND = "Background: interpolation by a Gaussian process"


def draw_hyperparameter_map(maps: SettingMaps) -> Figure:
    """Draw a map for each data set: its settings as points on an interpolated surface."""
    settings, marked = maps.settings, maps.marked
    if not settings:
        raise ValueError("There are no settings, so there is nothing to draw. Give a data set.")
    handles = [_map_handle("o", _TRIED), *([_map_handle("s", _MARKED)] if marked else [])]
    labels = [str(handle.get_label()) for handle in handles]
    grid = panel_grid(len(settings), [*labels, ""], max_columns=3, panel_size=(3.2, 2.6))
    for axes, (dataset, tried) in zip(grid.panels, settings.items(), strict=True):
        dress(axes, grid="none")
        axes.set_title(dataset, fontsize=NORMAL, parse_math=False)
        _draw_map(grid.figure, axes, tried)
        for outline, width in (("white", 3.0), ("black", 1.2)):
            axes.scatter(
                [ratio for ratio, _ in marked],
                [batches for _, batches in marked],
                s=130,
                marker="s",
                facecolors="none",
                edgecolors=outline,
                linewidths=width,
                clip_on=False,
                zorder=4,
            )
    grid.label("candidate ratio", "mini-batches per rotation")
    legend_below(grid.figure, handles, _BACKGROUND)
    return grid.figure


def _draw_map(figure: Figure, axes: Axes, tried: Sequence[Setting]) -> None:
    points = np.array(
        [(one.candidate_ratio, one.batches_per_rotation) for one in tried], dtype=np.float64
    ).reshape(-1, 2)
    values = np.array([number(one.accuracy) for one in tried])
    is_known = np.isfinite(values)
    points, values = points[is_known], values[is_known]
    if not len(values):
        say_empty(axes)
        return
    surface = smooth_surface(points, values)
    levels = _levels(values if surface is None else np.append(surface[2], values))
    # The same steps for points and surface: a point that stands out from its surroundings is off.
    norm = BoundaryNorm(levels, mpl.colormaps[_COLOURS].N)
    if surface is not None:
        axes.contourf(*surface, levels=levels, cmap=_COLOURS, norm=norm)
    x, y = points.T
    axes.scatter(x, y, s=38, color="white", clip_on=False, zorder=3)
    dots = axes.scatter(
        x,
        y,
        s=26,
        c=values,
        cmap=_COLOURS,
        norm=norm,
        edgecolors="black",
        linewidths=0.7,
        clip_on=False,
        zorder=3,
    )
    bar = figure.colorbar(dots, ax=axes)
    bar.set_label("accuracy (%)", fontsize=NORMAL)
    bar.ax.tick_params(labelsize=SMALL)


def _levels(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.asarray(MaxNLocator(10).tick_values(low, high), dtype=np.float64)


def _map_handle(marker: str, label: str) -> Line2D:
    return Line2D(
        [],
        [],
        linestyle="none",
        marker=marker,
        color="black",
        markerfacecolor="none",
        markersize=9 if marker == "s" else 6,
        label=label,
    )


# -- stopping rules --------------------------------------------------------------------------------

_X_LABELS = {
    "epochs": "epochs",
    "ident": "patience (rotations)",
    "validation": "patience (rotations)",
}
# Distinct values below which a smooth line would only be the points joined up.
_LEAST_VALUES = 4
_TRIALS_PANEL = (2.6, 2.0)
_DOT: dict[str, Any] = {
    "color": "#332288",
    "marker": "o",
    "markersize": 3.5,
    "linestyle": "none",
    "alpha": 0.8,
}
_LINE: dict[str, Any] = {"color": "#CC6677", "linewidth": 2.0}
_DOT_LABEL, _LINE_LABEL = "a setting", "LOWESS"


def draw_stopping(trials: Sequence[Trial]) -> Figure:
    """Draw a row of panels for each data set with a column for each criterion.

    Each trial is a point; with four or more distinct values a LOWESS line goes through them.
    """
    if not trials:
        raise ValueError("There are no trials, so there is nothing to draw. Give at least one.")
    datasets = in_order(trial.dataset for trial in trials)
    criteria = in_order(trial.criterion for trial in trials)
    width = max(4.5, _TRIALS_PANEL[0] * len(criteria))
    height = _TRIALS_PANEL[1] * len(datasets) * (1.4 if len(datasets) == 1 else 1.0)
    figure = new_figure(width, height + legend_height([_DOT_LABEL, _LINE_LABEL], width))
    panels = figure.subplots(
        len(datasets), len(criteria), sharex="col", sharey="row", squeeze=False
    )
    for row, dataset in enumerate(datasets):
        for column, criterion in enumerate(criteria):
            axes = panels[row, column]
            dress(axes)
            axes.set_title(f"{dataset}: {criterion}", fontsize=NORMAL, parse_math=False)
            _draw_trials(
                axes, [t for t in trials if (t.dataset, t.criterion) == (dataset, criterion)]
            )
            if column == 0:
                axes.set_ylabel("accuracy (%)", fontsize=NORMAL)
            if row == len(datasets) - 1:
                label = _X_LABELS.get(criterion.casefold(), criterion)
                axes.set_xlabel(label, fontsize=NORMAL, parse_math=False)
    legend_below(
        figure,
        [Line2D([], [], label=_DOT_LABEL, **_DOT), Line2D([], [], label=_LINE_LABEL, **_LINE)],
    )
    return figure


def _draw_trials(axes: Axes, trials: Sequence[Trial]) -> None:
    x = np.array([number(trial.value) for trial in trials])
    y = np.array([number(trial.accuracy) for trial in trials])
    is_known = np.isfinite(x) & np.isfinite(y)
    x, y = x[is_known], y[is_known]
    if not len(x):
        say_empty(axes)
        return
    axes.plot(x, y, label=_DOT_LABEL, **_DOT)
    if len(np.unique(x)) >= _LEAST_VALUES:
        axes.plot(*_smooth(x, y), label=_LINE_LABEL, **_LINE)


def _smooth(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    # The only use of this package, which takes long to import.
    from statsmodels.nonparametric.smoothers_lowess import lowess

    # The usual two thirds of the points, but never fewer than four at a time.
    share = max(2 / 3, min(1.0, 4 / len(x)))
    # Where a point's neighbours all have its own value there is no slope, and NaN is the answer.
    with np.errstate(all="ignore"):
        line = np.asarray(lowess(y, x, frac=share), dtype=np.float64)
    line = line[np.isfinite(line).all(axis=1)]
    return line[:, 0], line[:, 1]


_WIDTH, _HEIGHT = 8.5, 3.2
_SCORE, _WEIGHT = "smallest entry score (left axis)", "smallest weight sum (right axis)"
# Markers on a line; one on each rotation would hide it.
_N_MARKERS = 12


def draw_convergence(run: Run) -> Figure:
    """Draw the changes by rotation, and beside them the smallest score and weight sum.

    The right panel has two y axes, each with the style of its line in its name.
    """
    n_rotations = len(run.n_changed)
    lengths = (n_rotations, len(run.min_entry_score), len(run.min_weight_sum))
    if n_rotations == 0 or len(set(lengths)) > 1:
        raise ValueError(
            "A run has as many changes as entry scores and weight sums, and at least one of each; "
            f"got {lengths[0]}, {lengths[1]} and {lengths[2]}. Take all three from one history."
        )
    figure = new_figure(_WIDTH, _HEIGHT + legend_height([_SCORE, _WEIGHT], _WIDTH))
    changes, scores = figure.subplots(1, 2, squeeze=False)[0]
    weights = scores.twinx()
    rotations = np.arange(1, n_rotations + 1)
    for axes in (changes, scores, weights):
        dress(axes, grid="none" if axes is weights else "y")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (changes, scores):
        axes.set_xlabel("rotation", fontsize=NORMAL)
    weights.spines["right"].set_visible(True)

    draw_changes(changes, rotations, [number(n) for n in run.n_changed])
    changes.set_ylabel("changes to the selected features", fontsize=NORMAL)

    by_line = looks([_SCORE, _WEIGHT])
    handles: list[Line2D] = []
    parts: tuple[tuple[Axes, str, Sequence[float | None]], ...] = (
        (scores, _SCORE, run.min_entry_score),
        (weights, _WEIGHT, run.min_weight_sum),
    )
    for axes, label, values in parts:
        look = by_line[label]
        handles += axes.plot(
            rotations,
            [number(value) for value in values],
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            markersize=4.5,
            markevery=max(1, n_rotations // _N_MARKERS),
            linewidth=1.3,
            label=label,
        )
    scores.set_ylabel("smallest entry score (solid)", fontsize=NORMAL)
    weights.set_ylabel("smallest weight sum (dashed)", fontsize=NORMAL)
    legend_below(figure, handles)
    return figure


# Inches: of a panel, of its title, and of the note below all.
_PANEL_WIDTH, _TITLE, _NOTE = 2.4, 0.3, 0.4


def draw_masks(masks: MaskPanels) -> Figure:
    """Draw a panel for each method: its mask, then the images as far as it sees them.

    In the mask, top left in each panel, what is selected is light, in its own colour if there are
    channels. In the images what is not selected is grey.
    """
    panels, shape = masks.panels, masks.shape
    images = np.asarray(masks.samples, dtype=np.float64)
    if not panels:
        raise ValueError("There are no panels, so there is nothing to draw. Give at least one.")
    for panel in panels:
        check_mask(panel.mask, images, shape, panel.title)
    height = _PANEL_WIDTH * aspect(len(images), shape) + _TITLE
    grid = panel_grid(len(panels), panel_size=(_PANEL_WIDTH, height), note_height=_NOTE)
    for axes, panel in zip(grid.panels, panels, strict=True):
        draw_mask(axes, panel.mask, images, shape)
        accuracy = number(panel.accuracy)
        known = "" if math.isnan(accuracy) else f": {accuracy:.1f} %"
        axes.set_title(f"{panel.title}{known}", fontsize=NORMAL, parse_math=False)
    grid.figure.supxlabel(
        "Top left: the mask, selected features light.\nSamples: features not selected are grey.",
        fontsize=SMALL,
    )
    return grid.figure
