"""HDF5 files of strangers: nothing outside of the file is read, and nothing larger than memory."""

from __future__ import annotations

import math
import mmap
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.data.errors import DatasetError
from entryprune.data.tables.errors import explained, require
from entryprune.data.tables.memory import check_bytes

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
