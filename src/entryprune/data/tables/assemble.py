"""Decide what is what: from the table of a file to features, labels and ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import counted, listed, some_of
from entryprune.data.dataset import DatasetError
from entryprune.data.tables.columns import Labels, Table, array_labels, check_letters
from entryprune.data.tables.csv_text import (
    Dialect,
    TextStart,
    checked_header,
    detect,
    is_number,
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
from entryprune.data.tables.request import (
    LONGEST_TEXT,
    LeftOut,
    TableRequest,
    UserTable,
    check_asked,
    line_of_features,
    several,
    unknown_column,
)

_MOST_ROWS = 5


@dataclass(frozen=True)
class _Ids:
    """The samples' names, what they are called, and the column that they are."""

    values: tuple[str, ...] | None = None
    name: str | None = None
    column: str | None = None


def assemble(
    request: TableRequest, table: Table, format_name: str, labels_start: TextStart | None
) -> UserTable:
    """Make a table of what a file holds, and of the labels in another if that was asked for."""
    left = [one.column for one in table.left_out]
    check_asked(request, table.names, table.label_names, left, has_ids=table.ids is not None)
    notes = list(table.notes)
    left_out: dict[str, str] = {one.column: one.why for one in table.left_out}
    ids = _ids(request, table, left_out, notes)
    y, target, ids = _target(request, table, labels_start, ids, notes)
    for name in _dropped(request, table, (target, *request.others(table.names)), ids):
        left_out[name] = "asked for"
    if request.target_file is not None and target in table.names:
        left_out[str(target)] = "named like the labels"
    targets = request.targets((*table.names, *table.label_names)) or (
        () if target is None else (target,)
    )
    beside = {
        name: _own_labels(request, table, name, ids, "the weights, groups, times or events")
        for name in (*targets[1:], *request.beside)
    }
    taken = {ids.name, ids.column, *beside} | ({target} if request.target_file is None else set())
    features = [
        number
        for number, name in enumerate(table.names)
        if name not in taken and name not in left_out
    ]
    found = table.mixed(features) if request.mixed else table.numbers(features)
    left_out |= {one.column: one.why for one in found.left_out}
    all_left_out = tuple(LeftOut(*one) for one in left_out.items() if one[0] not in taken)
    if not found.names:
        raise _no_numbers(request, table, all_left_out, target)
    place = {name: number for number, name in enumerate(table.names, 1)}
    return UserTable(
        found.X,
        found.names,
        y,
        target,
        ids.values,
        ids.name,
        format_name,
        table.path,
        all_left_out,
        (*notes, *found.notes),
        tuple(place[name] for name in found.names),
        table.label_names,
        found.frame,
        targets,
        beside,
    )


def _ids(request: TableRequest, table: Table, left_out: dict[str, str], notes: list[str]) -> _Ids:
    """Find the samples' names: where asked for, or where the file itself says."""
    name = request.id_column
    if name is not None:
        if name in table.labels:
            values = tuple(str(value) for value in table.labels[name].values)
            _check_length(table, f"the ids {name!r} of {table.path}", len(values), request)
            return _Ids(values, name)
        if name in table.names:
            return _Ids(table.text(table.names.index(name)), name, name)
    if table.index is None:
        return _Ids(table.ids, table.id_name if table.ids is not None else None)
    column = table.names[table.index]
    values = table.text(table.index)
    if is_count(values):
        left_out[column] = "row numbers"
        return _Ids()
    notes.append(f"The samples' ids are from the column {column!r}, which names the rows.")
    return _Ids(values, column, column)


def _target(
    request: TableRequest,
    table: Table,
    labels_start: TextStart | None,
    ids: _Ids,
    notes: list[str],
) -> tuple[NDArray[Any] | None, str | None, _Ids]:
    """Return the labels, where they are from, and the ids that were needed to find them."""
    if request.target_file is not None:
        path = request.target_file
        found = read_labels(path, request, labels_start, table.n_rows, ids.values)
        notes.extend(found.notes)
        labels, ids = _from_file(request, found, table, ids, notes)
        where = f"{found.name!r} of {found.path}"
        return _complete(labels, where), found.name, ids
    asked = request.targets((*table.names, *table.label_names))
    target = asked[0] if asked else table.own_labels
    if target is None:
        return None, None, ids
    return _own_labels(request, table, target, ids, "the target"), target, ids


def _own_labels(
    request: TableRequest, table: Table, name: str, ids: _Ids, what: str
) -> NDArray[Any]:
    """Return labels that the table itself has."""
    if name == ids.name:
        raise DatasetError(
            f"{table.path}: {name!r} is the column of ids, so it cannot be {what}. Name another "
            f"column, or other ids."
        )
    is_column, is_label = name in table.names, name in table.labels
    if is_column and is_label:
        raise DatasetError(
            f"{table.path} has {name!r} twice, as a {line_of_features(request)} and beside the "
            f"table. Rename one."
        )
    labels = table.labels[name] if is_label else table.column(table.names.index(name))
    where = f"{name!r} of {table.path}"
    _check_length(table, f"{what} {where}", len(labels.values), request)
    return _complete(labels, where, is_beside=name in request.beside)


