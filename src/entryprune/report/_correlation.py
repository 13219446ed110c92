"""How the columns of a table go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]

# What is left of a column of size one that does not vary.
_ROUNDING = 1e-12


def correlations(X: ArrayLike) -> FloatArray:
    """Return Pearson's correlation of each two columns, over the cases that have both values.

    Parameters
    ----------
    X : array of shape (n_cases, n_columns)
        NaN where a value is missing.

    Returns
    -------
    table : array of shape (n_columns, n_columns)
        NaN where a column does not vary.

    Examples
    --------
    >>> correlations([[1.0, 4.0, 7.0], [2.0, 2.0, 7.0], [3.0, 0.0, 7.0]]).round(2).tolist()
    [[1.0, -1.0, nan], [-1.0, 1.0, nan], [nan, nan, nan]]
    """
    values = np.asarray(X, dtype=np.float64)
    is_known = np.isfinite(values)
    known = is_known.astype(np.float64)
    filled = np.where(is_known, values, 0.0)
    # To one size, to a centre of zero, and to one size again: sums of squares of large values lose
    # what little they differ by.
    filled = filled / _sizes(filled, least=0.0)
    centre = filled.sum(axis=0) / np.maximum(1.0, known.sum(axis=0))
    filled = np.where(is_known, filled - centre, 0.0)
    filled = filled / _sizes(filled, least=_ROUNDING)
    n = np.maximum(1.0, known.T @ known)
    sums = filled.T @ known
    squares = (filled**2).T @ known - sums**2 / n
    products = filled.T @ filled - sums * sums.T / n
    spread = np.sqrt(np.clip(squares, 0.0, None) * np.clip(squares.T, 0.0, None))
    varies = spread > _ROUNDING
    return np.clip(np.where(varies, products / np.where(varies, spread, 1.0), np.nan), -1.0, 1.0)


def _sizes(values: FloatArray, least: float) -> FloatArray:
    sizes = np.abs(values).max(axis=0, initial=0.0)
    return np.where(sizes > least, sizes, 1.0)


def strongest_pairs(table: FloatArray, least: float, most: int) -> list[tuple[int, int, float]]:
    """Return the pairs of different columns with the largest correlations, the largest first.

    Parameters
    ----------
    table : array of shape (n_columns, n_columns)
        Their correlations.
    least : float
        A pair with a smaller correlation, either way, is left out.
    most : int
        How many pairs at most.

    Examples
    --------
    >>> strongest_pairs(np.array([[1.0, -0.9, 0.1], [-0.9, 1.0, 0.8], [0.1, 0.8, 1.0]]), 0.7, 9)
    [(0, 1, -0.9), (1, 2, 0.8)]
    """
    rows, columns = np.triu_indices(len(table), k=1)
    values = table[rows, columns]
    sizes = np.nan_to_num(np.abs(values), nan=-1.0)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] >= least][:most]
    return [(int(rows[i]), int(columns[i]), float(values[i])) for i in order]
