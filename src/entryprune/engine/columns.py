"""Where the engine gets its columns from: the data, one feature at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch

from entryprune.engine.errors import EntryPruneError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

# Values converted at a time, so that the raw values are still in the cache when they are scaled.
_CHUNK_VALUES = 1 << 18
# Types whose values and range are exact in single precision: they need no detour through double.
_SINGLE = {torch.uint8, torch.int8, torch.int16, torch.uint16, torch.float16, torch.float32}


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
        precision = torch.float32 if values.dtype in _SINGLE else torch.float64
        self._scaled = scale is not None
        if scale is not None:
            shift, factor = _scaling(self.values, scale)
            self.shift = shift.to(precision)
            self.factor = factor.to(precision)
        elif precision is torch.float64:
            _refuse_huge(self.values)
        rows = max(1, min(self.n_columns, _CHUNK_VALUES // max(1, self.n_cases)))
        self._raw = torch.empty(rows, self.n_cases, dtype=values.dtype, device=values.device)

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
        if not self._scaled:
            return torch.zeros(len(columns)), torch.ones(len(columns))
        columns = columns.to(self.shift.device)
        return self.shift[columns].cpu(), self.factor[columns].cpu()

    def read(self, columns: Tensor, out: Tensor) -> None:
        """Write the scaled values of `columns` into the rows of `out`."""
        for start in range(0, len(columns), len(self._raw)):
            some = columns[start : start + len(self._raw)]
            raw = self._raw[: len(some)]
            torch.index_select(self.values, 0, some, out=raw)
            target = out[start : start + len(some)]
            if not self._scaled:
                target.copy_(raw)
                continue
            # The shift is taken off in the source's precision: values such as time stamps would
            # lose all their variation if they were rounded first.
            shift, factor = self.shift[some].unsqueeze(1), self.factor[some].unsqueeze(1)
            if raw.dtype is torch.float64:
                # Not even the difference need fit into single precision.
                target.copy_(raw.sub_(shift).mul_(factor))
            else:
                torch.sub(raw, shift, out=target)
                target.mul_(factor)


def _scaling(values: Tensor, kind: str) -> tuple[Tensor, Tensor]:
    """Return what to subtract from each feature and what to multiply it with."""
    shifts, widths = [], []
    for block in _double_blocks(values):
        if kind == "minmax":
            low, high = block.amin(dim=1), block.amax(dim=1)
            shifts.append(low)
            widths.append(high - low)
        elif kind == "standard":
            mean = block.mean(dim=1)
            shifts.append(mean)
            deviation = block.std(dim=1, correction=0)
            # The deviation of a constant column may be left at the size of a rounding error.
            constant = deviation <= 1e-12 * mean.abs()
            widths.append(deviation.masked_fill(constant, 0.0))
        else:
            raise EntryPruneError(f"scale must be 'minmax', 'standard' or None, got {kind!r}.")
    shift, width = torch.cat(shifts), torch.cat(widths)
    if not bool(torch.isfinite(width).all()):
        raise EntryPruneError(
            "The values of a column span more than double precision can hold; divide the column "
            "by a large constant first."
        )
    factor = torch.where(width > 0, 1.0 / width, torch.zeros_like(width))
    return shift, factor


def _refuse_huge(values: Tensor) -> None:
    limit = torch.finfo(torch.float32).max
    if any(bool((block.abs() > limit).any()) for block in _double_blocks(values)):
        raise EntryPruneError(
            "X has values beyond single precision (about 3e38), which the network computes in. "
            "Scale the data: scale='minmax' or 'standard'."
        )


def _double_blocks(values: Tensor) -> Iterator[Tensor]:
    rows = max(1, _CHUNK_VALUES // max(1, values.shape[1]))
    for start in range(0, values.shape[0], rows):
        yield values[start : start + rows].to(torch.float64)
