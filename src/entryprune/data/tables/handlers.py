"""Who reads and writes which format."""

from __future__ import annotations

from collections.abc import Callable, Collection
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from entryprune.data.tables.content import Content
from entryprune.data.tables.request import TableRequest

# The module of each format, and what its functions' names end with. Only the one that is needed is
# imported.
_HOMES = {
    "csv": ("delimited", ""),
    "tsv": ("delimited", ""),
    "parquet": ("arrow_files", "_parquet"),
    "feather": ("arrow_files", "_feather"),
    "npy": ("numpy_files", "_npy"),
    "npz": ("numpy_files", "_npz"),
    "mat": ("matlab", ""),
    "arff": ("arff", ""),
    "libsvm": ("libsvm", ""),
    "h5ad": ("h5ad", ""),
}


class Handler(NamedTuple):
    """How a format is read, and how some of its columns are written."""

    read: Callable[[TableRequest], Content]
    write: Callable[[TableRequest, Collection[str], Path], None]


def handler_of(name: str) -> Handler:
    """Return who handles a format.

    Examples
    --------
    >>> handler_of("csv").read.__module__
    'entryprune.data.tables.delimited'
    """
    home, ending = _HOMES[name]
    module = import_module(f"entryprune.data.tables.{home}")
    return Handler(getattr(module, f"read{ending}"), getattr(module, f"write{ending}"))
