"""HDF5 files of strangers: nothing outside of the file is read, and nothing larger than memory.

AnnData's .h5ad is read with h5py alone: cells by genes, with columns about the cells in obs.
"""

from __future__ import annotations

import math
import mmap
import re
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import listed, suggestion
from entryprune.data.dataset import DatasetError
from entryprune.data.tables.arrays import check_matrix, checked_sparse, filled, sorted_rows
from entryprune.data.tables.columns import (
    Labels,
    MatrixTable,
    Table,
    array_labels,
    decoded_bytes,
    text_array,
)
from entryprune.data.tables.errors import check_bytes, check_memory, explained, require
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.request import TableRequest, kept_columns, named

# A link may lead to a link, but not for ever.
_MOST_LINKS = 16
# How a place for texts (a global heap of version 1) begins.
_HEAP = re.compile(rb"GCOL\x01")
# How the type of texts of any length ends, as it stands before an attribute: letters of 8 bits.
_TEXT_TYPE = re.compile(rb"\x10\0\0\0[\x10\x30]\0\0\0\x01\0\0\0\0\0\x08\0")
# HDF5 need not store what was never written, so a wrong shape may need any amount of memory.
_LARGE, _MOST_COMPRESSED = 10**8, 10**5


@contextmanager
def opened(path: Path, title: str) -> Iterator[Any]:
    """Open a file; whatever h5py raises while it is open is about the file.

    Damage shows anywhere: in a list of names, a length, an attribute.
    """
    h5py = require("h5py")
    with explained(path, title):
        _check_heaps(path)
        with h5py.File(path, "r") as file:
            yield file


