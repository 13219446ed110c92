"""Columns of an Arrow table: which are numbers, what others become, and why some are left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types

from entryprune._text import counted
from entryprune.data.dataset import DatasetError
from entryprune.data.tables.columns import (
    Labels,
    Numbers,
    Table,
    columns_without_values,
    text_array,
)
from entryprune.data.tables.csv_text import COMMA, POINT, is_number
from entryprune.data.tables.request import LeftOut
from entryprune.encoding.arrow import is_date, is_missing, is_text, values_of

Array = NDArray[Any]
# 1,5 and 1,234.5 and 1.234,5
_COMMAS = re.compile(r"\s*[+-]?\d[\d.]*(,\d+)+(\.\d+)?([eE][+-]?\d+)?\s*", re.ASCII)
# Of words, so many are enough to see that they are words.
_ENOUGH = 1000


@dataclass(frozen=True, eq=False)
class ArrowTable(Table):
    """Columns of many types."""

    arrow: Any = None  # their values. The names in it do not count
    # By column: the words that were read as gaps, and a date whose day and month look alike.
    gap_words: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    ambiguous: Mapping[int, str] = field(default_factory=dict)
    decimal: bytes | None = None  # of a text file: what is before the fraction of a number

    def column(self, number: int) -> Labels:
        """Return a column as labels."""
        return _labels(self.path, self.names[number], self.arrow.column(number))

    def text(self, number: int) -> tuple[str, ...]:
        """Return a column as ids."""
        return column_text(self.path, self.names[number], self.arrow.column(number))

    def numbers(self, columns: Sequence[int]) -> Numbers:
        """Return those of the columns that are numbers."""
        chosen, reasons, done = _classified(self.arrow, columns, self.decimal)
        types = {_dtype(self.arrow.column(n)) for n in chosen}
        dtype = np.result_type(*types) if types else np.dtype(np.float64)
        # Feature by feature, as the columns are: each is written in one go.
        values = np.empty((len(chosen), self.n_rows), dtype=dtype)
        for row, number in zip(values, chosen, strict=True):
            row[...] = _as_numpy(self.arrow.column(number))
        empty = columns_without_values(values.T)
        if empty:
            values = np.delete(values, empty, axis=0)
            reasons |= {chosen[n]: EMPTY for n in empty}
        kept = [number for number in chosen if number not in reasons]
        return Numbers(
            values.T,
            tuple(self.names[number] for number in kept),
            tuple(LeftOut(self.names[n], reasons[n]) for n in columns if n in reasons),
            (
                *self._gaps({n: self.arrow.column(n) for n in kept}, only_words=True),
                *_counted(done),
            ),
        )

    def mixed(self, columns: Sequence[int]) -> Numbers:
        """Return all columns but those without values, of nested types, and of misread numbers."""
        # Numbers without gaps, which most columns are, need not become anything else.
        others = [number for number in columns if not _is_complete(self.arrow.column(number))]
        made = {number: frame_column(self.arrow.column(number)) for number in others}
        reasons = {number: one.why_not for number, one in made.items() if one.why_not}
        doubts = {n: self._doubt(n, self.arrow.column(n)) for n in others if n not in reasons}
        # As levels they would be useless.
        reasons |= {n: why for n, why in doubts.items() if why.startswith(NUMBERS_AS_TEXT)}
        if len(reasons) == len(others):
            return self.numbers(columns)
        made |= {n: frame_column(self.arrow.column(n)) for n in columns if n not in made}
        made = {number: made[number] for number in columns}
        kept = {number: one for number, one in made.items() if number not in reasons}
        notes = converted_notes([one.converted for one in kept.values()])
        notes += self._gaps({number: one.values for number, one in kept.items()})
        notes += [f"{self.names[n]!r} is taken as {doubts[n]}." for n in kept if doubts.get(n)]
        names = tuple(self.names[number] for number in kept)
        return Numbers(
            None,
            names,
            tuple(LeftOut(self.names[n], reasons[n]) for n in columns if n in reasons),
            tuple(notes),
            framed([one.values for one in kept.values()], names),
        )

    def _gaps(self, columns: Mapping[int, Any], *, only_words: bool = False) -> list[str]:
        """Say how many gaps columns have; where numbers are asked for, who finds NaN says so."""
        words = dict.fromkeys(word for n in columns for word in self.gap_words.get(n, ()))
        counts = [column.null_count for column in columns.values() if column.null_count]
        if not counts or (only_words and not words):
            return []
        return [gaps_note(sum(counts), len(counts), tuple(words))]

    def _doubt(self, number: int, column: Any) -> str:
        """Say of text that looks like numbers or dates that it is text; empty for all else."""
        if number in self.ambiguous:
            return (
                f"text: {self.ambiguous[number]!r} may have the day or the month first. Write "
                f"dates as 2024-03-01"
            )
        if not is_text(column.type):
            return ""
        why = why_text(_plain(column), self.decimal)
        return "" if why == "text" else why


def _is_complete(column: Any) -> bool:
    """Tell whether a column has numbers, or true and false, and no gaps."""
    if why_not_numbers(column.type) is not None or column.null_count:
        return False
    return not types.is_floating(column.type) or not np.isnan(values_of(column)).any()


def column_text(path: Path, name: str, column: Any) -> tuple[str, ...]:
    """Return an Arrow column as ids or names; missing values are empty."""
    if _is_text_of_categories(column.type):
        return tuple(_texts(column))
    try:
        return tuple(value or "" for value in _plain(column).cast(pa.string()).to_pylist())
    except pa.ArrowException as error:
        raise DatasetError(
            f"{path}: the column {name!r} has values of the type {column.type}, which cannot name "
            f"anything. Name another column."
        ) from error


def why_not_numbers(kind: Any) -> str | None:
    """Return why a column of an Arrow type is no feature, or None if it is one."""
    if (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    ):
        return None
    reasons = (
        (types.is_null, EMPTY),
        (is_text, "text"),
        (types.is_dictionary, "categories"),
        (types.is_date, "dates"),
        (types.is_timestamp, "dates"),
        (types.is_time, "times"),
        (types.is_duration, "times"),
    )
    found = (why for is_kind, why in reasons if is_kind(kind))
    return next(found, f"values of the type {kind}")


def _classified(
    table: Any, columns: Sequence[int], decimal: bytes | None
) -> tuple[list[int], dict[int, str], Counter[str]]:
    """Return which columns are numbers, why the others are not, and what is converted."""
    chosen, reasons = [], {}
    done: Counter[str] = Counter()
    known: dict[Any, str | None] = {}
    for number in columns:
        column = table.column(number)
        kind = column.type
        if kind not in known:
            known[kind] = why_not_numbers(kind)
        why = known[kind]
        if column.null_count == len(column):
            reasons[number] = EMPTY
        elif why is not None:
            reasons[number] = why_text(_plain(column), decimal) if why == "text" else why
        else:
            chosen.append(number)
            if types.is_boolean(kind):
                done["boolean"] += 1
            elif types.is_decimal(kind):
                done["decimal"] += 1
            elif types.is_integer(kind) and column.null_count:
                done["gaps"] += 1
    return chosen, reasons, done


def _counted(done: Counter[str]) -> list[str]:
    """Put what was converted into sentences."""
    words = {
        "boolean": "of true and false became 1 and 0",
        "decimal": "of decimal numbers became floating-point numbers",
        "gaps": "of whole numbers became floating-point numbers, as values are missing",
    }
    return [f"{counted(done[key], 'column')} {what}." for key, what in words.items() if done[key]]


def _dtype(column: Any) -> np.dtype[Any]:
    """Return the smallest numpy type that holds a column."""
    kind = column.type
    if types.is_decimal(kind):
        return np.dtype(np.float64)
    if types.is_float16(kind):
        return np.dtype(np.float32)
    if not types.is_floating(kind) and column.null_count:
        return np.dtype(np.float64)
    if types.is_boolean(kind):
        return np.dtype(np.uint8)
    dtype: np.dtype[Any] = np.dtype(kind.to_pandas_dtype())
    return dtype


def _as_numpy(column: Any) -> Array:
    """Return a column of numbers as an array, NaN where a value is missing."""
    if types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return values_of(column)


def _plain(column: Any) -> Any:
    """Return categories as their values, and text as a kind that pyarrow computes with."""
    if types.is_dictionary(column.type):
        pieces = [_known_text(piece.dictionary).take(piece.indices) for piece in column.chunks]
        return pa.chunked_array(pieces) if pieces else pa.chunked_array([], pa.string())
    return _known_text(column)


def _known_text(values: Any) -> Any:
    # What polars writes; hardly any function of pyarrow takes it.
    if not types.is_string_view(values.type):
        return values
    texts = pa.array(values.to_pylist(), pa.string())
    return texts if isinstance(values, pa.Array) else pa.chunked_array([texts])


def _is_text_of_categories(kind: Any) -> bool:
    return bool(types.is_dictionary(kind)) and is_text(kind.value_type)


def _texts(column: Any) -> list[str]:
    """Return texts, empty where one is missing; of categories, each only once in memory."""
    if not _is_text_of_categories(column.type):
        return [value or "" for value in column.to_pylist()]
    texts = []
    for piece in column.chunks:
        words = [*piece.dictionary.to_pylist(), None]
        places = [len(words) - 1 if n is None else n for n in piece.indices.to_pylist()]
        texts += [words[place] or "" for place in places]
    return texts


def _labels(path: Path, name: str, column: Any) -> Labels:
    if is_text(column.type) or _is_text_of_categories(column.type):
        texts = text_array(_texts(column))
        return Labels(texts, texts == "")
    column = _plain(column)
    kind = column.type
    has_gap = is_missing(column)
    if types.is_null(kind):
        return Labels(np.zeros(len(column)), has_gap)
    if is_date(kind):
        # No labels, but an order of samples; whoever wants labels refuses them.
        days = column.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
        return Labels(days, has_gap)
    if why_not_numbers(kind) is not None:
        raise DatasetError(
            f"{path}: the target {name!r} has {why_not_numbers(kind)}; labels are text, numbers, "
            f"categories, or true and false. Choose another column, or convert this one."
        )
    values = _as_numpy(column)
    if types.is_boolean(kind):
        return Labels(values == 1, has_gap)
    # The gaps of numbers that are not numbers count too.
    return Labels(values, np.isnan(values) if values.dtype.kind == "f" else has_gap)


# -- why a column is text -------------------------------------------------------------------------


# How the reason begins where commas or points make text of numbers.
NUMBERS_AS_TEXT = "text: numbers with "


def why_text(column: Any, decimal: bytes | None = None) -> str:
    """Return why an Arrow column of text is no feature; `decimal` is known of text files."""
    for part in (column.slice(0, _ENOUGH), column):
        values = [value for value in part.to_pylist() if value]
        others = [value for value in values if not is_number(value.encode())]
        has_commas = bool(others) and all(map(_COMMAS.fullmatch, others))
        if not has_commas and 2 * len(others) > len(values):
            return "text"
    if has_commas and decimal == POINT:
        return (
            "text: numbers with commas; say --decimal , if these are decimal commas, else write "
            "the numbers without thousands separators"
        )
    if values and not others and decimal == COMMA:
        return "text: numbers with decimal points; leave out --decimal ,"
    if has_commas:
        return (
            "text: numbers with commas; write them with a decimal point and without thousands "
            "separators"
        )
    if others:
        return f"text: mostly numbers, but also {_short(others[0])!r}; leave missing values empty"
    return "text, though all values look like numbers; store them as numbers" if values else "text"


def _short(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:19]}…"


# -- columns of all types --------------------------------------------------------------------------


# pyarrow.compute takes as long to import as a small table to be read, so it waits for its use.


# What words are in a frame: each once, and a number for each sample.
WORDS = pa.dictionary(pa.int32(), pa.string())
EMPTY = "all values missing"
_CONVERTED = {
    "times": "of times became seconds",
    "decimal": "of decimal numbers became floating-point numbers",
}


class FrameColumn(NamedTuple):
    """A column as it stands in a frame, and what was converted; or why it cannot be there."""

    values: Any = None
    converted: str = ""
    why_not: str = ""


def frame_column(column: Any) -> FrameColumn:
    """Return an Arrow column with one of the few types that a frame has; all gaps are nulls."""
    kind = column.type
    make = next((make for is_kind, make in _KINDS if is_kind(kind)), None)
    found = None if make is None else make(column)
    if column.null_count == len(column) or (found is not None and found.null_count == len(found)):
        return FrameColumn(why_not=EMPTY)
    if found is None:
        return FrameColumn(why_not=f"values of the type {kind}")
    is_time = types.is_time(kind) or types.is_duration(kind)
    return FrameColumn(found, "times" if is_time else "decimal" if types.is_decimal(kind) else "")


def framed(columns: Sequence[Any], names: Sequence[str]) -> Any:
    """Return columns as one table."""
    return pa.table(list(columns), names=list(names))


def matrix_frame(numbers: Numbers) -> Numbers:
    """Return a matrix in which values are missing as a table with gaps."""
    columns = [nullable(numbers.X[:, n]) for n in range(numbers.X.shape[1])]
    n_gaps = sum(column.null_count for column in columns)
    n_columns = sum(column.null_count > 0 for column in columns)
    notes = (*numbers.notes, gaps_note(n_gaps, n_columns))
    return Numbers(None, numbers.names, numbers.left_out, notes, framed(columns, numbers.names))


def gaps_note(n_gaps: int, n_columns: int, words: Sequence[str] = ()) -> str:
    """Say how many gaps there are, and which words were read as gaps."""
    said = ""
    if len(words) == 1:
        said = f" ({words[0]!r} is read as a gap)"
    elif words:
        shown = ", ".join(map(repr, words[:-1]))
        said = f" ({shown} and {words[-1]!r} are read as gaps)"
    return f"{counted(n_gaps, 'gap')} in {counted(n_columns, 'column')}{said}."


def converted_notes(converted: Sequence[str]) -> list[str]:
    """Put what was converted into sentences."""
    counts = Counter(converted)
    return [f"{counted(counts[key], 'column')} {_CONVERTED[key]}." for key in sorted(counts) if key]


def nullable(values: NDArray[Any]) -> Any:
    """Return numbers as an Arrow column; by way of memory, as pyarrow's own way imports pandas."""
    if values.dtype.kind in "iu":
        return pa.Array.from_buffers(
            pa.int64(), len(values), [None, pa.py_buffer(np.ascontiguousarray(values, np.int64))]
        )
    values = np.ascontiguousarray(values, np.float64)
    is_there = ~np.isnan(values)
    bits = np.packbits(is_there, bitorder="little")
    buffers = [None if is_there.all() else pa.py_buffer(bits), pa.py_buffer(values)]
    return pa.Array.from_buffers(pa.float64(), len(values), buffers)


