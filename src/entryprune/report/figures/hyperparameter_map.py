"""Accuracy over the two hyperparameters, a map a data set."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.colors import BoundaryNorm
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from entryprune.report.layout import legend_below, number, panel_grid, say_empty
from entryprune.report.style import NORMAL, SMALL, dress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from entryprune.report.figures.rows import Setting, SettingMaps

    FloatArray = NDArray[np.float64]

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
    handles = [_handle("o", _TRIED), *([_handle("s", _MARKED)] if marked else [])]
    labels = [str(handle.get_label()) for handle in handles]
    grid = panel_grid(len(settings), [*labels, ""], max_columns=3, panel_size=(3.2, 2.6))
    for axes, (dataset, tried) in zip(grid.panels, settings.items(), strict=True):
        dress(axes, grid="none")
        axes.set_title(dataset, fontsize=NORMAL, parse_math=False)
        _draw_panel(grid.figure, axes, tried)
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


def _draw_panel(figure: Figure, axes: Axes, tried: Sequence[Setting]) -> None:
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


def _handle(marker: str, label: str) -> Line2D:
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