def _check_heaps(path: Path) -> None:
    """Refuse lengths of texts with which HDF5 would look for the next for ever, or take all memory.

    The whole file is looked through, which takes a second for about 1 GB.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        # By expressions, which pass over zeros five times as fast as `find`.
        heaps = {found.start() for found in _HEAP.finditer(content) if found.start() % 8 == 0}
        for heap in heaps:
            _check_heap(content, heap)
        for found in _TEXT_TYPE.finditer(content) if heaps else ():
            _check_attribute(content, found.end())


def _check_attribute(content: mmap.mmap, begin: int) -> None:
    """Check the lengths of an attribute's texts, which stand behind its type and its shape."""
    for place in (begin, begin + 4):  # the older kind is filled up to a multiple of eight bytes
        version, n_dimensions, flags, kind = content[place : place + 4].ljust(4, b"\xff")
        is_shape = (version == 1 and kind == 0) or (version == 2 and kind <= 2)
        if not is_shape or n_dimensions > 4 or flags > 1:
            continue
        place_of_sizes = place + (8 if version == 1 else 4)
        n_sizes = n_dimensions * (1 + flags)
        end = place_of_sizes + 8 * n_sizes
        sizes = struct.unpack(f"<{n_sizes}Q", content[place_of_sizes:end].ljust(8 * n_sizes, b"\0"))
        n_texts = min(math.prod(sizes[:n_dimensions]), (len(content) - end) // 16)
        for text in range(n_texts):
            length = int.from_bytes(content[end + 16 * text : end + 16 * text + 4], "little")
            if length > len(content):
                raise ValueError("the length of a text is wrong")
        return


def _check_heap(content: mmap.mmap, begin: int) -> None:
    size = int.from_bytes(content[begin + 8 : begin + 16], "little")
    end, place = min(begin + size, len(content)), begin + 16
    while place + 16 <= end:
        number = int.from_bytes(content[place : place + 2], "little")
        length = int.from_bytes(content[place + 8 : place + 16], "little")
        # What is left over has the number 0, and a length that counts the head of 16 bytes.
        step = length if number == 0 else 16 + -(-length // 8) * 8
        if step < 16 or place + step > begin + size:
            raise ValueError("the length of a text is wrong")
        place += step


def member(path: Path, group: Any, name: str) -> Any:
    """Return a part of a group, unless it is in another file."""
    item = group
    steps, n_links = [step for step in name.split("/") if step], 0
    while steps:
        step = steps.pop(0)
        if is_dataset(item) or step not in item.keys():  # noqa: SIM118 - `in` follows links
            raise DatasetError(
                f"{path} has no {name!r} in {group.name}. It may be damaged, or of another version."
            )
        link = item.get(step, getlink=True)
        if hasattr(link, "filename"):
            raise _elsewhere(path, name, f"is a link to the file {link.filename}")
        if hasattr(link, "path"):
            n_links += 1
            if n_links > _MOST_LINKS:
                raise DatasetError(f"{path}: {name!r} is a link that leads back to itself.")
            item = item.file if link.path.startswith("/") else item
            steps = [part for part in link.path.split("/") if part] + steps
        else:
            item = item[step]
    return item


def values_of(path: Path, item: Any) -> NDArray[Any]:
    """Return the values of a data set that are in this file and fit into memory."""
    if not is_dataset(item):
        raise DatasetError(f"{path}: {item.name} should be a data set, but is a group.")
    shape_of(path, item)
    if item.external is not None:
        raise _elsewhere(path, item.name, f"has its values in the file {item.external[0][0]}")
    if item.is_virtual:
        raise _elsewhere(path, item.name, "has its values in other files")
    n_bytes = item.size * item.dtype.itemsize
    check_bytes(path, n_bytes)
    if n_bytes > _LARGE and n_bytes > _MOST_COMPRESSED * item.id.get_storage_size():
        raise DatasetError(
            f"{path}: {item.name} has the shape {item.shape}, but hardly any values. The file is "
            f"damaged; save it again."
        )
    h5py = require("h5py")
    if item.dtype.kind == "O" and h5py.check_ref_dtype(item.dtype) is None:
        if h5py.check_string_dtype(item.dtype) is None:
            raise DatasetError(f"{path}: {item.name} has neither numbers nor text. Choose another.")
        _check_text_lengths(path, item)
    return np.asarray(item[()])


def _check_text_lengths(path: Path, item: Any) -> None:
    """Refuse texts that are longer than the file.

    HDF5 makes room for a text before it looks whether there is one, so one wrong bit in a length
    takes gigabytes. Lengths behind compression have its checksum.
    """
    dataset, h5d = item.id, require("h5py").h5d
    layout = dataset.get_create_plist()
    if layout.get_layout() == h5d.CONTIGUOUS:
        places = [(dataset.get_offset(), dataset.get_storage_size())]
    elif layout.get_layout() == h5d.CHUNKED and not layout.get_nfilters():
        chunks = (dataset.get_chunk_info(n) for n in range(dataset.get_num_chunks()))
        places = [(chunk.byte_offset, chunk.size) for chunk in chunks]
    else:
        return
    step, total = dataset.get_type().get_size(), 0
    with path.open("rb") as file:
        for offset, size in places:
            if offset is None:
                continue  # nothing was ever written
            file.seek(offset)
            raw = file.read(size)
            raw = raw[: len(raw) // step * step]
            # The length, then where the text is.
            total += int(
                np.frombuffer(raw, np.uint8).reshape(-1, step)[:, :4].copy().view("<u4").sum()
            )
    if total > path.stat().st_size:
        raise DatasetError(
            f"{path}: {item.name} has texts that are longer than the file. It is damaged; save it "
            f"again."
        )


def shape_of(path: Path, item: Any) -> tuple[int, ...]:
    """Return the shape of a data set, which must have one."""
    if item.shape is None:
        raise DatasetError(f"{path}: {item.name} is empty. Save the table again.")
    return tuple(item.shape)


def is_dataset(item: Any) -> bool:
    """Tell a data set from a group."""
    return hasattr(item, "dtype")


def attribute(item: Any, name: str, default: Any = None) -> Any:
    """Return an attribute of numbers or text.

    Others are refused before they are read: a damaged one of lists ends the process.
    """
    if name not in item.attrs:
        return default
    if not is_plain_attribute(item, name):
        raise ValueError(f"the attribute {name!r} of {item.name} is neither numbers nor text")
    return item.attrs[name]


def is_plain_attribute(item: Any, name: str) -> bool:
    """Tell whether an attribute has numbers or text."""
    h5py = require("h5py")
    found = h5py.h5a.open(item.id, name.encode()).get_type().get_class()
    return found in (h5py.h5t.INTEGER, h5py.h5t.FLOAT, h5py.h5t.STRING, h5py.h5t.ENUM)


def text_attribute(item: Any, name: str, default: str = "") -> str:
    """Return an attribute that should be text."""
    value = attribute(item, name, default)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _elsewhere(path: Path, name: str, what: str) -> DatasetError:
    return DatasetError(
        f"{path}: {name!r} {what}, which is not followed: other files are not for a table to name. "
        f"Copy the values into this file."
    )


# -- .h5ad ----------------------------------------------------------------------------------------

_KIND = "encoding-type"
_ROWS, _COLUMNS = "csr_matrix", "csc_matrix"
# The parts that go with the genes and are reduced with them, and those that would hold what is no
# longer there: distances between genes, and the table before somebody chose from it.
_REDUCED, _LEFT_OUT = ("X", "var", "layers", "varm"), ("varp", "raw")
# Where files from before version 0.8 keep the categories of all columns.
_OLD_CATEGORIES = "__categories"


def read_h5ad(request: TableRequest) -> Table:
    """Read the matrix, the genes' and the cells' names, and the columns that are asked for."""
    path = request.path
    with _opened_h5ad(path) as file:
        obs, var = member(path, file, "obs"), member(path, file, "var")
        columns = _frame_columns(obs)
        if not columns and request.target is not None and request.target_file is None:
            raise DatasetError(
                f"{path} says nothing of its cells: obs has no columns, so there is no target "
                f"{request.target!r}. Give the labels in a file of their own with --target-file."
            )
        item = _table(path, file, request.array)
        shape = _matrix_shape(path, item)
        ids, genes = _index(path, obs, shape[0]), _index(path, var, shape[1])
        if request.target is not None and request.target_file is None:
            known = {*columns, *genes}
            found = request.targets(known)
            for name in found if known.intersection(found) else (request.target,):
                _check_target(path, name, columns, genes)
        wanted = [n for n in request.others(columns) if n is not None and n in columns]
        labels = {name: _column(path, obs, name, shape[0]) for name in wanted}
        matrix = _matrix(path, item, shape, request.sparse)
    notes: list[str] = []
    return MatrixTable(
        path,
        named(path, genes, notes, request.target),
        shape[0],
        labels=labels,
        label_names=columns,
        ids=ids,
        id_name="obs",
        notes=tuple(notes),
        matrix=matrix,
    )


def write_h5ad(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen genes, with all that the file says of cells and of these genes.

    Left out are varp and raw, which are about other genes too.
    """
    h5py = require("h5py")
    path = request.path
    with _opened_h5ad(path) as file:
        shape = _matrix_shape(path, member(path, file, "X"))
        genes = _index(path, member(path, file, "var"), shape[1])
        known = named(path, genes, [], request.target)
        keep = kept_columns(path, known, names, request.labels(known))
        with h5py.File(destination, "w") as new:
            for key in file.attrs:
                new.attrs[key] = attribute(file, key)
            for part in file:
                if part in _LEFT_OUT:
                    continue
                item = member(path, file, part)
                if part in _REDUCED:
                    axis = 1 if part in ("X", "layers") else 0
                    _Copy(path, keep, axis, len(known)).some(item, new, part)
                else:
                    _Copy(path, [], 0, -1).some(item, new, part)


def tell_of_genes(about: Mapping[str, Sequence[float]], destination: Path) -> None:
    """Add columns to var of a file that `write_h5ad` wrote."""
    h5py = require("h5py")
    with h5py.File(destination, "r+") as file:
        var = file["var"]
        columns = list(dict.fromkeys([*_frame_columns(var), *about]))
        for name, values in about.items():
            if name in var:
                del var[name]  # of a selection before this one
            column = var.create_dataset(name, data=np.asarray(values))
            column.attrs[_KIND], column.attrs["encoding-version"] = "array", "0.2.0"
        var.attrs.create("column-order", columns, dtype=h5py.string_dtype())


@contextmanager
def _opened_h5ad(path: Path) -> Iterator[Any]:
    with opened(path, TITLES["h5ad"]) as file:
        names = list(file)
        missing = [part for part in ("X", "obs", "var") if part not in names]
        if missing:
            raise DatasetError(
                f"{path} is not an .h5ad file: it has no {' and no '.join(missing)}; it has "
                f"{listed(names) or 'nothing'}. Write it with anndata's write_h5ad; if it is from "
                f"MATLAB, say --format mat."
            )
        if any(is_dataset(member(path, file, part)) for part in ("obs", "var")):
            raise DatasetError(
                f"{path} is of a version of anndata before 0.7, which is no longer read. Read it "
                f"with anndata and write it again."
            )
        yield file


def _table(path: Path, file: Any, array: str | None) -> Any:
    if array is None or array == "X":
        return member(path, file, "X")
    layers = member(path, file, "layers") if "layers" in list(file) else {}
    name = array.removeprefix("layers/")
    if name not in list(layers):
        has = f"the layers {listed(layers)}" if layers else "no layers"
        raise DatasetError(
            f"{path} has no layer {array!r}.{suggestion(name, layers)} It has {has}, and X, which "
            f"is taken without --array."
        )
    return member(path, layers, name)


def _matrix_shape(path: Path, item: Any) -> tuple[int, int]:
    """Return how many cells and genes a matrix has, by what it says itself."""
    if is_dataset(item):
        shape = shape_of(path, item)
    else:
        shape = tuple(int(n) for n in np.ravel(attribute(item, "shape", ())))
    if len(shape) != 2 or min(shape) < 1:
        raise DatasetError(
            f"{path}: the matrix has the shape {shape}, not cells and genes. Save it again."
        )
    return shape[0], shape[1]


def _matrix(path: Path, item: Any, shape: tuple[int, int], stays_sparse: bool) -> Any:
    if is_dataset(item):
        check_memory(path, *shape)
        matrix: Any = values_of(path, item)
    elif stays_sparse:
        matrix = sorted_rows(path, _sparse(path, item, shape))
    else:
        check_memory(path, *shape)
        matrix = filled(path, _sparse(path, item, shape))
    check_matrix(path, matrix, "the matrix")
    return matrix


def _kind(item: Any) -> str:
    return text_attribute(item, _KIND)


def _sparse(path: Path, item: Any, shape: tuple[int, ...]) -> Any:
    values, indices, pointers = (
        values_of(path, member(path, item, part)) for part in ("data", "indices", "indptr")
    )
    is_by_row = _kind(item) != _COLUMNS
    return checked_sparse(path, values, indices, pointers, shape, is_by_row=is_by_row)


def _index_name(frame: Any) -> str:
    return text_attribute(frame, "_index", "_index")


def _index(path: Path, frame: Any, n_rows: int) -> tuple[str, ...]:
    names = _column(path, frame, _index_name(frame), n_rows).values
    return tuple(str(value) for value in names)


def _frame_columns(obs: Any) -> tuple[str, ...]:
    """Return the columns, in the order that the file gives them."""
    index = _index_name(obs)
    there = [name for name in obs if name not in (index, _OLD_CATEGORIES)]
    order = {
        name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name): place
        for place, name in enumerate(np.asarray(attribute(obs, "column-order", ())).ravel())
    }
    return tuple(sorted(there, key=lambda name: order.get(name, len(order))))


def _column(path: Path, frame: Any, name: str, n_rows: int) -> Labels:
    """Return a column: plain, categories with codes, or values with a mask."""
    item = member(path, frame, name)
    if is_dataset(item):
        _check_rows(path, item, n_rows)
        if _OLD_CATEGORIES in list(frame):
            old = member(path, frame, _OLD_CATEGORIES)
            if name in list(old):
                categories = _values(path, member(path, old, name))
                return _coded(path, name, values_of(path, item), categories)
        return array_labels(_values(path, item), f"{path}: the column {name!r}")
    if "codes" in list(item):
        codes = member(path, item, "codes")
        _check_rows(path, codes, n_rows)
        categories = _values(path, member(path, item, "categories"))
        return _coded(path, name, values_of(path, codes), categories)
    values, mask = (member(path, item, part) for part in ("values", "mask"))
    for part in (values, mask):
        _check_rows(path, part, n_rows)
    return Labels(_values(path, values), values_of(path, mask).astype(bool))


def _check_rows(path: Path, item: Any, n_rows: int) -> None:
    if not is_dataset(item) or shape_of(path, item) != (n_rows,):
        has = f"the shape {item.shape}" if is_dataset(item) else "parts"
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
    if not is_dataset(item):
        item = member(path, item, "values")
    values = values_of(path, item)
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
        if is_dataset(item):
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
                copy.some(member(self.path, item, part), written, part)
        for key in item.attrs:
            if key not in written.attrs and is_plain_attribute(item, key):
                written.attrs[key] = item.attrs[key]

    def _dataset(self, item: Any, new: Any, name: str) -> Any:
        if item.shape is None:
            return new.create_dataset(name, data=item[()])
        values = values_of(self.path, item)
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
        some.sort_indices()  # which other columns than those of the file may not be
        written = new.create_group(name)
        for part in ("data", "indices", "indptr"):
            original = member(self.path, item, part)
            values = getattr(some, part).astype(original.dtype)
            written.create_dataset(part, data=values, compression=original.compression)
        written.attrs["shape"] = np.array(some.shape, dtype=item.attrs["shape"].dtype)
        return written
