"""Weka's ARFF: a list of attributes, then values between commas.

Not with scipy's reader: it refuses attributes of text, quoted values and all but ASCII letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from entryprune._text import counted
from entryprune.data.dataset import DatasetError
from entryprune.data.tables.arrow_columns import ArrowTable
from entryprune.data.tables.columns import Table
from entryprune.data.tables.csv_text import (
    BOM,
    bounded_lines,
    checked_encoding,
    created,
    look,
    not_utf8,
    opened,
)
from entryprune.data.tables.errors import check_memory
from entryprune.data.tables.request import TableRequest, check_asked, kept_columns, named

_QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_ATTRIBUTE = re.compile(rf"\s*@attribute\s+({_QUOTED}|[^\s{{]+)\s*(\S.*)", re.IGNORECASE)
_DATA = re.compile(r"\s*@data\b", re.IGNORECASE)
# A value: in quotes of either kind, or up to the next comma.
_VALUE = re.compile(rf"(?:^|,)((?:\s*{_QUOTED})?[^,]*)")
# Values in Python's hands at once, before they become columns.
_MOST_VALUES = 2**22


class _Line(NamedTuple):
    number: int  # from 1
    body: str
    end: str
    attribute: tuple[str, str] | None  # the name and the type, if it says of one

    @property
    def has_values(self) -> bool:
        """Whether it is neither empty nor a remark."""
        return bool(self.body.strip()) and not self.body.lstrip().startswith("%")


def read_arff(request: TableRequest) -> Table:
    """Read an ARFF file; nominal attributes are text."""
    path, notes, lines = request.path, list[str](), _lines(request)
    attributes = [line.attribute for line in _head(path, lines) if line.attribute is not None]
    names = named(path, [name for name, _ in attributes], notes, request.target)
    check_asked(request, names)
    n_columns = len(names)
    check_memory(path, look(path).n_bytes // (2 * n_columns), n_columns, is_exact=False)
    rows = (_fields(path, line, n_columns) for line in lines if line.has_values)
    places, pieces = [str(number) for number in range(n_columns)], []
    # Some lines at a time, so that few values are in Python's hands at once.
    while some := list(islice(rows, max(1, _MOST_VALUES // n_columns))):
        values = zip(attributes, zip(*some, strict=True), strict=True)
        columns = [_column(path, *attribute, words) for attribute, words in values]
        pieces.append(pa.table(columns, names=places))
    if not pieces:
        raise DatasetError(
            f"{path} has {counted(n_columns, 'attribute')} and no samples. Save it again."
        )
    # Whole numbers may have met others further down.
    table = pa.concat_tables(pieces, promote_options="permissive")
    return ArrowTable(path, names, table.num_rows, notes=tuple(notes), arrow=table)


def write_arff(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen attributes exactly as they stand in the file."""
    path, lines = request.path, _lines(request)
    head = _head(path, lines)
    given = [line.attribute[0] for line in head if line.attribute is not None]
    known = named(path, given, [], request.target)
    keep = kept_columns(path, known, names, request.others(known))
    attributes = [line for line in head if line.attribute is not None]
    kept = {
        id(attributes[old]): attributes[new] for old, new in zip(sorted(keep), keep, strict=True)
    }
    with created(destination, checked_encoding(path, request.encoding)) as file:
        for line in head:
            if line.attribute is None:
                file.write((line.body + line.end).encode())
            elif (new := kept.get(id(line))) is not None:
                file.write((new.body + line.end).encode())
        for line in lines:
            text = line.body
            if line.has_values:
                fields = _fields(path, line, len(known))
                text = ",".join(fields[n] for n in keep)
            file.write((text + line.end).encode())


def _lines(request: TableRequest) -> Iterator[_Line]:
    is_head, path = True, request.path
    with opened(path, checked_encoding(path, request.encoding)) as file:
        for number, line in enumerate(bounded_lines(path, file), 1):
            try:
                text = (line.removeprefix(BOM) if number == 1 else line).decode("utf-8")
            except UnicodeDecodeError as error:
                raise not_utf8(path, f"line {number}") from error
            body = text.rstrip("\r\n")
            match = _ATTRIBUTE.match(body) if is_head else None
            is_head = is_head and not _DATA.match(body)
            found = None if match is None else (_unquoted(match[1]), match[2].lower())
            yield _Line(number, body, text[len(body) :], found)


def _head(path: Path, lines: Iterator[_Line]) -> list[_Line]:
    """Return the lines up to the one after which the values begin."""
    head: list[_Line] = []
    for line in lines:
        head.append(line)
        if _DATA.match(line.body):
            if not any(line.attribute for line in head):
                raise DatasetError(
                    f"{path} has no lines that begin with @attribute. Save it again."
                )
            return head
    raise DatasetError(
        f"{path} is not an ARFF file: it has no line that begins with @data. If it is CSV, say "
        f"--format csv."
    )


def _fields(path: Path, line: _Line, n_columns: int) -> list[str]:
    """Split a line of values at the commas that are not in quotes."""
    body = line.body
    if body.lstrip().startswith("{"):
        raise DatasetError(
            f"{path} is a sparse ARFF file, which is not read. Convert it with Weka's filter "
            f"SparseToNonSparse."
        )
    is_quoted = "'" in body or '"' in body
    fields: list[str] = _VALUE.findall(body) if is_quoted else body.split(",")
    if len(fields) != n_columns:
        raise DatasetError(
            f"{path}: line {line.number:,} has {len(fields):,} values, but there are {n_columns:,} "
            f"attributes. Mend the line; a value with a comma in it must be in quotes."
        )
    return fields


def _column(path: Path, name: str, kind: str, values: Sequence[str]) -> Any:
    """Return values with the type that their attribute has."""
    words = [None if word == "?" else word for word in map(str.strip, values)]
    if not kind.startswith(("numeric", "real", "int")):
        return pa.array([word and _unquoted(word) for word in words], pa.string())
    texts = pa.array(words, pa.string())
    if kind.startswith("int"):
        with suppress(pa.ArrowInvalid):
            return texts.cast(pa.int64())
    try:
        return texts.cast(pa.float64())
    except pa.ArrowInvalid as error:
        raise DatasetError(
            f"{path}: the attribute {name!r} is numeric, but not all of its values are "
            f"({str(error).splitlines()[0]}). Mend them, or declare it as string."
        ) from error


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if is_quoted else text
