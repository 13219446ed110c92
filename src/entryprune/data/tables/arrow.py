"""Columns of an Arrow table: which are numbers, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import counted
from entryprune.data.errors import DatasetError
from entryprune.data.tables import arrow_values
from entryprune.data.tables.content import Content, Labels, Numbers, columns_without_values
from entryprune.data.tables.request import LeftOut
from entryprune.data.tables.wording import why_text

Array = NDArray[Any]
_EMPTY = "all values missing"


@dataclass(frozen=True, eq=False)
class ArrowContent(Content):
    """Columns of many types.

    Attributes
    ----------
    table : pyarrow.Table
        Their values. The names in it do not count.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"a": [1, None], "b": ["x", "y"], "c": [True, False]})
    >>> found = ArrowContent(Path("t.csv"), ("a", "b", "c"), 2, table=table).numbers([0, 1, 2])
    >>> found.X.tolist(), found.names, found.left_out
    ([[1.0, 1.0], [nan, 0.0]], ('a', 'c'), (LeftOut(column='b', why='text'),))
    """

    table: Any = None

    def column(self, number: int) -> Labels:
        """Return a column as labels."""
        return _labels(self.path, self.names[number], self.table.column(number))

    def text(self, number: int) -> tuple[str, ...]:
        """Return a column as ids."""
        return column_text(self.table.column(number))

    def numbers(self, columns: Sequence[int]) -> Numbers:
        """Return those of the columns that are numbers."""
        chosen, reasons, done = _classified(self.table, columns)
        types = {_dtype(self.table.column(n)) for n in chosen}
        dtype = np.result_type(*types) if types else np.dtype(np.float64)
        # Feature by feature, as the columns are: each is written in one go.
        values = np.empty((len(chosen), self.n_rows), dtype=dtype)
        for row, number in zip(values, chosen, strict=True):
            row[...] = _as_numpy(self.table.column(number))
        empty = columns_without_values(values.T)
        if empty:
            values = np.delete(values, empty, axis=0)
            reasons |= {chosen[n]: _EMPTY for n in empty}
        kept = [number for number in chosen if number not in reasons]
        return Numbers(
            values.T,
            tuple(self.names[number] for number in kept),
            tuple(LeftOut(self.names[n], reasons[n]) for n in columns if n in reasons),
            tuple(_counted(done)),
        )


def column_text(column: Any) -> tuple[str, ...]:
    """Return an Arrow column as text; missing values are empty.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column_text(pa.chunked_array([[1, None, 3]]))
    ('1', '', '3')
    """
    import pyarrow as pa

    return tuple(value or "" for value in _plain(column).cast(pa.string()).to_pylist())


def why_not_numbers(kind: Any) -> str | None:
    """Return why a column of an Arrow type is no feature, or None if it is one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> why_not_numbers(pa.int8()), why_not_numbers(pa.date32())
    (None, 'dates')
    """
    from pyarrow import types

    if (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    ):
        return None
    reasons = (
        (types.is_null, _EMPTY),
        (is_text, "text"),
        (types.is_dictionary, "categories"),
        (types.is_date, "dates"),
        (types.is_timestamp, "dates"),
        (types.is_time, "times"),
        (types.is_duration, "times"),
    )
    found = (why for is_kind, why in reasons if is_kind(kind))
    return next(found, f"values of the type {kind}")


def is_text(kind: Any) -> bool:
    """Tell whether an Arrow type is text."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _classified(
    table: Any, columns: Sequence[int]
) -> tuple[list[int], dict[int, str], Counter[str]]:
    """Return which columns are numbers, why the others are not, and what is converted."""
    from pyarrow import types

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
            reasons[number] = _EMPTY
        elif why is not None:
            reasons[number] = why_text(_plain(column)) if why == "text" else why
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
    from pyarrow import types

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
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return arrow_values.numbers(column)


def _plain(column: Any) -> Any:
    """Return categories as their values, and text as a kind that pyarrow computes with."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        pieces = [_known_text(piece.dictionary).take(piece.indices) for piece in column.chunks]
        return pa.chunked_array(pieces) if pieces else pa.chunked_array([], pa.string())
    return _known_text(column)


def _known_text(values: Any) -> Any:
    import pyarrow as pa

    # What polars writes; hardly any function of pyarrow takes it.
    if not pa.types.is_string_view(values.type):
        return values
    texts = pa.array(values.to_pylist(), pa.string())
    return texts if isinstance(values, pa.Array) else pa.chunked_array([texts])


def _labels(path: Path, name: str, column: Any) -> Labels:
    from pyarrow import types

    column = _plain(column)
    kind = column.type
    is_missing = arrow_values.is_missing(column)
    if types.is_null(kind):
        return Labels(np.zeros(len(column)), is_missing)
    if is_text(kind):
        values: Array = np.array([value or "" for value in column.to_pylist()], dtype=str)
        return Labels(values, values == "")
    if why_not_numbers(kind) is not None:
        raise DatasetError(
            f"{path}: the target {name!r} has {why_not_numbers(kind)}; labels are text, numbers, "
            f"categories, or true and false. Choose another column, or convert this one."
        )
    values = _as_numpy(column)
    if types.is_boolean(kind):
        return Labels(values == 1, is_missing)
    # The gaps of numbers that are not numbers count too.
    return Labels(values, np.isnan(values) if values.dtype.kind == "f" else is_missing)
