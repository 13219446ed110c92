"""Labels in a file of their own: read them, and bring them into the order of the cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from entryprune._text import counted, listed
from entryprune.data.errors import DatasetError
from entryprune.data.tables.content import Content, Labels, array_labels, check_letters
from entryprune.data.tables.dialect import Dialect, detect, is_number
from entryprune.data.tables.formats import (
    DELIMITED,
    FORMATS,
    TITLES,
    check_content,
    check_file,
    format_by_name,
)
from entryprune.data.tables.handlers import handler_of
from entryprune.data.tables.names import unknown_column
from entryprune.data.tables.request import TableRequest
from entryprune.data.tables.text import opened, records, unquoted
from entryprune.data.tables.trouble import explained

_ALLOWED = (*DELIMITED, "npy", "parquet", "feather")


@dataclass(frozen=True, eq=False)
class LabelFile:
    """The labels of a file, and the ids of the cases that they are of.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        What the labels are called.
    labels : Labels
        Their values.
    ids : tuple of str or None
        The cases' ids.
    id_name : str or None
        What these are called.
    notes : tuple of str
        What was guessed.
    """

    path: Path
    name: str
    labels: Labels
    ids: tuple[str, ...] | None
    id_name: str | None
    notes: tuple[str, ...]


def read_labels(
    path: Path, request: TableRequest, n_cases: int, ids: Sequence[str] | None
) -> LabelFile:
    """Read labels from a file.

    Parameters
    ----------
    path : Path
        The file.
    request : TableRequest
        What is asked for; its target and ids may be columns of the file.
    n_cases : int
        How many cases there are, and
    ids : sequence of str or None
        their ids, if they are known: a first line that is a label or an id is not one of names.
    """
    check_file(path)
    fmt = format_by_name(path)
    if fmt is None or fmt not in _ALLOWED:
        ends = ", ".join(FORMATS[name][0] for name in _ALLOWED)
        what = "a file with this ending" if fmt is None else TITLES[fmt]
        raise DatasetError(
            f"{path}: labels are not read from {what}, but from {ends}. Save them as one of these, "
            f"or rename the file if it is one."
        )
    check_content(path, fmt)
    if fmt == "npy":
        return _from_npy(path, request.target)
    if fmt in DELIMITED:
        content = _from_text(path, fmt, request, n_cases, ids)
    else:
        content = handler_of(fmt).read(TableRequest(path))
    return _chosen(path, content, request)


def expecting_ids(request: TableRequest) -> TableRequest:
    """Return the request with the column of ids that a file of labels lets expect.

    The table's column of that name is to be read as text, too: 007 must not become 7.
    """
    path = request.target_file
    if request.id_column is not None or path is None:
        return request
    fmt = format_by_name(path)
    if fmt not in DELIMITED:
        return request
    check_file(path)
    check_content(path, fmt)
    header = detect(path, b"\t" if fmt == "tsv" else None, True).header
    return replace(request, id_column=_id_name(header, request)) if len(header) > 1 else request


def matched(found: LabelFile, ids: Sequence[str], path: Path) -> tuple[Labels, list[str]]:
    """Bring labels into the order of the cases, and note what was not needed.

    Parameters
    ----------
    found : LabelFile
        The labels, with ids.
    ids : sequence of str
        The cases' ids.
    path : Path
        The file of cases.
    """
    known = found.ids or ()
    twice = [name for name, n in Counter(known).items() if n > 1]
    if twice:
        raise DatasetError(
            f"{found.path} has more than one label for {counted(len(twice), 'case')}: "
            f"{listed(twice)}. Keep one line a case."
        )
    places = {name: place for place, name in enumerate(known)}
    missing = [name for name in ids if name not in places]
    if missing:
        raise DatasetError(
            f"{found.path} has no label for {len(missing):,} of the {len(ids):,} cases of {path}: "
            f"{listed(missing)}. Its ids ({found.id_name}) are {listed(known, 3)}. Add the labels, "
            f"or remove these cases."
        )
    notes = []
    unused = len(known) - len(set(ids))
    if unused:
        notes.append(f"{unused:,} of the labels are of cases that the table does not have.")
    order = np.array([places[name] for name in ids], dtype=np.intp)
    return Labels(found.labels.values[order], found.labels.is_missing[order]), notes


def is_count(ids: Sequence[str]) -> bool:
    """Tell whether ids only count the cases, from 0 or 1.

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
            f"or number a case. Save them as an array of one dimension."
        )
    if values.dtype.kind == "U":
        check_letters(values, str(path))
    labels = array_labels(np.array(values).ravel(), str(path))
    return LabelFile(path, target or path.stem, labels, None, None, ())


def _from_text(
    path: Path, fmt: str, request: TableRequest, n_cases: int, ids: Sequence[str] | None
) -> Content:
    delimiter = b"\t" if fmt == "tsv" else None
    first = detect(path, delimiter, True)
    is_header = _has_header(path, first, request.target, n_cases, ids)
    dialect = detect(path, delimiter, is_header)
    # As text: ids such as 007 must not become numbers.
    id_name = _id_name(dialect.header, request) if len(dialect.header) > 1 else None
    return handler_of(fmt).read(TableRequest(path, fmt, id_column=id_name, header=is_header))


def _has_header(
    path: Path, first: Dialect, target: str | None, n_cases: int, ids: Sequence[str] | None
) -> bool:
    """Tell names from labels: both are text, but there must be one label a case."""
    if target in first.header:
        return True
    if ids is not None and len(first.header) > 1 and not set(first.header).isdisjoint(ids):
        return False
    with opened(path) as file:
        last = [unquoted(record.fields[-1]) for record in records(path, file, first.delimiter)]
    if len(last) > 1 and not is_number(last[0]) and all(map(is_number, last[1:])):
        return True
    if len(last) in (n_cases, n_cases + 1):
        return len(last) == n_cases + 1
    return detect(path, first.delimiter, None).has_header


def _id_name(names: Sequence[str], request: TableRequest) -> str:
    """Return the column with ids: the one asked for, or the first that is not the target."""
    if request.id_column in names:
        return str(request.id_column)
    return next((name for name in names if name != request.target), names[0])


def _chosen(path: Path, content: Content, request: TableRequest) -> LabelFile:
    """Tell labels from ids."""
    names = content.names
    notes = tuple(f"{path.name}: {note}" for note in content.notes)
    if len(names) == 1:
        if request.target not in (None, *names) and content.names != ("column_1",):
            raise unknown_column(path, str(request.target), names, "the target")
        name = request.target or names[0]
        return LabelFile(path, name, content.column(0), None, None, notes)
    index = content.index
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
    labels = content.column(names.index(name))
    ids = content.text(names.index(id_name))
    return LabelFile(path, request.target or name, labels, ids, id_name, notes)
