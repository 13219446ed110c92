"""MATLAB files: version 5 to 7.2 and 7.3 (which is HDF5); version 4 with scipy."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entryprune.data.dataset import DatasetError
from entryprune.data.tables import hdf5
from entryprune.data.tables.arrays import (
    NUMBERS,
    OTHER,
    TEXT,
    Stored,
    checked_sparse,
    filled,
    kept_features,
    table_of,
)
from entryprune.data.tables.columns import Table, text_array
from entryprune.data.tables.errors import check_bytes, explained
from entryprune.data.tables.formats import HDF5, TITLES, first_bytes
from entryprune.data.tables.request import TableRequest

_TITLE = TITLES["mat"]
# What a file begins with: text of the program that wrote it. The HDF5 of version 7.3 follows.
_PREFACE, _HDF5_PREFACE = 116, 512
# What version 7.3 adds to HDF5: the class of a variable, the number of a sparse matrix's rows, and
# whether a variable is empty.
_CLASS, _SPARSE, _EMPTY = "MATLAB_class", "MATLAB_sparse", "MATLAB_empty"

_FILE_HEADER, _TAG = 128, 8
_MATRIX, _COMPRESSED = 14, 15
# How the numbers of an element are stored; those of text follow.
_TYPES = dict(enumerate(("i1", "u1", "i2", "u2", "i4", "u4", "f4"), 1))
_TYPES |= {9: "f8", 12: "i8", 13: "u8"}
_LETTERS = {1: "latin-1", 2: "latin-1", 16: "utf-8", 18: "utf-32"}
_TWO_BYTES = (4, 17)  # letters as UTF-16
# MATLAB's classes, numbered from 1, and the types of those that are numbers.
_CLASSES = (
    *("cell", "struct", "object", "char", "sparse", "double", "single"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)
_NUMBERS = {"double": "f8", "single": "f4"} | {name: name for name in _CLASSES[7:]}
_LOGICAL, _COMPLEX = 0x200, 0x800
# Enough for the header of a variable: its flags, its dimensions and a name of 63 letters.
_MOST_OF_A_HEADER = 512
# zlib makes at most 1,032 bytes of one.
_MOST_COMPRESSED = 1032
# What the classes are to who looks for a table.
_KINDS = dict.fromkeys((*_NUMBERS, "logical", "sparse"), NUMBERS)
_KINDS |= dict.fromkeys(("char", "cell"), TEXT)

Load = Callable[[str], Any]


def read_mat(request: TableRequest) -> Table:
    """Read the variables of a file that are asked for."""
    path = request.path
    with _opened(path) as (stored, load):
        return table_of(
            request,
            stored,
            lambda name: as_array(path, name, load(name), stays_sparse=request.sparse),
        )


def write_mat(request: TableRequest, names: Collection[str], destination: Path) -> None:
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
        others = request.others([one.name for one in stored])
        for other in stored:
            if other.name in others and other.name not in variables:
                variables[other.name] = load(other.name)
    with destination.open("w+b") as file:
        with explained(path, "a file of MATLAB 5"):  # which has no variables of 2 GB or more
            savemat(file, {name: _writable(value) for name, value in variables.items()})
        file.seek(0)
        file.write(_preface(path))


def as_array(path: Path, name: str, value: Any, *, stays_sparse: bool = False) -> Any:
    """Return a variable as an array of numbers or text: sparse ones filled, cells as text."""
    if hasattr(value, "toarray"):
        # Of one column, which labels are, nothing would be saved.
        return value if stays_sparse and min(value.shape) > 1 else filled(path, value)
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
    start = first_bytes(path, _HDF5_PREFACE + len(HDF5))
    if start.startswith(HDF5) or start[_HDF5_PREFACE:] == HDF5:
        with hdf5.opened(path, _TITLE) as file:
            stored = [
                _described(path, name, hdf5.member(path, file, name))
                for name in file
                if not name.startswith("#")
            ]
            yield stored, lambda name: _load_73(path, file, name)
    elif is_version_5(start):
        with explained(path, _TITLE):
            found = {variable.name: variable for variable in variables_of(path)}
        stored = [_stored(*variable[:3]) for variable in found.values()]
        yield stored, lambda name: load_5(path, found[name])
    elif 0 in start[:4]:
        from scipy.io import whosmat

        with explained(path, _TITLE):
            stored = [_stored(*variable) for variable in whosmat(str(path), appendmat=False)]
            _check_sizes_4(path, stored)
        yield stored, lambda name: _load_4(path, name)
    else:
        raise DatasetError(f"{path} is not {_TITLE}: it does not begin like one. Save it again.")


def _stored(name: str, shape: tuple[int, ...], kind: str) -> Stored:
    return Stored(name, tuple(shape), _KINDS.get(kind, OTHER), is_sparse=kind == "sparse")


def _check_sizes_4(path: Path, stored: list[Stored]) -> None:
    """Refuse sizes for which a file without compression is too short."""
    for variable in stored:
        if math.prod(variable.shape) > path.stat().st_size:
            raise ValueError(f"{variable.name!r} cannot have the shape {variable.shape}")


def _load_4(path: Path, name: str) -> Any:
    from scipy.io import loadmat

    with explained(path, _TITLE):
        return loadmat(str(path), variable_names=[name], appendmat=False, mat_dtype=True)[name]


# -- version 7.3 ----------------------------------------------------------------------------------


def _described(path: Path, name: str, item: Any) -> Stored:
    if _SPARSE in item.attrs:
        n_columns = hdf5.shape_of(path, hdf5.member(path, item, "jc"))[0] - 1
        shape = (int(hdf5.attribute(item, _SPARSE)), n_columns)
        return Stored(name, shape, NUMBERS, is_sparse=True)
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


# -- version 5 to 7.2 -----------------------------------------------------------------------------

# Read without trust in what the files say of themselves, and not with scipy's reader, to which one
# changed byte (the type of an element) is the end of the process; it also takes longer to import
# than most mistakes take to be told.


class Variable(NamedTuple):
    """A variable: its name, shape (that of text without the length), class, and where it lies."""

    name: str
    shape: tuple[int, ...]
    kind: str
    begin: int
    length: int


class _Header(NamedTuple):
    name: str
    shape: tuple[int, ...]
    kind: str
    is_logical: bool


class _Elements:
    """The elements that a piece of a file consists of, one after the other."""

    def __init__(self, data: bytes | memoryview, order: str) -> None:
        self._data, self._order, self._place = memoryview(data), order, 0

    def next(self) -> tuple[int, memoryview]:
        """Return the type and the bytes of the next element."""
        if self._place + _TAG > len(self._data):
            raise ValueError("it ends before all of its parts")
        first, length = struct.unpack_from(f"{self._order}II", self._data, self._place)
        # Up to four bytes are packed into the tag, with their number in its upper half.
        if first >> 16:
            kind, length, begin = first & 0xFFFF, first >> 16, self._place + 4
            self._place += _TAG
        else:
            kind, begin = first, self._place + _TAG
            self._place = begin + -(-length // 8) * 8
        data = self._data[begin : begin + length]
        if len(data) < length or (length > 4 and begin % 8 == 4):
            raise ValueError("a part is longer than its place")
        return kind, data

    @property
    def n_left(self) -> int:
        """The number of bytes that have not been looked at."""
        return max(0, len(self._data) - self._place)

    def numbers(self) -> NDArray[Any]:
        """Return the next element as numbers."""
        kind, data = self.next()
        if kind not in _TYPES:
            raise ValueError(f"numbers cannot be of the type {kind}")
        dtype = np.dtype(f"{self._order}{_TYPES[kind]}")
        if len(data) % dtype.itemsize:
            raise ValueError("numbers are cut short")
        return np.frombuffer(data, dtype)

    def header(self) -> _Header:
        """Return what a variable begins with; a class that is not known has no name."""
        flags, sizes = self.numbers(), self.numbers()
        _, name = self.next()
        if len(flags) != 2 or flags.dtype.kind != "u":
            raise ValueError("a variable has no class")
        if not 2 <= len(sizes) <= 32 or sizes.dtype.kind != "i" or (sizes < 0).any():
            raise ValueError("a variable has no valid size")
        number = int(flags[0]) & 0xFF
        kind = _CLASSES[number - 1] if 1 <= number <= len(_CLASSES) else "other"
        shape = tuple(int(size) for size in sizes)
        if flags[0] & _COMPLEX:
            kind = "complex"
        return _Header(bytes(name).decode("latin-1"), shape, kind, bool(flags[0] & _LOGICAL))


def is_version_5(start: bytes) -> bool:
    """Tell from its beginning whether a file is of version 5 to 7.2."""
    return len(start) >= _FILE_HEADER and 0 not in start[:4] and start[126:128] in (b"IM", b"MI")


def variables_of(path: Path) -> list[Variable]:
    """List the variables of a file from their headers alone."""
    found = []
    for kind, begin, length, head, order in _tops(path):
        header = _Elements(_start_of_matrix(kind, head, order), order).header()
        shape = header.shape[:-1] if header.kind == "char" else header.shape
        most = length * (_MOST_COMPRESSED if kind == _COMPRESSED else 1)
        n_stored = shape[-1] if header.kind == "sparse" else math.prod(shape)
        if header.kind in (*_NUMBERS, "sparse") and n_stored > most:
            raise ValueError(f"{header.name!r} cannot have the shape {shape}")
        if header.name:  # MATLAB keeps what belongs to objects under none
            found.append(Variable(header.name, shape, header.kind, begin, length))
    return found


def _start_of_matrix(kind: int, head: bytes, order: str) -> bytes:
    if kind == _COMPRESSED:
        head = zlib.decompressobj().decompress(head, _MOST_OF_A_HEADER)
        kind, _ = struct.unpack_from(f"{order}II", head.ljust(_TAG, b"\0"))
        head = head[_TAG:]
    if kind != _MATRIX:
        raise ValueError(f"a variable cannot be of the type {kind}")
    return head


def load_5(path: Path, variable: Variable) -> Any:
    """Read a variable: numbers, sparse numbers, text, or cells with one text or number each."""
    with explained(path, _TITLE), path.open("rb") as file:
        order = _order(file.read(_FILE_HEADER))
        file.seek(variable.begin - _TAG)
        kind, length = struct.unpack(f"{order}II", file.read(_TAG))
        check_bytes(path, length)
        data = file.read(length)
        if kind == _COMPRESSED:
            data = _decompressed(path, data, order)
        return _value(path, _Elements(data, order), order)


def _tops(path: Path) -> Iterator[tuple[int, int, int, bytes, str]]:
    """Go through a file: the type, place, length and beginning of each variable."""
    size = path.stat().st_size
    with path.open("rb") as file:
        order = _order(file.read(_FILE_HEADER))
        while tag := file.read(_TAG):
            if len(tag) < _TAG:
                raise ValueError("it ends within a variable")
            kind, length = struct.unpack(f"{order}II", tag)
            begin = file.tell()
            if begin + length > size:
                raise ValueError("it ends within a variable")
            yield kind, begin, length, file.read(min(length, _MOST_OF_A_HEADER)), order
            file.seek(begin + length)


def _order(start: bytes) -> str:
    return "<" if start[126:128] == b"IM" else ">"


def _decompressed(path: Path, data: bytes, order: str) -> bytes:
    """Return a variable without compression, as long as it says it is and not a byte more."""
    stream = zlib.decompressobj()
    tag = stream.decompress(data, _TAG)
    kind, length = struct.unpack(f"{order}II", tag.ljust(_TAG, b"\0"))
    if kind != _MATRIX:
        raise ValueError(f"a variable cannot be of the type {kind}")
    check_bytes(path, length)
    body = stream.decompress(stream.unconsumed_tail, length) if length else b""
    if len(body) < length:
        raise ValueError("it ends within a variable")
    if not stream.eof:
        stream.decompress(stream.unconsumed_tail, 1)  # which compares the checksum
    return body


def _value(path: Path, elements: _Elements, order: str) -> Any:
    header = elements.header()
    if header.kind in _NUMBERS:
        values = elements.numbers()
        if len(values) != math.prod(header.shape):
            raise ValueError(f"{header.name!r} has {len(values)} values for {header.shape}")
        dtype = np.dtype(bool if header.is_logical else _NUMBERS[header.kind])
        with np.errstate(invalid="ignore"):  # fractions where whole numbers should be
            return values.astype(dtype, copy=False).reshape(header.shape, order="F")
    if header.kind == "sparse":
        rows, starts, values = elements.numbers(), elements.numbers(), elements.numbers()
        n_values = int(starts[-1]) if len(starts) else 0
        # MATLAB may have kept room for more.
        matrix = checked_sparse(
            path, values[:n_values], rows[:n_values], starts, header.shape, is_by_row=False
        )
        return matrix.astype(bool) if header.is_logical else matrix
    if header.kind == "char":
        return _texts(elements, header.shape, order)
    if header.kind == "cell":
        return _cells(path, elements, header.shape, order)
    raise ValueError(f"{header.name!r} is neither numbers nor text")


def _texts(elements: _Elements, shape: tuple[int, ...], order: str) -> NDArray[Any]:
    """Return the rows of a matrix of letters."""
    kind, data = elements.next()
    if kind in _TWO_BYTES:
        units = np.frombuffer(data[: len(data) // 2 * 2], f"{order}u2").astype(np.uint32)
        letters = units.view("U1").tolist()
    elif kind in _LETTERS:
        ending = {"<": "-le", ">": "-be"}[order] if _LETTERS[kind] == "utf-32" else ""
        letters = list(bytes(data).decode(_LETTERS[kind] + ending))
    else:
        raise ValueError(f"text cannot be of the type {kind}")
    n_rows = math.prod(shape[:-1])
    if len(letters) != n_rows * shape[-1]:
        raise ValueError(f"a text has {len(letters)} letters for {shape}")
    rows = ["".join(letters[row::n_rows]) for row in range(min(n_rows, len(letters) or 1))]
    if kind in _TWO_BYTES:  # two units may be one letter
        rows = [row.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for row in rows]
    texts = np.empty(len(rows), dtype=object)
    texts[:] = rows
    return texts


def _cells(path: Path, elements: _Elements, shape: tuple[int, ...], order: str) -> NDArray[Any]:
    n_cells = math.prod(shape)
    if n_cells * _TAG > elements.n_left:
        raise ValueError(f"cells are missing: there should be {n_cells:,}")
    cells = np.empty(n_cells, dtype=object)
    for number in range(n_cells):
        kind, data = elements.next()
        if kind != _MATRIX:
            raise ValueError(f"a cell cannot be of the type {kind}")
        cells[number] = _cell(path, data, order)
    return cells.reshape(shape, order="F")


def _cell(path: Path, data: memoryview, order: str) -> Any:
    """Return the one text or number of a cell; None if there are more, or something else."""
    if not len(data):
        return ""
    kind = _Elements(data, order).header().kind
    if kind != "char" and kind not in _NUMBERS:
        return None
    value = _value(path, _Elements(data, order), order)
    if not value.size:
        return ""
    return value.ravel()[0] if value.size == 1 else None
