"""Text files, compressed or not, as records of raw fields.

Raw means: the bytes as they are in the file, quotes and all, so that what is copied is unchanged.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from entryprune.data.errors import DatasetError

GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
_QUOTE = b'"'
# A quote that nobody closes would swallow the whole file.
_MOST_LINES_OF_A_RECORD = 1000
_SAMPLE = 2**20


class Record(NamedTuple):
    """A line of a table, or several if a quoted value goes over more.

    Attributes
    ----------
    line : int
        Its number in the file, from 1.
    fields : list of bytes
        Its raw fields.
    end : bytes
        What the line ends with.
    """

    line: int
    fields: list[bytes]
    end: bytes


def first_bytes(path: Path, n: int, *, is_unzipped: bool) -> bytes:
    """Return the beginning of a file, or of what is compressed in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv.gz")
    ...     _ = path.write_bytes(gzip.compress(b"a,b,c"))
    ...     first_bytes(path, 3, is_unzipped=True)
    b'a,b'
    """
    if not is_unzipped:
        with path.open("rb") as file:
            return file.read(n)
    with opened(path) as unzipped:
        try:
            return unzipped.read(n)
        except (OSError, EOFError, zlib.error) as error:
            raise DatasetError(
                f"{path} is compressed, but damaged or cut short ({error}). Save it again."
            ) from error


def opened(path: Path) -> BinaryIO:
    """Open a file for reading, decompressed if its first bytes say that it is compressed."""
    # What the name says does not matter: browsers unpack .gz files without renaming them.
    return cast(BinaryIO, gzip.open(path) if is_zipped(path) else path.open("rb"))


def is_zipped(path: Path) -> bool:
    """Tell whether a file is compressed with gzip."""
    with path.open("rb") as file:
        return file.read(len(GZIP)) == GZIP


def n_text_bytes(path: Path) -> int:
    """Return the length of the text, estimated from its beginning if it is compressed."""
    size = path.stat().st_size
    if not is_zipped(path):
        return size
    with path.open("rb") as file:
        packed = file.read(_SAMPLE)
    return size * len(zlib.decompressobj(wbits=31).decompress(packed)) // len(packed)


@contextmanager
def created(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing, compressed if its name says so."""
    with path.open("wb") as file:
        if not path.name.lower().endswith(".gz"):
            yield file
            return
        # Without the time and the name, so that the same table is the same file.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield cast(BinaryIO, packed)


def records(path: Path, lines: Iterable[bytes], delimiter: bytes) -> Iterator[Record]:
    r"""Split lines at a delimiter, except inside double quotes. Empty lines are passed over.

    Parameters
    ----------
    path : Path
        The file, for messages.
    lines : iterable of bytes
        The open file.
    delimiter : bytes
        What is between the fields.

    Examples
    --------
    >>> lines = [b'a,"b, c"\n', b"\n", b'1,"two\n', b'lines"\n']
    >>> for record in records(Path("t.csv"), lines, b","):
    ...     print(record)
    Record(line=1, fields=[b'a', b'"b, c"'], end=b'\n')
    Record(line=3, fields=[b'1', b'"two\nlines"'], end=b'\n')
    """
    pending, first = b"", 0
    for number, line in enumerate(lines, 1):
        if not pending:
            first = number
        pending += line
        body = pending.rstrip(b"\r\n")
        if not body:
            pending = b""
            continue
        fields = split(body, delimiter)
        if fields is not None:
            yield Record(first, fields, pending[len(body) :])
            pending = b""
        elif number - first > _MOST_LINES_OF_A_RECORD:
            break
    if pending:
        raise DatasetError(
            f"{path}: a quote that begins in line {first} is never closed. Close or remove it."
        )


def split(body: bytes, delimiter: bytes) -> list[bytes] | None:
    """Split a line at a delimiter, except inside double quotes; None if a quote stays open.

    Examples
    --------
    >>> split(b'a;"b;""c";d', b";")
    [b'a', b'"b;""c"', b'd']
    >>> split(b'a;"b', b";") is None
    True
    """
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
    """Return what a raw field stands for.

    Examples
    --------
    >>> unquoted(b'"6"" long"'), unquoted(b"plain")
    (b'6" long', b'plain')
    """
    if len(field) > 1 and field.startswith(_QUOTE) and field.endswith(_QUOTE):
        return field[1:-1].replace(_QUOTE * 2, _QUOTE)
    return field


def decoded(path: Path, field: bytes, line: int) -> str:
    """Return a field as text, or say that the file is not UTF-8.

    Examples
    --------
    >>> decoded(Path("t.csv"), b'"a"', 1)
    'a'
    >>> decoded(Path("t.csv"), "größe".encode("latin-1"), 1)
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: t.csv is not in the encoding UTF-8 (line 1). If it is in
    Latin-1, convert it: iconv -f LATIN1 -t UTF-8 t.csv > converted.csv
    """
    try:
        return unquoted(field).decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(path, f"line {line}") from error


def not_utf8(path: Path, where: str) -> DatasetError:
    """Return the error for a file in another encoding."""
    return DatasetError(
        f"{path} is not in the encoding UTF-8 ({where}). If it is in Latin-1, convert it: "
        f"iconv -f LATIN1 -t UTF-8 {path.name} > converted{path.suffix}"
    )
