"""Files of arrays: which one is the table, and what the others say of it; numpy's .npy and .npz.

Nothing is ever unpickled: a pickle can run any code.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from entryprune._text import counted, listed, suggestion
from entryprune.data.dataset import DatasetError
from entryprune.data.tables.columns import (
    Labels,
    MatrixTable,
    Table,
    array_labels,
    check_letters,
    decoded_bytes,
)
from entryprune.data.tables.errors import check_bytes, check_memory, explained, pickled
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.request import (
    TableRequest,
    kept_columns,
    line_of_features,
    named,
    numbered,
)
from entryprune.data.tables.request import (
    filled as filled_names,
)

Array = NDArray[Any]

# Tables with more values than this are not filled up if fewer than one in so many is not zero.
_LARGE, _MOST_ZEROS = 10**7, 10**5
# Of a matrix that stays sparse: how often it is in memory at once, what a name takes, and how many
# rows and columns there may be for each value.
_SPARSE_COPIES, _BYTES_OF_A_NAME, _MOST_EMPTY = 3, 200, 100
# The array that the benchmark's own files have besides X, with the same columns.
_TEST = "X_test"
_UNNAMED = "The file has no names of features; they are called 'column_1' and so on."
NUMBERS, TEXT, OTHER = "numbers", "text", "other"
_TABLE = "X"
_NAMES = (
    *("feature_names", "features", "columns", "column_names", "names", "var_names", "variables"),
    *("gene_names", "genes", "featureNames", "FeatureNames"),
)


@dataclass(frozen=True)
class Stored:
    """An array of a file, as far as is known before it is read."""

    name: str  # what it is called
    shape: tuple[int, ...]  # its size
    kind: str  # what it holds
    is_sparse: bool = False  # whether only what is not zero is stored

    @property
    def is_table(self) -> bool:
        """Whether it may be the table: numbers with rows and columns."""
        return self.kind == NUMBERS and len(self.shape) == 2 and min(self.shape) > 1

    @property
    def n_values(self) -> int:
        """The number of values, if it is a row, a column or has one dimension; else 0."""
        long = [length for length in self.shape if length != 1]
        return (long[0] if long else 1) if len(long) <= 1 else 0


@dataclass(frozen=True)
class Layout:
    """Which array is what."""

    table: Stored  # the one with the values
    names: Stored | None  # the one with the features' names
    notes: tuple[str, ...]  # what was guessed

    def n_features(self, request: TableRequest) -> int:
        """Return how many features there are."""
        return self.table.shape[0 if request.transpose else 1]


def lay_out(request: TableRequest, stored: Sequence[Stored]) -> Layout:
    """Find the table and the features' names among the arrays of a file."""
    notes: list[str] = []
    table = _table(request, stored, notes)
    n_features = table.shape[0 if request.transpose else 1]
    names = next(
        (
            array
            for wanted in _NAMES
            for array in stored
            if array.name == wanted and array.kind == TEXT and array.n_values == n_features
        ),
        None,
    )
    if names is not None:
        notes.append(f"The features' names are from the array {names.name!r}.")
    else:
        notes.append(_UNNAMED)
    return Layout(table, names, tuple(notes))


def table_of(
    request: TableRequest, stored: Sequence[Stored], load: Callable[[str], Array]
) -> Table:
    """Read the table of a file of arrays, and what was asked for besides.

    Of a name, `load` returns the array; text as an array of text.
    """
    path = request.path
    layout = lay_out(request, stored)
    if not (request.sparse and layout.table.is_sparse):
        check_memory(path, *layout.table.shape)
    matrix = load(layout.table.name)
    check_matrix(path, matrix, f"the array {layout.table.name!r}")
    matrix = matrix.T if request.transpose else matrix
    matrix = sorted_rows(path, matrix) if hasattr(matrix, "tocsr") else matrix
    notes = list(layout.notes)
    others = {array.name: array for array in stored if array.name != layout.table.name}
    wanted = {name for name in request.others(others) if name in others}
    return MatrixTable(
        path,
        _feature_names(request, layout, load, notes),
        matrix.shape[0],
        labels={name: _labels(path, name, load(name)) for name in wanted},
        label_names=tuple(others),
        notes=tuple(notes),
        matrix=matrix,
    )


