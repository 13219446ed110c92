"""Labels in a file of their own: read them, and bring them into the order of the samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from entryprune._text import counted, listed
from entryprune.data.errors import DatasetError
from entryprune.data.tables.columns import Labels, Table, array_labels, check_letters
from entryprune.data.tables.csv_text import (
    Dialect,
    TextStart,
    checked_header,
    detect,
    is_number,
    opened,
    records,
    unquoted,
)
from entryprune.data.tables.errors import explained
from entryprune.data.tables.formats import (
    DELIMITED,
    FORMATS,
    TITLES,
    TableFile,
    check_file,
    delimiter_of,
    format_by_name,
    read_file,
    text_start,
)
from entryprune.data.tables.names import unknown_column
from entryprune.data.tables.request import TableRequest

_ALLOWED = (*DELIMITED, "npy", "parquet", "feather")


@dataclass(frozen=True, eq=False)
class LabelFile:
    """The labels of a file, and the ids of the samples that they are of."""

    path: Path
    name: str  # what the labels are called
    labels: Labels  # their values
    ids: tuple[str, ...] | None  # the samples' ids
    id_name: str | None  # what these are called
    notes: tuple[str, ...]  # what was guessed


def look_at_labels(request: TableRequest) -> TextStart | None:
    """Refuse a file that cannot hold labels; return the first lines of one that is text."""
    path = request.target_file
    if path is None:
        return None
    check_file(path)
    fmt = format_by_name(path)
    if fmt is None or fmt not in _ALLOWED:
        ends = ", ".join(FORMATS[name][0] for name in _ALLOWED)
        what = "a file with this ending" if fmt is None else TITLES[fmt]
        raise DatasetError(
            f"{path}: labels are not read from {what}, but from {ends}. Save them as one of these, "
            f"or rename the file if it is one."
        )
    return text_start(path, fmt)


def expecting_ids(request: TableRequest, start: TextStart | None) -> TableRequest:
    """Return the request with the column of ids that a file of labels lets expect.

    The table's column of that name is to be read as text, too: 007 must not become 7.
    """
    if request.id_column is not None or start is None:
        return request
    header = _detected(start, True).header
    return replace(request, id_column=_id_name(header, request)) if len(header) > 1 else request


def read_labels(
    path: Path,
    request: TableRequest,
    start: TextStart | None,
    n_samples: int,
    ids: Sequence[str] | None,
) -> LabelFile:
    """Read labels from a file.

    The number of samples, and their ids if they are known, tell a first line of names from one that
    is a label or an id.
    """
    fmt = str(format_by_name(path))
    if fmt == "npy":
        return _from_npy(path, request.target)
    if start is not None:
        table = _from_text(fmt, start, request, n_samples, ids)
    else:
        table = read_file(TableFile(TableRequest(path), fmt, None))
    return _chosen(path, table, request)


def matched(found: LabelFile, ids: Sequence[str], path: Path) -> tuple[Labels, list[str]]:
    """Bring labels into the order of the samples, and note what was not needed."""
    known = found.ids or ()
    twice = [name for name, n in Counter(known).items() if n > 1]
    if twice:
        raise DatasetError(
            f"{found.path} has more than one label for {counted(len(twice), 'sample')}: "
            f"{listed(twice)}. Keep one line a sample."
        )
    places = {name: place for place, name in enumerate(known)}
    missing = [name for name in ids if name not in places]
    if missing:
        raise DatasetError(
            f"{found.path} has no label for {len(missing):,} of the {len(ids):,} samples of "
            f"{path}: {listed(missing)}. Its ids ({found.id_name}) are {listed(known, 3)}. Add the "
            f"labels, or remove these samples."
        )
    notes = []
    unused = len(known) - len(set(ids))
    if unused:
        notes.append(f"{unused:,} of the labels are of samples that the table does not have.")
    order = np.array([places[name] for name in ids], dtype=np.intp)
    return Labels(found.labels.values[order], found.labels.is_missing[order]), notes


def is_count(ids: Sequence[str]) -> bool:
    """Tell whether ids only count the samples, from 0 or 1.

    Examples
    --------
    >>> is_count(["0", "1", "2"]), is_count(["1", "2"]), is_count(["7", "8"])
    (True, True, False)
    """
    return any(
        list(ids) == [str(number) for number in range(first, first + len(ids))] for first in (0, 1)
    )


def _from_npy(path: Path, target: str | None) -> LabelFile:
    with explained(path, TITLES["npy"]):
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    if max(values.shape, default=1) != values.size or values.dtype.kind not in "biufSU":
        raise DatasetError(
            f"{path} has the shape {values.shape} and the type {values.dtype}; labels are one text "
            f"or number a sample. Save them as an array of one dimension."
        )
    if values.dtype.kind == "U":
        check_letters(values, str(path))
    labels = array_labels(np.array(values).ravel(), str(path))
    return LabelFile(path, target or path.stem, labels, None, None, ())


def _from_text(
    fmt: str, start: TextStart, request: TableRequest, n_samples: int, ids: Sequence[str] | None
) -> Table:
    first = _detected(start, True)
    is_header = _has_header(first, request.target, n_samples, ids)
    dialect = first if is_header else _detected(start, False)
    # As text: ids such as 007 must not become numbers.
    id_name = _id_name(dialect.header, request) if len(dialect.header) > 1 else None
    asked = TableRequest(start.path, fmt, id_column=id_name, header=is_header)
    # Which column has ids is a guess, and need not be one.
    header = checked_header(replace(asked, id_column=None), dialect)
    return read_file(TableFile(asked, fmt, dialect), header)


def _detected(start: TextStart, is_header: bool | None) -> Dialect:
    return detect(start, delimiter_of(str(format_by_name(start.path))), is_header)


def _has_header(
    first: Dialect, target: str | None, n_samples: int, ids: Sequence[str] | None
) -> bool:
    """Tell names from labels: both are text, but there must be one label a sample."""
    if target in first.header:
        return True
    if ids is not None and len(first.header) > 1 and not set(first.header).isdisjoint(ids):
        return False
    start = first.start
    with nullcontext(start.lines) if start.is_whole else opened(start.path) as lines:
        found = records(start.path, lines, first.delimiter)
        last = [unquoted(record.fields[-1]) for record in found]
    if len(last) > 1 and not is_number(last[0]) and all(map(is_number, last[1:])):
        return True
    if len(last) in (n_samples, n_samples + 1):
        return len(last) == n_samples + 1
    return detect(start, first.delimiter, None).has_header


def _id_name(names: Sequence[str], request: TableRequest) -> str:
    """Return the column with ids: the one asked for, or the first that is not the target."""
    if request.id_column in names:
        return str(request.id_column)
    return next((name for name in names if name != request.target), names[0])


def _chosen(path: Path, table: Table, request: TableRequest) -> LabelFile:
    """Tell labels from ids."""
    names = table.names
    notes = tuple(f"{path.name}: {note}" for note in table.notes)
    if len(names) == 1:
        if request.target not in (None, *names) and table.names != ("column_1",):
            raise unknown_column(path, str(request.target), names, "the target")
        name = request.target or names[0]
        return LabelFile(path, name, table.column(0), None, None, notes)
    index = table.index
    id_name = _id_name(names, request)
    if index is not None and request.id_column not in names:
        id_name = names[index]
    others = [name for name in names if name != id_name]
    if request.target in names:
        name = str(request.target)
    elif len(others) == 1 and (request.target is None or names[0] == "column_1"):
        name = others[0]
    elif request.target is not None:
        raise unknown_column(path, request.target, names, "the target")
    else:
        raise DatasetError(
            f"{path} has {len(names):,} columns: {listed(names)}. Say which has the labels with "
            f"--target."
        )
    if name == id_name:
        raise DatasetError(f"{path}: {name!r} is the column of ids, so it cannot be the target.")
    labels = table.column(names.index(name))
    ids = table.text(names.index(id_name))
    return LabelFile(path, request.target or name, labels, ids, id_name, notes)
