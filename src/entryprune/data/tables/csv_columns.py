"""Values between delimiters as typed columns, with pyarrow's reader made fit for wide tables.

pyarrow works block by block, and each block costs something for every column; and it tries half a
dozen types on each column before it comes to numbers with fractions. So blocks are large, and wide
tables whose first case has fractions are read with these types given.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from entryprune.data.errors import DatasetError
from entryprune.data.tables.dialect import MISSING, Dialect, first_lines, is_number, ragged
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.text import is_zipped, not_utf8, opened, records
from entryprune.data.tables.trouble import explained

# A block must hold a whole line, and better many.
_BLOCK, _LARGEST_BLOCK, _LINES_OF_A_BLOCK = 2**24, 2**30, 64
# Below this, looking twice does not pay.
_MANY_COLUMNS = 1000


def read_columns(path: Path, dialect: Dialect, id_number: int | None) -> Any:
    """Read all columns of a text file, each with the type that fits its values.

    Parameters
    ----------
    path : Path
        The file.
    dialect : Dialect
        How it is written.
    id_number : int or None
        A column to read as text, whatever is in it.

    Returns
    -------
    pyarrow.Table
        The columns, with their numbers for names.
    """
    import pyarrow as pa

    block = max(_BLOCK, _LINES_OF_A_BLOCK * dialect.line_bytes)
    fixed = {} if id_number is None else {str(id_number): pa.string()}
    types = _types_of_first_case(path, dialect, fixed)
    title = TITLES["tsv" if dialect.delimiter == b"\t" else "csv"]
    while True:
        try:
            with explained(path, title), _stream(path) as stream:
                return _read(stream, dialect, types, min(block, _LARGEST_BLOCK))
        except DatasetError as error:
            said = str(error.__cause__)
            if "block boundaries" in said and block < _LARGEST_BLOCK:
                block *= 8  # a line that is much longer than those at the beginning
            elif "conversion error" in said and types != fixed:
                types = fixed  # further down there is text in a column that begins with numbers
            else:
                _explain(path, dialect, said)
                raise


def _stream(path: Path) -> Any:
    import pyarrow as pa

    return pa.input_stream(str(path), compression="gzip" if is_zipped(path) else None)


def _types_of_first_case(path: Path, dialect: Dialect, fixed: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that begin with a fraction: they will be that, or text."""
    import pyarrow as pa

    if len(dialect.header) < _MANY_COLUMNS:
        return fixed
    try:
        found = list(islice(records(path, first_lines(path), dialect.delimiter), 2))
    except DatasetError:
        return fixed  # a case of many lines
    # After a whole number there may be fractions, so nothing is known of these columns.
    fractions = {
        str(number): pa.float64()
        for record in found[int(dialect.has_header) :][:1]
        for number, field in enumerate(record.fields)
        if is_number(field) and not field.strip(b" +-").isdigit()
    }
    return fractions | fixed


def _read(stream: Any, dialect: Dialect, types: dict[str, Any], block: int) -> Any:
    from pyarrow import csv

    return csv.read_csv(
        stream,
        # One thread: more do not help wide tables, and the machine may have other work.
        csv.ReadOptions(
            block_size=block,
            use_threads=False,
            # Numbers in place of names, which may be empty.
            column_names=[str(number) for number in range(len(dialect.header))],
            skip_rows_after_names=dialect.header_line if dialect.has_header else 0,
        ),
        csv.ParseOptions(delimiter=dialect.delimiter.decode(), newlines_in_values=True),
        csv.ConvertOptions(
            column_types=types,
            null_values=[text.decode() for text in sorted(MISSING)],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _explain(path: Path, dialect: Dialect, said: str) -> None:
    """Say it better than pyarrow, where that is possible."""
    if "Expected" in said and "columns" in said:
        with opened(path) as file:
            for record in records(path, file, dialect.delimiter):
                if len(record.fields) != len(dialect.header):
                    raise ragged(path, dialect, record.line, len(record.fields))
    if "UTF8" in said:
        raise not_utf8(path, "in the column of ids")
