"""Parquet, Feather and Arrow's own files: columns with types."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc, parquet

from entryprune._text import counted
from entryprune.data.dataset import DatasetError
from entryprune.data.tables.arrow_columns import ArrowTable, column_text
from entryprune.data.tables.columns import MatrixTable, Table
from entryprune.data.tables.errors import check_memory, explained, reason
from entryprune.data.tables.formats import TITLES, first_bytes
from entryprune.data.tables.request import (
    ROW,
    LeftOut,
    TableRequest,
    filled,
    kept_columns,
    named,
    several,
)
from entryprune.encoding.arrow import is_text

_FILE, _OLD = b"ARROW1", b"FEA1"
# Texts are kept one by one if they have no more letters than this, or than this often those of the
# file; else as categories, each of which is in memory once.
_FEW_LETTERS, _MOST_PACKED = 2**28, 20


def read_parquet(request: TableRequest) -> Table:
    """Read a Parquet file."""
    names, notes, table, _ = _read_parquet(request)
    return _table(request, names, notes, table)


def write_parquet(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen columns with their types and what is said of the table."""
    known, _, table, codec = _read_parquet(request)
    reduced = _reduced(request, known, table, names)
    parquet.write_table(reduced, destination, compression=codec)


def _read_parquet(request: TableRequest) -> tuple[tuple[str, ...], list[str], Any, str]:
    """Return the names, what was guessed of them, the columns, and how these are compressed."""
    path, codec = request.path, "SNAPPY"
    with explained(path, TITLES["parquet"]), parquet.ParquetFile(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
        check_memory(path, metadata.num_rows, len(schema))
        names, notes = _names(request, schema)
        groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
        if sum(group.num_rows * group.total_byte_size for group in groups) <= _FEW_LETTERS:
            table = file.read(use_threads=False)
        else:
            table = _read_texts_once(path, schema)
        # Only once all could be read: of a damaged column, to ask this ends the process.
        if groups and len(schema):
            codec = groups[0].column(0).compression
    check_values(path, names, table)
    return names, notes, table, "NONE" if codec == "UNCOMPRESSED" else codec


def _read_texts_once(path: Path, schema: Any) -> Any:
    """Read a file in which a long text may stand in many rows, though it is stored once."""
    import pyarrow.compute as pc

    texts = [field.name for field in schema if is_text(field.type)]
    with parquet.ParquetFile(path, read_dictionary=texts) as file:
        table = file.read(use_threads=False)
    check_values(path, table.column_names, table)
    for number, field in enumerate(schema):
        column = table.column(number)
        if column.type == field.type or not is_text(field.type):
            continue
        lengths = (
            pc.sum(pc.binary_length(piece.dictionary).take(piece.indices)).as_py() or 0
            for piece in column.chunks
        )
        if sum(lengths) <= max(_FEW_LETTERS, _MOST_PACKED * path.stat().st_size):
            table = table.set_column(number, field, column.cast(field.type))
    return table


def read_feather(request: TableRequest) -> Table:
    """Read a Feather file, an Arrow file or an Arrow stream."""
    path = request.path
    _check_age(path)
    with explained(path, TITLES["feather"]), _opened(path) as reader:
        names, notes = _names(request, reader.schema)
        # The number of rows is known only once all is read; compressed, it may be several times
        # the file's size, but seldom more than the numbers would be without compression.
        n_columns = max(1, len(reader.schema))
        check_memory(path, path.stat().st_size // (8 * n_columns), n_columns, is_exact=False)
        table = reader.read_all()
    check_values(path, names, table)
    check_memory(path, table.num_rows, table.num_columns)
    return _table(request, names, notes, table)


def write_feather(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen columns with their types, as a file or a stream as the original is."""
    path = request.path
    with explained(path, TITLES["feather"]), _opened(path) as reader:
        known, _ = _names(request, reader.schema)
        table = reader.read_all()
    check_values(path, known, table)
    reduced = _reduced(request, known, table, names)
    if _is_file(path):
        options = ipc.IpcWriteOptions(compression="lz4", unify_dictionaries=True)
        writer = ipc.new_file(str(destination), reduced.schema, options=options)
    else:
        writer = ipc.new_stream(str(destination), reduced.schema)
    with writer:
        writer.write_table(reduced)


def check_values(path: Path, names: Sequence[str], table: Any) -> None:
    """Refuse offsets and codes that point outside of their column, and text that is not UTF-8.

    pyarrow trusts a file: an offset that is wrong by one bit ends the process, or reads what lies
    elsewhere in memory. To check them all takes 0.1 s for 50,000 columns of 200 numbers, nothing
    for a column of 20 million numbers, and 0.05 s for 5 million texts.
    """
    for name, column in zip(names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except Exception as error:  # pyarrow has several that are nothing but exceptions
            if "UTF8" in str(error):
                raise DatasetError(
                    f"{path}: the column {name!r} has text that is not in the encoding UTF-8. "
                    f"Write the table again with text in UTF-8."
                ) from error
            raise DatasetError(
                f"{path}: the column {name!r} is damaged ({reason(error)}). Save the table again."
            ) from error


def _table(
    request: TableRequest, names: tuple[str, ...], notes: Sequence[str], table: Any
) -> Table:
    path = request.path
    if not (table.num_rows and table.num_columns):
        raise DatasetError(
            f"{path} has {counted(table.num_columns, 'column')} and no samples. Save the table "
            f"again."
        )
    index = next(iter(index_columns(table.schema)), None)
    if request.transpose:
        return _transposed(request, names, table, index or 0, notes)
    return ArrowTable(path, names, table.num_rows, index=index, notes=tuple(notes), arrow=table)


def index_columns(schema: Any) -> list[int]:
    """Return the columns that pandas says are the rows' names."""
    try:
        said = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        indexes = said.get("index_columns", [])
    except (ValueError, AttributeError):
        return []  # what others wrote there is no concern of ours
    return [schema.names.index(name) for name in indexes if name in schema.names]


def _reduced(
    request: TableRequest, known: Sequence[str], table: Any, names: Collection[str]
) -> Any:
    indexes = index_columns(table.schema)
    if request.transpose:
        namer = indexes[0] if indexes else 0
        given = column_text(request.path, known[namer], table.column(namer))
        rows = filled(given, [], ROW)
        keep = kept_columns(request.path, rows, names, request.labels(rows))
        # Not by take, which not all types allow.
        return pa.concat_tables([table.slice(row, 1) for row in keep])
    others = (*request.others(known), *(known[number] for number in indexes))
    return table.select(kept_columns(request.path, known, names, others))


def _names(request: TableRequest, schema: Any) -> tuple[tuple[str, ...], list[str]]:
    """Return the columns' names before any value is read, and what was guessed of them."""
    notes: list[str] = []
    target = None if request.transpose else request.target
    return named(request.path, schema.names, notes, target), notes


def _check_age(path: Path) -> None:
    if first_bytes(path, len(_OLD)) == _OLD:
        raise DatasetError(
            f"{path} is a Feather file of version 1, which is no longer read. Write it again with "
            f"a current version of pandas, R's arrow or polars."
        )


def _is_file(path: Path) -> bool:
    return first_bytes(path, len(_FILE)) == _FILE


def _opened(path: Path) -> Any:
    return ipc.open_file(str(path)) if _is_file(path) else ipc.open_stream(str(path))


def _transposed(
    request: TableRequest, names: tuple[str, ...], table: Any, namer: int, notes: Sequence[str]
) -> Table:
    """Return a table of which one column names the features and the others are samples."""
    path = request.path
    whole = ArrowTable(path, names, table.num_rows, arrow=table)
    others = [n for n in range(len(names)) if n != namer]
    asked = {*several(request.drop, names)}
    samples = whole.numbers([n for n in others if names[n] not in asked])
    if not samples.names:
        raise DatasetError(
            f"{path}: no column but {names[namer]!r} has numbers, so there are no samples. Leave "
            f"out --transpose if features are columns."
        )
    all_notes = [*notes, *samples.notes]
    given = column_text(path, names[namer], table.column(namer))
    features = named(path, given, all_notes, request.target, line=ROW)
    left_out = (LeftOut(names[n], "asked for") for n in others if names[n] in asked)
    return MatrixTable(
        path,
        features,
        len(samples.names),
        ids=samples.names,
        id_name="the header",
        left_out=(*left_out, *samples.left_out),
        notes=tuple(all_notes),
        matrix=samples.X.T,
    )
