"""Excel's .xlsx: a sheet is read cell by cell, and from there on as the text that it could be.

So gaps, dates, names of rows and features as rows are found as they are in CSV files.
"""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from entryprune._text import listed, suggestion
from entryprune.data.dataset import DatasetError
from entryprune.data.tables import csv
from entryprune.data.tables.columns import Table
from entryprune.data.tables.csv_text import Dialect, checked_header, detect, start_of
from entryprune.data.tables.errors import check_bytes, explained, require
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.request import ROW, TableRequest, filled, kept_columns

_TITLE = TITLES["xlsx"]
_WORKBOOK = "xl/workbook.xml"
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# A sheet has no more rows; and a file whose parts are so much larger than it is hardly a table.
_MOST_ROWS, _LARGE, _MOST_PACKED = 2**20, 2**28, 200
# Cells that are looked at before there must be values in some of them; what a cell takes in memory.
_MANY_CELLS, _MOST_EMPTY, _BYTES_OF_A_CELL = 10**7, 1000, 100
# Where a definition of parts that contain themselves many times over would stand.
_PROLOGUE = 4096
_ERRORS = frozenset(
    ("#DIV/0!", "#GETTING_DATA", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")
)
_MIDNIGHT = datetime.time()
_TIME_OF_WRITING = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
_ALWAYS = (1980, 1, 1, 0, 0, 0)


class _Sheet(NamedTuple):
    title: str
    rows: list[tuple[Any, ...]]  # all of the same length; the outermost are not empty
    notes: tuple[str, ...]


def read_xlsx(request: TableRequest) -> Table:
    """Read a sheet of an Excel file: the one asked for, or the first."""
    sheet = _sheet(request)
    dialect = _dialect(request, sheet)
    header = None if request.transpose else checked_header(request, dialect)
    return csv.read(request, dialect, header)


def write_xlsx(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen columns as a workbook with one sheet; values as they are, no formulas."""
    path, sheet = request.path, _sheet(request)
    dialect = _dialect(request, sheet)
    rows = sheet.rows
    if request.transpose:
        n_above = int(dialect.has_header)
        given = [_text(row[0]) for row in rows[n_above:]]
        known = filled(given, [], ROW)
        keep = kept_columns(path, known, names, request.labels(known))
        chosen = [*rows[:n_above], *(rows[n_above + number] for number in keep)]
    else:
        known = filled(dialect.header, [])
        first = None if dialect.header[0] else known[0]
        keep = kept_columns(path, known, names, (*request.others(known), first))
        chosen = [tuple(row[number] for number in keep) for row in rows]
    openpyxl = require("openpyxl")
    with explained(path, _TITLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = openpyxl.Workbook(write_only=True)
        new = book.create_sheet(sheet.title)
        for row in chosen:
            new.append([_cell(openpyxl, new, value) for value in row])
        buffer = io.BytesIO()
        book.save(buffer)
    _write_without_times(buffer, destination)


def _dialect(request: TableRequest, sheet: _Sheet) -> Dialect:
    content = b"".join(_line(row) for row in sheet.rows)
    dialect = detect(start_of(request.path, content), b",", request.header)
    return replace(dialect, notes=(*sheet.notes, *dialect.notes))


# -- reading --------------------------------------------------------------------------------------


def _sheet(request: TableRequest) -> _Sheet:
    """Return the rows of a sheet without empty ones, and without empty columns at the edges."""
    path, notes = request.path, []
    with _opened(path) as book:
        titles = [sheet.title for sheet in book.worksheets]
        if not titles:
            raise DatasetError(f"{path} has no sheet with cells. Save the table again.")
        title = titles[0] if request.array is None else request.array
        if title not in titles:
            raise DatasetError(
                f"{path} has no sheet {title!r}.{suggestion(title, titles)} It has "
                f"{listed(titles, 20)}. Choose one with --array."
            )
        others = [other for other in titles if other != title]
        if others and request.array is None:
            notes.append(f"The table is the sheet {title!r}, not {listed(others)} (--array).")
        found = list(_rows(path, book.worksheets[titles.index(title)]))
    rows = [row for row in found if row]
    if not rows:
        raise DatasetError(
            f"{path}: the sheet {title!r} is empty. Choose another with --array, or save the table "
            f"again; of formulas, the values must have been saved."
        )
    n_above = next(number for number, row in enumerate(found) if row)
    n_below = next(number for number, row in enumerate(reversed(found)) if row)
    n_between = len(found) - n_above - n_below - len(rows)
    if n_between:
        what = "1 empty row is" if n_between == 1 else f"{n_between:,} empty rows are"
        notes.append(f"{what} passed over.")
    left = min(next(n for n, value in enumerate(row) if value is not None) for row in rows)
    width = max(map(len, rows))
    check_bytes(path, len(rows) * width * _BYTES_OF_A_CELL)
    filled_up = [row[left:] + (None,) * (width - len(row)) for row in rows]
    return _Sheet(title, filled_up, tuple(notes))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    openpyxl = require("openpyxl")
    with explained(path, _TITLE), warnings.catch_warnings():
        # Of parts that it leaves out: pictures, rules for input, styles.
        warnings.simplefilter("ignore")
        _check_archive(path)
        book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            yield book
        finally:
            book.close()


def _check_archive(path: Path) -> None:
    """Refuse an archive that is no workbook, or would become far more than it is."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        names = {entry.filename for entry in entries}
        if _WORKBOOK not in names:
            raise DatasetError(
                f"{path} is not {_TITLE}: it has no {_WORKBOOK}. Save the sheet as .xlsx or as CSV "
                f"in the program that made it."
            )
        n_bytes = sum(entry.file_size for entry in entries)
        check_bytes(path, 2 * n_bytes)
        if n_bytes > _LARGE and n_bytes > _MOST_PACKED * path.stat().st_size:
            raise DatasetError(
                f"{path} would become {n_bytes / 1e9:,.1f} GB, {n_bytes // path.stat().st_size:,} "
                f"times what it is, which no table does. Save it again, or as CSV."
            )
        for entry in entries:
            if entry.compress_type not in _PACKINGS:
                raise ValueError("it is compressed in a way that Excel does not use")
            if entry.filename.endswith((".xml", ".rels")):
                with archive.open(entry) as part:
                    if b"<!DOCTYPE" in part.read(_PROLOGUE).replace(b"\0", b""):
                        raise ValueError("it has definitions, which Excel does not write")


def _rows(path: Path, sheet: Any) -> Iterator[tuple[Any, ...]]:
    """Go through the rows of a sheet, each up to its last value; of errors nothing is left."""
    sheet.reset_dimensions()  # what a file says of them need not be so
    n_cells = n_values = 0
    for row in sheet.iter_rows(max_row=_MOST_ROWS, values_only=True):
        values = [None if _is_blank(value) else value for value in row]
        n_cells += len(values)
        n_values += sum(value is not None for value in values)
        while values and values[-1] is None:
            values.pop()
        if n_cells > _MANY_CELLS and n_cells > _MOST_EMPTY * n_values:
            raise DatasetError(
                f"{path} has {n_cells:,} cells and more, but values in {n_values:,} of them. "
                f"Delete what is far away from the table, or save it as CSV."
            )
        if n_cells % 2**20 < len(row):
            check_bytes(path, _BYTES_OF_A_CELL * 2**20)
        yield tuple(values)


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _line(row: Sequence[Any]) -> bytes:
    return (",".join(map(_field, row)) + "\n").encode("utf-8", "replace")


def _field(value: Any) -> str:
    text = _text(value)
    is_plain = not any(sign in text for sign in ',"\r\n')
    return text if is_plain else '"' + text.replace('"', '""') + '"'


def _text(value: Any) -> str:
    """Return a value as it would stand in a text file."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return "#N/A" if value in _ERRORS else value
    if isinstance(value, datetime.datetime):
        is_day = value.time() == _MIDNIGHT
        return value.date().isoformat() if is_day else value.isoformat(" ")
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds())
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)


# -- writing --------------------------------------------------------------------------------------


def _cell(openpyxl: Any, sheet: Any, value: Any) -> Any:
    """Return what stands for a value in a new sheet: a text is never a formula."""
    if isinstance(value, datetime.datetime) and value.time() == _MIDNIGHT:
        return value.date()
    if not isinstance(value, str) or not value.startswith("="):
        return value
    cell = openpyxl.cell.WriteOnlyCell(sheet, value)
    cell.data_type = "s"
    return cell


def _write_without_times(buffer: io.BytesIO, destination: Path) -> None:
    """Write a workbook without the time of writing, so that the same table is the same file."""
    with (
        zipfile.ZipFile(buffer) as made,
        zipfile.ZipFile(destination, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in made.namelist():
            content = made.read(name)
            if name == "docProps/core.xml":
                content = _TIME_OF_WRITING.sub(rb"\g<1>1980-01-01T00:00:00Z", content)
            entry = zipfile.ZipInfo(name, _ALWAYS)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
