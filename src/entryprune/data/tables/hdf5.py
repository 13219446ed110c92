"""HDF5 files of strangers: nothing outside of the file is read, and nothing larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.data.errors import DatasetError
from entryprune.data.tables.memory import check_bytes
from entryprune.data.tables.packages import require
from entryprune.data.tables.trouble import explained

# A link may lead to a link, but not for ever.
_MOST_LINKS = 16


@contextmanager
def opened(path: Path, title: str) -> Iterator[Any]:
    """Open a file; whatever h5py raises while it is open is about the file.

    Damage shows anywhere: in a list of names, a length, an attribute.
    """
    h5py = require("h5py")
    with explained(path, title), h5py.File(path, "r") as file:
        yield file


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
    check_bytes(path, item.size * item.dtype.itemsize)
    return np.asarray(item[()])


def shape_of(path: Path, item: Any) -> tuple[int, ...]:
    """Return the shape of a data set, which must have one."""
    if item.shape is None:
        raise DatasetError(f"{path}: {item.name} is empty. Save the table again.")
    return tuple(item.shape)


def is_dataset(item: Any) -> bool:
    """Tell a data set from a group."""
    return hasattr(item, "dtype")


def text_attribute(item: Any, name: str, default: str = "") -> str:
    """Return an attribute that should be text."""
    value = item.attrs.get(name, default)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _elsewhere(path: Path, name: str, what: str) -> DatasetError:
    return DatasetError(
        f"{path}: {name!r} {what}, which is not followed: other files are not for a table to name. "
        f"Copy the values into this file."
    )
