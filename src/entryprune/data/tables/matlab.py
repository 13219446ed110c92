"""MATLAB files: version 5 to 7.2 with scipy, 7.3 (which is HDF5) in a module of its own."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.data.errors import DatasetError
from entryprune.data.tables import matlab73
from entryprune.data.tables.arrays import NUMBERS, OTHER, TEXT, Stored, content_of, kept_features
from entryprune.data.tables.content import Content
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.matlab_list import variables_of
from entryprune.data.tables.request import TableRequest
from entryprune.data.tables.text import first_bytes
from entryprune.data.tables.trouble import explained

_PREFACE = 116
# MATLAB's classes, as scipy names them.
_KINDS = {
    **dict.fromkeys(("double", "single", "logical", "sparse"), NUMBERS),
    **{f"{sign}int{bits}": NUMBERS for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "char": TEXT,
    "cell": TEXT,
}


def read(request: TableRequest) -> Content:
    """Read the variables of a MATLAB file that are asked for."""
    path = request.path
    if matlab73.is_hdf5(path):
        return matlab73.read(request)
    return content_of(request, _stored(path), lambda name: as_array(path, name, _load(path, name)))


def write(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the table's chosen columns, their names and the labels.

    Other variables are left out: scipy cannot write all that it reads back as it was.
    """
    from scipy.io import savemat

    path = request.path
    if matlab73.is_hdf5(path):
        matlab73.write(request, names, destination)
        return
    stored = _stored(path)
    layout, keep = kept_features(
        request, stored, lambda name: as_array(path, name, _load(path, name)), names
    )
    table = _load(path, layout.table.name)
    variables = {layout.table.name: table[keep] if request.transpose else table[:, keep]}
    if layout.names is not None:
        variables[layout.names.name] = _some(_load(path, layout.names.name), keep)
    for other in stored:
        if other.name in (request.target, request.id_column) and other.name not in variables:
            variables[other.name] = _load(path, other.name)
    with destination.open("w+b") as file:
        savemat(file, variables)
        file.seek(0)
        file.write(_preface(path))


def as_array(path: Path, name: str, value: Any) -> NDArray[Any]:
    """Return a variable as an array of numbers or text: sparse ones filled, cells as text.

    Examples
    --------
    >>> cells = np.array([[np.array(["a"])], [np.array(["bc"])]], dtype=object)
    >>> as_array(Path("t.mat"), "Y", cells).tolist()
    ['a', 'bc']
    """
    if hasattr(value, "toarray"):
        return np.asarray(value.toarray())
    array = np.asarray(value)
    if array.dtype.kind == "U":
        # Rows of a char matrix are filled up with blanks.
        return np.array([str(text).rstrip() for text in array.ravel()])
    if array.dtype.kind != "O":
        return array
    cells = [np.asarray(cell) for cell in array.ravel()]
    if all(cell.size <= 1 for cell in cells):
        return np.array([str(cell.item()) if cell.size else "" for cell in cells])
    raise DatasetError(
        f"{path}: the variable {name!r} has cells with more than one text or number each. Choose "
        f"another one."
    )


def _preface(path: Path) -> bytes:
    """Return the words that a file begins with: scipy's have the time, so no two are the same."""
    start = first_bytes(path, _PREFACE, is_unzipped=False)
    return start if start.startswith(b"MATLAB 5.0") else b"MATLAB 5.0 MAT-file".ljust(_PREFACE)


def _stored(path: Path) -> list[Stored]:
    found = variables_of(path)
    if found is None:
        from scipy.io import whosmat

        with explained(path, TITLES["mat"]):
            found = whosmat(str(path), appendmat=False)
    return [Stored(name, tuple(shape), _KINDS.get(kind, OTHER)) for name, shape, kind in found]


def _load(path: Path, name: str) -> Any:
    from scipy.io import loadmat

    with explained(path, TITLES["mat"]):
        # With the types that they have in MATLAB, not those in which it stores them to save space.
        return loadmat(str(path), variable_names=[name], appendmat=False, mat_dtype=True)[name]


def _some(names: NDArray[Any], keep: list[int]) -> NDArray[Any]:
    """Return some of the names, in the shape that they have: a row, a column or rows of text."""
    some = names.ravel()[keep]
    if names.ndim == 2:
        return some.reshape((1, -1) if names.shape[0] == 1 else (-1, 1))
    return some
