"""Text files, compressed or not: their first lines, how they are written, and raw records.

Raw means: the bytes as they are in the file, quotes and all, so that what is copied is unchanged.
Nothing here imports numpy: most of what is wrong with a text file shows in its first lines.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from entryprune._text import counted
from entryprune.data.dataset import DatasetError
from entryprune.data.tables.errors import check_bytes
from entryprune.data.tables.request import TableRequest, check_asked, named, numbered

# Bytes that tell what a file is.
N_START = 512
GZIP = b"\x1f\x8b"
ARCHIVE_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)
BOM = b"\xef\xbb\xbf"
_MARKS_OF_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_QUOTE = b'"'
# A quote that nobody closes would swallow the whole file.
_MOST_LINES_OF_A_RECORD, _MOST_COMPARED = 1000, 2**29
# Enough lines to see whether they agree, but not much of a file with very long ones; and the
# longest line that is waited for, which has room for ten million columns.
_MOST_LINES, _MOST_BYTES, _LONGEST_LINE = 20, 2**22, 2**27

DELIMITERS = {b",": "commas", b";": "semicolons", b"\t": "tabs", b"|": "bars", b" ": "blanks"}
# Each digit can be matched in one way only: with more ways, a field of 32,000 digits and a letter
# took 38 s.
_NUMBER = re.compile(rb"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
# The same with a decimal comma, and points between thousands: 1.234,5.
_COMMA_NUMBER = re.compile(rb"\s*[+-]?((\d+|\d{1,3}(\.\d{3})+)(,\d*)?|,\d+)([eE][+-]?\d+)?\s*")
POINT, COMMA = b".", b","
# What stands for a missing value wherever it stands: pyarrow's own list, which R's and pandas's are
# part of, and Weka's question mark.
MISSING = frozenset(
    field.encode()
    for field in (
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "?", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
    )
)
# What stands for one among the words of a feature: a class of labels may well be called None.
TEXT_GAPS = MISSING | {b"None"}
# What stands for one among numbers and dates, where it can be nothing else; also what spreadsheets
# make of a formula that fails.
GAPS = TEXT_GAPS | {
    *(b"-", b"--", b"."),
    *(b"#DIV/0!", b"#NAME?", b"#NULL!", b"#NUM!", b"#REF!", b"#VALUE!"),
}
# Fewer columns than this that are named 0, 1, 2... may well be data.
_FEWEST_NUMBERED = 4


# -- files ----------------------------------------------------------------------------------------


@contextmanager
def opened(path: Path, encoding: str | None = None) -> Iterator[BinaryIO]:
    """Open a file for reading as UTF-8, decompressed if its first bytes say that it is compressed.

    What the name says does not matter: browsers unpack .gz files without renaming them. Without an
    `encoding`, what begins like UTF-16 is that, and all else is as it is.
    """
    try:
        with path.open("rb") as raw:
            is_packed = raw.peek(len(GZIP))[: len(GZIP)] == GZIP
            with gzip.GzipFile(fileobj=raw) if is_packed else nullcontext(raw) as unpacked:
                file = cast("io.BufferedReader", unpacked)
                if encoding is None and file.peek(2)[:2] in _MARKS_OF_UTF_16:
                    encoding = "utf-16"
                yield cast(BinaryIO, file if encoding is None else _AsUtf8(path, file, encoding))
    except ARCHIVE_ERRORS as error:
        raise DatasetError(
            f"{path} is compressed, but damaged or cut short ({error}). Save it again."
        ) from error


@contextmanager
def created(path: Path, encoding: str | None = None) -> Iterator[BinaryIO]:
    """Open a file for writing UTF-8, or that in another encoding; compressed if so named."""
    with path.open("wb") as file:
        is_packed = path.name.lower().endswith(".gz")
        # Without the time and the name, so that the same table is the same file.
        new = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if is_packed else nullcontext(file)
        with new as place:
            written = place if encoding is None else _FromUtf8(cast(BinaryIO, place), encoding)
            yield cast(BinaryIO, written)


def checked_encoding(path: Path, asked: str | None) -> str | None:
    """Return an encoding that Python knows; None if it is UTF-8."""
    if asked is None:
        return None
    try:
        name = codecs.lookup(asked).name
        "a".encode(name)  # which is refused where an encoding is none of text
    except (LookupError, ValueError) as error:
        raise DatasetError(
            f"{path}: there is no encoding {asked!r} of text. --encoding takes names such as "
            f"utf-8, latin-1, cp1252, utf-16, shift_jis or gb18030."
        ) from error
    return None if name == "utf-8" else name


class _Recoder(io.RawIOBase):
    """The bytes of a file in another encoding as UTF-8."""

    def __init__(self, path: Path, file: io.BufferedReader, encoding: str) -> None:
        self._path, self._file, self._encoding = path, file, encoding
        self.seek(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = 0) -> int:
        if offset or whence:
            raise io.UnsupportedOperation("only to the beginning")
        self._file.seek(0)
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        self._place, self._ready, self._is_over = 0, b"", False
        return 0

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self._is_over:
            block = self._file.read(2**16)
            self._is_over = not block
            try:
                self._ready = self._decoder.decode(block, self._is_over).encode("utf-8")
            except UnicodeError as error:
                raise DatasetError(
                    f"{self._path} is not in the encoding {self._encoding} ({error}). Name another "
                    f"with --encoding, or leave it out for UTF-8."
                ) from error
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        self._place += n
        return n


class _AsUtf8(io.BufferedReader):
    """A file in another encoding, as if it were UTF-8."""

    def __init__(self, path: Path, file: io.BufferedReader, encoding: str) -> None:
        super().__init__(_Recoder(path, file, encoding), 2**16)
        self.encoding, self.fileobj = encoding, getattr(file, "fileobj", None)


class _FromUtf8:
    """A file in another encoding, to which UTF-8 is written in pieces of whole letters."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file, self._encoder = file, codecs.getincrementalencoder(encoding)()

    def write(self, data: bytes) -> int:
        return self._file.write(self._encoder.encode(data.decode("utf-8")))


