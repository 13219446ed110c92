"""Weka's ARFF: a list of attributes, then values between commas.

Not with scipy's reader: it refuses attributes of text, quoted values and all but ASCII letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from entryprune._text import counted
from entryprune.data.errors import DatasetError
from entryprune.data.tables.arrow import ArrowContent
from entryprune.data.tables.checks import check_asked
from entryprune.data.tables.content import Content
from entryprune.data.tables.formats import TITLES
from entryprune.data.tables.memory import check_memory
from entryprune.data.tables.names import check_unique, filled, kept_columns
from entryprune.data.tables.request import TableRequest
from entryprune.data.tables.text import BOM, created, n_text_bytes, not_utf8, opened
from entryprune.data.tables.trouble import explained

_QUOTED = r""" "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' """
_ATTRIBUTE = re.compile(
    rf"\s*@attribute\s+({_QUOTED}|[^\s{{]+)\s*(\S.*)", re.IGNORECASE | re.VERBOSE
)
_DATA = re.compile(r"\s*@data\b", re.IGNORECASE)
# A value: in quotes of either kind, or up to the next comma.
_VALUE = re.compile(rf"\s*(?:{_QUOTED}|[^,])[^,]*|", re.VERBOSE)
_MISSING = "?"
# Values in Python's hands at once, before they become columns.
_MOST_VALUES = 2**22


class _Line(NamedTuple):
    """A line of the file: its number from 1, its text and what it ends with."""

    number: int
    body: str
    end: str

    @property
    def has_values(self) -> bool:
        """Whether it is neither empty nor a remark."""
        text = self.body.lstrip()
        return bool(text) and not text.startswith("%")


class _Attribute(NamedTuple):
    """A name and a type, in small letters."""

    name: str
    kind: str


def read(request: TableRequest) -> Content:
    """Read an ARFF file; nominal attributes are text."""
    path = request.path
    attributes = _attributes(path, request.target)
    notes: list[str] = []
    names = filled([attribute.name for attribute in attributes], notes)
    check_asked(request, names)
    n_columns = len(attributes)
    check_memory(path, n_text_bytes(path) // (2 * n_columns), n_columns, is_exact=False)
    table = _table(path, attributes)
    if table.num_rows == 0:
        raise DatasetError(
            f"{path} has {counted(n_columns, 'attribute')} and no cases. Save it again."
        )
    return ArrowContent(path, names, table.num_rows, notes=tuple(notes), table=table)


def write(request: TableRequest, names: Collection[str], destination: Path) -> None:
    """Write the chosen attributes exactly as they stand in the file."""
    path = request.path
    attributes = _attributes(path, None)
    known = filled([attribute.name for attribute in attributes], [])
    keep = kept_columns(path, known, names, (request.target, request.id_column))
    number, in_data = -1, False
    with created(destination) as file:
        for line in _lines(path):
            text = line.body
            if in_data and line.has_values:
                fields = _fields(path, line, len(known))
                text = ",".join(fields[n] for n in keep)
            elif not in_data:
                in_data = _DATA.match(text) is not None
                if _ATTRIBUTE.match(text):
                    number += 1
                    if number not in keep:
                        continue
            file.write((text + line.end).encode())


def _lines(path: Path) -> Iterator[_Line]:
    with opened(path) as file:
        for number, line in enumerate(_guarded(path, file), 1):
            try:
                text = (line.removeprefix(BOM) if number == 1 else line).decode("utf-8")
            except UnicodeDecodeError as error:
                raise not_utf8(path, f"line {number}") from error
            body = text.rstrip("\r\n")
            yield _Line(number, body, text[len(body) :])


def _guarded(path: Path, file: Any) -> Iterator[bytes]:
    """Read lines, and say so if the archive that they are in is damaged."""
    while True:
        with explained(path, TITLES["arff"]):
            line = file.readline()
        if not line:
            return
        yield line


def _attributes(path: Path, target: str | None) -> list[_Attribute]:
    found = []
    for line in _lines(path):
        if _DATA.match(line.body):
            break
        match = _ATTRIBUTE.match(line.body)
        if match is not None:
            found.append(_Attribute(_unquoted(match.group(1)), match.group(2).lower()))
    else:
        raise DatasetError(
            f"{path} is not an ARFF file: it has no line that begins with @data. If it is CSV, say "
            f"--format csv."
        )
    if not found:
        raise DatasetError(f"{path} has no lines that begin with @attribute. Save it again.")
    check_unique(path, [attribute.name for attribute in found if attribute.name], target)
    return found


def _table(path: Path, attributes: Sequence[_Attribute]) -> Any:
    """Read the values, some lines at a time, into columns."""
    import pyarrow as pa

    chunks: list[list[Any]] = [[] for _ in attributes]
    for lines in _pieces(path, len(attributes)):
        columns = zip(*lines, strict=True)
        for chunk, attribute, values in zip(chunks, attributes, columns, strict=True):
            chunk.append(_column(path, attribute, values))
    arrays = [
        pa.chunked_array(_alike(chunk)) if chunk else pa.chunked_array([], pa.null())
        for chunk in chunks
    ]
    return pa.table(arrays, names=[str(number) for number in range(len(arrays))])


def _pieces(path: Path, n_columns: int) -> Iterator[list[list[str]]]:
    piece: list[list[str]] = []
    in_data = False
    for line in _lines(path):
        if in_data and line.has_values:
            piece.append(_fields(path, line, n_columns))
            if len(piece) * n_columns >= _MOST_VALUES:
                yield piece
                piece = []
        in_data = in_data or _DATA.match(line.body) is not None
    if piece:
        yield piece


def _fields(path: Path, line: _Line, n_columns: int) -> list[str]:
    """Split a line of values at the commas that are not in quotes."""
    body = line.body
    if body.lstrip().startswith("{"):
        raise DatasetError(
            f"{path} is a sparse ARFF file, which is not read. Convert it with Weka's filter "
            f"SparseToNonSparse."
        )
    if "'" not in body and '"' not in body:
        fields = body.split(",")
    else:
        fields, start = [], 0
        while start <= len(body):
            match = _VALUE.match(body, start)
            end = len(body) if match is None else match.end()
            fields.append(body[start:end])
            start = end + 1
    if len(fields) != n_columns:
        raise DatasetError(
            f"{path}: line {line.number:,} has {len(fields):,} values, but there are {n_columns:,} "
            f"attributes. Mend the line; a value with a comma in it must be in quotes."
        )
    return fields


def _column(path: Path, attribute: _Attribute, values: Sequence[str]) -> Any:
    """Return values with the type that their attribute has."""
    import pyarrow as pa

    words = [None if word == _MISSING else word for word in map(str.strip, values)]
    if not attribute.kind.startswith(("numeric", "real", "int")):
        return pa.array([word and _unquoted(word) for word in words], pa.string())
    texts = pa.array(words, pa.string())
    kinds = [pa.int64(), pa.float64()] if attribute.kind.startswith("int") else [pa.float64()]
    for kind in kinds:
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid as error:
            said = str(error)
    raise DatasetError(
        f"{path}: the attribute {attribute.name!r} is numeric, but not all of its values are "
        f"({said.splitlines()[0]}). Mend them, or declare it as string."
    )


def _alike(chunk: list[Any]) -> list[Any]:
    """Return pieces of a column with one type: whole numbers may have met others further down."""
    kinds = {piece.type for piece in chunk}
    return chunk if len(kinds) == 1 else [piece.cast("float64") for piece in chunk]


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if is_quoted else text
