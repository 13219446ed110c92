"""How a text file is to be read: what is between its fields, and whether it has a header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from entryprune._text import counted
from entryprune.data.errors import DatasetError
from entryprune.data.tables.names import numbered
from entryprune.data.tables.text import BOM, decoded, opened, records, split, unquoted
from entryprune.data.tables.trouble import explained

DELIMITERS = {b",": "commas", b";": "semicolons", b"\t": "tabs", b"|": "bars", b" ": "blanks"}
# Each digit can be matched in one way only: with more ways, a field of 32,000 digits and a letter
# took 38 s.
_NUMBER = re.compile(rb"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
# What stands for a missing value: pyarrow's own list, which R's and pandas's are part of.
MISSING = frozenset(
    field.encode()
    for field in (
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
    )
)
# Enough lines to see whether they agree, but not much of a file with very long ones.
_MOST_LINES, _MOST_BYTES = 20, 2**22
# Fewer columns than this that are named 0, 1, 2... may well be data.
_FEWEST_NUMBERED = 4


@dataclass(frozen=True)
class Dialect:
    """How a text file is written.

    Attributes
    ----------
    delimiter : bytes
        What is between fields.
    has_header : bool
        Whether the first line that is not empty has names.
    header : tuple of str
        The columns' names as they stand in the file, or made-up ones if there is no header.
    header_line : int
        The first line that is not empty, from 1.
    is_header_only : bool
        Whether there is nothing but names.
    line_bytes : int
        The usual length of a line.
    notes : tuple of str
        What was guessed.
    """

    delimiter: bytes
    has_header: bool
    header: tuple[str, ...]
    header_line: int
    is_header_only: bool
    line_bytes: int
    notes: tuple[str, ...]


def detect(path: Path, delimiter: bytes | None, header: bool | None) -> Dialect:
    r"""Look at the first lines of a text file.

    Parameters
    ----------
    path : Path
        The file.
    delimiter : bytes or None
        What is between fields; None to guess.
    header : bool or None
        Whether the first line has names; None to guess.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_text("a;b\n1,5;2\n")
    ...     found = detect(path, None, None)
    >>> found.header, found.notes
    (('a', 'b'), ('The values are separated by semicolons.',))
    """
    raw = first_lines(path)
    lines = [line for line in (line.rstrip(b"\r\n") for line in raw) if line]
    _check_lines(path, lines)
    notes: list[str] = []
    if delimiter is None:
        delimiter = guess_delimiter(lines)
        if delimiter != b",":
            notes.append(f"The values are separated by {DELIMITERS[delimiter]}.")
    first = next(iter(records(path, raw, delimiter)))
    fields = [unquoted(field) for field in first.fields]
    is_header = _is_header(fields, notes) if header is None else header
    if is_header:
        names = tuple(decoded(path, field, first.line) for field in first.fields)
    else:
        names = numbered(len(fields))
        notes.append("There is no line of names; the columns are called 'column_1' and so on.")
    later = lines[1:] or lines
    usual = sum(map(len, later)) // len(later) + 1
    is_all = len(raw) < _MOST_LINES and sum(map(len, raw)) < _MOST_BYTES
    is_header_only = is_header and is_all and len(lines) == 1
    return Dialect(delimiter, is_header, names, first.line, is_header_only, usual, tuple(notes))


def ragged(path: Path, dialect: Dialect, line: int, n_fields: int) -> DatasetError:
    """Return the error for a line that has more or fewer values than there are columns.

    Examples
    --------
    >>> raise ragged(Path("t.csv"), Dialect(b",", True, ("a", "b"), 1, False, 4, ()), 7, 1)
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: t.csv: line 7 has 1 value, but there are 2 columns. Mend
    the line; a value with a delimiter in it must be in double quotes.
    """
    expected = len(dialect.header)
    if dialect.has_header and n_fields == expected + 1 and line == dialect.header_line + 1:
        cure = (
            "Perhaps the names of the rows have no name themselves, as R writes them: use "
            "col.names = NA in write.table, or add a name in front of the first line."
        )
    else:
        cure = "Mend the line; a value with a delimiter in it must be in double quotes."
    return DatasetError(
        f"{path}: line {line:,} has {counted(n_fields, 'value')}, but there "
        f"are {expected:,} columns. {cure}"
    )


def guess_delimiter(lines: Sequence[bytes]) -> bytes:
    r"""Return the delimiter that splits all lines into the same number of fields, the most.

    Examples
    --------
    >>> guess_delimiter([b"a;b;c", b"1,5;2,5;3,5"]), guess_delimiter([b"a\tb", b"1\t2"])
    (b';', b'\t')
    >>> guess_delimiter([b"1.5 2.5", b"3.5 4.5"]), guess_delimiter([b"one word", b"1"])
    (b' ', b',')
    """
    best, most = b",", 1
    ragged, most_ragged = b"", 1
    for delimiter in DELIMITERS:
        # A line that ends within quotes says nothing.
        parts = [fields for line in lines if (fields := split(line, delimiter)) is not None]
        if not parts or (delimiter == b" " and not _are_numbers(parts)):
            continue  # blanks are part of names, so only numbers tell that they separate
        n_fields = len(parts[0])
        if all(len(fields) == n_fields for fields in parts):
            if n_fields > most:
                best, most = delimiter, n_fields
        elif n_fields > most_ragged:
            ragged, most_ragged = delimiter, n_fields
    return best if most > 1 or not ragged else ragged


def _are_numbers(rows: Sequence[Sequence[bytes]]) -> bool:
    return len(rows[-1]) > 1 and all(map(is_number, rows[-1]))


def is_number(field: bytes) -> bool:
    """Tell whether a field is written as a number.

    Examples
    --------
    >>> is_number(b"-1.5e3"), is_number(b" 2"), is_number(b"1,5"), is_number(b"NA")
    (True, True, False, False)
    """
    return _NUMBER.fullmatch(field) is not None


def _is_header(fields: Sequence[bytes], notes: list[str]) -> bool:
    """Guess: names, unless all are numbers or missing."""
    n_numbers = sum(map(is_number, fields))
    n_missing = sum(field.strip() in MISSING for field in fields)
    if not n_numbers or n_numbers + n_missing < len(fields):
        if n_numbers > 1:
            notes.append(
                f"The first line was taken for the columns' names, though {n_numbers:,} of "
                f"{len(fields):,} are numbers; if it is a case, say --no-header."
            )
        return True
    # pandas numbers the columns that nobody named.
    if len(fields) >= _FEWEST_NUMBERED and list(fields) == [
        b"%d" % number for number in range(len(fields))
    ]:
        notes.append(
            "The first line counts up from 0 and was taken for the columns' names; if it is a "
            "case, say --no-header."
        )
        return True
    return False


def _check_lines(path: Path, lines: Sequence[bytes]) -> None:
    if not lines:
        raise DatasetError(f"{path} has no lines that are not empty. Save the table again.")
    if b"\r" in lines[0]:
        raise DatasetError(
            f"{path} has the line ends of old Macs. Convert it: "
            f"tr '\\r' '\\n' < {path.name} > converted{path.suffix}"
        )


def first_lines(path: Path) -> list[bytes]:
    """Return the first lines of a text file, as they are but for a mark of its encoding."""
    lines: list[bytes] = []
    total = 0
    with explained(path, "a text file"), opened(path) as file:
        # At least two, however long: names and a case.
        while len(lines) < 2 or (len(lines) < _MOST_LINES and total < _MOST_BYTES):
            line = file.readline()
            if not line:
                break
            if not lines:
                line = line.removeprefix(BOM)
            lines.append(line)
            total += len(line)
    return lines
