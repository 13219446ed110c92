"""CSV and TSV: values between delimiters, a sample a line, or with features as rows a feature.

pyarrow reads the former, made fit for wide tables: it works block by block, and each block costs
something for every column; and it tries half a dozen types on each column before it comes to
numbers with fractions. So blocks are large, and wide tables whose first sample has fractions are
read with these types given. With features as rows, each row has a type of its own, so the rows are
converted one by one: pyarrow would take a table with a single row of text for text throughout.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv, types

from entryprune.data.dataset import DatasetError
from entryprune.data.tables.arrow_columns import ArrowTable, nullable
from entryprune.data.tables.columns import MatrixTable, Table, array_labels, text_array
from entryprune.data.tables.csv_text import (
    ARCHIVE_ERRORS,
    BOM,
    GAPS,
    MISSING,
    POINT,
    Dialect,
    Header,
    Record,
    created,
    decoded,
    is_number,
    no_samples,
    not_utf8,
    records,
    unquoted,
    with_point,
)
from entryprune.data.tables.errors import check_memory, explained
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.request import (
    ROW,
    LeftOut,
    TableRequest,
    filled,
    kept_columns,
    named,
    several,
)
from entryprune.encoding.arrow import is_text, values_of

if TYPE_CHECKING:
    from entryprune.data.tables.text_columns import Recognised

# A block must hold a whole line, and better many.
_BLOCK, _LARGEST_BLOCK, _LINES_OF_A_BLOCK = 2**24, 2**30, 64
# The longest line that is waited for if the first ones are shorter.
_LARGEST_BLOCK_FOR_A_LINE = 2**28
# Bytes of a text that is read again to say which words are gaps.
_MOST_READ_TWICE = 2**26
# What numbers and dates begin with, infinite ones too, and words among which to look for one.
_BEGINNINGS, _ENOUGH = (*"0123456789+-.,iI",), 1000
# Below this, looking at the first sample does not pay.
_MANY_COLUMNS = 1000
# Rows that are looked at to tell samples from columns that describe, and values of a row to tell
# whole numbers.
_N_ROWS_SEEN, _N_VALUES_SEEN = 50, 5


def read(request: TableRequest, dialect: Dialect, header: Header | None) -> Table:
    """Read a table of text, of which the first lines have been looked at."""
    if header is None:
        return _read_features_as_rows(request, dialect)
    start, (names, notes) = dialect.start, header
    path = start.path
    n_rows = start.n_bytes // dialect.line_bytes
    check_memory(path, n_rows, len(names), is_exact=False, n_text_bytes=start.n_bytes)
    id_number = names.index(request.id_column) if request.id_column in names else None
    table = _read_columns(dialect, id_number)
    if table.num_rows == 0:
        raise no_samples(path, len(names))
    _check_utf8(path, names, table)
    index = _index(dialect, table)
    values = _recognised(request, dialect, names, table, (index, id_number))
    return ArrowTable(path, names, table.num_rows, index=index, notes=notes, **values)


def write(
    request: TableRequest, dialect: Dialect, names: Collection[str], destination: Path
) -> None:
    """Write the chosen columns exactly as they stand in the file."""
    path = request.path
    if request.transpose:
        _write_features_as_rows(request, dialect, names, destination)
        return
    known = filled(dialect.header, [])
    first = known[0] if _names_rows(dialect) else None
    keep = kept_columns(path, known, names, (*request.others(known), first))
    start = dialect.start
    with start.opened() as source, created(destination, start.encoding) as file:
        if start.has_mark:
            source.read(len(BOM))
            file.write(BOM)
        for record in dialect.checked(source):
            file.write(dialect.delimiter.join(record.fields[n] for n in keep) + record.end)


# -- samples as rows ------------------------------------------------------------------------------


class _QuoteCounter:
    """A file as pyarrow reads it, of which the quotes are counted on the way.

    An odd number is the only sign of a quote that is never closed: to pyarrow, all that follows it
    is one value.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.n_quotes, self.closed = file, 0, False

    def read(self, n: int = -1) -> bytes:
        block = self._file.read(n)
        self.n_quotes += block.count(b'"')
        return block

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        """Do nothing: the file may be read again from its beginning."""