def kept_features(
    request: TableRequest,
    stored: Sequence[Stored],
    load: Callable[[str], Array],
    names: Collection[str],
) -> tuple[Layout, list[int]]:
    """Return which array is what, and the numbers of the features to keep."""
    layout = lay_out(request, stored)
    check_memory(request.path, *layout.table.shape)
    known = _feature_names(request, layout, load, [])
    return layout, kept_columns(request.path, known, names, request.others(known))


def check_matrix(path: Path, matrix: Array, name: str) -> None:
    """Refuse what is not a table of numbers."""
    if matrix.ndim != 2:
        raise DatasetError(
            f"{path}: {name} has the shape {matrix.shape}, not two dimensions. Save one row a "
            f"sample and one column a feature."
        )
    if matrix.dtype.kind not in "biuf":
        what = "text" if matrix.dtype.kind in "SU" else f"values of the type {matrix.dtype}"
        raise DatasetError(f"{path}: {name} has {what}, not numbers. Save it as numbers.")
    if not math.prod(matrix.shape):
        raise DatasetError(f"{path}: {name} is empty, its shape is {matrix.shape}.")


def checked_sparse(
    path: Path,
    values: Array,
    indices: Array,
    pointers: Array,
    shape: tuple[int, ...],
    *,
    is_by_row: bool,
) -> Any:
    """Return a sparse matrix of which every index has been looked at.

    scipy trusts them: one that is out of range writes to foreign memory once the matrix is filled.
    """
    if len(shape) != 2 or any(part.ndim != 1 for part in (values, indices, pointers)):
        raise _damaged_sparse(path, "its parts do not have the shapes of one")
    if values.dtype.kind not in "biuf" or {indices.dtype.kind, pointers.dtype.kind} - set("iu"):
        raise _damaged_sparse(path, "its parts do not have the types of one")
    n_major, n_minor = shape if is_by_row else shape[::-1]
    if len(pointers) != n_major + 1 or len(values) != len(indices):
        raise _damaged_sparse(path, f"the lengths of its parts do not fit the shape {shape}")
    # Compared as they are: to int64, an unsigned number may turn negative.
    if pointers[0] != 0 or pointers[-1] != len(values) or (pointers[1:] < pointers[:-1]).any():
        raise _damaged_sparse(path, "its pointers do not count up from 0 to the number of values")
    if len(indices) and (indices.min() < 0 or indices.max() >= n_minor):
        raise _damaged_sparse(path, f"an index is outside of the shape {shape}")
    check_bytes(path, _SPARSE_COPIES * (values.nbytes + 8 * (len(indices) + len(pointers))))
    from scipy.sparse import csc_matrix, csr_matrix

    make = csr_matrix if is_by_row else csc_matrix
    native = values.dtype.newbyteorder("=")
    parts = (values.astype(native), indices.astype(np.int64), pointers.astype(np.int64))
    return make(parts, shape=shape)


def filled(path: Path, matrix: Any) -> Array:
    """Return a sparse matrix with all its zeros, if it is not far larger than what is in it."""
    n_rows, n_columns = matrix.shape
    check_memory(path, n_rows, n_columns)
    if n_rows * n_columns > _LARGE and n_rows * n_columns > _MOST_ZEROS * matrix.nnz:
        raise _too_empty(path, matrix)
    return np.asarray(matrix.toarray())


def sorted_rows(path: Path, matrix: Any) -> Any:
    """Return a sparse matrix by rows, with indices in order and each there once."""
    # Every column has a name, and every row a place: one wrong number makes billions of them.
    if sum(matrix.shape) > _LARGE and sum(matrix.shape) > _MOST_EMPTY * matrix.nnz:
        raise _too_empty(path, matrix)
    check_bytes(path, _BYTES_OF_A_NAME * matrix.shape[1])
    from scipy.sparse import csr_array

    rows = csr_array(matrix)
    rows.sum_duplicates()  # which sorts them, too
    return rows