def _whole(column: Any) -> Any:
    import pyarrow.compute as pc

    fits = not types.is_uint64(column.type) or (pc.max(column).as_py() or 0) < 2**63
    return column.cast(pa.int64() if fits else pa.float64(), safe=False)


def _real(column: Any) -> Any:
    return _without_nan(column.cast(pa.float64()))


def _without_nan(column: Any) -> Any:
    import pyarrow.compute as pc

    is_nan = pc.is_nan(column)
    if not pc.any(is_nan).as_py():
        return column
    return pc.if_else(is_nan, pa.nulls(len(column), pa.float64()), column)


def _seconds(column: Any) -> Any:
    """Return times of the day and durations as seconds."""
    import pyarrow.compute as pc

    per_second = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[column.type.unit]
    whole = pa.int32() if types.is_time32(column.type) else pa.int64()
    return pc.divide(column.cast(whole).cast(pa.float64(), safe=False), per_second)


def _words(column: Any) -> Any:
    """Return categories as words in the order of their first sample; None if they are no words."""
    pieces = column.unify_dictionaries().chunks
    if not pieces:
        return pa.chunked_array([], WORDS)
    try:
        known = pieces[0].dictionary.cast(pa.string()).dictionary_encode()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None  # categories of lists, or of bytes
    codes = pa.chunked_array([known.indices.take(piece.indices) for piece in pieces])
    used = codes.combine_chunks().dictionary_encode()
    words = known.dictionary.take(used.dictionary)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(used.indices, words)])


def _words_of_text(column: Any) -> Any:
    if types.is_string_view(column.type):  # which pyarrow hardly computes with
        column = pa.chunked_array([pa.array(column.to_pylist(), pa.string())])
    return _words(column.dictionary_encode())


# What makes a column of a frame of which type; bytes and nested types are missing.
_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    (types.is_boolean, lambda column: column),
    (types.is_timestamp, lambda column: column),
    (types.is_date, lambda column: column.cast(pa.date32())),
    (types.is_integer, _whole),
    (types.is_floating, _real),
    (types.is_decimal, _real),
    (types.is_time, _seconds),
    (types.is_duration, _seconds),
    (types.is_dictionary, _words),
    (is_text, _words_of_text),
)
