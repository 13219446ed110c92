"""Values of Arrow columns as arrays, straight from where they lie in memory.

pyarrow's own conversion to numpy imports pandas, which takes longer than to read most tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def numbers(column: Any) -> NDArray[Any]:
    """Return a column of numbers or of true and false; where one is missing, NaN.

    Parameters
    ----------
    column : pyarrow.ChunkedArray or pyarrow.Array
        Integers, floating-point numbers or booleans, which become 0 and 1.

    Examples
    --------
    >>> import pyarrow as pa
    >>> numbers(pa.array([3, None])), numbers(pa.array([True, False]))
    (array([ 3., nan]), array([1, 0], dtype=uint8))
    """
    values = np.concatenate([_stored(piece) for piece in _pieces(column)])
    if not column.null_count:
        return values
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    values[is_missing(column)] = np.nan
    return values


def is_missing(column: Any) -> NDArray[np.bool_]:
    """Tell where a column has no value.

    Parameters
    ----------
    column : pyarrow.ChunkedArray or pyarrow.Array
        Values of any kind.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_missing(pa.chunked_array([["a", None], ["b"]])).tolist()
    [False, True, False]
    """
    return np.concatenate([_gaps(piece) for piece in _pieces(column)])


def _pieces(column: Any) -> list[Any]:
    """Return the parts of a column, at least one, each of which lies in one place."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        return column.chunks or [pa.array([], column.type)]
    return [column]


def _stored(piece: Any) -> NDArray[Any]:
    """Return what lies in memory; where a value is missing, that may be anything."""
    from pyarrow import types

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
