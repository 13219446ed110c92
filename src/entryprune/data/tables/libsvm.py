"""LIBSVM's text: a label, then number:value for each column that is not zero."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np

from entryprune.data.dataset import DatasetError
from entryprune.data.tables.arrays import filled, sorted_rows
from entryprune.data.tables.columns import MatrixTable, Table, array_labels
from entryprune.data.tables.csv_text import bounded_lines, created, look, opened
from entryprune.data.tables.errors import check_bytes, explained
from entryprune.data.tables.formats import LIBSVM_LABEL, TITLES
from entryprune.data.tables.request import TableRequest, kept_columns


def read_libsvm(request: TableRequest) -> Table:
    """Read a LIBSVM file; columns are called by their numbers in it, as in 'f1'."""
    from sklearn.datasets import load_svmlight_file

    path = request.path
    # Of each value, for which a text has at least 3 letters, a number and a place are kept.
    check_bytes(path, 5 * look(path).n_bytes)
    with explained(path, TITLES["libsvm"]), opened(path) as file:
        # All numbers from 0 here: below it is known whether any column has that number.
        sparse, labels = load_svmlight_file(file, zero_based=True)
    if not sparse.nnz:
        raise DatasetError(f"{path} has no values but labels. Save the table again.")
    notes = []
    first = 0 if sparse.indices.min() == 0 else 1
    if first == 0:
        notes.append("The columns are numbered from 0, so the first is called 'f0'.")
    n_columns = sparse.shape[1] - first
    matrix = (sorted_rows if request.sparse else filled)(path, sparse[:, first:])
    is_whole = np.abs(labels) < 2**53
    if is_whole.all() and (labels == np.round(labels)).all():
        labels = labels.astype(np.int64)
    return MatrixTable(
        path,
        tuple(f"f{number}" for number in range(first, first + n_columns)),
        sparse.shape[0],
        labels={LIBSVM_LABEL: array_labels(labels)},
        label_names=(LIBSVM_LABEL,),
        own_labels=LIBSVM_LABEL,
        notes=tuple(notes),
        matrix=matrix,
    )


def write_libsvm(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the labels and the chosen columns under the numbers that they have.

    The others are zero to whoever reads it: a column keeps its name, and what is learned from the
    reduced table can be used on the full one.
    """
    path = request.path
    table = read_libsvm(replace(request, sparse=True))
    keep = kept_columns(path, table.names, names, ())
    # What belongs to the label is kept too: the number of a query.
    numbers = {b"qid", *(table.names[n].removeprefix("f").encode() for n in keep)}
    with opened(path) as source, created(destination) as file:
        for line in bounded_lines(path, source):
            body, hash_, comment = line.rstrip(b"\r\n").partition(b"#")
            parts = body.split()
            kept = [p for n, p in enumerate(parts) if n == 0 or _number(p) in numbers]
            text = b" ".join(kept) + (b" " if kept and hash_ else b"") + hash_ + comment
            file.write(text + line[len(line.rstrip(b"\r\n")) :])


def _number(part: bytes) -> bytes:
    """Return a column's number without zeros in front."""
    number = part.split(b":", 1)[0]
    return number.lstrip(b"0") or b"0"
