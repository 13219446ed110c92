"""Arrays that numpy saved: .npy and .npz. Nothing is ever unpickled: a pickle can run any code."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from entryprune._text import counted
from entryprune.data.errors import DatasetError
from entryprune.data.tables.arrays import (
    NUMBERS,
    OTHER,
    TEXT,
    Stored,
    check_matrix,
    content_of,
    kept_features,
)
from entryprune.data.tables.arrow import ArrowContent
from entryprune.data.tables.content import Content, MatrixContent, check_letters
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.memory import check_memory
from entryprune.data.tables.names import filled, kept_columns, numbered
from entryprune.data.tables.request import TableRequest
from entryprune.data.tables.trouble import explained, pickled

# The array that the benchmark's own files have besides X, with the same columns.
_TEST = "X_test"
_UNNAMED = "The file has no columns' names; they are called 'column_1' and so on."


def read_npy(request: TableRequest) -> Content:
    """Read an .npy file: a table of numbers, or one with named columns of different types."""
    path = request.path
    matrix = _load_npy(path)
    if matrix.dtype.names is not None:
        if request.transpose:
            raise DatasetError(
                f"{path} has named columns of different types, which cannot be turned round. Leave "
                f"out --transpose."
            )
        return _structured(path, matrix)
    check_matrix(path, matrix, "the array")
    matrix = matrix.T if request.transpose else matrix
    names = numbered(matrix.shape[1])
    return MatrixContent(path, names, len(matrix), notes=(_UNNAMED,), matrix=matrix)


def write_npy(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen columns. Without named columns, they are then numbered anew."""
    matrix = _load_npy(request.path)
    others = (request.target, request.id_column)
    if matrix.dtype.names is not None:
        known = filled(matrix.dtype.names, [])
        keep = kept_columns(request.path, known, names, others)
        from numpy.lib.recfunctions import repack_fields

        reduced = repack_fields(matrix[[matrix.dtype.names[n] for n in keep]])
    else:
        axis = 0 if request.transpose else 1
        keep = kept_columns(request.path, numbered(matrix.shape[axis]), names, others)
        reduced = _taken(matrix, keep, axis)
    with destination.open("wb") as file:
        np.save(file, reduced, allow_pickle=False)


def read_npz(request: TableRequest) -> Content:
    """Read the arrays of an .npz file that are asked for."""
    with _opened_npz(request.path) as (load, stored):
        return content_of(request, stored, load)


def write_npz(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen columns, and all other arrays as they are.

    What goes with the columns is reduced with them: the names, and X_test if it has as many.
    """
    with _opened_npz(request.path) as (load, stored):
        layout, keep = kept_features(request, stored, load, names)
        arrays = {array.name: load(array.name) for array in stored}
        with zipfile.ZipFile(request.path) as archive:
            is_packed = any(entry.compress_type for entry in archive.infolist())
    axis = 0 if request.transpose else 1
    table = layout.table.name
    alike = [table]
    if table != _TEST and _TEST in arrays and arrays[_TEST].shape[1:] == arrays[table].shape[1:]:
        alike.append(_TEST)
    for name in alike:
        arrays[name] = _taken(arrays[name], keep, axis)
    if layout.names is not None:
        arrays[layout.names.name] = arrays[layout.names.name].ravel()[keep]
    save: Any = np.savez_compressed if is_packed else np.savez
    with destination.open("wb") as packed:
        save(packed, **arrays)


def _taken(matrix: NDArray[Any], keep: list[int], axis: int) -> NDArray[Any]:
    """Return some rows or columns, laid out in memory as the original is."""
    some = np.take(matrix, keep, axis=axis)
    is_by_column = matrix.flags.f_contiguous and not matrix.flags.c_contiguous
    return np.asfortranarray(some) if is_by_column else np.ascontiguousarray(some)


def _structured(path: Path, matrix: NDArray[Any]) -> Content:
    import pyarrow as pa

    rows = matrix.ravel()
    notes: list[str] = []
    given = matrix.dtype.names or ()
    for name in given:
        if rows.dtype[name].kind == "U":
            check_letters(rows[name], f"{path}: the column {name!r}")
    with explained(path, TITLES["npy"]):
        columns = [pa.array(np.ascontiguousarray(rows[name])) for name in given]
        table = pa.table(columns, names=[str(number) for number in range(len(columns))])
    if not len(rows):
        raise DatasetError(
            f"{path} has {counted(len(columns), 'column')} and no cases. Save it again."
        )
    return ArrowContent(path, filled(given, notes), len(rows), notes=tuple(notes), table=table)


def _load_npy(path: Path) -> NDArray[Any]:
    with explained(path, TITLES["npy"]):
        with path.open("rb") as file:
            shape, dtype = _header(file)
        if dtype.hasobject:
            raise pickled(path)
        if len(shape) == 2:
            check_memory(path, *shape)
        return np.asarray(np.load(path, allow_pickle=False))


@contextmanager
def _opened_npz(path: Path) -> Iterator[tuple[Callable[[str], NDArray[Any]], list[Stored]]]:
    """Open an .npz file: give a function that reads an array, and say what arrays there are."""
    stored = []
    with explained(path, TITLES["npz"]), zipfile.ZipFile(path) as archive:
        for entry in archive.namelist():
            with archive.open(entry) as member:
                stored.append(_stored(path, entry.removesuffix(".npy"), member))
        file = np.load(path, allow_pickle=False)

    def load(name: str) -> NDArray[Any]:
        with explained(path, TITLES["npz"]):
            array = np.asarray(file[name])
        if array.dtype.kind == "U":
            check_letters(array, f"{path}: the array {name!r}")
        return array

    with file:
        yield load, stored


def _stored(path: Path, name: str, file: Any) -> Stored:
    shape, dtype = _header(file)
    if dtype.hasobject:
        raise pickled(path)
    if dtype.kind in "biuf":
        return Stored(name, shape, NUMBERS)
    return Stored(name, shape, TEXT if dtype.kind in "SU" else OTHER)


def _header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    major = npy.read_magic(file)[0]
    read = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
    shape, _, dtype = read(file)
    return shape, dtype
