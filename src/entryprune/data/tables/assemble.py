"""Decide what is what: from the content of a file to features, labels and ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import listed, some_of
from entryprune.data.errors import DatasetError
from entryprune.data.tables.checks import check_asked
from entryprune.data.tables.content import Content, Labels
from entryprune.data.tables.labels import LabelFile, is_count, matched, read_labels
from entryprune.data.tables.names import check_unique
from entryprune.data.tables.request import LeftOut, TableRequest, UserTable

_MOST_ROWS = 5


@dataclass(frozen=True)
class _Ids:
    """The cases' names, what they are called, and the column that they are."""

    values: tuple[str, ...] | None = None
    name: str | None = None
    column: str | None = None


def assemble(request: TableRequest, content: Content, format_name: str) -> UserTable:
    """Make a table of what a file holds.

    Parameters
    ----------
    request : TableRequest
        What is asked for.
    content : Content
        What the file holds.
    format_name : str
        Its format.
    """
    check_unique(content.path, content.names, request.target)
    left = [one.column for one in content.left_out]
    check_asked(request, content.names, content.label_names, left, has_ids=content.ids is not None)
    notes = list(content.notes)
    left_out: dict[str, str] = {one.column: one.why for one in content.left_out}
    ids = _ids(request, content, left_out, notes)
    y, target, ids = _target(request, content, ids, notes)
    for name in _dropped(request, content, target, ids):
        left_out[name] = "asked for"
    if request.target_file is not None and target in content.names:
        left_out[str(target)] = "named like the labels"
    taken = {ids.name, ids.column} | ({target} if request.target_file is None else set())
    features = [
        number
        for number, name in enumerate(content.names)
        if name not in taken and name not in left_out
    ]
    found = content.numbers(features)
    left_out |= {one.column: one.why for one in found.left_out}
    all_left_out = tuple(LeftOut(*one) for one in left_out.items() if one[0] not in taken)
    if not found.names:
        raise _no_numbers(content, all_left_out, target)
    place = {name: number for number, name in enumerate(content.names, 1)}
    return UserTable(
        found.X,
        found.names,
        y,
        target,
        ids.values,
        ids.name,
        format_name,
        content.path,
        all_left_out,
        (*notes, *found.notes),
        tuple(place[name] for name in found.names),
        content.label_names,
    )


def _ids(
    request: TableRequest, content: Content, left_out: dict[str, str], notes: list[str]
) -> _Ids:
    """Find the cases' names: where asked for, or where the file itself says."""
    name = request.id_column
    if name is not None:
        if name in content.labels:
            values = tuple(str(value) for value in content.labels[name].values)
            _check_length(content, f"the ids {name!r} of {content.path}", len(values), request)
            return _Ids(values, name)
        if name in content.names:
            return _Ids(content.text(content.names.index(name)), name, name)
    if content.index is None:
        return _Ids(content.ids, content.id_name if content.ids is not None else None)
    column = content.names[content.index]
    values = content.text(content.index)
    if is_count(values):
        left_out[column] = "row numbers"
        return _Ids()
    notes.append(f"The cases' ids are from the column {column!r}, which names the rows.")
    return _Ids(values, column, column)


def _target(
    request: TableRequest, content: Content, ids: _Ids, notes: list[str]
) -> tuple[NDArray[Any] | None, str | None, _Ids]:
    """Return the labels, where they are from, and the ids that were needed to find them."""
    if request.target_file is not None:
        found = read_labels(request.target_file, request, content.n_rows, ids.values)
        notes.extend(found.notes)
        labels, ids = _from_file(request, found, content, ids, notes)
        where = f"{found.name!r} of {found.path}"
        return _complete(labels, where), found.name, ids
    target = request.target if request.target is not None else content.own_labels
    if target is None:
        return None, None, ids
    if target == ids.name:
        raise DatasetError(
            f"{content.path}: {target!r} is the column of ids, so it cannot be the target. Name "
            f"another column, or other ids."
        )
    is_column, is_label = target in content.names, target in content.labels
    if is_column and is_label:
        raise DatasetError(
            f"{content.path} has {target!r} twice, as a column and beside the table. Rename one."
        )
    labels = content.labels[target] if is_label else content.column(content.names.index(target))
    where = f"{target!r} of {content.path}"
    _check_length(content, f"the target {where}", len(labels.values), request)
    return _complete(labels, where), target, ids


def _from_file(
    request: TableRequest, found: LabelFile, content: Content, ids: _Ids, notes: list[str]
) -> tuple[Labels, _Ids]:
    """Bring the labels of a file into the order of the cases: by ids if it has some."""
    if found.ids is not None and ids.values is None:
        if found.id_name in content.names:
            name = str(found.id_name)
            notes.append(f"The cases' ids are from the column {name!r}, as {found.path} has it.")
            ids = _Ids(content.text(content.names.index(name)), name, name)
        elif not is_count(found.ids):
            raise DatasetError(
                f"{found.path} has the cases' ids ({found.id_name}: {listed(found.ids, 3)}), but "
                f"{content.path} has none. Say which of its columns has them with --id-column, or "
                f"keep only the labels in {found.path.name}, in the order of the cases."
            )
    if found.ids is None or ids.values is None:
        n_labels = len(found.labels.values)
        _check_length(content, f"{found.path}", n_labels, request)
        notes.append(f"The labels of {found.path.name} are taken in the order of the cases.")
        return found.labels, ids
    labels, further = matched(found, ids.values, content.path)
    notes.append(f"The labels of {found.path.name} are matched with the cases by their ids.")
    notes.extend(further)
    return labels, ids


def _check_length(content: Content, where: str, n_labels: int, request: TableRequest) -> None:
    if n_labels == content.n_rows:
        return
    hint = "Each case needs one."
    n_columns = len(content.names)
    if n_labels in (n_columns, n_columns - 1):
        hint = (
            "But there are as many features: leave out --transpose."
            if request.transpose
            else "But there are as many columns: if these are the cases, say --transpose."
        )
    raise DatasetError(
        f"{where[0].upper() + where[1:] if where.startswith('the ') else where} has {n_labels:,} "
        f"values, but {content.path} has {content.n_rows:,} cases. {hint}"
    )


def _complete(labels: Labels, where: str) -> NDArray[Any]:
    """Return labels none of which is missing."""
    rows = np.flatnonzero(labels.is_missing)
    if not len(rows):
        return labels.values
    shown = some_of((str(row + 1) for row in rows), _MOST_ROWS)
    are = "is" if len(rows) == 1 else "are"
    raise DatasetError(
        f"{len(rows):,} of {len(labels.values):,} labels {are} missing in {where} (of case "
        f"{shown})."
        f" Fill them in, or remove these cases."
    )


def _dropped(request: TableRequest, content: Content, target: str | None, ids: _Ids) -> list[str]:
    """Return the columns to drop, which must not be needed."""
    for name in request.drop:
        if name in (target, ids.name):
            what = "the target" if name == target else "the column of ids"
            raise DatasetError(
                f"{content.path}: {name!r} is {what} and is to be left out too. Name it once."
            )
    return list(request.drop)


def _no_numbers(
    content: Content, left_out: tuple[LeftOut, ...], target: str | None
) -> DatasetError:
    named = (f"{one.column!r} ({one.why})" for one in left_out)
    shown = some_of(named, _MOST_ROWS, separator="; ", last="; and ")
    besides = "" if target is None else f" besides the target {target!r}"
    reasons = f": {shown}" if shown else ""
    return DatasetError(
        f"{content.path} has no column of numbers{besides}{reasons}. Encode text as numbers, or "
        f"check what separates the values (--format)."
    )
