"""Where the engine gets its columns from, and how they are scaled on the way."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import torch
from torch import Tensor

from entryprune.engine.errors import EntryPruneError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Values scaled at a time: few enough to stay in the cache, many enough to keep two threads busy.
_CHUNK_VALUES = 1 << 20
# Types whose values are exact in single precision and not far from zero.
_SINGLE = {torch.uint8, torch.int8, torch.int16, torch.uint16, torch.float16}
# From here on, and below the reciprocal, squares may not be representable; and how far to shift.
_LARGE, _SHIFT = 2.0**300, 2.0**600


ALL_CASES = slice(None)


class ColumnSource(Protocol):
    """All that the engine knows of the data.

    A source hands out whole columns, scaled and in single precision, for all samples in a fixed
    order. The order must be random: mini-batches are consecutive samples, and those for validation
    come first. Memory behind a source is its own business, so a file can stand behind it.
    """

    @property
    def n_cases(self) -> int:
        """Number of values in each column."""
        ...

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        ...

    @property
    def n_values(self) -> int:
        """Number of values that are held: of a sparse table those other than 0."""
        ...

    def read(self, columns: Tensor, out: Tensor, cases: slice = ALL_CASES) -> None:
        """Write the scaled values of `columns`, for some samples or all, into the rows of `out`."""
        ...

    def scaling(self, columns: Tensor) -> Scaling:
        """Return, on the CPU, how `columns` are scaled, in their order."""
        ...


def _range(block: Tensor) -> tuple[Tensor, Tensor]:
    """Return each row's lowest value and how far it is from there to the highest."""
    low, high = block.amin(dim=1), block.amax(dim=1)
    return low, high - low


def _deviation(block: Tensor) -> tuple[Tensor, Tensor]:
    """Return each row's mean and standard deviation."""
    low, span = _range(block)
    unit = _unit(low, span)
    values = block / unit.unsqueeze(1)
    mean = values.mean(dim=1)
    # Several times as fast as torch.std.
    size = torch.linalg.vector_norm(values.sub_(mean.unsqueeze(1)), dim=1)
    return mean * unit, _checked(size / math.sqrt(values.shape[1]) * unit, span)


def _unit(low: Tensor, span: Tensor) -> Tensor:
    """Return what rows are divided by, so that squares stay in double precision.

    It is a power of two, which changes nothing else.
    """
    size = torch.maximum(low.abs(), (low + span).abs())
    unit = torch.ones_like(size)
    return unit.masked_fill(size > _LARGE, _SHIFT).masked_fill(size < 1.0 / _LARGE, 1.0 / _SHIFT)


def _checked(deviation: Tensor, span: Tensor) -> Tensor:
    """Return deviations without those that rounding can leave a constant column with."""
    return deviation.masked_fill(span == 0, 0.0).masked_fill(span == torch.inf, torch.inf)


# For rows in double precision: what becomes 0, and what becomes 1 from there.
SCALES: dict[str, Callable[[Tensor], tuple[Tensor, Tensor]]] = {
    "minmax": _range,
    "standard": _deviation,
}


class _Ragged(NamedTuple):
    """Some rows in double precision, of which only the values other than 0 are there."""

    values: Tensor
    rows: Tensor  # the row of each value
    n_values: Tensor  # of each row
    n_cases: int

    def total(self, values: Tensor) -> Tensor:
        """Sum values over each row."""
        return values.new_zeros(len(self.n_values)).index_add_(0, self.rows, values)

    def extreme(self, which: str) -> Tensor:
        """Return the lowest ("amin") or the highest value ("amax") of each row."""
        is_full = self.n_values == self.n_cases
        infinite = torch.inf if which == "amin" else -torch.inf
        start = self.values.new_zeros(len(is_full)).masked_fill_(is_full, infinite)
        return start.scatter_reduce_(0, self.rows, self.values, which)


