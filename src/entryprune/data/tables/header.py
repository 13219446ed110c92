"""What the first lines of a text file tell, before the rest is read and anything is imported."""

from __future__ import annotations

from pathlib import Path

from entryprune._text import counted
from entryprune.data.errors import DatasetError
from entryprune.data.tables.checks import check_asked
from entryprune.data.tables.dialect import Dialect, detect, first_lines, ragged
from entryprune.data.tables.formats import format_of
from entryprune.data.tables.names import check_unique, filled
from entryprune.data.tables.request import TableRequest
from entryprune.data.tables.text import records


def check_header(request: TableRequest) -> None:
    r"""Refuse a text file whose first lines show that the request cannot be met.

    Parameters
    ----------
    request : TableRequest
        What is asked for; with features as rows, the header has no names of columns.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "flowers.csv")
    ...     _ = path.write_text("width,kind\n0.2,a\n1.3,b\n")
    ...     check_header(TableRequest(path, target="kinds"))
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: ...flowers.csv has no column 'kinds' for the target. Did
    you mean 'kind'? It has 2 columns: 'width', 'kind'.
    """
    dialect = text_dialect(request)
    if not request.transpose:
        check_asked(request, column_names(request, dialect, []))
        _check_lengths(request.path, dialect)


def _check_lengths(path: Path, dialect: Dialect) -> None:
    lines = first_lines(path)
    if any(b'"' in line for line in lines):
        return  # a value may go over more lines than these
    for record in records(path, lines, dialect.delimiter):
        if len(record.fields) != len(dialect.header):
            raise ragged(path, dialect, record.line, len(record.fields))


def text_dialect(request: TableRequest) -> Dialect:
    """Return how the text file that is asked for is written."""
    is_tsv = format_of(request.path, request.format) == "tsv"
    return detect(request.path, b"\t" if is_tsv else None, request.header)


def column_names(request: TableRequest, dialect: Dialect, notes: list[str]) -> tuple[str, ...]:
    """Return the columns' names, each of which is there once, and note those that were made up."""
    names = filled(dialect.header, notes)
    hint = ""
    if request.header is None and dialect.has_header:
        hint = " If the first line is a case and not names, say --no-header."
    check_unique(request.path, names, request.target, hint)
    if dialect.is_header_only:
        raise no_cases(request.path, len(names))
    return names


def no_cases(path: Path, n_columns: int) -> DatasetError:
    """Return the error for a table that ends with its header.

    Examples
    --------
    >>> raise no_cases(Path("t.csv"), 2)
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: t.csv has names of 2 columns and no cases. Save the table
    again; if the first line is a case, say --no-header.
    """
    return DatasetError(
        f"{path} has names of {counted(n_columns, 'column')} and no cases. Save the table again; "
        f"if the first line is a case, say --no-header."
    )
