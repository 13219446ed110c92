"""Arrow columns as numpy arrays: numbers, gaps, and the levels of text and categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types

Array = NDArray[Any]
Codes = NDArray[np.intp]


# -- values ----------------------------------------------------------------------------------------


def values_of(column: Any) -> NDArray[Any]:
    """Return a column of numbers, or of true and false as 1 and 0; where one is missing, NaN.

    Straight from where they lie in memory: pyarrow's own conversion to numpy imports pandas, which
    takes longer than to read most tables.
    """
    values = stored(column)
    if not column.null_count:
        return values
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    values[is_missing(column)] = np.nan
    return values


def stored(column: Any) -> NDArray[Any]:
    """Return a copy of what lies in memory; where a value is missing, that may be anything."""
    return np.concatenate([_stored(piece) for piece in _pieces(column)])


def is_missing(column: Any) -> NDArray[np.bool_]:
    """Tell where a column has no value."""
    return np.concatenate([_gaps(piece) for piece in _pieces(column)])


def _pieces(column: Any) -> list[Any]:
    """Return the parts of a column, at least one, each of which lies in one place."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunks or [pa.array([], column.type)]
    return [column]


def _stored(piece: Any) -> NDArray[Any]:
    """Return what lies in memory; where a value is missing, that may be anything."""
    data = piece.buffers()[1]
    if types.is_boolean(piece.type):
        return _bits(piece, data)
    dtype = np.dtype(piece.type.to_pandas_dtype())
    if data is None:
        return np.zeros(len(piece), dtype)
    return np.frombuffer(data, dtype, len(piece), piece.offset * dtype.itemsize)


def _gaps(piece: Any) -> NDArray[np.bool_]:
    if piece.null_count == 0:
        return np.zeros(len(piece), np.bool_)
    if piece.null_count == len(piece):
        return np.ones(len(piece), np.bool_)  # of which some kinds keep no record
    is_gap: NDArray[np.bool_] = _bits(piece, piece.buffers()[0]) == 0
    return is_gap


def _bits(piece: Any, data: Any) -> NDArray[np.uint8]:
    if data is None:
        return np.zeros(len(piece), np.uint8)
    n_bits = piece.offset + len(piece)
    packed = np.frombuffer(data, np.uint8, -(-n_bits // 8))
    return np.unpackbits(packed, count=n_bits, bitorder="little")[piece.offset :]


def wrapped(values: Array, kind: Any) -> Any:
    """Return numbers as an Arrow array of a type with the same bytes.

    Not by `pyarrow.array`, which imports pandas wherever it is installed.
    """
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


# -- text and categories ---------------------------------------------------------------------------


def is_text(kind: Any) -> bool:
    """Tell whether an Arrow type is text."""
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def is_date(kind: Any) -> bool:
    """Tell whether an Arrow type is a date, with or without a time."""
    return bool(types.is_date(kind) or types.is_timestamp(kind))


def is_number(kind: Any) -> bool:
    """Tell whether an Arrow type has one number for each value."""
    tests = (
        *(types.is_integer, types.is_floating, types.is_boolean, types.is_decimal),
        *(types.is_duration, types.is_time, types.is_null),
    )
    return any(test(kind) for test in tests)


def said(column: Any) -> str:
    """Return what an Arrow column has in plain words, with an example."""
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    kinds = ((is_text, "text"), (is_date, "dates"), (is_number, "numbers"))
    what = next((words for test, words in kinds if test(kind)), f"values of the type {kind}")
    example = next((str(value) for value in column.to_pylist() if value is not None), None)
    return what if example is None else f"{what} such as {example[:30]!r}"


def text_column(texts: Iterable[str]) -> Any:
    """Return texts as an Arrow array, without what `pyarrow.array` imports."""
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers)


def as_text(values: Any) -> Any:
    """Return values, of a kind that has names, as text; NaN is missing."""
    if types.is_float16(values.type):
        values = values.cast(pa.float32())
    if types.is_floating(values.type):
        import pyarrow.compute as pc

        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    try:
        return values.cast(pa.large_string())
    except pa.ArrowNotImplementedError:
        if not types.is_string_view(values.type):
            raise
        # What polars writes; older releases of pyarrow compute nothing with it.
        texts = pa.array(values.to_pylist(), pa.large_string())
        return texts if isinstance(values, pa.Array) else pa.chunked_array([texts])


def coded(column: Any) -> tuple[Codes, Any]:
    """Return for each value the number of its text, -1 where it is missing, and all the texts.

    Each text is there once, in the order of the categories or else of its first appearance; some
    may not occur.
    """
    if types.is_dictionary(column.type):
        return _coded_categories(_pieces(column))
    if not is_text(column.type) or types.is_string_view(column.type):
        column = as_text(column)
    # All pieces of what pyarrow encodes itself have the same dictionary.
    pieces = _pieces(column.dictionary_encode())
    codes = np.concatenate([_numbered(piece.indices) for piece in pieces])
    return codes, as_text(pieces[0].dictionary)


def places_of(texts: Any, wanted: Sequence[str]) -> Codes:
    """Return for each text its place among those wanted, -1 where it is none of them."""
    import pyarrow.compute as pc  # which those who read numbers only need not wait for

    return _numbered(pc.index_in(texts, value_set=text_column(wanted)))


def _coded_categories(pieces: Sequence[Any]) -> tuple[Codes, Any]:
    """Return codes and texts of pieces that may each have categories of their own."""
    dictionaries: list[Any] = []
    starts = []
    for piece in pieces:
        if not dictionaries or not piece.dictionary.equals(dictionaries[-1]):
            dictionaries.append(piece.dictionary)
        starts.append(sum(map(len, dictionaries[:-1])))
    # Categories may be there twice, or be missing values themselves.
    words = pa.chunked_array([as_text(dictionary) for dictionary in dictionaries])
    numbers, texts = coded(words)
    return np.concatenate(
        [_translated(piece, start, numbers) for piece, start in zip(pieces, starts, strict=True)]
    ), texts


def _translated(piece: Any, start: int, numbers: Codes) -> Codes:
    codes = _numbered(piece.indices)
    is_gap = codes < 0
    if is_gap.all():
        return codes
    found: Codes = numbers[np.where(is_gap, 0, codes) + start]
    found[is_gap] = -1
    return found


def _numbered(indices: Any) -> Codes:
    """Return whole numbers from 0, -1 where one is missing."""
    numbers = stored(indices).astype(np.intp)
    numbers[is_missing(indices)] = -1
    return numbers