def _ragged_range(block: _Ragged) -> tuple[Tensor, Tensor]:
    """Return the same as `_range`."""
    low = block.extreme("amin")
    return low, block.extreme("amax") - low


def _ragged_deviation(block: _Ragged) -> tuple[Tensor, Tensor]:
    """Return the same as `_deviation`, but for rounding."""
    low, span = _ragged_range(block)
    unit = _unit(low, span)
    values = block.values / unit[block.rows]
    mean = block.total(values) / block.n_cases
    squares = block.total(values.sub_(mean[block.rows]).square_())
    squares += (block.n_cases - block.n_values) * mean.square()
    return mean * unit, _checked((squares / block.n_cases).sqrt() * unit, span)


_RAGGED_SCALES = {"minmax": _ragged_range, "standard": _ragged_deviation}


@dataclass(frozen=True, slots=True)
class Scaling:
    """(values - shift) * factor, column by column.

    Attributes
    ----------
    shift, factor : Tensor of shape (n_columns,)
        In the precision that the values must have while they are scaled.

    Examples
    --------
    >>> import torch
    >>> values = torch.tensor([[0.0, 5.0, 10.0], [7.0, 7.0, 7.0]])
    >>> scaling = Scaling.fit(values, "minmax")
    >>> scaling.apply(values)
    tensor([[0.0000, 0.5000, 1.0000],
            [0.0000, 0.0000, 0.0000]])
    """

    shift: Tensor
    factor: Tensor

    @classmethod
    def fit(cls, values: Tensor, kind: str) -> Self:
        """Learn from values how to scale them.

        Parameters
        ----------
        values : Tensor of shape (n_columns, n_samples)
            One column per row, of any type. Read in blocks and never written.
        kind : {"minmax", "standard"}
            To the range from 0 to 1, or to mean 0 and standard deviation 1. A constant column
            becomes 0 everywhere.
        """
        _check_kind(kind)
        return cls._of(map(SCALES[kind], _double_blocks(values)), len(values), values.dtype, kind)

    @classmethod
    def _of(
        cls, fitted: Iterator[tuple[Tensor, Tensor]], n_columns: int, dtype: torch.dtype, kind: str
    ) -> Self:
        """Learn it from what becomes 0 and how far it is to 1, told of some columns at a time."""
        # Written to one place, because small tensors that stay between large ones that go keep the
        # allocator from using memory again: of 100,000 columns, gigabytes.
        shift = width = torch.empty(0)
        start = 0
        for some_shift, some_width in fitted:
            if not start:
                shift = some_shift.new_empty(n_columns)
                width = some_shift.new_empty(n_columns)
            stop = start + len(some_shift)
            shift[start:stop], width[start:stop] = some_shift, some_width
            start = stop
        if not bool(torch.isfinite(width).all()):
            raise EntryPruneError(
                "The values of a column span more than double precision can hold; divide the "
                "column by a large constant first."
            )
        # A column whose width has no reciprocal is as good as constant.
        has_width = width > torch.finfo(torch.float64).tiny
        factor = torch.where(has_width, 1.0 / width, torch.zeros_like(width))
        if _single_precision_suffices(dtype, kind, factor):
            shift, factor = shift.float(), factor.float()
        return cls(shift, factor)

    @classmethod
    def none(cls, n_columns: int) -> Self:
        """Return the scaling that leaves `n_columns` columns as they are."""
        return cls(torch.zeros(n_columns), torch.ones(n_columns))

    @property
    def dtype(self) -> torch.dtype:
        """The precision that values must have while they are scaled."""
        return self.shift.dtype

    def of(self, columns: Tensor) -> Self:
        """Return the scaling of `columns` alone, in their order."""
        return type(self)(self.shift[columns], self.factor[columns])

    def apply(self, values: Tensor) -> Tensor:
        """Scale `values`, as many rows as there are columns, in place and return them."""
        return values.sub_(self.shift.unsqueeze(1)).mul_(self.factor.unsqueeze(1))