def _read_columns(dialect: Dialect, id_number: int | None) -> Any:
    """Read all columns with the types that fit; the one with ids as text, whatever is in it."""
    path = dialect.start.path
    block = max(_BLOCK, _LINES_OF_A_BLOCK * dialect.line_bytes)
    largest = min(max(block, _LARGEST_BLOCK_FOR_A_LINE), _LARGEST_BLOCK)
    fixed = {} if id_number is None else {str(id_number): pa.string()}
    types = _types_of_first_sample(dialect, fixed)
    title = TITLES["tsv" if dialect.delimiter == b"\t" else "csv"]
    with dialect.start.opened() as file:
        while True:
            file.seek(0)
            counter = _QuoteCounter(file)
            try:
                with explained(path, title):
                    table = _parsed(counter, dialect, types, min(block, largest))
            except DatasetError as error:
                said = str(error.__cause__)
                if "block boundaries" in said and block < largest:
                    block *= 8  # a line that is much longer than those at the beginning
                elif "conversion error" in said and types != fixed:
                    types = fixed  # further down there is text in a column that begins with numbers
                elif isinstance(error.__cause__, ARCHIVE_ERRORS):
                    raise error.__cause__ from None  # which `opened` puts into words
                else:
                    _explain(file, dialect, said)
                    raise
            else:
                if counter.n_quotes % 2:  # else they close one another; inches are odd too
                    file.seek(0)
                    for _ in records(path, file, dialect.delimiter):
                        pass
                return table


def _recognised(
    request: TableRequest,
    dialect: Dialect,
    names: Sequence[str],
    table: Any,
    ids: tuple[int | None, ...],
) -> dict[str, Any]:
    """Find what else than text columns of text are, and which words are gaps; ids stay text."""
    has_gaps = any(column.null_count for column in table.columns)
    texts = [column for column in table.columns if is_text(column.type)]
    if not has_gaps and not (request.mixed and texts) and not any(map(_may_be_more, texts)):
        return {"arrow": table, "decimal": dialect.decimal}
    # Only now: it takes as long to import as a small table to be read.
    from entryprune.data.tables.text_columns import recognised

    labels = {names.index(name) for name in request.labels(names) if name in names}
    found = recognised(
        table.columns,
        labels=labels,
        left_alone=ids,
        gaps_in_text=request.mixed,
        decimal=dialect.decimal,
    )
    # Labels that are missing are no gaps of features.
    others = {*ids, *labels}
    with_gaps = [n for n, one in enumerate(table.columns) if one.null_count and n not in others]
    words = _words_for_gaps(dialect, with_gaps)
    for number, some in found.gap_words.items():
        words[number] = tuple(dict.fromkeys((*words.get(number, ()), *some)))
    return {
        "arrow": pa.table(list(found.columns), names=table.column_names),
        "gap_words": words,
        "ambiguous": found.ambiguous,
        "decimal": dialect.decimal,
    }


def _may_be_more(column: Any) -> bool:
    """Tell whether the first word of a column of text could be a number or a date."""
    words = (word.strip() for word in column.slice(0, _ENOUGH).to_pylist())
    first = next((word for word in words if word.encode() not in GAPS), None)
    return first is None or first.startswith(_BEGINNINGS)


def _words_for_gaps(dialect: Dialect, columns: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Read columns in which pyarrow found gaps once more as text: it does not say what it saw.

    Not of large files, for which that is not worth the time.
    """
    if not columns or dialect.start.n_bytes > _MOST_READ_TWICE:
        return {}
    from entryprune.data.tables.text_columns import words_for_gaps

    places = [str(number) for number in columns]
    with dialect.start.opened() as file:
        texts = _parsed(
            _QuoteCounter(file),
            dialect,
            dict.fromkeys(places, pa.string()),
            _LARGEST_BLOCK_FOR_A_LINE,
            include_columns=places,
            strings_can_be_null=False,
        )
    found = (words_for_gaps(column) for column in texts.columns)
    return {number: words for number, words in zip(columns, found, strict=True) if words}


def _types_of_first_sample(dialect: Dialect, fixed: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that begin with a fraction: they will be that, or text."""
    if len(dialect.header) < _MANY_COLUMNS:
        return fixed
    try:
        found = list(islice(records(dialect.start.path, dialect.start.lines, dialect.delimiter), 2))
    except DatasetError:
        return fixed  # a sample of many lines
    # After a whole number there may be fractions, so nothing is known of these columns.
    fractions = {
        str(number): pa.float64()
        for record in found[int(dialect.has_header) :][:1]
        for number, field in enumerate(record.fields)
        if is_number(field, dialect.decimal) and not field.strip(b" +-").isdigit()
    }
    return fractions | fixed


def _parsed(
    file: _QuoteCounter, dialect: Dialect, types: dict[str, Any], block: int, **details: Any
) -> Any:
    return csv.read_csv(
        pa.PythonFile(file, mode="r"),
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
            quoted_strings_can_be_null=False,
            decimal_point=dialect.decimal.decode(),
            **{"strings_can_be_null": True, **details},
        ),
    )


