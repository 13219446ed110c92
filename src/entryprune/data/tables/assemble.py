"""Decide what is what: from the table of a file to features, labels and ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import listed, some_of
from entryprune.data.errors import DatasetError
from entryprune.data.tables.columns import Labels, Table
from entryprune.data.tables.csv_text import TextStart
from entryprune.data.tables.label_file import LabelFile, is_count, matched, read_labels
from entryprune.data.tables.names import LONGEST_TEXT, check_asked
from entryprune.data.tables.request import LeftOut, TableRequest, UserTable

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
    for name in _dropped(request, table, target, ids):
        left_out[name] = "asked for"
    if request.target_file is not None and target in table.names:
        left_out[str(target)] = "named like the labels"
    taken = {ids.name, ids.column} | ({target} if request.target_file is None else set())
    features = [
        number
        for number, name in enumerate(table.names)
        if name not in taken and name not in left_out
    ]
    found = table.numbers(features)
    left_out |= {one.column: one.why for one in found.left_out}
    all_left_out = tuple(LeftOut(*one) for one in left_out.items() if one[0] not in taken)
    if not found.names:
        raise _no_numbers(table, all_left_out, target)
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
    target = request.target if request.target is not None else table.own_labels
    if target is None:
        return None, None, ids
    if target == ids.name:
        raise DatasetError(
            f"{table.path}: {target!r} is the column of ids, so it cannot be the target. Name "
            f"another column, or other ids."
        )
    is_column, is_label = target in table.names, target in table.labels
    if is_column and is_label:
        raise DatasetError(
            f"{table.path} has {target!r} twice, as a column and beside the table. Rename one."
        )
    labels = table.labels[target] if is_label else table.column(table.names.index(target))
    where = f"{target!r} of {table.path}"
    _check_length(table, f"the target {where}", len(labels.values), request)
    return _complete(labels, where), target, ids


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
    labels, further = matched(found, ids.values, table.path)
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


def _complete(labels: Labels, where: str) -> NDArray[Any]:
    """Return labels none of which is missing."""
    kind, width = labels.values.dtype.kind, labels.values.dtype.itemsize // 4
    if kind == "O" or (kind == "U" and width > LONGEST_TEXT):
        longest = max(labels.values, key=len)
        if len(longest) > LONGEST_TEXT:
            raise DatasetError(
                f"A label has {len(longest):,} letters ({longest[:20]!r}...) in {where}; at most "
                f"{LONGEST_TEXT:,} are allowed. Shorten it, or name another target."
            )
    rows = np.flatnonzero(labels.is_missing)
    if not len(rows):
        return labels.values
    shown = some_of((str(row + 1) for row in rows), _MOST_ROWS)
    are = "is" if len(rows) == 1 else "are"
    raise DatasetError(
        f"{len(rows):,} of {len(labels.values):,} labels {are} missing in {where} (of sample "
        f"{shown})."
        f" Fill them in, or remove these samples."
    )


def _dropped(request: TableRequest, table: Table, target: str | None, ids: _Ids) -> list[str]:
    """Return the columns to drop, which must not be needed."""
    for name in request.drop:
        if name in (target, ids.name):
            what = "the target" if name == target else "the column of ids"
            raise DatasetError(
                f"{table.path}: {name!r} is {what} and is to be left out too. Name it once."
            )
    return list(request.drop)


def _no_numbers(table: Table, left_out: tuple[LeftOut, ...], target: str | None) -> DatasetError:
    named = (f"{one.column!r} ({one.why})" for one in left_out)
    shown = some_of(named, _MOST_ROWS, separator="; ", last="; and ")
    besides = "" if target is None else f" besides the target {target!r}"
    reasons = f": {shown}" if shown else ""
    return DatasetError(
        f"{table.path} has no column of numbers{besides}{reasons}. Encode text as numbers, or "
        f"check what separates the values (--format)."
    )