def _from_file(
    request: TableRequest, found: LabelFile, table: Table, ids: _Ids, notes: list[str]
) -> tuple[Labels, _Ids]:
    """Bring the labels of a file into the order of the samples: by ids if it has some."""
    if found.ids is not None and ids.values is None:
        if found.id_name in table.names:
            name = str(found.id_name)
            notes.append(f"The samples' ids are from the column {name!r}, as {found.path} has it.")
            ids = _Ids(table.text(table.names.index(name)), name, name)
        elif not is_count(found.ids):
            raise DatasetError(
                f"{found.path} has the samples' ids ({found.id_name}: {listed(found.ids, 3)}), but "
                f"{table.path} has none. Say which of its columns has them with --id-column, or "
                f"keep only the labels in {found.path.name}, in the order of the samples."
            )
    if found.ids is None or ids.values is None:
        n_labels = len(found.labels.values)
        _check_length(table, f"{found.path}", n_labels, request)
        notes.append(f"The labels of {found.path.name} are taken in the order of the samples.")
        return found.labels, ids
    labels, further = matched(found, ids.values, table)
    notes.append(f"The labels of {found.path.name} are matched with the samples by their ids.")
    notes.extend(further)
    return labels, ids


def _check_length(table: Table, where: str, n_labels: int, request: TableRequest) -> None:
    if n_labels == table.n_rows:
        return
    hint = "Each sample needs one."
    n_columns = len(table.names)
    if n_labels in (n_columns, n_columns - 1):
        hint = (
            "But there are as many features: leave out --transpose."
            if request.transpose
            else "But there are as many columns: if these are the samples, say --transpose."
        )
    raise DatasetError(
        f"{where[0].upper() + where[1:] if where.startswith('the ') else where} has {n_labels:,} "
        f"values, but {table.path} has {table.n_rows:,} samples. {hint}"
    )


def _complete(labels: Labels, where: str, *, is_beside: bool = False) -> NDArray[Any]:
    """Return labels, or what stands beside the features, none of which is missing."""
    if labels.values.dtype.kind == "M" and not is_beside:
        raise DatasetError(
            f"The target {where} has dates; labels are text, numbers, categories, or true and "
            f"false, and times until an event are numbers. Choose another column, or convert this "
            f"one."
        )
    kind, width = labels.values.dtype.kind, labels.values.dtype.itemsize // 4
    if kind == "O" or (kind == "U" and width > LONGEST_TEXT):
        longest = max(labels.values, key=len)
        if len(longest) > LONGEST_TEXT:
            raise DatasetError(
                f"A label has {len(longest):,} letters ({longest[:20]!r}...) in {where}; at most "
                f"{LONGEST_TEXT:,} are allowed. Shorten it, or name another target."
            )
    is_bad, how, remedy = labels.is_missing, "missing", "Fill them in"
    if not is_bad.any() and kind == "f":
        is_bad, how, remedy = ~np.isfinite(labels.values), "infinite", "Replace them"
    rows = np.flatnonzero(is_bad)
    if not len(rows):
        return labels.values
    shown = some_of((str(row + 1) for row in rows), _MOST_ROWS)
    are = "is" if len(rows) == 1 else "are"
    raise DatasetError(
        f"{len(rows):,} of {len(labels.values):,} {'values' if is_beside else 'labels'} {are} "
        f"{how} in {where} (of sample {shown}). {remedy}, or remove these samples."
    )


def _dropped(
    request: TableRequest, table: Table, needed: Collection[str | None], ids: _Ids
) -> list[str]:
    """Return the columns to drop, which must not be needed."""
    left = (one.column for one in table.left_out)
    names = several(request.drop, (*table.names, *table.label_names, *left))
    for name in names:
        if name == ids.name or name in needed:
            what = _needed_for(request, name, ids)
            raise DatasetError(
                f"{table.path}: {name!r} is {what} and is to be left out too. Name it once."
            )
    return names


def _needed_for(request: TableRequest, name: str, ids: _Ids) -> str:
    if name in request.beside:
        return "asked for beside the features"
    return "the column of ids" if name in (ids.name, request.id_column) else "the target"


def _no_numbers(
    request: TableRequest, table: Table, left_out: tuple[LeftOut, ...], target: str | None
) -> DatasetError:
    named = (f"{one.column!r} ({one.why})" for one in left_out)
    shown = some_of(named, _MOST_ROWS, separator="; ", last="; and ")
    besides = "" if target is None else f" besides the target {target!r}"
    reasons = f": {shown}" if shown else ""
    if request.mixed:
        return DatasetError(
            f"{table.path} has no {line_of_features(request)} that can be a feature{besides}"
            f"{reasons}. Add some with values, or check what separates the values (--format)."
        )
    return DatasetError(
        f"{table.path} has no {line_of_features(request)} of numbers{besides}{reasons}. Encode "
        f"text as numbers, or check what separates the values (--format)."
    )


# -- labels in a file of their own, brought into the order of the samples -------------------------

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
    return text_start(path, fmt, request.encoding)


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


def matched(found: LabelFile, ids: Sequence[str], table: Table) -> tuple[Labels, list[str]]:
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
        remedy = "Add the labels, or remove these samples."
        if len(missing) == len(ids) and not places.keys().isdisjoint(table.names):
            remedy = (
                "Features of the table are called so: if they are the samples, say --transpose."
            )
        raise DatasetError(
            f"{found.path} has no label for {len(missing):,} of the {len(ids):,} samples of "
            f"{table.path}: {listed(missing)}. Its ids ({found.id_name}) are {listed(known, 3)}. "
            f"{remedy}"
        )
    notes = []
    unused = len(known) - len(set(ids))
    if unused:
        notes.append(f"{unused:,} of the labels are of samples that the table does not have.")
    order = np.array([places[name] for name in ids], dtype=np.intp)
    return Labels(found.labels.values[order], found.labels.is_missing[order]), notes


def is_count(ids: Sequence[str]) -> bool:
    """Tell whether ids only count the samples, from 0 or 1."""
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
    with nullcontext(start.lines) if start.is_whole else start.opened() as lines:
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
