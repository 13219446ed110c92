"""From the caller's table to the columns that the engine reads, validation samples first."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from entryprune.engine import ArrayColumns, ColumnSource, Scaling, SparseColumns
from entryprune.selectors._folds import refuse_one_group

_BLOCK = 256

Array = NDArray[Any]


def column_source(
    table: Array, order: NDArray[np.intp], *, scale: str | None, device: torch.device
) -> ColumnSource:
    """Return the scaled columns of `table`, samples in the given order.

    What stands behind the columns is decided here and nowhere else.
    """
    if sparse.issparse(table):
        return _sparse_source(table, order, scale, device)
    values = torch.from_numpy(feature_major(table, order)).to(device)
    return ArrayColumns(values, None if scale is None else Scaling.fit(values, scale))


def _sparse_source(
    table: Any, order: NDArray[np.intp], scale: str | None, device: torch.device
) -> SparseColumns:
    # One copy of the table, by columns; then samples get the numbers of their new places in it.
    columns = sparse.csc_array(table, copy=True)
    place = np.empty(len(order), dtype=columns.indices.dtype)
    place[order] = np.arange(len(order))
    columns.indices = place[columns.indices]
    columns.has_sorted_indices = False
    columns.sum_duplicates()  # and sorts
    columns.data = columns.data.astype(_storable(columns.dtype), copy=False)
    parts = (columns.indptr.astype(np.int64), columns.indices, columns.data)
    starts, samples, values = (torch.from_numpy(part).to(device) for part in parts)
    return SparseColumns(starts, samples, values, len(order), scale)


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


def grouped_order(
    groups: NDArray[np.intp], fraction: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], int, int]:
    """Shuffle the samples so that no group stands on both sides of a split.

    Samples to validate with come first. Returns also how many these are, and where all samples are
    split into two sides of nearly the same size.
    """
    _, number = np.unique(groups, return_inverse=True)
    number = number.reshape(-1)
    sizes = np.bincount(number)
    refuse_one_group(len(sizes))
    is_in_second = np.ones(len(sizes), dtype=bool)
    wanted = (fraction or 0.5) * len(groups)
    # The largest first, so that the sides come out as wanted.
    filled = 0
    for group in _largest_first(sizes, rng):
        if filled + sizes[group] <= wanted:
            is_in_second[group] = False
            filled += sizes[group]
    if not filled:  # each is larger than what is wanted
        is_in_second[np.argmin(sizes)] = False
    shuffled = rng.permutation(len(groups))
    is_second = is_in_second[number[shuffled]]
    order = np.concatenate([shuffled[~is_second], shuffled[is_second]])
    n_first = int((~is_second).sum())
    return order, n_first if fraction else 0, n_first


def latest_first(
    ranks: NDArray[np.intp],
    fraction: float,
    rng: np.random.Generator,
    groups: NDArray[np.intp] | None = None,
) -> tuple[NDArray[np.intp], int]:
    """Shuffle the samples, the latest of them first to validate with, and say how many these are.

    Samples of one time are on one side. Groups too: each is as late as its latest sample.
    """
    times = ranks
    if groups is not None:
        latest = np.zeros(groups.max() + 1, dtype=np.intp)
        np.maximum.at(latest, groups, ranks)
        times = latest[groups]
    wanted = max(1, round(fraction * len(times)))
    is_late = times >= np.sort(times)[-wanted]
    if is_late.all():
        is_late = times > times.min()
    if not is_late.any():
        raise ValueError(
            "order has one time only, so no samples come later than others. Leave it out, or bring "
            "samples of two times or more."
        )
    shuffled = rng.permutation(len(times))
    is_first = is_late[shuffled]
    return np.concatenate([shuffled[is_first], shuffled[~is_first]]), int(is_late.sum())


def _largest_first(sizes: NDArray[np.intp], rng: np.random.Generator) -> list[int]:
    mixed = rng.permutation(len(sizes))
    ordered: list[int] = mixed[np.argsort(-sizes[mixed], kind="stable")].tolist()
    return ordered


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