def _too_empty(path: Path, matrix: Any) -> DatasetError:
    n_rows, n_columns = matrix.shape
    return DatasetError(
        f"{path} has {n_rows:,} x {n_columns:,} values, of which {matrix.nnz:,} are not zero. "
        f"Leave out rows and columns without any; if there are none, the file is damaged."
    )


def _damaged_sparse(path: Path, why: str) -> DatasetError:
    return DatasetError(
        f"{path}: the sparse matrix is damaged ({why}). Save the table again, from what it was "
        f"made of."
    )


def _table(request: TableRequest, stored: Sequence[Stored], notes: list[str]) -> Stored:
    path = request.path
    if request.array is not None:
        for array in stored:
            if array.name == request.array:
                if not _may_be_table(array):
                    raise DatasetError(
                        f"{path}: the array {_described(array)} is not a table of numbers. Choose "
                        f"another with --array: {', '.join(map(_described, stored))}."
                    )
                return array
        near = suggestion(request.array, [array.name for array in stored])
        raise DatasetError(
            f"{path} has no array {request.array!r}.{near} It has "
            f"{', '.join(map(_described, stored)) or 'none'}."
        )
    tables = [array for array in stored if array.is_table]
    if not tables:
        # One column, or one sample, is a table too if it is called so.
        tables = [array for array in stored if array.name == _TABLE and _may_be_table(array)]
    if not tables:
        raise DatasetError(
            f"{path} has no array of numbers with rows and columns; it has "
            f"{', '.join(map(_described, stored)) or 'none at all'}. Save the samples as an array "
            f"X, one row a sample."
        )
    if len(tables) == 1:
        return tables[0]
    called_x = [array for array in tables if array.name == _TABLE]
    if len(called_x) == 1:
        others = [array.name for array in tables if array.name != _TABLE]
        notes.append(f"The table is the array {_TABLE!r}, not {listed(others)}.")
        return called_x[0]
    raise DatasetError(
        f"{path} has several arrays that could be the table: "
        f"{', '.join(map(_described, tables))}. Choose one with --array."
    )


def _may_be_table(array: Stored) -> bool:
    return array.kind == NUMBERS and len(array.shape) == 2 and min(array.shape) > 0


def _described(array: Stored) -> str:
    size = " x ".join(f"{length:,}" for length in array.shape) or "one value"
    return f"{array.name!r} ({size}{'' if array.kind == NUMBERS else f', {array.kind}'})"


def _feature_names(
    request: TableRequest, layout: Layout, load: Callable[[str], Array], notes: list[str]
) -> tuple[str, ...]:
    if layout.names is None:
        return numbered(layout.n_features(request))
    names = load(layout.names.name).ravel()
    if names.dtype.kind == "S":
        names = decoded_bytes(names, _the_array(request.path, layout.names.name))
    if len(names) != layout.n_features(request):
        raise DatasetError(
            f"{_the_array(request.path, layout.names.name)} has {len(names):,} names for "
            f"{layout.n_features(request):,} features. Save the table again."
        )
    given = [str(name) for name in names]
    return named(request.path, given, notes, request.target, line=line_of_features(request))


def _the_array(path: Path, name: str) -> str:
    return f"{path}: the array {name!r}"


def _labels(path: Path, name: str, values: Array) -> Labels:
    if (
        max(values.shape, default=1) != math.prod(values.shape)
        or values.dtype.kind not in "biufSUO"
    ):
        raise DatasetError(
            f"{path}: the array {name!r} has the shape {values.shape} and the type {values.dtype}; "
            f"labels and ids are one text or number a sample. Choose another array."
        )
    return array_labels(values.ravel(), _the_array(path, name))


# -- numpy -----------------------------------------------------------------------------------------


def read_npy(request: TableRequest) -> Table:
    """Read an .npy file: a table of numbers, or one with named columns of different types."""
    path = request.path
    matrix = _load_npy(path)
    if matrix.dtype.names is not None:
        if request.transpose:
            raise DatasetError(
                f"{path} has named columns of different types, which cannot be transposed. Leave "
                f"out --transpose."
            )
        return _structured(path, matrix)
    check_matrix(path, matrix, "the array")
    matrix = matrix.T if request.transpose else matrix
    names = numbered(matrix.shape[1])
    return MatrixTable(path, names, len(matrix), notes=(_UNNAMED,), matrix=matrix)


