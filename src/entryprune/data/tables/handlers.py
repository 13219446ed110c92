"""Who reads and writes which format."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from entryprune.data.tables import (
    arff,
    arrow_files,
    delimited,
    h5ad,
    libsvm,
    matlab,
    numpy_files,
)
from entryprune.data.tables.content import Content
from entryprune.data.tables.request import TableRequest


class Handler(NamedTuple):
    """How a format is read, and how some of its columns are written."""

    read: Callable[[TableRequest], Content]
    write: Callable[[TableRequest, Collection[str], Path], None]


HANDLERS = {
    "csv": Handler(delimited.read, delimited.write),
    "tsv": Handler(delimited.read, delimited.write),
    "parquet": Handler(arrow_files.read_parquet, arrow_files.write_parquet),
    "feather": Handler(arrow_files.read_feather, arrow_files.write_feather),
    "npy": Handler(numpy_files.read_npy, numpy_files.write_npy),
    "npz": Handler(numpy_files.read_npz, numpy_files.write_npz),
    "mat": Handler(matlab.read, matlab.write),
    "arff": Handler(arff.read, arff.write),
    "libsvm": Handler(libsvm.read, libsvm.write),
    "h5ad": Handler(h5ad.read, h5ad.write),
}
