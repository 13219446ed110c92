"""AnnData's .h5ad: cells by genes, with columns about the cells in obs. Read with h5py alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import listed, suggestion
from entryprune.data.errors import DatasetError
from entryprune.data.tables.arrays import check_matrix
from entryprune.data.tables.content import Content, Labels, MatrixContent, array_labels
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.memory import check_memory
from entryprune.data.tables.names import check_unique, filled, kept_columns
from entryprune.data.tables.packages import require
from entryprune.data.tables.request import TableRequest
from entryprune.data.tables.trouble import explained

_KIND = "encoding-type"
_ROWS, _COLUMNS = "csr_matrix", "csc_matrix"
# The parts that go with the genes and are reduced with them, and those that would hold what is no
# longer there: distances between genes, and the table before somebody chose from it.
_REDUCED, _LEFT_OUT = ("X", "var", "layers", "varm"), ("varp", "raw")
# Where files from before version 0.8 keep the categories of all columns.
_OLD_CATEGORIES = "__categories"


def read(request: TableRequest) -> Content:
    """Read the matrix, the genes' and the cells' names, and the columns that are asked for."""
    path = request.path
    with _opened(path) as file:
        matrix = _matrix(path, _table(path, file, request.array))
        columns = _obs_columns(file["obs"])
        if not columns and request.target is not None and request.target_file is None:
            raise DatasetError(
                f"{path} says nothing of its cells: obs has no columns, so there is no target "
                f"{request.target!r}. Give the labels in a file of their own with --target-file."
            )
        wanted = [n for n in (request.target, request.id_column) if n is not None and n in columns]
        with explained(path, TITLES["h5ad"]):
            labels = {name: _column(file["obs"], name) for name in wanted}
            ids, genes = _index(file["obs"]), _index(file["var"])
    if request.target is not None and request.target_file is None:
        _check_target(path, request.target, columns, genes)
    notes: list[str] = []
    return MatrixContent(
        path,
        filled(genes, notes),
        len(matrix),
        labels=labels,
        label_names=columns,
        ids=ids,
        id_name="obs",
        notes=tuple(notes),
        matrix=matrix,
    )


def write(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen genes, with all that the file says of cells and of these genes.

    Left out are varp and raw, which are about other genes too.
    """
    h5py = require("h5py")
    path = request.path
    with _opened(path) as file:
        known = filled(_index(file["var"]), [])
        check_unique(path, known, request.target)
        keep = kept_columns(path, known, names, (request.target,))
        with h5py.File(destination, "w") as new:
            for key, value in file.attrs.items():
                new.attrs[key] = value
            for part in file:
                if part in _REDUCED:
                    axis = 1 if part in ("X", "layers") else 0
                    _copy_some(file[part], new, part, keep, axis=axis, n_genes=len(known))
                elif part not in _LEFT_OUT:
                    file.copy(part, new)


def _opened(path: Path) -> Any:
    h5py = require("h5py")
    with explained(path, TITLES["h5ad"]):
        file = h5py.File(path, "r")
    missing = [part for part in ("X", "obs", "var") if part not in file]
    if missing:
        has = listed(file)
        file.close()
        raise DatasetError(
            f"{path} is not an .h5ad file: it has no {' and no '.join(missing)}; it has "
            f"{has or 'nothing'}. Write it with anndata's write_h5ad; if it is from MATLAB, say "
            f"--format mat."
        )
    if hasattr(file["obs"], "dtype") or hasattr(file["var"], "dtype"):
        file.close()
        raise DatasetError(
            f"{path} is of a version of anndata before 0.7, which is no longer read. Read it with "
            f"anndata and write it again."
        )
    return file


def _table(path: Path, file: Any, array: str | None) -> Any:
    if array is None or array == "X":
        return file["X"]
    layers = list(file.get("layers", ()))
    name = array.removeprefix("layers/")
    if name not in layers:
        has = f"the layers {listed(layers)}" if layers else "no layers"
        raise DatasetError(
            f"{path} has no layer {array!r}.{suggestion(name, layers)} It has {has}, and X, which "
            f"is taken without --array."
        )
    return file["layers"][name]


def _matrix(path: Path, item: Any) -> NDArray[Any]:
    with explained(path, TITLES["h5ad"]):
        shape = tuple(item.shape if hasattr(item, "dtype") else map(int, item.attrs["shape"]))
        if len(shape) == 2:
            check_memory(path, *shape)
        matrix = item[()] if hasattr(item, "dtype") else _sparse(item, shape).toarray()
    check_matrix(path, matrix, "the matrix")
    return np.asarray(matrix)