def write_npy(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen columns. Without named columns, they are then numbered anew."""
    matrix = _load_npy(request.path)
    if matrix.dtype.names is not None:
        known = filled_names(matrix.dtype.names, [])
        keep = kept_columns(request.path, known, names, request.others(known))
        from numpy.lib.recfunctions import repack_fields

        reduced = repack_fields(matrix[[matrix.dtype.names[n] for n in keep]])
    else:
        check_matrix(request.path, matrix, "the array")
        axis = 0 if request.transpose else 1
        known = numbered(matrix.shape[axis])
        keep = kept_columns(request.path, known, names, request.others(known))
        reduced = _taken(matrix, keep, axis)
    with destination.open("wb") as file:
        np.save(file, reduced, allow_pickle=False)


def read_npz(request: TableRequest) -> Table:
    """Read the arrays of an .npz file that are asked for."""
    with _opened_npz(request.path) as (load, stored):
        return table_of(request, stored, load)


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


def _taken(matrix: Array, keep: list[int], axis: int) -> Array:
    """Return some rows or columns, laid out in memory as the original is."""
    some = np.take(matrix, keep, axis=axis)
    is_by_column = matrix.flags.f_contiguous and not matrix.flags.c_contiguous
    return np.asfortranarray(some) if is_by_column else np.ascontiguousarray(some)


def _structured(path: Path, matrix: Array) -> Table:
    # Only now: arrays of numbers need not wait for pyarrow.
    import pyarrow as pa

    from entryprune.data.tables.arrow_columns import ArrowTable

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
            f"{path} has {counted(len(columns), 'column')} and no samples. Save it again."
        )
    return ArrowTable(path, filled_names(given, notes), len(rows), notes=tuple(notes), arrow=table)


def _load_npy(path: Path) -> Array:
    with explained(path, TITLES["npy"]):
        with path.open("rb") as file:
            shape, dtype = npy_header(path, file, path.stat().st_size)
        if len(shape) == 2:
            check_memory(path, *shape)
        check_bytes(path, math.prod(shape) * dtype.itemsize)
        return np.asarray(np.load(path, allow_pickle=False))


@contextmanager
def _opened_npz(path: Path) -> Iterator[tuple[Callable[[str], Array], list[Stored]]]:
    """Open an .npz file: give a function that reads an array, and say what arrays there are."""
    stored = []
    with explained(path, TITLES["npz"]), zipfile.ZipFile(path) as archive:
        sizes = {}
        for entry in archive.infolist():
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError("it is compressed in a way that numpy does not use")
            name = entry.filename.removesuffix(".npy")
            sizes[name] = entry.file_size
            with archive.open(entry) as member:
                stored.append(_npz_member(path, name, member, entry.file_size))
        file = np.load(path, allow_pickle=False)

    def load(name: str) -> Array:
        check_bytes(path, sizes[name])
        with explained(path, TITLES["npz"]):
            array = np.asarray(file[name])
        if array.dtype.kind == "U":
            check_letters(array, f"{path}: the array {name!r}")
        return array

    with file:
        yield load, stored


def _npz_member(path: Path, name: str, file: Any, n_bytes: int) -> Stored:
    shape, dtype = npy_header(path, file, n_bytes)
    if dtype.kind in "biuf":
        return Stored(name, shape, NUMBERS)
    return Stored(name, shape, TEXT if dtype.kind in "SU" else OTHER)


def npy_header(path: Path, file: Any, n_bytes: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return the shape and the type of the array that a file holds, if it can hold so much."""
    major = npy.read_magic(file)[0]
    read = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
    shape, _, dtype = read(file)
    if dtype.hasobject:
        raise pickled(path)
    # Before numpy makes room for them.
    if any(length < 0 for length in shape) or math.prod(shape) * dtype.itemsize > n_bytes:
        raise ValueError(f"it has {n_bytes:,} bytes, too few for an array of the shape {shape}")
    return shape, dtype
