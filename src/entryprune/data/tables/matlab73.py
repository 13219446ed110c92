"""MATLAB files of version 7.3: HDF5 with a preface, arrays stored the other way round."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.data.tables.arrays import NUMBERS, OTHER, TEXT, Stored, content_of, kept_features
from entryprune.data.tables.content import Content
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.packages import require
from entryprune.data.tables.request import TableRequest
from entryprune.data.tables.text import first_bytes
from entryprune.data.tables.trouble import explained

# What MATLAB adds: the class of a variable, the number of a sparse matrix's rows, and a group for
# what cells point to.
_CLASS, _SPARSE, _EMPTY, _CELLS = "MATLAB_class", "MATLAB_sparse", "MATLAB_empty", "#refs#"
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_PREFACE = 512


def is_hdf5(path: Path) -> bool:
    """Tell whether a MATLAB file is of version 7.3."""
    start = first_bytes(path, _PREFACE + len(_SIGNATURE), is_unzipped=False)
    return start.startswith(_SIGNATURE) or start[_PREFACE:] == _SIGNATURE


def read(request: TableRequest) -> Content:
    """Read the variables of a file that are asked for."""
    h5py = require("h5py")
    path = request.path
    with explained(path, TITLES["mat"]):
        file = h5py.File(path, "r")
    with file:
        stored = _stored(file)
        return content_of(request, stored, lambda name: _load(path, file, name))


def write(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the table's chosen columns, their names and the labels; no other variables."""
    h5py = require("h5py")
    path = request.path
    preface = first_bytes(path, _PREFACE, is_unzipped=False)
    has_preface = not preface.startswith(_SIGNATURE)
    with h5py.File(path, "r") as file:
        stored = _stored(file)
        layout, keep = kept_features(request, stored, lambda name: _load(path, file, name), names)
        table = layout.table.name
        with h5py.File(destination, "w", userblock_size=_PREFACE * has_preface) as new:
            _write_table(new, file[table], table, keep, is_turned=request.transpose)
            if layout.names is not None:
                chosen = _load(path, file, layout.names.name).ravel()[keep]
                _write_cells(new, layout.names.name, [str(name) for name in chosen])
            for other in (request.target, request.id_column):
                if other is not None and other in file and other not in new:
                    _copy(path, file, new, other)
    if has_preface:
        with destination.open("r+b") as raw:
            raw.write(preface)


def _stored(file: Any) -> list[Stored]:
    return [_described(name, file[name]) for name in file if not name.startswith("#")]


def _described(name: str, item: Any) -> Stored:
    if _SPARSE in item.attrs:
        n_columns = len(item["jc"]) - 1
        return Stored(name, (int(item.attrs[_SPARSE]), n_columns), NUMBERS)
    if not hasattr(item, "dtype") or item.attrs.get(_EMPTY, 0):
        return Stored(name, (), OTHER)
    if _class(item) == "char":
        # One text is one row; several are rows of a matrix, which here are columns.
        return Stored(name, item.shape[1:], TEXT)
    shape = tuple(item.shape[::-1])
    if item.dtype.kind == "O":
        return Stored(name, shape, TEXT)
    return Stored(name, shape, NUMBERS if item.dtype.kind in "biuf" else OTHER)


def _class(item: Any) -> str:
    value = item.attrs.get(_CLASS, b"")
    return value.decode() if isinstance(value, bytes) else str(value)


def _load(path: Path, file: Any, name: str) -> NDArray[Any]:
    with explained(path, TITLES["mat"]):
        item = file[name]
        if _SPARSE in item.attrs:
            return np.asarray(_sparse(item).toarray())
        if _class(item) == "char":
            return np.array([_text(row) for row in item[()].T])
        if item.dtype.kind == "O":
            return np.array([_cell(file[cell]) for cell in item[()].T.ravel()])
        values = np.asarray(item[()]).T
        return values.astype(bool) if _class(item) == "logical" else values


def _sparse(item: Any) -> Any:
    from scipy.sparse import csc_matrix

    # An all-zero matrix has neither values nor rows.
    values = item["data"][()] if "data" in item else np.zeros(0)
    rows = item["ir"][()] if "ir" in item else np.zeros(0, dtype=np.int64)
    starts = item["jc"][()]
    shape = (int(item.attrs[_SPARSE]), len(starts) - 1)
    return csc_matrix((values, rows.astype(np.int64), starts.astype(np.int64)), shape=shape)


def _cell(item: Any) -> str:
    if item.attrs.get(_EMPTY, 0):
        return ""
    if _class(item) == "char" or item.dtype.kind == "u":
        return _text(item[()].T.ravel())
    return str(np.asarray(item[()]).ravel()[0])


def _text(codes: NDArray[Any]) -> str:
    return codes.astype("<u2").tobytes().decode("utf-16-le").rstrip()


def _write_table(new: Any, item: Any, name: str, keep: list[int], *, is_turned: bool) -> None:
    if _SPARSE in item.attrs:
        matrix = _sparse(item)
        some = (matrix[keep] if is_turned else matrix[:, keep]).tocsc()
        group = new.create_group(name)
        group.create_dataset("data", data=some.data)
        group.create_dataset("ir", data=some.indices.astype(np.uint64))
        group.create_dataset("jc", data=some.indptr.astype(np.uint64))
        written = group
    else:
        values = item[()]  # the other way round than MATLAB shows it
        written = new.create_dataset(name, data=values[:, keep] if is_turned else values[keep])
    for key, value in item.attrs.items():
        written.attrs[key] = value
    if _SPARSE in item.attrs:
        written.attrs[_SPARSE] = np.uint64(some.shape[0])


def _copy(path: Path, file: Any, new: Any, name: str) -> None:
    item = file[name]
    if getattr(item, "dtype", None) is not None and item.dtype.kind == "O":
        _write_cells(new, name, [str(text) for text in _load(path, file, name)])
    else:
        file.copy(name, new)


def _write_cells(new: Any, name: str, texts: list[str]) -> None:
    """Write texts as MATLAB does: a cell a text, each of which points to its letters."""
    h5py = require("h5py")
    cells = new.require_group(_CELLS)
    pointers = np.empty((1, len(texts)), dtype=h5py.ref_dtype)
    for number, text in enumerate(texts):
        codes = np.frombuffer(text.encode("utf-16-le"), dtype="<u2").reshape(-1, 1)
        key = f"{name}_{number}"
        cell = cells.create_dataset(key, data=codes if text else np.array([0, 0], np.uint64))
        cell.attrs[_CLASS] = np.bytes_("char")
        if not text:
            cell.attrs[_EMPTY] = np.uint8(1)
        pointers[0, number] = cell.ref
    written = new.create_dataset(name, data=pointers, dtype=h5py.ref_dtype)
    written.attrs[_CLASS] = np.bytes_("cell")
