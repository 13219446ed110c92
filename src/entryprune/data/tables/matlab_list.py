"""What a MATLAB file of version 5 to 7.2 holds, from the headers of its variables alone.

scipy tells it too, but takes longer to import than most mistakes take to be told.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import NamedTuple

_FILE_HEADER = 128
_TAG = 8
_COMPRESSED, _MATRIX = 15, 14
# The classes with a header of flags, size and name, as scipy names them; they are numbered from 1.
_CLASSES = (
    *("cell", "struct", "object", "char", "sparse", "double", "single"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)
# Enough for the header of a variable: its flags, its dimensions and a name of 63 letters.
_MOST_OF_A_HEADER = 512


class Variable(NamedTuple):
    """A variable of a MATLAB file.

    Attributes
    ----------
    name : str
        What it is called.
    shape : tuple of int
        Its size; that of text without the length.
    kind : str
        MATLAB's class, such as "double".
    """

    name: str
    shape: tuple[int, ...]
    kind: str


def variables_of(path: Path) -> list[Variable] | None:
    """List the variables of a file, or None if it has anything but plain ones.

    None says nothing about what is wrong, or whether anything is: it is for scipy to tell.

    Examples
    --------
    >>> import tempfile
    >>> from scipy.io import savemat
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.mat")
    ...     savemat(path, {"X": [[0.5, 1.5, 2.5]]})
    ...     variables_of(path)
    [Variable(name='X', shape=(1, 3), kind='double')]
    """
    found = []
    with path.open("rb") as file:
        start = file.read(_FILE_HEADER)
        order = {b"IM": "<", b"MI": ">"}.get(start[-2:])
        if len(start) < _FILE_HEADER or order is None:
            return None
        size = path.stat().st_size
        while tag := file.read(_TAG):
            if len(tag) < _TAG:
                return None
            kind, length = struct.unpack(f"{order}II", tag)
            end = file.tell() + length
            if end > size:
                return None
            head = file.read(min(length, _MOST_OF_A_HEADER))
            try:
                if kind == _COMPRESSED:
                    head = zlib.decompressobj().decompress(head, _MOST_OF_A_HEADER)
                    kind, _ = struct.unpack_from(f"{order}II", head)
                    head = head[_TAG:]
                variable = _variable(head, order) if kind == _MATRIX else None
            except (struct.error, zlib.error):
                return None
            if variable is None:
                return None
            found.append(variable)
            file.seek(end)
    return found


def _variable(head: bytes, order: str) -> Variable | None:
    flags, place = _element(head, 0, order)
    sizes, place = _element(head, place, order)
    name, _ = _element(head, place, order)
    number = struct.unpack_from(f"{order}I", flags)[0] & 0xFF
    if not (1 <= number <= len(_CLASSES) and name):
        return None
    kind = _CLASSES[number - 1]
    shape = struct.unpack(f"{order}{len(sizes) // 4}i", sizes)
    return Variable(name.decode("latin1"), shape[:-1] if kind == "char" else shape, kind)


def _element(head: bytes, place: int, order: str) -> tuple[bytes, int]:
    """Return the bytes of an element, and where the next one begins."""
    first, length = struct.unpack_from(f"{order}II", head, place)
    # Up to four bytes are packed into the tag, with their number in its upper half.
    is_packed = first >> 16
    begin, length = (place + 4, first >> 16) if is_packed else (place + _TAG, length)
    data = head[begin : begin + length]
    if len(data) < length:
        raise struct.error("cut short")
    return data, place + _TAG if is_packed else begin + -(-length // 8) * 8
