"""CSV and TSV: values between delimiters, a case a line."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from entryprune.data.tables import rows
from entryprune.data.tables.arrow import ArrowContent, is_text
from entryprune.data.tables.content import Content
from entryprune.data.tables.csv_columns import read_columns
from entryprune.data.tables.dialect import Dialect, ragged
from entryprune.data.tables.header import column_names, no_cases, text_dialect
from entryprune.data.tables.memory import check_memory
from entryprune.data.tables.names import filled, kept_columns
from entryprune.data.tables.request import TableRequest
from entryprune.data.tables.text import (
    BOM,
    created,
    first_bytes,
    n_text_bytes,
    not_utf8,
    opened,
    records,
)
from entryprune.data.tables.trouble import explained

_CHUNK = 2**24


def read(request: TableRequest) -> Content:
    """Read a table of text."""
    dialect = text_dialect(request)
    if request.transpose:
        return rows.read(request, dialect)
    path, notes = request.path, list(dialect.notes)
    names = column_names(request, dialect, notes)
    n_columns = len(names)
    n_bytes = n_text_bytes(path)
    n_rows = n_bytes // dialect.line_bytes
    check_memory(path, n_rows, n_columns, is_exact=False, n_text_bytes=n_bytes)
    id_number = names.index(request.id_column) if request.id_column in names else None
    table = read_columns(path, dialect, id_number)
    if table.num_rows == 0:
        raise no_cases(path, n_columns)
    _check_utf8(path, names, table)
    _check_quotes(path, dialect)
    index = _index(dialect, table)
    return ArrowContent(path, names, table.num_rows, index=index, notes=tuple(notes), table=table)


def write(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen columns exactly as they stand in the file."""
    path = request.path
    dialect = text_dialect(request)
    if request.transpose:
        rows.write(request, dialect, names, destination)
        return
    known = filled(dialect.header, [])
    first = known[0] if _names_rows(path, dialect) else None
    keep = kept_columns(path, known, names, (request.target, request.id_column, first))
    with opened(path) as source, created(destination) as file:
        if first_bytes(path, len(BOM), is_unzipped=True) == BOM:
            source.read(len(BOM))
            file.write(BOM)
        for record in records(path, source, dialect.delimiter):
            if len(record.fields) != len(dialect.header):
                raise ragged(path, dialect, record.line, len(record.fields))
            file.write(dialect.delimiter.join(record.fields[n] for n in keep) + record.end)


def _names_rows(path: Path, dialect: Dialect) -> bool:
    """Tell what `_index` tells of a table that has been read."""
    if dialect.header[0]:
        return False
    with opened(path) as file:
        fields = [record.fields[0] for record in records(path, file, dialect.delimiter)][1:]
    numbers = rows.as_numbers(fields)
    is_kind = numbers is None or numbers.dtype.kind == "i"
    return is_kind and len(set(fields)) == len(fields)


def _check_utf8(path: Path, names: Sequence[str], table: Any) -> None:
    """Refuse text that pyarrow could not read as such: it makes bytes of it."""
    from pyarrow import types

    for name, column in zip(names, table.schema.types, strict=True):
        if types.is_binary(column):
            raise not_utf8(path, f"column {name!r}")


def _check_quotes(path: Path, dialect: Dialect) -> None:
    """Refuse a quote that is never closed: to pyarrow, all that follows is one value."""
    with explained(path, "a text file"), opened(path) as file:
        n_quotes = sum(block.count(b'"') for block in iter(lambda: file.read(_CHUNK), b""))
    if n_quotes % 2:  # else they close one another; inches, say, make an odd number too
        with opened(path) as file:
            for _ in records(path, file, dialect.delimiter):
                pass


def _index(dialect: Dialect, table: Any) -> int | None:
    """Return the first column if it has no name and numbers or names the cases.

    pandas and R write the names of rows like this. Left among the features, row numbers of a sorted
    table would give the classes away.
    """
    from pyarrow import types

    column = table.column(0)
    if dialect.header[0] or not (is_text(column.type) or types.is_integer(column.type)):
        return None
    is_distinct = column.null_count == 0 and len(column.unique()) == len(column)
    return 0 if is_distinct else None