def _kind(item: Any) -> str:
    value = item.attrs.get(_KIND, "")
    return value.decode() if isinstance(value, bytes) else str(value)


def _sparse(item: Any, shape: tuple[int, ...]) -> Any:
    from scipy.sparse import csc_matrix, csr_matrix

    make = csc_matrix if _kind(item) == _COLUMNS else csr_matrix
    parts = (item["data"][()], item["indices"][()], item["indptr"][()])
    return make(parts, shape=shape)


def _index_name(frame: Any) -> str:
    name = frame.attrs.get("_index", "_index")
    return name.decode() if isinstance(name, bytes) else str(name)


def _index(frame: Any) -> tuple[str, ...]:
    return tuple(str(value) for value in _column(frame, _index_name(frame)).values)


def _obs_columns(obs: Any) -> tuple[str, ...]:
    """Return the columns, in the order that the file gives them."""
    index = _index_name(obs)
    there = [name for name in obs if name not in (index, _OLD_CATEGORIES)]
    order = [
        name.decode() if isinstance(name, bytes) else str(name)
        for name in np.asarray(obs.attrs.get("column-order", ())).ravel()
    ]
    return tuple(sorted(there, key=lambda name: order.index(name) if name in order else len(order)))


def _column(frame: Any, name: str) -> Labels:
    """Return a column: plain, categories with codes, or values with a mask."""
    item = frame[name]
    if hasattr(item, "dtype"):
        if name in frame.get(_OLD_CATEGORIES, ()):
            return _coded(item[()], _values(frame[_OLD_CATEGORIES][name]))
        return array_labels(_values(item))
    if "codes" in item:
        return _coded(item["codes"][()], _values(item["categories"]))
    return Labels(_values(item["values"]), item["mask"][()].astype(bool))


def _coded(codes: NDArray[Any], categories: NDArray[Any]) -> Labels:
    is_missing = codes < 0
    if not len(categories):
        return Labels(np.zeros(len(codes)), is_missing)
    return Labels(categories[np.where(is_missing, 0, codes)], is_missing)


def _values(item: Any) -> NDArray[Any]:
    if not hasattr(item, "dtype"):
        return np.asarray(_values(item["values"]))  # text with a mask
    if item.dtype.kind == "O":
        return np.asarray(item.asstr()[()]).astype(str)
    values = np.asarray(item[()])
    return np.char.decode(values, "utf-8") if values.dtype.kind == "S" else values


def _check_target(path: Path, target: str, columns: Sequence[str], genes: Sequence[str]) -> None:
    """Refuse a target that neither obs nor, for who predicts a gene, var has."""
    if target in columns or target in genes:
        return
    raise DatasetError(
        f"{path} has no column {target!r} in obs.{suggestion(target, columns)} It has "
        f"{listed(columns, 20)}."
    )


def _copy_some(item: Any, new: Any, name: str, keep: list[int], *, axis: int, n_genes: int) -> None:
    """Copy a part of a file for some of the genes, with its types and what is said of it."""
    if hasattr(item, "dtype"):
        is_about_genes = len(item.shape) > axis and item.shape[axis] == n_genes
        values = np.take(item[()], keep, axis=axis) if is_about_genes else item[()]
        written = new.create_dataset(
            name, data=values, dtype=item.dtype, compression=item.compression
        )
    elif _kind(item) in (_ROWS, _COLUMNS):
        shape = tuple(int(n) for n in item.attrs["shape"])
        some = _sparse(item, shape)
        some = some[:, keep] if axis == 1 else some[keep]
        written = new.create_group(name)
        for part in ("data", "indices", "indptr"):
            values = getattr(some, part).astype(item[part].dtype)
            written.create_dataset(part, data=values, compression=item[part].compression)
    else:
        written = new.create_group(name)
        for part in item:
            if part in ("categories", _OLD_CATEGORIES):
                item.copy(part, written)
            else:
                _copy_some(item[part], written, part, keep, axis=axis, n_genes=n_genes)
    for key, value in item.attrs.items():
        written.attrs[key] = value
    if _kind(item) in (_ROWS, _COLUMNS):
        written.attrs["shape"] = np.array(some.shape, dtype=item.attrs["shape"].dtype)
