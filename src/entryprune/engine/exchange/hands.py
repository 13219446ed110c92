"""Some samples at a time, with all their columns: the only place that touches all the data."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from entryprune.engine.columns import ColumnSource
    from entryprune.engine.exchange.settings import ExchangeSettings

# Values read at a time, and values kept so that they need not be read again (256 MiB).
_BLOCK_VALUES = 1 << 21
_KEPT_VALUES = 1 << 26
# The more columns, the fewer samples at a time, but not fewer than two blocks.
_HAND_VALUES, _FEWEST_BLOCKS = 1 << 22, 2
# Columns from which it is told whether a table is sparse: nine of ten then keep less than this of
# their variance when their values are cut back.
_LOOKED_AT, _SPREAD_OF_SPARSE = 1000, 0.5
# How much larger than usual a hand may be if it then holds all samples.
_STRETCH = 1.25
# Few and small hands soon come again, and are kept (64 MiB).
_KEPT_IN_HANDS = 1 << 24


class Deck:
    """Deals hands of samples, all samples before any hand comes again."""

    def __init__(
        self,
        source: ColumnSource,
        targets: Tensor,
        settings: ExchangeSettings,
        cases: range | None = None,
    ) -> None:
        self._source, self._targets, self._settings = source, targets, settings
        self._cases = cases or range(source.n_cases)
        n_cases, size = len(self._cases), settings.cases_per_block
        affordable = max(_HAND_VALUES // (source.n_columns * size), _FEWEST_BLOCKS)
        most_blocks = min(settings.max_blocks, affordable)
        most = most_blocks * size
        self._n_blocks = min(-(-n_cases // size), most_blocks)
        # A few more samples than fit are better taken in than left for a hand of their own.
        self.has_more = n_cases > _STRETCH * most
        self._n_hands = -(-n_cases // most) if self.has_more else 1
        self._size = most if self.has_more else n_cases - n_cases % self._n_blocks
        self._keeps_all = self._n_hands * self._size * source.n_columns <= _KEPT_IN_HANDS
        self._n_dealt = 0
        self._hands: dict[int, Hand] = {}
        centred = targets - targets.mean(dim=0)
        # Two classes differ in one direction, three in two.
        self._n_directions = int(torch.linalg.matrix_rank(centred.mT @ centred))
        first = slice(self._cases.start, self._cases.start + self._size)
        self._is_sparse = _looks_sparse(source, first, settings.clip, targets.device)

    def deal(self) -> Hand:
        """Return the next hand; the same one where it holds all samples."""
        turn = self._n_dealt % self._n_hands
        self._n_dealt += 1
        if turn in self._hands:
            return self._hands[turn]
        if not self._keeps_all:
            self._hands.clear()  # never two at once
        # The last hand ends with the last sample, so that hands overlap rather than leave any out.
        left_over = len(self._cases) - self._size
        start = self._cases.start + turn * left_over // max(self._n_hands - 1, 1)
        self._hands[turn] = Hand(
            self._source, self._targets, slice(start, start + self._size), self._n_blocks,
            self._settings, n_directions=self._n_directions, is_sparse=self._is_sparse,
        )  # fmt: skip
        return self._hands[turn]


class Hand:
    """Some samples in blocks of one size, with all their columns.

    Columns are centred and scaled to the same spread over the hand's samples, whatever scale they
    come in. Values beyond a few standard deviations are cut back, so that no single sample decides.
    Where samples are few, a column whose values keep away from the middle of their range weighs
    more than one that owes its range to a few outliers. A column with one value in most samples
    loses much of its spread when it is cut back, and weighs less for it; in a sparse table, where
    nearly all are so, it gets its spread back.
    """

    def __init__(
        self,
        source: ColumnSource,
        targets: Tensor,
        cases: slice,
        n_blocks: int,
        settings: ExchangeSettings,
        *,
        n_directions: int,
        is_sparse: bool,
    ) -> None:
        self._source, self._cases, self._clip = source, cases, settings.clip
        self.n_columns, self.n_cases = source.n_columns, int(cases.stop - cases.start)
        self.n_cases_in_all = source.n_cases
        self.n_blocks, self.block_size = n_blocks, self.n_cases // n_blocks
        # The prior belief counts less the more samples there are to learn from.
        share = self.n_columns / (self.n_columns + source.n_cases)
        self._exponent = settings.spread_share * share
        self.n_directions, self._is_sparse = n_directions, is_sparse
        blocks = targets[cases].view(n_blocks, self.block_size, -1)
        self.targets = blocks - blocks.mean(dim=1, keepdim=True)
        self._rows = max(1, _BLOCK_VALUES // self.n_cases)
        self._can_keep = self.n_columns * self.n_cases <= _KEPT_VALUES
        self._kept: Tensor | None = None

    @cached_property
    def is_constant(self) -> Tensor:
        """Which columns have one value only."""
        return self.scan(lambda values: (values == 0).all(dim=1))

    def read(self, columns: Tensor) -> Tensor:
        """Return the prepared values of `columns`, one row each."""
        if self._kept is not None:
            return self._kept[columns]
        out = torch.empty(len(columns), self.n_cases, device=self.targets.device)
        return self._prepare(columns, out) if len(columns) else out

    def scan(self, judge: Callable[[Tensor], Tensor]) -> Tensor:
        """Return what `judge` makes of every column, some columns at a time.

        `judge` receives values of shape (n_some_columns, n_samples) and returns a result for each.
        """
        return torch.cat([judge(block) for block in self._blocks()])

    def _blocks(self) -> Iterator[Tensor]:
        if self._kept is not None:
            yield from torch.split(self._kept, self._rows)
            return
        device = self.targets.device
        n_rows = self.n_columns if self._can_keep else self._rows
        room = torch.empty(n_rows, self.n_cases, device=device)
        for start, stop in self._bounds():
            part = room[start:stop] if self._can_keep else room[: stop - start]
            yield self._prepare(torch.arange(start, stop), part)
        if self._can_keep:  # only now, so that no reader meets a column that is not there yet
            self._kept = room

    def _bounds(self) -> Iterator[tuple[int, int]]:
        for start in range(0, self.n_columns, self._rows):
            yield start, min(start + self._rows, self.n_columns)

    @property
    def usual_reach(self) -> float:
        """How far apart samples may be and still tell of each other, in their usual distance.

        Samples that have a rare value are far from all others; they need a longer reach.
        """
        return 2.0 if self._is_sparse else 1.0

    def _prepare(self, columns: Tensor, out: Tensor) -> Tensor:
        """Write the prepared values of `columns` into `out`; a constant column becomes 0."""
        self._source.read(columns.to(out.device), out=out, cases=self._cases)
        if self._is_sparse:
            for _ in range(2):
                _standardise(out).clamp_(-self._clip, self._clip)
            return _standardise(out)
        _standardise(out)
        # In standard deviations; four are the range of many an ordinary column.
        width = out.amax(dim=1).sub_(out.amin(dim=1))
        out.clamp_(-self._clip, self._clip)
        out.sub_(out.mean(dim=1, keepdim=True))
        if self._exponent:
            width.masked_fill_(width == 0, 1.0)
            out.mul_((4.0 / width).pow_(self._exponent).unsqueeze(1))
        return out


def _looks_sparse(source: ColumnSource, cases: slice, clip: float, device: torch.device) -> bool:
    """Say whether nearly all columns have one value in most samples, as counts of words have."""
    n_some = min(source.n_columns, _LOOKED_AT)
    some = torch.linspace(0, source.n_columns - 1, n_some, dtype=torch.float64).round().long()
    out = torch.empty(n_some, cases.stop - cases.start, device=device)
    source.read(some.to(device), out=out, cases=cases)
    left = _standardise(out).clamp_(-clip, clip).var(dim=1, correction=0)
    left = left[left > 0]
    return bool(len(left)) and float(left.quantile(0.9)) < _SPREAD_OF_SPARSE


def _standardise(values: Tensor) -> Tensor:
    """Give every row mean 0 and standard deviation 1, or 0 if it is constant; in place."""
    is_constant = values.amin(dim=1) == values.amax(dim=1)
    values.sub_(values.mean(dim=1, keepdim=True))
    # Several times as fast as torch.std.
    deviation = torch.linalg.vector_norm(values, dim=1) / math.sqrt(values.shape[1])
    deviation.masked_fill_(is_constant, torch.inf)
    return values.div_(deviation.unsqueeze(1))
