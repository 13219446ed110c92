"""From the caller's table to the columns that the engine reads, validation samples first."""

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
    """Return the scaled columns of `table`, samples in the given order.

    What stands behind the columns is decided here and nowhere else.
    """
    values = torch.from_numpy(feature_major(table, order)).to(device)
    return ArrayColumns(values, None if scale is None else Scaling.fit(values, scale))


def feature_major(table: Array, order: NDArray[np.intp]) -> Array:
    """Copy `table` so that each feature's values lie together, samples in the given order."""
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


def random_order(
    n_cases: int,
    fraction: float,
    rng: np.random.Generator,
    classes: NDArray[np.intp] | None = None,
) -> tuple[NDArray[np.intp], int]:
    """Shuffle the samples, validation samples first, and say how many of these there are.

    With `classes` the split is stratified, and every class keeps at least one sample to train on; a
    class with a single sample is never held out. None is held out where no sample can be spared.
    """
    shuffled = rng.permutation(n_cases)
    strata = np.zeros(n_cases, dtype=np.intp) if classes is None else classes[shuffled]
    sizes = np.bincount(strata)
    n_held_out = _held_out_per_stratum(sizes, fraction)
    # Number the samples of each stratum in their shuffled order; the first ones are held out.
    by_stratum = np.argsort(strata, kind="stable")
    first_of_stratum = np.cumsum(sizes) - sizes
    number = np.empty(n_cases, dtype=np.intp)
    number[by_stratum] = np.arange(n_cases) - np.repeat(first_of_stratum, sizes)
    is_held_out = number < n_held_out[strata]
    order = np.concatenate([shuffled[is_held_out], shuffled[~is_held_out]])
    return order, int(is_held_out.sum())


def _held_out_per_stratum(sizes: NDArray[np.intp], fraction: float) -> NDArray[np.intp]:
    """Share out the held-out samples by the largest remainder, sparing the last of each stratum."""
    if not fraction:
        return np.zeros_like(sizes)
    wanted = max(1, round(fraction * int(sizes.sum())))
    can_spare = np.maximum(sizes - 1, 0)
    shares = fraction * sizes
    held_out: NDArray[np.intp] = np.minimum(np.floor(shares).astype(np.intp), can_spare)
    remainders = shares - held_out
    for stratum in np.argsort(-remainders, kind="stable"):
        if held_out.sum() >= wanted:
            break
        held_out[stratum] += held_out[stratum] < can_spare[stratum]
    return held_out
