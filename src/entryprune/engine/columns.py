"""Where the engine gets its columns from, and how they are scaled on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

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
    # Squares of very large and very small values leave double precision. A power of two changes
    # nothing else.
    size = torch.maximum(low.abs(), (low + span).abs())
    unit = torch.ones_like(size)
    unit = unit.masked_fill(size > _LARGE, _SHIFT).masked_fill(size < 1.0 / _LARGE, 1.0 / _SHIFT)
    values = block / unit.unsqueeze(1)
    deviation = values.std(dim=1, correction=0) * unit
    # Rounding can leave a constant column with a deviation.
    deviation = deviation.masked_fill(span == 0, 0.0).masked_fill(span == torch.inf, torch.inf)
    return values.mean(dim=1) * unit, deviation


# For rows in double precision: what becomes 0, and what becomes 1 from there.
SCALES: dict[str, Callable[[Tensor], tuple[Tensor, Tensor]]] = {
    "minmax": _range,
    "standard": _deviation,
}


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
        if kind not in SCALES:
            known = " or ".join(map(repr, SCALES))
            raise EntryPruneError(f"Columns can be scaled by {known}, got {kind!r}.")
        fitted = [SCALES[kind](block) for block in _double_blocks(values)]
        shift = torch.cat([shift for shift, _ in fitted])
        width = torch.cat([width for _, width in fitted])
        if not bool(torch.isfinite(width).all()):
            raise EntryPruneError(
                "The values of a column span more than double precision can hold; divide the "
                "column by a large constant first."
            )
        # A column whose width has no reciprocal is as good as constant.
        has_width = width > torch.finfo(torch.float64).tiny
        factor = torch.where(has_width, 1.0 / width, torch.zeros_like(width))
        if _single_precision_suffices(values.dtype, kind, factor):
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


class ArrayColumns:
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
        if scaling is None and values.dtype is torch.float64:
            _refuse_huge(self.values)
        self._scaling = scaling
        rows = max(1, min(self.n_columns, _CHUNK_VALUES // max(1, self.n_cases)))
        self._raw = torch.empty(rows, self.n_cases, dtype=values.dtype, device=values.device)
        self._exact: Tensor | None = None
        if scaling is not None and scaling.dtype is torch.float64:
            # Double precision is only passed through: the window has no room for it.
            in_place = values.dtype is torch.float64
            self._exact = (
                self._raw if in_place else torch.empty_like(self._raw, dtype=torch.float64)
            )

    @property
    def n_cases(self) -> int:
        """Number of values in each column."""
        return self.values.shape[1]

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.values.shape[0]

    def scaling(self, columns: Tensor) -> Scaling:
        """Return, on the CPU, how `columns` are scaled, in their order."""
        if self._scaling is None:
            return Scaling.none(len(columns))
        part = self._scaling.of(columns.to(self._scaling.shift.device))
        return Scaling(part.shift.cpu(), part.factor.cpu())

    def read(self, columns: Tensor, out: Tensor, cases: slice = ALL_CASES) -> None:
        """Write the scaled values of `columns`, for some samples or all, into the rows of `out`."""
        values = self.values[:, cases]
        n_cases = values.shape[1]
        for start in range(0, len(columns), len(self._raw)):
            some = columns[start : start + len(self._raw)]
            raw = _beginning(self._raw, len(some), n_cases)
            torch.index_select(values, 0, some, out=raw)
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


def _refuse_huge(values: Tensor) -> None:
    limit = torch.finfo(torch.float32).max
    if any(bool((block.abs() > limit).any()) for block in _double_blocks(values)):
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
