"""From the caller's table to the columns that the engine reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from entryprune.engine import ArrayColumns, ColumnSource, Scaling

_BLOCK = 256

Array = NDArray[Any]


def column_source(
    table: Array, order: NDArray[np.intp], *, scale: str | None, device: torch.device
) -> ColumnSource:
    """Return the scaled columns of `table`, cases in the given order.

    What stands behind the columns is decided here and nowhere else.
    """
    values = torch.from_numpy(feature_major(table, order)).to(device)
    return ArrayColumns(values, None if scale is None else Scaling.fit(values, scale))


def feature_major(table: Array, order: NDArray[np.intp]) -> Array:
    """Copy `table` so that each feature's values lie together, cases in the given order."""
    n_features = table.shape[1]
    store = np.empty((n_features, len(order)), dtype=_storable(table.dtype))
    if table.flags.f_contiguous and not table.flags.c_contiguous:
        for start in range(0, n_features, _BLOCK):
            block = slice(start, start + _BLOCK)
            store[block] = np.take(table.T[block], order, axis=1)
        return store
    for start in range(0, len(order), _BLOCK):
        rows = order[start : start + _BLOCK]
        store[:, start : start + len(rows)] = table[rows].T
    return store


def _storable(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the smallest type that torch can index and that holds all values of `dtype`."""
    if dtype.kind == "b":
        return np.dtype(np.uint8)
    if dtype.kind == "u" and dtype.itemsize == 4:
        return np.dtype(np.int64)
    if (dtype.kind == "u" and dtype.itemsize == 8) or dtype.itemsize > 8:
        return np.dtype(np.float64)
    return dtype.newbyteorder("=")
