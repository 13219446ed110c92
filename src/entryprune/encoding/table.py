"""What the caller brings, frame or array: its columns, and what is missing among its numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types

from entryprune._text import counted, some_of
from entryprune.encoding.arrow import is_number, is_text, said, values_of
from entryprune.encoding.frames import (
    array_column,
    arrow_columns,
    frame_names,
    is_frame,
    take_columns,
)

Array = NDArray[Any]
NameOf = Callable[[int], str]
_MICROSECONDS_A_DAY, _MICROSECONDS_AN_HOUR = 86_400_000_000, 3_600_000_000


@dataclass(frozen=True, eq=False)
class Table:
    """A table with two dimensions, of a frame or of an array.

    Attributes
    ----------
    content : frame or ndarray
        The values, as they came.
    names : tuple of str or None
        The names of the columns, if they have any.
    """

    content: Any
    names: tuple[str, ...] | None

    @classmethod
    def of(cls, X: Any) -> Table:
        """Return what the caller brought, or say why it is no table."""
        if is_frame(X):
            return cls(X, frame_names(X))
        if hasattr(X, "tocsc") and hasattr(X, "toarray"):
            raise TypeError(
                f"X is a sparse table ({type(X).__name__}), and only dense ones are encoded. Make "
                f"it dense: X.toarray()"
            )
        array = _as_array(X)
        if array.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {array.ndim}D array of shape {array.shape} instead. "
                f"Reshape your data: X.reshape(-1, 1) if it has a single feature, "
                f"X.reshape(1, -1) if it is a single sample."
            )
        if array.dtype.kind == "V":
            raise TypeError(
                f"X is an array of records ({array.dtype}), which are no columns. Make a frame of "
                f"it, as with pandas.DataFrame(X)."
            )
        if array.dtype.kind == "c":
            raise ValueError(
                f"Complex data not supported: X has values of type {array.dtype}. Make two columns "
                f"of each, of the real and the imaginary parts."
            )
        return cls(array, None)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """How many samples and columns there are."""
        n_samples, n_columns = self.content.shape
        return int(n_samples), int(n_columns)

    def name(self, place: int) -> str:
        """Return what a column is called."""
        return f"x{place}" if self.names is None else self.names[place]

    def columns(self, places: Sequence[int]) -> list[pa.ChunkedArray]:
        """Return columns as those of Arrow."""
        if not isinstance(self.content, np.ndarray):
            return arrow_columns(self.content, places)[1]
        is_text_only = self.content.dtype.kind == "U"
        found = []
        for place in places:
            column = array_column(self.content[:, place], self.name(place))
            # As soon as one value is text, numpy makes text of all the others too.
            numbers = _read_as_numbers(column) if is_text_only else None
            found.append(pa.chunked_array([column if numbers is None else numbers]))
        return found

    def block(self, places: Sequence[int] | None = None) -> Array | None:
        """Return columns as they lie in memory, if all of them are numbers there.

        None if they are not, or have gaps that only the frame knows of. All columns in their order
        (`places` is None) are copied only if the frame cannot do without.
        """
        if places is not None and list(places) == list(range(self.shape[1])):
            places = None
        if isinstance(self.content, np.ndarray):
            if self.content.dtype.kind not in "biuf":
                return None
            return self.content if places is None else self.content[:, places]
        if isinstance(self.content, (pa.Table, pa.RecordBatch)):
            return None
        part = self.content if places is None else take_columns(self.content, places)
        return _pandas_block(part) if hasattr(part, "iloc") else _polars_block(part)

    def numbers(self, places: Sequence[int], columns: Sequence[Any] | None = None) -> Array:
        """Return columns that hold numbers, features beside one another, NaN where one is missing.

        `columns` are the same ones as those of Arrow, if they are at hand.
        """
        if not len(places):
            return np.empty((self.shape[0], 0), np.float32)
        block = self.block(places)
        if block is not None:
            return block
        columns = self.columns(places) if columns is None else columns
        pairs = zip(places, columns, strict=True)
        found = [numbers_of(column, self.name(place)) for place, column in pairs]
        dtype = np.result_type(*{one.dtype for one in found})
        values = np.empty((len(found), self.shape[0]), dtype)
        for row, one in zip(values, found, strict=True):
            row[...] = one
        return values.T


def _pandas_block(frame: Any) -> Array | None:
    dtypes = set(frame.dtypes)
    if not dtypes or not all(isinstance(one, np.dtype) and one.kind in "biuf" for one in dtypes):
        return None
    # Not left to pandas, which makes objects of numbers beside true and false.
    values: Array = frame.to_numpy(dtype=np.result_type(*dtypes))
    return values


def _polars_block(frame: Any) -> Array | None:
    # Of numbers with 128 bits numpy has none.
    kinds = {str(one) for one in set(frame.dtypes) if one.is_float() or one.is_integer()}
    if len(kinds) < len(set(frame.dtypes)) or {"Int128", "UInt128"} & kinds:
        return None
    if any(map(sum, frame.null_count().rows())):
        return None
    values: Array = frame.to_numpy()
    return values if values.dtype.kind in "iuf" else None


def numbers_of(column: Any, name: str) -> Array:
    """Return an Arrow column as numbers: durations in days, times of day in hours."""
    kind = column.type
    if column.null_count == len(column):
        return np.full(len(column), np.nan, np.float32)
    if types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if types.is_duration(kind):
        return _microseconds(column, pa.duration("us")) / _MICROSECONDS_A_DAY
    if types.is_time(kind):
        return _microseconds(column, pa.time64("us")) / _MICROSECONDS_AN_HOUR
    if types.is_decimal(kind):
        return values_of(column.cast(pa.float64()))
    if is_number(kind):
        return values_of(column)
    numbers = _read_as_numbers(column) if is_text(kind) else None
    if numbers is None:
        raise ValueError(
            f"The column {name!r} had numbers in fit, and now has {said(column)}. Bring it as "
            f"numbers."
        )
    return values_of(numbers)


def _microseconds(column: Any, kind: Any) -> Array:
    # What is finer than a microsecond is cut off.
    return values_of(column.cast(kind, safe=False).cast(pa.int64()))


def _read_as_numbers(column: Any) -> Any:
    """Return text as the numbers that are written in it, or None if there are others."""
    try:
        return column.cast(pa.large_string()).cast(pa.float64())
    except pa.ArrowException:
        return None


def _as_array(X: Any) -> Array:
    """Return what is no frame as an array; masked values are missing ones."""
    if np.ma.is_masked(X):
        kind = X.dtype.kind
        if kind in "biuf":
            filled: Array = X.astype(np.result_type(X.dtype, np.float16)).filled(np.nan)
            return filled
        objects: Array = X.data.astype(object)
        objects[np.ma.getmaskarray(X)] = None
        return objects
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(X, torch.Tensor):
        values: Array = X.detach().cpu().numpy()
        return values
    array = np.asarray(X)
    # Of mixed lists numpy makes texts; as objects they stay what they are.
    is_mixed = array.dtype.kind == "U" and not isinstance(X, np.ndarray)
    return np.asarray(X, dtype=object) if is_mixed else array


# -- numbers -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Numbers:
    """Features that are numbers: their values, and how many of these are not there."""

    features: NDArray[np.intp]
    values: Array
    n_gaps: NDArray[np.int64]
    n_infinite: NDArray[np.int64]

    @classmethod
    def of(cls, features: Sequence[int], values: Array) -> Numbers:
        """Count what is missing and what is infinite, in one pass if there is nothing of either."""
        n_gaps, n_infinite = np.zeros((2, len(features)), np.int64)
        if values.dtype.kind == "f":
            # A sum is finite only if all its terms are; it is a cheap test, and a sufficient one.
            with np.errstate(over="ignore", invalid="ignore"):
                is_finite = np.isfinite(values.sum(dtype=np.float64))
            if not is_finite:
                n_gaps = np.count_nonzero(np.isnan(values), axis=0)
                n_infinite = np.count_nonzero(np.isinf(values), axis=0)
        return cls(np.array(features, np.intp), values, n_gaps, n_infinite)

    @property
    def n_samples(self) -> int:
        """How many samples there are, also if none of their features is a number."""
        return len(self.values)

    def refuse_infinite(self, name: NameOf) -> None:
        """Refuse infinite values, and name their columns."""
        bad = np.flatnonzero(self.n_infinite).tolist()
        if bad:
            shown = some_of(
                f"{name(int(self.features[i]))!r} ({self.n_infinite[i]:,})" for i in bad
            )
            raise ValueError(
                f"X contains infinity in {counted(len(bad), 'column')} (how many in brackets): "
                f"{shown}. Replace or clip these values first."
            )

    def medians(self) -> NDArray[np.float64]:
        """Return the median of each feature without its gaps, 0 if there are only gaps."""
        medians = np.zeros(len(self.features))
        whole = np.flatnonzero(self.n_gaps == 0)
        is_all = len(whole) == len(self.features)
        medians[whole] = np.median(self.values if is_all else self.values[:, whole], axis=0)
        for i in np.flatnonzero((self.n_gaps > 0) & (self.n_gaps < self.n_samples)):
            column = self.values[:, i]
            medians[i] = np.median(column[~np.isnan(column)])
        for i in np.flatnonzero(medians == 0.5):
            column = self.values[:, i]
            # What is 0 or 1, and as often the one as the other, is never anything between.
            if np.isin(column[~np.isnan(column)], (0, 1)).all():
                medians[i] = 0
        return medians

    def filled(
        self, fills: NDArray[np.float64]
    ) -> Iterator[tuple[int, Array, NDArray[np.bool_] | None]]:
        """Yield each feature, its values without gaps, and where these were if there were any."""
        for i, feature in enumerate(self.features.tolist()):
            column, is_gap = self.values[:, i], None
            if self.n_gaps[i]:
                is_gap = np.isnan(column)
                column = np.where(is_gap, fills[feature], column)
            yield feature, column, is_gap


def refuse_gaps(n_gaps: NDArray[np.int64], name: NameOf) -> None:
    """Refuse missing values, and name their columns."""
    bad = np.flatnonzero(n_gaps).tolist()
    if bad:
        shown = some_of(f"{name(feature)!r} ({n_gaps[feature]:,})" for feature in bad)
        raise ValueError(
            f"X contains NaN or other missing values in {counted(len(bad), 'column')} (how many "
            f'in brackets): {shown}. Set missing="impute" to have them filled in, fill them in '
            f"yourself, or leave out these samples or columns."
        )
