"""Accuracy over the two hyperparameters, a map a data set."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.colors import BoundaryNorm
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from entryprune.report.layout import legend_below, number, panel_grid, say_empty
from entryprune.report.style import NORMAL, SMALL, dress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

# Fewer points tell nothing of a surface.
_LEAST_POINTS = 4


def smooth_surface(
    points: FloatArray, values: FloatArray, n_steps: int = 50
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Interpolate by a Gaussian process over the rectangle that the points span.

    Parameters
    ----------
    points : array of shape (n, 2)
        Where the values are.
    values : array of shape (n,)
        What is interpolated.
    n_steps : int, default=50
        Steps of the surface along each side.

    Returns
    -------
    surface : tuple of x, y and z, or None
        The steps along both sides and the heights, of shape (n_steps, n_steps) with a row for
        each y. None if there are too few points, or all on a line along a side.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> x, y, z = smooth_surface(corners, np.array([1.0, 1.0, 3.0, 3.0]))
    >>> bool(z[25, 0] < z[25, 25] < z[25, -1])
    True
    """
    if len(points) < _LEAST_POINTS:
        return None
    low, high = points.min(axis=0), points.max(axis=0)
    if (low == high).any():
        return None
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


@dataclass(frozen=True)
class Setting:
    """The accuracy with one setting of the hyperparameters.

    Attributes
    ----------
    candidate_ratio : float
        Share of the features not selected that are candidates, the paper's c_ratio.
    batches_per_rotation : int
        Mini-batches from one rotation to the next, the paper's n_mb.
    accuracy : float or None
        In per cent; None if not known.
    """

    candidate_ratio: float
    batches_per_rotation: int
    accuracy: float | None


def draw_hyperparameter_map(
    settings: Mapping[str, Sequence[Setting]], marked: Sequence[tuple[float, int]] = ()
) -> Figure:
    """Draw a map for each data set: its settings as points on an interpolated surface.

    Parameters
    ----------
    settings : mapping of str to sequence of Setting
        By data set. With too few of them the surface is left out.
    marked : sequence of (float, int), default=()
        Candidate ratio and batches per rotation of settings to draw a square around.

    Returns
    -------
    figure : matplotlib.figure.Figure
        With a colour bar for each panel and a legend below.

    Examples
    --------
    >>> settings = [Setting(ratio, n, 80 + 10 * ratio) for ratio in (0.1, 0.9) for n in (1, 150)]
    >>> figure = draw_hyperparameter_map({"HAR": settings}, marked=[(0.2, 100)])
    >>> figure.axes[0].get_xlabel()
    'candidate ratio'
    """
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
