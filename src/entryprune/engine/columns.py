"""Where the engine gets its columns from: the data, one feature at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch

from entryprune.engine.errors import EntryPruneError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

# Values scaled at a time: few enough to stay in the cache, many enough to keep two threads busy.
_CHUNK_VALUES = 1 << 20
# Types whose values are exact in single precision and not far from zero.
_SINGLE = {torch.uint8, torch.int8, torch.int16, torch.uint16, torch.float16}


class ColumnSource(Protocol):
    """All that the engine knows of the data.

    A source hands out whole columns, scaled and in single precision, for all cases in a fixed
    order. The order must be random: mini-batches are consecutive cases, and the validation cases
    are the first ones. Memory behind a source is its own business, so a file can stand behind it.
    """

    @property
    def n_cases(self) -> int:
        """Number of values in each column."""
        ...

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        ...

    def read(self, columns: Tensor, out: Tensor) -> None:
        """Write the scaled values of `columns` into the rows of `out`."""
        ...


class ArrayColumns:
    """Columns held in memory in their own type, scaled while they are read.

    Parameters
    ----------
    values : Tensor of shape (n_columns, n_cases)
        One feature per row, cases in random order. Not copied and never written.
    scale : {"minmax", "standard", None}
        How each feature is scaled. A constant feature becomes 0 everywhere.

    Examples
    --------
    >>> import torch
    >>> source = ArrayColumns(torch.tensor([[0, 5, 10], [7, 7, 7]]), scale="minmax")
    >>> window = torch.empty(2, 3)
    >>> source.read(torch.tensor([1, 0]), out=window)
    >>> window
    tensor([[0.0000, 0.0000, 0.0000],
            [0.0000, 0.5000, 1.0000]])
    """

    def __init__(self, values: Tensor, scale: str | None = None) -> None:
        self.values = values.contiguous()
        self._scaled = scale is not None
        if scale is None and values.dtype is torch.float64:
            _refuse_huge(self.values)
        rows = max(1, min(self.n_columns, _CHUNK_VALUES // max(1, self.n_cases)))
        self._raw = torch.empty(rows, self.n_cases, dtype=values.dtype, device=values.device)
        self._exact: Tensor | None = None
        self.shift, self.factor = _scaling(self.values, scale)
        if self._scaled and not _single_precision_suffices(values.dtype, scale, self.factor):
            # Double precision is only passed through: the window has no room for it.
            in_place = values.dtype is torch.float64
            self._exact = (
                self._raw if in_place else torch.empty_like(self._raw, dtype=torch.float64)
            )
        else:
            self.shift, self.factor = self.shift.float(), self.factor.float()

    @property
    def n_cases(self) -> int:
        """Number of values in each column."""
        return self.values.shape[1]

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.values.shape[0]

    def scaling(self, columns: Tensor) -> tuple[Tensor, Tensor]:
        """Return, on the CPU, what is taken off `columns` and what they are multiplied with."""
        columns = columns.to(self.shift.device)
        return self.shift[columns].cpu(), self.factor[columns].cpu()

    def read(self, columns: Tensor, out: Tensor) -> None:
        """Write the scaled values of `columns` into the rows of `out`."""
        for start in range(0, len(columns), len(self._raw)):
            some = columns[start : start + len(self._raw)]
            raw = self._raw[: len(some)]
            torch.index_select(self.values, 0, some, out=raw)
            target = out[start : start + len(some)]
            if self._exact is None:
                target.copy_(raw)
                if self._scaled:
                    self._scale(target, some)
            else:
                exact = self._exact[: len(some)]
                if exact.data_ptr() != raw.data_ptr():
                    exact.copy_(raw)
                target.copy_(self._scale(exact, some))

    def _scale(self, values: Tensor, columns: Tensor) -> Tensor:
        shift, factor = self.shift[columns], self.factor[columns]
        return values.sub_(shift.unsqueeze(1)).mul_(factor.unsqueeze(1))


def _scaling(values: Tensor, kind: str | None) -> tuple[Tensor, Tensor]:
    """Return what to subtract from each feature and what to multiply it with."""
    if kind is None:
        nothing = values.new_zeros(len(values), dtype=torch.float64)
        return nothing, torch.ones_like(nothing)
    if kind not in ("minmax", "standard"):
        raise EntryPruneError(f"scale must be 'minmax', 'standard' or None, got {kind!r}.")
    shifts, widths = [], []
    for block in _double_blocks(values):
        low, high = block.amin(dim=1), block.amax(dim=1)
        if kind == "minmax":
            shifts.append(low)
            widths.append(high - low)
        else:
            shifts.append(block.mean(dim=1))
            # Rounding can leave a constant column with a deviation.
            deviation = block.std(dim=1, correction=0)
            widths.append(deviation.masked_fill(low == high, 0.0))
    shift, width = torch.cat(shifts), torch.cat(widths)
    if not bool(torch.isfinite(width).all()):
        raise EntryPruneError(
            "The values of a column span more than double precision can hold; divide the column "
            "by a large constant first."
        )
    # A column whose width has no reciprocal is as good as constant.
    has_width = width > torch.finfo(torch.float64).tiny
    return shift, torch.where(has_width, 1.0 / width, torch.zeros_like(width))


def _single_precision_suffices(dtype: torch.dtype, kind: str | None, factor: Tensor) -> bool:
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
        raise EntryPruneError(
            "X has values beyond single precision (about 3e38), which the network computes in. "
            "Scale the data: scale='minmax' or 'standard'."
        )


def _double_blocks(values: Tensor) -> Iterator[Tensor]:
    """Yield the rows in double precision, some at a time, in one buffer that is used again.

    With a new tensor for each block the allocator was seen to keep hundreds of megabytes.
    """
    rows = max(1, _CHUNK_VALUES // 8 // max(1, values.shape[1]))
    buffer = torch.empty(rows, values.shape[1], dtype=torch.float64, device=values.device)
    for start in range(0, values.shape[0], rows):
        some = values[start : start + rows]
        yield buffer[: len(some)].copy_(some)