def _explain(file: BinaryIO, dialect: Dialect, said: str) -> None:
    """Say it better than pyarrow, where that is possible."""
    if "Expected" in said and "columns" in said:
        file.seek(0)
        for _ in dialect.checked(file):
            pass
    if "UTF8" in said:
        raise not_utf8(dialect.start.path, "in the column of ids")


def _check_utf8(path: Path, names: Sequence[str], table: Any) -> None:
    """Refuse text that pyarrow could not read as such: it makes bytes of it."""
    for name, column in zip(names, table.schema.types, strict=True):
        if types.is_binary(column):
            raise not_utf8(path, f"column {name!r}")


def _index(dialect: Dialect, table: Any) -> int | None:
    """Return the first column if it has no name and numbers or names the samples.

    pandas and R write the names of rows like this. Left among the features, row numbers of a sorted
    table would give the classes away.
    """
    column = table.column(0)
    if dialect.header[0] or not (is_text(column.type) or types.is_integer(column.type)):
        return None
    is_distinct = column.null_count == 0 and len(column.unique()) == len(column)
    return 0 if is_distinct else None


def _names_rows(dialect: Dialect) -> bool:
    """Tell what `_index` tells of a table that has been read."""
    if dialect.header[0]:
        return False
    with dialect.start.opened() as file:
        fields = [record.fields[0] for record in dialect.checked(file)][1:]
    numbers = as_numbers(fields, dialect.decimal)
    is_kind = numbers is None or numbers.dtype.kind == "i"
    return is_kind and len(set(fields)) == len(fields)


# -- features as rows -----------------------------------------------------------------------------


def _read_features_as_rows(request: TableRequest, dialect: Dialect) -> Table:
    """Read a table whose first column has the features' names and whose header has the ids."""
    path = request.path
    n_lines = dialect.start.n_bytes // dialect.line_bytes
    check_memory(path, len(dialect.header), n_lines, is_exact=False)
    with dialect.start.opened() as file:
        others = _no_samples(file, dialect, several(request.drop, dialect.header))
        samples = [n for n in range(1, len(dialect.header)) if n not in others]
        if not samples:
            raise DatasetError(
                f"{path}: no column but the first has numbers, so there are no samples. Leave out "
                f"--transpose if features are columns, or check what separates the values."
            )
        given, values, texts = _converted(file, dialect, samples)
    notes = list(dialect.notes)
    names = named(path, given, notes, request.target, line=ROW)
    is_text_row = [value is None for value in values]
    numbers = [value for value in values if value is not None]
    no_samples = tuple(LeftOut(dialect.header[n], why) for n, why in others.items())
    common: dict[str, Any] = {
        "ids": tuple(dialect.header[n] for n in samples) if dialect.has_header else None,
        "id_name": "the header" if dialect.has_header else None,
        "notes": tuple(notes),
    }
    if request.mixed and texts:
        is_label = {names.index(name) for name in request.labels(names) if name in names}
        found = _mixed_rows(values, texts, is_label)
        return ArrowTable(
            path,
            names,
            len(samples),
            left_out=no_samples,
            arrow=pa.table(list(found.columns), names=[str(row) for row in range(len(names))]),
            gap_words=found.gap_words,
            ambiguous=found.ambiguous,
            decimal=dialect.decimal,
            **common,
        )
    labels = {names[n]: array_labels(text_array(words)) for n, words in texts.items()}
    return MatrixTable(
        path,
        tuple(name for name, is_one in zip(names, is_text_row, strict=True) if not is_one),
        len(samples),
        labels=labels,
        label_names=tuple(labels),
        left_out=(*no_samples, *(LeftOut(name, "text") for name in labels)),
        matrix=np.array(numbers).T if numbers else np.empty((len(samples), 0)),
        **common,
    )


def _mixed_rows(
    values: Sequence[NDArray[Any] | None], texts: dict[int, list[str]], labels: Collection[int]
) -> Recognised:
    """Return rows of which some are text as Arrow columns, each with its own type."""
    from entryprune.data.tables.text_columns import recognised

    columns = [
        pa.chunked_array(
            [pa.array([word or None for word in texts[row]], pa.string())]
            if numbers is None
            else [nullable(numbers)]
        )
        for row, numbers in enumerate(values)
    ]
    return recognised(columns, labels=labels, gaps_in_text=True)


