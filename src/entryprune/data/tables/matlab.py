"""MATLAB files: version 5 to 7.2 and 7.3 (which is HDF5); version 4 with scipy."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.data.errors import DatasetError
from entryprune.data.tables import hdf5, matlab5
from entryprune.data.tables.arrays import (
    NUMBERS,
    OTHER,
    TEXT,
    Stored,
    checked_sparse,
    kept_features,
    table_of,
)
from entryprune.data.tables.columns import Table, text_array
from entryprune.data.tables.errors import explained
from entryprune.data.tables.formats import TITLES, first_bytes
from entryprune.data.tables.request import TableRequest

_TITLE = TITLES["mat"]
_KINDS = {
    **dict.fromkeys(("double", "single", "logical", "sparse"), NUMBERS),
    **{f"{sign}int{bits}": NUMBERS for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "char": TEXT,
    "cell": TEXT,
}
# What a file begins with: text of the program that wrote it. The HDF5 of version 7.3 follows.
_PREFACE, _HDF5_PREFACE = 116, 512
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# What version 7.3 adds to HDF5: the class of a variable, the number of a sparse matrix's rows, and
# whether a variable is empty.
_CLASS, _SPARSE, _EMPTY = "MATLAB_class", "MATLAB_sparse", "MATLAB_empty"

Load = Callable[[str], Any]


def read(request: TableRequest) -> Table:
    """Read the variables of a file that are asked for."""
    path = request.path
    with _opened(path) as (stored, load):
        return table_of(request, stored, lambda name: as_array(path, name, load(name)))


def write(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the table's chosen columns, their names and the labels as a file of version 5.

    Other variables are left out: scipy cannot write all that it reads back as it was.
    """
    from scipy.io import savemat

    path = request.path
    with _opened(path) as (stored, load):
        layout, keep = kept_features(
            request, stored, lambda name: as_array(path, name, load(name)), names
        )
        table = load(layout.table.name)
        variables = {layout.table.name: table[keep] if request.transpose else table[:, keep]}
        if layout.names is not None:
            variables[layout.names.name] = _some(load(layout.names.name), keep)
        for other in stored:
            if other.name in (request.target, request.id_column) and other.name not in variables:
                variables[other.name] = load(other.name)
    with destination.open("w+b") as file:
        with explained(path, "a file of MATLAB 5"):  # which has no variables of 2 GB or more
            savemat(file, {name: _writable(value) for name, value in variables.items()})
        file.seek(0)
        file.write(_preface(path))


def as_array(path: Path, name: str, value: Any) -> NDArray[Any]:
    """Return a variable as an array of numbers or text: sparse ones filled, cells as text."""
    if hasattr(value, "toarray"):
        return np.asarray(value.toarray())
    array = np.asarray(value)
    if array.dtype.kind not in "OU":
        return array
    if any(cell is None for cell in array.ravel()):
        raise DatasetError(
            f"{path}: the variable {name!r} has cells with more than one text or number each. "
            f"Choose another one."
        )
    # Rows of a matrix of letters, which has one dimension here, are filled up with blanks.
    texts = (str(text) for text in array.ravel())
    return text_array(text.rstrip() for text in texts) if array.ndim == 1 else text_array(texts)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[list[Stored], Load]]:
    """Open a file of any version: say what variables there are, and give a function to read one."""
    start = first_bytes(path, _HDF5_PREFACE + len(_SIGNATURE))
    if start.startswith(_SIGNATURE) or start[_HDF5_PREFACE:] == _SIGNATURE:
        with hdf5.opened(path, _TITLE) as file:
            stored = [
                _described(path, name, hdf5.member(path, file, name))
                for name in file
                if not name.startswith("#")
            ]
            yield stored, lambda name: _load_73(path, file, name)
    elif matlab5.is_version_5(start):
        with explained(path, _TITLE):
            found = {variable.name: variable for variable in matlab5.variables_of(path)}
        stored = [_stored(*variable[:3]) for variable in found.values()]
        yield stored, lambda name: _load_5(path, found[name])
    elif 0 in start[:4]:
        from scipy.io import whosmat

        with explained(path, _TITLE):
            stored = [_stored(*variable) for variable in whosmat(str(path), appendmat=False)]
            _check_sizes_4(path, stored)
        yield stored, lambda name: _load_4(path, name)
    else:
        raise DatasetError(f"{path} is not {_TITLE}: it does not begin like one. Save it again.")


def _stored(name: str, shape: tuple[int, ...], kind: str) -> Stored:
    return Stored(name, tuple(shape), _KINDS.get(kind, OTHER))


