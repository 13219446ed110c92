"""AnnData's .h5ad: cells by genes, with columns about the cells in obs. Read with h5py alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import listed, suggestion
from entryprune.data.errors import DatasetError
from entryprune.data.tables import hdf5
from entryprune.data.tables.arrays import check_matrix, checked_sparse
from entryprune.data.tables.columns import (
    Labels,
    MatrixTable,
    Table,
    array_labels,
    decoded_bytes,
    text_array,
)
from entryprune.data.tables.errors import require
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.memory import check_memory
from entryprune.data.tables.names import kept_columns, named
from entryprune.data.tables.request import TableRequest

_KIND = "encoding-type"
_ROWS, _COLUMNS = "csr_matrix", "csc_matrix"
# The parts that go with the genes and are reduced with them, and those that would hold what is no
# longer there: distances between genes, and the table before somebody chose from it.
_REDUCED, _LEFT_OUT = ("X", "var", "layers", "varm"), ("varp", "raw")
# Where files from before version 0.8 keep the categories of all columns.
_OLD_CATEGORIES = "__categories"


def read(request: TableRequest) -> Table:
    """Read the matrix, the genes' and the cells' names, and the columns that are asked for."""
    path = request.path
    with _opened(path) as file:
        obs, var = hdf5.member(path, file, "obs"), hdf5.member(path, file, "var")
        columns = _obs_columns(obs)
        if not columns and request.target is not None and request.target_file is None:
            raise DatasetError(
                f"{path} says nothing of its cells: obs has no columns, so there is no target "
                f"{request.target!r}. Give the labels in a file of their own with --target-file."
            )
        item = _table(path, file, request.array)
        shape = _matrix_shape(path, item)
        ids, genes = _index(path, obs, shape[0]), _index(path, var, shape[1])
        if request.target is not None and request.target_file is None:
            _check_target(path, request.target, columns, genes)
        wanted = [n for n in (request.target, request.id_column) if n is not None and n in columns]
        labels = {name: _column(path, obs, name, shape[0]) for name in wanted}
        matrix = _matrix(path, item, shape)
    notes: list[str] = []
    return MatrixTable(
        path,
        named(path, genes, notes, request.target),
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
        shape = _matrix_shape(path, hdf5.member(path, file, "X"))
        genes = _index(path, hdf5.member(path, file, "var"), shape[1])
        known = named(path, genes, [], request.target)
        keep = kept_columns(path, known, names, (request.target,))
        with h5py.File(destination, "w") as new:
            for key in file.attrs:
                new.attrs[key] = hdf5.attribute(file, key)
            for part in file:
                if part in _LEFT_OUT:
                    continue
                item = hdf5.member(path, file, part)
                if part in _REDUCED:
                    axis = 1 if part in ("X", "layers") else 0
                    _Copy(path, keep, axis, len(known)).some(item, new, part)
                else:
                    _Copy(path, [], 0, -1).some(item, new, part)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    with hdf5.opened(path, TITLES["h5ad"]) as file:
        names = list(file)
        missing = [part for part in ("X", "obs", "var") if part not in names]
        if missing:
            raise DatasetError(
                f"{path} is not an .h5ad file: it has no {' and no '.join(missing)}; it has "
                f"{listed(names) or 'nothing'}. Write it with anndata's write_h5ad; if it is from "
                f"MATLAB, say --format mat."
            )
        if any(hdf5.is_dataset(hdf5.member(path, file, part)) for part in ("obs", "var")):
            raise DatasetError(
                f"{path} is of a version of anndata before 0.7, which is no longer read. Read it "
                f"with anndata and write it again."
            )
        yield file


def _table(path: Path, file: Any, array: str | None) -> Any:
    if array is None or array == "X":
        return hdf5.member(path, file, "X")
    layers = hdf5.member(path, file, "layers") if "layers" in list(file) else {}
    name = array.removeprefix("layers/")
    if name not in list(layers):
        has = f"the layers {listed(layers)}" if layers else "no layers"
        raise DatasetError(
            f"{path} has no layer {array!r}.{suggestion(name, layers)} It has {has}, and X, which "
            f"is taken without --array."
        )
    return hdf5.member(path, layers, name)


def _matrix_shape(path: Path, item: Any) -> tuple[int, int]:
    """Return how many cells and genes a matrix has, by what it says itself."""
    if hdf5.is_dataset(item):
        shape = hdf5.shape_of(path, item)
    else:
        shape = tuple(int(n) for n in np.ravel(hdf5.attribute(item, "shape", ())))
    if len(shape) != 2 or min(shape) < 1:
        raise DatasetError(
            f"{path}: the matrix has the shape {shape}, not cells and genes. Save it again."
        )
    return shape[0], shape[1]


def _matrix(path: Path, item: Any, shape: tuple[int, int]) -> NDArray[Any]:
    check_memory(path, *shape)
    if hdf5.is_dataset(item):
        matrix = hdf5.values_of(path, item)
    else:
        matrix = np.asarray(_sparse(path, item, shape).toarray())
    check_matrix(path, matrix, "the matrix")
    return matrix


def _kind(item: Any) -> str:
    return hdf5.text_attribute(item, _KIND)


def _sparse(path: Path, item: Any, shape: tuple[int, ...]) -> Any:
    values, indices, pointers = (
        hdf5.values_of(path, hdf5.member(path, item, part))
        for part in ("data", "indices", "indptr")
    )
    is_by_row = _kind(item) != _COLUMNS
    return checked_sparse(path, values, indices, pointers, shape, is_by_row=is_by_row)


def _index_name(frame: Any) -> str:
    return hdf5.text_attribute(frame, "_index", "_index")


def _index(path: Path, frame: Any, n_rows: int) -> tuple[str, ...]:
    names = _column(path, frame, _index_name(frame), n_rows).values
    return tuple(str(value) for value in names)


def _obs_columns(obs: Any) -> tuple[str, ...]:
    """Return the columns, in the order that the file gives them."""
    index = _index_name(obs)
    there = [name for name in obs if name not in (index, _OLD_CATEGORIES)]
    order = {
        name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name): place
        for place, name in enumerate(np.asarray(hdf5.attribute(obs, "column-order", ())).ravel())
    }
    return tuple(sorted(there, key=lambda name: order.get(name, len(order))))


def _column(path: Path, frame: Any, name: str, n_rows: int) -> Labels:
    """Return a column: plain, categories with codes, or values with a mask."""
    item = hdf5.member(path, frame, name)
    if hdf5.is_dataset(item):
        _check_rows(path, item, n_rows)
        if _OLD_CATEGORIES in list(frame):
            old = hdf5.member(path, frame, _OLD_CATEGORIES)
            if name in list(old):
                categories = _values(path, hdf5.member(path, old, name))
                return _coded(path, name, hdf5.values_of(path, item), categories)
        return array_labels(_values(path, item), f"{path}: the column {name!r}")
    if "codes" in list(item):
        codes = hdf5.member(path, item, "codes")
        _check_rows(path, codes, n_rows)
        categories = _values(path, hdf5.member(path, item, "categories"))
        return _coded(path, name, hdf5.values_of(path, codes), categories)
    values, mask = (hdf5.member(path, item, part) for part in ("values", "mask"))
    for part in (values, mask):
        _check_rows(path, part, n_rows)
    return Labels(_values(path, values), hdf5.values_of(path, mask).astype(bool))


def _check_rows(path: Path, item: Any, n_rows: int) -> None:
    if not hdf5.is_dataset(item) or hdf5.shape_of(path, item) != (n_rows,):
        has = f"the shape {item.shape}" if hdf5.is_dataset(item) else "parts"
        raise DatasetError(
            f"{path}: {item.name} has {has}, but the matrix has {n_rows:,} of these. The file is "
            f"damaged; save it again."
        )


def _coded(path: Path, name: str, codes: NDArray[Any], categories: NDArray[Any]) -> Labels:
    if codes.dtype.kind not in "iu" or categories.ndim != 1 or codes.max() >= len(categories):
        raise DatasetError(
            f"{path}: the column {name!r} has codes for which there is no category. The file is "
            f"damaged; save it again."
        )
    is_missing = codes < 0
    if not len(categories):
        return Labels(np.zeros(len(codes)), is_missing)
    return Labels(categories[np.where(is_missing, 0, codes)], is_missing)


def _values(path: Path, item: Any) -> NDArray[Any]:
    """Return a column's values; text may be in a group, with a mask."""
    if not hdf5.is_dataset(item):
        item = hdf5.member(path, item, "values")
    values = hdf5.values_of(path, item)
    if values.dtype.kind == "S":
        return decoded_bytes(values, f"{path}: {item.name}")
    if values.dtype.kind != "O":
        return values
    if not all(isinstance(value, bytes) for value in values.ravel()):
        raise DatasetError(f"{path}: {item.name} has neither numbers nor text. Choose another.")
    try:
        return text_array(value.decode("utf-8") for value in values.ravel())
    except UnicodeDecodeError as error:
        raise DatasetError(
            f"{path}: {item.name} has text that is not in the encoding UTF-8. Write it again."
        ) from error