def _write_features_as_rows(
    request: TableRequest, dialect: Dialect, names: Collection[str], destination: Path
) -> None:
    """Write the chosen rows exactly as they stand in the file, below the header if there is one."""
    path = request.path
    with dialect.start.opened() as file:
        given = [decoded(path, record.fields[0], record.line) for record in _body(file, dialect)]
    known = filled(given, [], ROW)
    keep = kept_columns(path, known, names, request.labels(known))
    place = {number: place for place, number in enumerate(keep)}
    first = -1 if dialect.has_header else 0
    rows: dict[int, list[bytes]] = {}
    ends = []  # of the places: the last line of a file may have none
    with dialect.start.opened() as source, created(destination, dialect.start.encoding) as new:
        for number, record in enumerate(records(path, source, dialect.delimiter), first):
            if number < 0:
                new.write(dialect.delimiter.join(record.fields) + record.end)
            elif number in place:
                rows[place[number]] = record.fields
                ends.append(record.end)
        for row, end in zip(sorted(rows), ends, strict=True):
            new.write(dialect.delimiter.join(rows[row]) + end)


def _body(file: BinaryIO, dialect: Dialect) -> Iterator[Record]:
    """Go through the rows below the header, from the beginning of a file."""
    file.seek(0)
    for number, record in enumerate(records(dialect.start.path, file, dialect.delimiter)):
        if number == 0 and dialect.has_header:
            continue
        if number == 0:
            record.fields[0] = record.fields[0].removeprefix(BOM)
        yield record


def _no_samples(file: BinaryIO, dialect: Dialect, drop: Sequence[str]) -> dict[int, str]:
    """Return the columns that are no samples: dropped, or text wherever others are numbers."""
    suspects = set(range(1, len(dialect.header)))
    for record in islice(_body(file, dialect), _N_ROWS_SEEN):
        fields = [unquoted(field).strip() for field in record.fields]
        are_numbers = [is_number(field, dialect.decimal) for field in fields]
        if any(are_numbers[1:]):  # else it is a row of text, and says nothing of the columns
            suspects -= {n for n, field in enumerate(fields) if are_numbers[n] or field in GAPS}
    asked = {n for n, name in enumerate(dialect.header) if n and name in drop}
    return {n: "asked for" if n in asked else "text" for n in sorted(suspects | asked)}


def _converted(
    file: BinaryIO, dialect: Dialect, samples: Sequence[int]
) -> tuple[list[str], list[NDArray[Any] | None], dict[int, list[str]]]:
    """Return all rows' names, their values if they are numbers, and the others' words."""
    path = dialect.start.path
    names: list[str] = []
    values: list[NDArray[Any] | None] = []
    texts = {}
    for record in _body(file, dialect):
        if len(record.fields) != len(dialect.header):
            raise dialect.ragged(record.line, len(record.fields))
        fields = [record.fields[n] for n in samples]
        values.append(as_numbers(fields, dialect.decimal))
        if values[-1] is None:
            texts[len(names)] = [
                "" if field in MISSING else decoded(path, field, record.line) for field in fields
            ]
        names.append(decoded(path, record.fields[0], record.line))
    return names, values, texts


def as_numbers(fields: Sequence[bytes], decimal: bytes = POINT) -> NDArray[Any] | None:
    """Return raw fields as whole or floating-point numbers, NaN for missing ones; None if not."""
    found = _cast(list(fields)) if decimal == POINT else None
    if found is None:
        # Only now, since few rows have quotes or gaps and looking for them takes time.
        words = [unquoted(field).strip() for field in fields]
        if decimal != POINT:
            if not all(is_number(word, decimal) or word in GAPS for word in words):
                return None
            words = [word if word in GAPS else with_point(word, decimal) for word in words]
        found = _cast([None if word in GAPS else word for word in words])
    return None if found is None else values_of(found)


def _cast(words: list[Any]) -> Any:
    # Most rows have fractions, and an attempt that fails takes longer than one that does not.
    for kind in (pa.int64(), pa.float64()) if _look_whole(words) else (pa.float64(),):
        try:
            return pa.array(words, pa.string()).cast(kind)
        except pa.ArrowInvalid:
            pass  # not of this type, or not even text
    return None


def _look_whole(words: list[Any]) -> bool:
    return not any(b"." in word or b"e" in word for word in words[:_N_VALUES_SEEN] if word)