def _check_sizes_4(path: Path, stored: list[Stored]) -> None:
    """Refuse sizes for which a file without compression is too short."""
    for variable in stored:
        if math.prod(variable.shape) > path.stat().st_size:
            raise ValueError(f"{variable.name!r} cannot have the shape {variable.shape}")


def _load_4(path: Path, name: str) -> Any:
    from scipy.io import loadmat

    with explained(path, _TITLE):
        return loadmat(str(path), variable_names=[name], appendmat=False, mat_dtype=True)[name]


def _load_5(path: Path, variable: matlab5.Variable) -> Any:
    with explained(path, _TITLE):
        return matlab5.load(path, variable)


# -- version 7.3 ----------------------------------------------------------------------------------


def _described(path: Path, name: str, item: Any) -> Stored:
    if _SPARSE in item.attrs:
        n_columns = hdf5.shape_of(path, hdf5.member(path, item, "jc"))[0] - 1
        return Stored(name, (int(hdf5.attribute(item, _SPARSE)), n_columns), NUMBERS)
    if not hdf5.is_dataset(item) or item.shape is None or _is_empty(item):
        return Stored(name, (), OTHER)
    if hdf5.text_attribute(item, _CLASS) == "char":
        # One text is one row; several are rows of a matrix, which here are columns.
        return Stored(name, item.shape[1:], TEXT)
    shape = tuple(item.shape[::-1])
    if item.dtype.kind == "O":
        return Stored(name, shape, TEXT)
    return Stored(name, shape, NUMBERS if item.dtype.kind in "biuf" else OTHER)


def _load_73(path: Path, file: Any, name: str) -> Any:
    item = hdf5.member(path, file, name)
    if _SPARSE in item.attrs:
        return _sparse_73(path, item)
    values = hdf5.values_of(path, item).T  # the other way round than MATLAB shows it
    kind = hdf5.text_attribute(item, _CLASS)
    if kind == "char":
        texts = np.empty(len(values), dtype=object)
        texts[:] = [_text(row.ravel()) for row in values]
        return texts
    if values.dtype.kind == "O":
        cells = np.empty(values.shape, dtype=object)
        for place, pointer in np.ndenumerate(values):
            cells[place] = _cell_73(path, file[pointer])
        return cells
    return values.astype(bool) if kind == "logical" else values


def _sparse_73(path: Path, item: Any) -> Any:
    # A matrix of zeros has neither values nor rows.
    values, rows = (
        hdf5.values_of(path, hdf5.member(path, item, part)) if part in item.keys() else empty  # noqa: SIM118
        for part, empty in (("data", np.zeros(0)), ("ir", np.zeros(0, dtype=np.uint64)))
    )
    starts = hdf5.values_of(path, hdf5.member(path, item, "jc"))
    shape = (int(hdf5.attribute(item, _SPARSE)), len(starts) - 1)
    return checked_sparse(path, values, rows, starts, shape, is_by_row=False)


def _cell_73(path: Path, item: Any) -> Any:
    """Return the one text or number of a cell; None if there are more."""
    if _is_empty(item):
        return ""
    values = hdf5.values_of(path, item).T
    if values.dtype.kind not in "biuf":
        return None
    if hdf5.text_attribute(item, _CLASS) == "char" or values.dtype.kind == "u":
        return _text(values.ravel())
    return values.ravel()[0] if values.size == 1 else None


def _is_empty(item: Any) -> bool:
    return bool(np.any(hdf5.attribute(item, _EMPTY, 0)))


def _text(codes: NDArray[Any]) -> str:
    return codes.astype("<u2").tobytes().decode("utf-16-le", "replace").rstrip()


# -- writing --------------------------------------------------------------------------------------


def _preface(path: Path) -> bytes:
    """Return the words that a file begins with: scipy's have the time, so no two are the same."""
    start = first_bytes(path, _PREFACE)
    return start if start.startswith(b"MATLAB 5.0") else b"MATLAB 5.0 MAT-file".ljust(_PREFACE)


def _some(names: NDArray[Any], keep: list[int]) -> NDArray[Any]:
    """Return some of the names, in the shape that they have: a row, a column or rows of text."""
    some = names.ravel()[keep]
    if names.ndim == 2:
        return some.reshape((1, -1) if names.shape[0] == 1 else (-1, 1))
    return some


def _writable(value: Any) -> Any:
    """Return rows of letters as scipy writes them: texts of one dimension would become cells."""
    is_rows = isinstance(value, np.ndarray) and value.dtype.kind == "O" and value.ndim == 1
    return value.astype(str) if is_rows else value