def _check_target(path: Path, target: str, columns: Sequence[str], genes: Sequence[str]) -> None:
    """Refuse a target that neither obs nor, for who predicts a gene, var has."""
    if target in columns or target in genes:
        return
    raise DatasetError(
        f"{path} has no column {target!r} in obs.{suggestion(target, columns)} It has "
        f"{listed(columns, 20)}."
    )


@dataclass(frozen=True)
class _Copy:
    """A copy of parts of a file for some of the genes, with types and what is said of them.

    Not with HDF5's own copy, which follows links to other files and goes round in circles.
    """

    path: Path
    keep: list[int]
    axis: int
    n_genes: int
    parents: tuple[Any, ...] = ()

    def some(self, item: Any, new: Any, name: str) -> None:
        """Copy a part under a name."""
        if item in self.parents:
            raise DatasetError(f"{self.path}: {item.name} contains itself. Save the file again.")
        if hdf5.is_dataset(item):
            written = self._dataset(item, new, name)
        elif self.n_genes >= 0 and _kind(item) in (_ROWS, _COLUMNS):
            written = self._sparse(item, new, name)
        else:
            written = new.create_group(name)
            inside = replace(self, parents=(*self.parents, item))
            for part in item:
                # Categories may be as many as genes, but are not about them.
                is_whole = part in ("categories", _OLD_CATEGORIES)
                copy = replace(inside, n_genes=-1) if is_whole else inside
                copy.some(hdf5.member(self.path, item, part), written, part)
        for key in item.attrs:
            if key not in written.attrs and hdf5.is_plain_attribute(item, key):
                written.attrs[key] = item.attrs[key]

    def _dataset(self, item: Any, new: Any, name: str) -> Any:
        if item.shape is None:
            return new.create_dataset(name, data=item[()])
        values = hdf5.values_of(self.path, item)
        if values.ndim > self.axis and values.shape[self.axis] == self.n_genes:
            values = np.take(values, self.keep, axis=self.axis)
        return new.create_dataset(
            name,
            data=values,
            dtype=item.dtype,
            compression=item.compression if values.ndim else None,
        )

    def _sparse(self, item: Any, new: Any, name: str) -> Any:
        shape = _matrix_shape(self.path, item)
        whole = _sparse(self.path, item, shape)
        some = whole[:, self.keep] if self.axis == 1 else whole[self.keep]
        written = new.create_group(name)
        for part in ("data", "indices", "indptr"):
            original = hdf5.member(self.path, item, part)
            values = getattr(some, part).astype(original.dtype)
            written.create_dataset(part, data=values, compression=original.compression)
        written.attrs["shape"] = np.array(some.shape, dtype=item.attrs["shape"].dtype)
        return written