class _ScaledColumns(ABC):
    """Columns in their own type, scaled while they are read."""

    def __init__(
        self,
        n_columns: int,
        n_cases: int,
        scaling: Scaling | None,
        *,
        dtype: torch.dtype,
        device: torch.device,
        n_at_once: int = _CHUNK_VALUES,
    ) -> None:
        self.n_columns, self.n_cases = n_columns, n_cases
        self._scaling = scaling
        rows = max(1, min(n_columns, n_at_once // max(1, n_cases)))
        self._raw = torch.empty(rows, n_cases, dtype=dtype, device=device)
        self._exact: Tensor | None = None
        if scaling is not None and scaling.dtype is torch.float64:
            # Double precision is only passed through: the window has no room for it.
            in_place = dtype is torch.float64
            self._exact = (
                self._raw if in_place else torch.empty_like(self._raw, dtype=torch.float64)
            )

    @abstractmethod
    def _fill(self, columns: Tensor, cases: slice, out: Tensor) -> None:
        """Write the values of columns for some samples, as they are, into the rows of `out`."""

    def scaling(self, columns: Tensor) -> Scaling:
        """Return, on the CPU, how `columns` are scaled, in their order."""
        if self._scaling is None:
            return Scaling.none(len(columns))
        part = self._scaling.of(columns.to(self._scaling.shift.device))
        return Scaling(part.shift.cpu(), part.factor.cpu())

    def read(self, columns: Tensor, out: Tensor, cases: slice = ALL_CASES) -> None:
        """Write the scaled values of `columns`, for some samples or all, into the rows of `out`."""
        n_cases = len(range(*cases.indices(self.n_cases)))
        n_rows = self._raw.numel() // max(1, n_cases)
        for start in range(0, len(columns), max(1, n_rows)):
            some = columns[start : start + n_rows]
            raw = _beginning(self._raw, len(some), n_cases)
            self._fill(some, cases, raw)
            target = out[start : start + len(some)]
            if self._scaling is None:
                target.copy_(raw)
            elif self._exact is None:
                self._scaling.of(some).apply(target.copy_(raw))
            else:
                exact = _beginning(self._exact, len(some), n_cases)
                if exact.data_ptr() != raw.data_ptr():
                    exact.copy_(raw)
                target.copy_(self._scaling.of(some).apply(exact))


class ArrayColumns(_ScaledColumns):
    """Columns held in memory in their own type, scaled while they are read.

    Parameters
    ----------
    values : Tensor of shape (n_columns, n_samples)
        One feature per row, samples in random order. Not copied and never written.
    scaling : Scaling, optional
        How each feature is scaled; without it the values are handed out as they are.

    Examples
    --------
    >>> import torch
    >>> values = torch.tensor([[0, 5, 10], [7, 7, 7]])
    >>> source = ArrayColumns(values, Scaling.fit(values, "minmax"))
    >>> window = torch.empty(2, 3)
    >>> source.read(torch.tensor([1, 0]), out=window)
    >>> window
    tensor([[0.0000, 0.0000, 0.0000],
            [0.0000, 0.5000, 1.0000]])
    """

    def __init__(self, values: Tensor, scaling: Scaling | None = None) -> None:
        self.values = values.contiguous()
        self.n_values = values.numel()
        if scaling is None and values.dtype is torch.float64:
            _refuse_huge(_double_blocks(self.values))
        n_columns, n_cases = values.shape
        super().__init__(n_columns, n_cases, scaling, dtype=values.dtype, device=values.device)

    def _fill(self, columns: Tensor, cases: slice, out: Tensor) -> None:
        torch.index_select(self.values[:, cases], 0, columns, out=out)


class SparseColumns(_ScaledColumns):
    """Columns of which only the values other than 0 are held; dense only as far as they are read.

    Parameters
    ----------
    starts : Tensor of int of shape (n_columns + 1,)
        Where the values of each column begin, and at last where those of the last one end.
    samples : Tensor of int of shape (n_values,)
        The sample of each value, rising within a column.
    values : Tensor of shape (n_values,)
        All values other than 0, column by column.
    n_samples : int
        Number of samples.
    scale : {"minmax", "standard"}, optional
        How each column is scaled, zeros included, as if it were dense; not at all if None.

    Examples
    --------
    >>> import torch
    >>> starts, samples = torch.tensor([0, 1, 1]), torch.tensor([2])
    >>> source = SparseColumns(starts, samples, torch.tensor([5.0]), 3, "minmax")
    >>> window = torch.empty(2, 3)
    >>> source.read(torch.tensor([1, 0]), out=window)
    >>> window
    tensor([[0., 0., 0.],
            [0., 0., 1.]])
    """

    def __init__(
        self,
        starts: Tensor,
        samples: Tensor,
        values: Tensor,
        n_samples: int,
        scale: str | None = None,
    ) -> None:
        self._starts, self._samples, self._values = starts, samples, values
        self.n_columns, self.n_cases = len(starts) - 1, n_samples
        self.n_values = len(values)
        scaling = None
        if scale is not None:
            _check_kind(scale)
            fitted = map(_RAGGED_SCALES[scale], self._ragged_blocks())
            scaling = Scaling._of(fitted, self.n_columns, values.dtype, scale)
        elif values.dtype is torch.float64:
            _refuse_huge(iter([values]))
        # Fewer at once than of a dense table, beside which such buffers are nothing.
        super().__init__(
            self.n_columns, n_samples, scaling, dtype=values.dtype, device=values.device,
            n_at_once=_CHUNK_VALUES // 8,
        )  # fmt: skip

    def _ragged_blocks(self) -> Iterator[_Ragged]:
        """Yield all columns in double precision, some at a time."""
        n_values = self._starts.diff()
        start = 0
        while start < self.n_columns:
            limit = int(self._starts[start]) + _CHUNK_VALUES // 8
            # At least one column, and of empty ones not too many.
            stop = int(torch.searchsorted(self._starts, limit, right=True)) - 1
            stop = min(max(stop, start + 1), start + _CHUNK_VALUES // 8, self.n_columns)
            values = self._values[self._starts[start] : self._starts[stop]].double()
            rows = torch.repeat_interleave(n_values[start:stop], output_size=len(values))
            yield _Ragged(values, rows, n_values[start:stop], self.n_cases)
            start = stop

    def _fill(self, columns: Tensor, cases: slice, out: Tensor) -> None:
        out.zero_()
        first, n_values = self._starts[columns], self._starts[columns + 1] - self._starts[columns]
        ends = n_values.cumsum(0)
        total = int(ends[-1]) if len(ends) else 0
        # Value by value: its row in `out`, and where it is among all values.
        rows = torch.repeat_interleave(n_values, output_size=total)
        places = torch.arange(total, device=out.device) + (first - (ends - n_values))[rows]
        samples = self._samples[places].long()
        start, stop, _ = cases.indices(self.n_cases)
        if stop - start < self.n_cases:
            is_asked = (samples >= start) & (samples < stop)
            rows, places, samples = rows[is_asked], places[is_asked], samples[is_asked] - start
        out[rows, samples] = self._values[places].to(out.dtype)


def _check_kind(kind: str) -> None:
    if kind not in SCALES:
        known = " or ".join(map(repr, SCALES))
        raise EntryPruneError(f"Columns can be scaled by {known}, got {kind!r}.")


def _beginning(buffer: Tensor, n_rows: int, n_columns: int) -> Tensor:
    """Return a matrix in the first places of a buffer, so that it is contiguous."""
    return buffer.view(-1)[: n_rows * n_columns].view(n_rows, n_columns)


def _single_precision_suffices(dtype: torch.dtype, kind: str, factor: Tensor) -> bool:
    """Say whether scaling in single precision loses nothing that matters.

    Values such as time stamps would lose all their variation if they were rounded before the
    shift is taken off.
    """
    if dtype is not torch.float32:
        return dtype in _SINGLE
    # A minimum is a single-precision number itself, a mean need not be near any.
    limit = torch.finfo(torch.float32).max
    used = factor[factor > 0]
    fits = (used < limit) & (used > 1.0 / limit)
    return kind == "minmax" and bool(fits.all())


def _refuse_huge(blocks: Iterator[Tensor]) -> None:
    limit = torch.finfo(torch.float32).max
    if any(bool((block.abs() > limit).any()) for block in blocks):
        raise TooLargeError


def _double_blocks(values: Tensor) -> Iterator[Tensor]:
    """Yield the rows in double precision, some at a time, in one buffer that is used again.

    With a new tensor for each block the allocator was seen to keep hundreds of megabytes.
    """
    rows = max(1, _CHUNK_VALUES // 8 // max(1, values.shape[1]))
    buffer = torch.empty(rows, values.shape[1], dtype=torch.float64, device=values.device)
    for start in range(0, values.shape[0], rows):
        some = values[start : start + rows]
        yield buffer[: len(some)].copy_(some)


# -- which columns make a feature ------------------------------------------------------------------


class Grouping:
    """Columns of one feature stand side by side: they enter, are judged and are seated as one.

    Parameters
    ----------
    feature_of : Tensor of int of shape (n_columns,)
        The feature of each column, from 0 on, never falling, none left out.
    is_indicator : Tensor of bool of shape (n_columns,), optional
        Which columns say with 1 that something holds (a level, a gap) and with 0 that it does not.

    Examples
    --------
    >>> import torch
    >>> grouping = Grouping(torch.tensor([0, 1, 1, 1, 2]))
    >>> grouping.columns_of(torch.tensor([1, 0]))
    tensor([1, 2, 3, 0])
    >>> grouping.total(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]))
    tensor([1., 9., 5.])
    """

    def __init__(self, feature_of: Tensor, is_indicator: Tensor | None = None) -> None:
        self.feature_of = feature_of.long()
        self.n_columns = len(feature_of)
        self.sizes = torch.bincount(self.feature_of)
        self.n_features = len(self.sizes)
        # Where every feature is a column, nothing below needs to be worked out.
        self.is_plain = self.n_features == self.n_columns
        nothing = torch.zeros(self.n_columns, dtype=torch.bool)
        # A single column that says yes or no is a column like others.
        self.is_indicator = nothing
        if is_indicator is not None and not self.is_plain:
            self.is_indicator = is_indicator & (self.sizes[self.feature_of] > 1)

    @classmethod
    def one_each(cls, n_columns: int) -> Self:
        """Return the grouping in which every column is a feature."""
        return cls(torch.arange(n_columns))

    @cached_property
    def _first(self) -> Tensor:
        return self.sizes.cumsum(0) - self.sizes

    def columns_of(self, features: Tensor) -> Tensor:
        """Return the columns of features, feature by feature."""
        if self.is_plain:
            return features
        sizes = self.sizes[features]
        ends = sizes.cumsum(0)
        within = torch.arange(int(sizes.sum())) - torch.repeat_interleave(ends - sizes, sizes)
        return torch.repeat_interleave(self._first[features], sizes) + within

    def total(self, values: Tensor, features: Tensor | None = None) -> Tensor:
        """Sum values of columns, all or those of `features`, over each feature."""
        if self.is_plain:
            return values
        if features is None:
            place, n_features = self.feature_of, self.n_features
        else:
            n_features = len(features)
            place = torch.repeat_interleave(torch.arange(n_features), self.sizes[features])
        return values.new_zeros(n_features).index_add_(0, place.to(values.device), values)
