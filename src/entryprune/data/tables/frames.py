"""Columns of many types as one Arrow table: numbers, words, dates, true and false, with gaps."""

from __future__ import annotations

# pyarrow.compute takes as long to import as a small table to be read, so it waits for its use.
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types

from entryprune._text import counted
from entryprune.data.tables.columns import Numbers
from entryprune.encoding.arrow import is_text

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


def _texts(column: Any) -> Any:
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
    (is_text, _texts),
)
