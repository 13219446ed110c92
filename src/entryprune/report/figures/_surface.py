"""A smooth surface through scattered points."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

if TYPE_CHECKING:
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