@dataclass(frozen=True)
class TextStart:
    """The beginning of a text file, for which it is opened once."""

    path: Path
    lines: tuple[bytes, ...]  # the first lines, without a mark of the encoding
    has_mark: bool  # whether there is such a mark
    is_whole: bool  # whether these are all lines
    n_bytes: int  # the length of the text, estimated if it is compressed
    encoding: str | None = None  # what it is in, if that is not UTF-8
    content: bytes | None = None  # the text, if it is made of a file of another kind

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open the text once more."""
        made = None if self.content is None else io.BytesIO(self.content)
        with opened(self.path, self.encoding) if made is None else nullcontext(made) as file:
            yield file


def look(
    path: Path, check_start: Callable[[bytes], None] | None = None, encoding: str | None = None
) -> TextStart:
    """Read the first lines of a text file, if its first bytes are those of one."""
    size = path.stat().st_size
    if size > _LONGEST_LINE:
        check_bytes(path, size)
    lines: list[bytes] = []
    n_read = 0
    with opened(path, encoding) as file:
        if check_start is not None:
            check_start(file.read(N_START))
            file.seek(0)
        # At least two lines, however long: names and a sample.
        for line in bounded_lines(path, file):
            lines.append(line)
            n_read += len(line)
            if len(lines) >= _MOST_LINES or (len(lines) >= 2 and n_read >= _MOST_BYTES):
                break
        is_whole = not file.read(1)
        encoding, packed = getattr(file, "encoding", None), getattr(file, "fileobj", None)
        if packed is not None and not is_whole:
            n_read += len(file.read(_MOST_BYTES))
            size = max(n_read, size * n_read // packed.tell())
    has_mark = bool(lines) and lines[0].startswith(BOM)
    if has_mark:
        lines[0] = lines[0].removeprefix(BOM)
    n_bytes = n_read if is_whole else size
    return TextStart(path, tuple(lines), has_mark, is_whole, n_bytes, encoding)


def start_of(path: Path, content: bytes) -> TextStart:
    """Return the first lines of a text that is made of a file of another kind."""
    lines = tuple(islice(io.BytesIO(content), _MOST_LINES))
    is_whole = sum(map(len, lines)) == len(content)
    return TextStart(path, lines, False, is_whole, len(content), content=content)


def bounded_lines(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """Go through the lines of a file, none of which may be endless."""
    for number in count(1):
        line = file.readline(_LONGEST_LINE)
        if not line:
            return
        if len(line) == _LONGEST_LINE:
            raise DatasetError(
                f"{path}: line {number:,} is longer than {_LONGEST_LINE / 1e6:,.0f} MB. Perhaps it "
                f"is not a table of text, or its lines do not end."
            )
        yield line


# -- records --------------------------------------------------------------------------------------


class Record(NamedTuple):
    """A line of a table, or several if a quoted value goes over more."""

    line: int  # its number in the file, from 1
    fields: list[bytes]  # its raw fields
    end: bytes  # what the line ends with


def records(path: Path, lines: BinaryIO | Sequence[bytes], delimiter: bytes) -> Iterator[Record]:
    """Split lines at a delimiter, except inside double quotes. Empty lines are passed over."""
    bounded = lines if isinstance(lines, Sequence) else bounded_lines(path, lines)
    pending: list[bytes] = []
    first = n_bytes = n_compared = 0
    for number, line in enumerate(bounded, 1):
        if not pending:
            first, n_bytes, n_compared = number, 0, 0
        pending.append(line)
        n_bytes += len(line)
        is_long = len(pending) > _MOST_LINES_OF_A_RECORD or n_compared > _MOST_COMPARED
        # Within quotes, two stand for one, and only a single one ends the value.
        if len(pending) > 1 and _QUOTE not in line.replace(_QUOTE * 2, b"") and not is_long:
            continue
        n_compared += n_bytes
        whole = b"".join(pending)
        body = whole.rstrip(b"\r\n")
        fields = split(body, delimiter) if body else []
        if fields is not None:
            if body:
                yield Record(first, fields, whole[len(body) :])
            pending = []
        elif len(pending) > 1 and is_long:
            break
    if pending:
        raise DatasetError(
            f"{path}: a quote that begins in line {first} is never closed. Close or remove it."
        )


def split(body: bytes, delimiter: bytes) -> list[bytes] | None:
    """Split a line at a delimiter, except inside double quotes; None if a quote stays open."""
    if _QUOTE not in body:
        return body.split(delimiter)
    fields, start = [], 0
    while True:
        search_from = start
        if body.startswith(_QUOTE, start):
            closing = _closing_quote(body, start + 1)
            if closing < 0:
                return None
            search_from = closing
        end = body.find(delimiter, search_from)
        if end < 0:
            fields.append(body[start:])
            return fields
        fields.append(body[start:end])
        start = end + len(delimiter)


def _closing_quote(body: bytes, start: int) -> int:
    while True:
        found = body.find(_QUOTE, start)
        if found < 0 or not body.startswith(_QUOTE, found + 1):
            return found
        start = found + 2  # two quotes stand for one


def unquoted(field: bytes) -> bytes:
    """Return what a raw field stands for."""
    if len(field) > 1 and field.startswith(_QUOTE) and field.endswith(_QUOTE):
        return field[1:-1].replace(_QUOTE * 2, _QUOTE)
    return field


def decoded(path: Path, field: bytes, line: int) -> str:
    """Return a field as text, or say that the file is not UTF-8."""
    try:
        return unquoted(field).decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(path, f"line {line}") from error


def not_utf8(path: Path, where: str) -> DatasetError:
    """Return the error for a file in another encoding."""
    return DatasetError(
        f"{path} is not in the encoding UTF-8 ({where}). Say which it is in with --encoding: "
        f"latin-1 or cp1252 if it is from Western Europe."
    )


def is_number(field: bytes, decimal: bytes = POINT) -> bool:
    """Tell whether a field is written as a number, with a decimal point or comma."""
    known = _COMMA_NUMBER if decimal == COMMA else _NUMBER
    return known.fullmatch(field) is not None


def with_point(field: bytes, decimal: bytes) -> bytes:
    """Return a number as it is written with a decimal point."""
    return field.replace(POINT, b"").replace(COMMA, POINT) if decimal == COMMA else field


# -- how a file is written ------------------------------------------------------------------------


@dataclass(frozen=True)
class Dialect:
    """How a text file is written: found out once, and handed on."""

    start: TextStart  # the first lines, in which it was seen
    delimiter: bytes  # what is between fields
    has_header: bool  # whether the first line that is not empty has names
    # The columns' names as they stand in the file, or made-up ones if there is no header.
    header: tuple[str, ...]
    header_line: int  # the first line that is not empty, from 1
    line_bytes: int  # the usual length of a line
    notes: tuple[str, ...]  # what was guessed
    decimal: bytes = POINT  # what is before the fraction of a number

    def ragged(self, line: int, n_fields: int) -> DatasetError:
        """Return the error for a line with more or fewer values than there are columns."""
        expected = len(self.header)
        if self.has_header and n_fields == expected + 1 and line == self.header_line + 1:
            cure = (
                "Perhaps the names of the rows have no name themselves, as R writes them: use "
                "col.names = NA in write.table, or add a name in front of the first line."
            )
        else:
            cure = "Mend the line; a value with a delimiter in it must be in double quotes."
        return DatasetError(
            f"{self.start.path}: line {line:,} has {counted(n_fields, 'value')}, but there "
            f"are {expected:,} columns. {cure}"
        )

    def checked(self, lines: BinaryIO | Sequence[bytes]) -> Iterator[Record]:
        """Go through records, each of which must have a value for every column."""
        for record in records(self.start.path, lines, self.delimiter):
            if len(record.fields) != len(self.header):
                raise self.ragged(record.line, len(record.fields))
            yield record


def detect(
    start: TextStart, delimiter: bytes | None, header: bool | None, decimal: bytes = POINT
) -> Dialect:
    """Find out from its first lines how a file is written; what is None is guessed."""
    path = start.path
    lines = [line for line in (line.rstrip(b"\r\n") for line in start.lines) if line]
    _check_lines(path, lines)
    notes: list[str] = []
    if delimiter is None:
        delimiter = _guess_delimiter(lines, decimal)
        if delimiter != b",":
            notes.append(f"The values are separated by {DELIMITERS[delimiter]}.")
    first = next(iter(records(path, start.lines, delimiter)))
    fields = [unquoted(field) for field in first.fields]
    is_header = _is_header(fields, notes, decimal) if header is None else header
    if is_header:
        names = tuple(decoded(path, field, first.line) for field in first.fields)
    else:
        names = numbered(len(fields))
        notes.append("There is no line of names; the columns are called 'column_1' and so on.")
    later = lines[1:] or lines
    usual = sum(map(len, later)) // len(later) + 1
    if start.encoding is not None:
        notes.append(f"The text is in the encoding {start.encoding}.")
    return Dialect(start, delimiter, is_header, names, first.line, usual, tuple(notes), decimal)


def _check_lines(path: Path, lines: Sequence[bytes]) -> None:
    if not lines:
        raise DatasetError(f"{path} has no lines that are not empty. Save the table again.")
    if b"\r" in lines[0]:
        raise DatasetError(
            f"{path} has the line ends of old Macs. Convert it: "
            f"tr '\\r' '\\n' < {path.name} > converted{path.suffix}"
        )


def _guess_delimiter(lines: Sequence[bytes], decimal: bytes = POINT) -> bytes:
    """Return the delimiter that splits all lines into the same number of fields, the most."""
    best, most = b",", 1
    uneven, most_uneven = b"", 1
    for delimiter in DELIMITERS:
        if delimiter == decimal:
            continue
        # A line that ends within quotes says nothing.
        parts = [fields for line in lines if (fields := split(line, delimiter)) is not None]
        if not parts or (delimiter == b" " and not _are_numbers(parts[-1], decimal)):
            continue  # blanks are part of names, so only numbers tell that they separate
        n_fields = len(parts[0])
        if all(len(fields) == n_fields for fields in parts):
            if n_fields > most:
                best, most = delimiter, n_fields
        elif n_fields > most_uneven:
            uneven, most_uneven = delimiter, n_fields
    return best if most > 1 or not uneven else uneven


def _are_numbers(fields: Sequence[bytes], decimal: bytes) -> bool:
    return len(fields) > 1 and all(is_number(field, decimal) for field in fields)


def _is_header(fields: Sequence[bytes], notes: list[str], decimal: bytes) -> bool:
    """Guess: names, unless all are numbers or missing."""
    n_numbers = sum(is_number(field, decimal) for field in fields)
    n_missing = sum(field.strip() in MISSING for field in fields)
    if not n_numbers or n_numbers + n_missing < len(fields):
        if n_numbers > 1:
            notes.append(
                f"The first line was taken for the columns' names, though {n_numbers:,} of "
                f"{len(fields):,} are numbers; if it has values, say --no-header."
            )
        return True
    # pandas numbers the columns that nobody named.
    if len(fields) >= _FEWEST_NUMBERED and list(fields) == [
        b"%d" % number for number in range(len(fields))
    ]:
        notes.append(
            "The first line counts up from 0 and was taken for the columns' names; if it is a "
            "sample, say --no-header."
        )
        return True
    return False


# -- what the first lines show --------------------------------------------------------------------


class Header(NamedTuple):
    """The columns' names, each of which is there once, and what was guessed."""

    names: tuple[str, ...]
    notes: tuple[str, ...]


def checked_header(request: TableRequest, dialect: Dialect) -> Header:
    """Return the columns' names; refuse a file whose first lines show that it cannot be read."""
    start, notes = dialect.start, list(dialect.notes)
    hint = ""
    if request.header is None and dialect.has_header:
        hint = " If the first line is a sample and not names, say --no-header."
    names = named(start.path, dialect.header, notes, request.target, hint)
    n_lines = sum(bool(line.rstrip(b"\r\n")) for line in start.lines)
    if dialect.has_header and start.is_whole and n_lines == 1:
        raise no_samples(start.path, len(names))
    check_asked(request, names)
    # A value in quotes may go over more lines than these.
    if not any(_QUOTE in line for line in start.lines):
        for _ in dialect.checked(start.lines):
            pass
    return Header(names, tuple(notes))


def no_samples(path: Path, n_columns: int) -> DatasetError:
    """Return the error for a table that ends with its header."""
    return DatasetError(
        f"{path} has names of {counted(n_columns, 'column')} and no samples. Save the table again; "
        f"if the first line is a sample, say --no-header."
    )
