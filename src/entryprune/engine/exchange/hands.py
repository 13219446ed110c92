"""Some samples at a time, with all their columns: the only place that touches all the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch

from entryprune.engine.columns import Grouping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from entryprune.engine.columns import ColumnSource
    from entryprune.engine.settings import ExchangeSettings

# Values read at a time, and values kept so that they need not be read again (256 MiB). Of a sparse
# table no more than it has itself, unless they are few.
_BLOCK_VALUES = 1 << 21
_KEPT_VALUES, _FEW_VALUES = 1 << 26, 1 << 22
# The more columns, the fewer samples at a time, but not fewer than two blocks.
_HAND_VALUES, _FEWEST_BLOCKS = 1 << 22, 2
# Columns from which it is told whether a table is sparse: nine of ten then keep less than this of
# their variance when their values are cut back.
_LOOKED_AT, _SPREAD_OF_SPARSE = 1000, 0.5
# How much larger than usual a hand may be if it then holds all samples.
_STRETCH = 1.25
# Few and small hands soon come again, and are kept (64 MiB).
_KEPT_IN_HANDS = 1 << 24


@dataclass(frozen=True)
class Table:
    """All the samples, in the terms of growth: columns, what is to be explained, and weights."""

    source: ColumnSource
    responses: Tensor  # samples by directions
    features: Grouping | None = None  # which columns make one; every column does if it is not said
    weights: Tensor | None = None  # how often each sample counts

    @cached_property
    def grouping(self) -> Grouping:
        """Which columns make a feature."""
        return self.features or Grouping.one_each(self.source.n_columns)

    @cached_property
    def count(self) -> float:
        """How many samples there are, each as often as it counts."""
        return float(self.source.n_cases if self.weights is None else self.weights.sum())

    def weights_of(self, cases: slice) -> Tensor | None:
        """Return the weights of some samples."""
        return None if self.weights is None else self.weights[cases]


class Deck:
    """Deals hands of samples, all samples before any hand comes again."""

    def __init__(
        self, table: Table, settings: ExchangeSettings, cases: range | None = None
    ) -> None:
        self._table, self._settings = table, settings
        source, responses = table.source, table.responses
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
        room = min(_KEPT_IN_HANDS, max(source.n_values, _FEW_VALUES))
        self._keeps_all = self._n_hands * self._size * source.n_columns <= room
        self._n_dealt = 0
        self._hands: dict[int, Hand] = {}
        centred = responses - responses.mean(dim=0)
        # Two classes differ in one direction, three in two.
        self._n_directions = int(torch.linalg.matrix_rank(centred.mT @ centred))
        first = slice(self._cases.start, self._cases.start + self._size)
        self._is_sparse = _looks_sparse(table, first, settings.clip)

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
            self._table, slice(start, start + self._size), self._n_blocks, self._settings,
            n_directions=self._n_directions, is_sparse=self._is_sparse,
        )  # fmt: skip
        return self._hands[turn]


class Hand:
    """Some samples in blocks of one size, with all their columns.

    Columns are centred and scaled to the same spread over the hand's samples, whatever scale they
    come in. Values beyond a few standard deviations are cut back, so that no single sample decides.
    Where samples are few, a column whose values keep away from the middle of their range weighs
    more than one that owes its range to a few outliers. A column with one value in most samples
    loses much of its spread when it is cut back, and weighs less for it; in a sparse table, where
    nearly all are so, it gets its spread back. The columns of one feature share the spread of one.
    """

    def __init__(
        self,
        table: Table,
        cases: slice,
        n_blocks: int,
        settings: ExchangeSettings,
        *,
        n_directions: int,
        is_sparse: bool,
    ) -> None:
        self._source, self._cases, self._clip = table.source, cases, settings.clip
        self.grouping = table.grouping
        self.n_columns, self.n_features = table.source.n_columns, table.grouping.n_features
        self.n_cases = int(cases.stop - cases.start)
        self.n_blocks, self.block_size = n_blocks, self.n_cases // n_blocks
        # How often each sample counts, in a row and in blocks; None where all do once.
        self.case_weights = table.weights_of(cases)
        self.weights = None
        if self.case_weights is not None:
            self.weights = self.case_weights.view(n_blocks, self.block_size)
        self.count = self.n_cases if self.weights is None else float(self.weights.sum())
        self.count_in_all = table.count
        # The prior belief counts less the more samples there are to learn from.
        share = self.n_columns / (self.n_columns + table.count)
        self._exponent = settings.spread_share * share
        self.n_directions, self._is_sparse = n_directions, is_sparse
        blocks = table.responses[cases].view(n_blocks, self.block_size, -1)
        self.targets = blocks - _block_means(blocks, self.weights)
        self._rows = max(1, _BLOCK_VALUES // self.n_cases)
        room = min(_KEPT_VALUES, max(table.source.n_values, _FEW_VALUES))
        self._can_keep = self.n_columns * self.n_cases <= room
        self._kept: Tensor | None = None
        self._shares: Tensor | None = None
        if not self.grouping.is_plain:
            self._shares = self._shares_of_features()

    @cached_property
    def is_constant(self) -> Tensor:
        """Which features have one value only."""
        return self.scan(lambda values: values.amax(dim=1) - values.amin(dim=1)) == 0

    def read(self, columns: Tensor) -> Tensor:
        """Return the prepared values of `columns`, one row each."""
        if self._kept is not None:
            return self._kept[columns]
        out = torch.empty(len(columns), self.n_cases, device=self.targets.device)
        return self._prepare(columns, out) if len(columns) else out

    def read_features(self, features: Tensor) -> Tensor:
        """Return the prepared values of all columns of features, one row each."""
        return self.read(self.grouping.columns_of(features))

    def scan(self, judge: Callable[[Tensor], Tensor]) -> Tensor:
        """Return what `judge` makes of every feature, some columns at a time.

        `judge` receives values of shape (n_some_columns, n_samples) and returns a number for each;
        those of a feature's columns are added up.
        """
        return self.grouping.total(torch.cat([judge(block) for block in self._blocks()]))

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
        _standardise(out, self.case_weights)
        if self._shares is None:
            return self._cut_back(out)
        is_indicator = self.grouping.is_indicator[columns].to(out.device)
        if not bool(is_indicator.any()):
            self._cut_back(out)
        else:
            # One that holds for few samples tells of these few, and is no outlier.
            indicators = out[is_indicator]
            self._cut_back(out)
            out[is_indicator] = indicators.mul_(2.0 / _width(indicators).unsqueeze(1))
        return out.mul_(self._shares[columns.to(self._shares.device)].unsqueeze(1))

    def _cut_back(self, out: Tensor) -> Tensor:
        """Cut back what is far off in standardised rows, in place."""
        if self._is_sparse:
            out.clamp_(-self._clip, self._clip)
            _standardise(out, self.case_weights).clamp_(-self._clip, self._clip)
            return _standardise(out, self.case_weights)
        # In standard deviations; four are the range of many an ordinary column.
        width = _width(out)
        out.clamp_(-self._clip, self._clip)
        out.sub_(_means(out, self.case_weights))
        if self._exponent:
            out.mul_((4.0 / width).pow_(self._exponent).unsqueeze(1))
        return out

    def _shares_of_features(self) -> Tensor:
        """Return what each column is multiplied by, so that a feature has the spread of a column.

        Columns of numbers count fully, an indicator the more the nearer it is to half and half.
        """
        grouping = self.grouping
        counts = torch.ones(self.n_columns)
        indicators = grouping.is_indicator.nonzero().view(-1)
        for some in torch.split(indicators, self._rows):
            values = torch.empty(len(some), self.n_cases, device=self.targets.device)
            self._source.read(some.to(values.device), out=values, cases=self._cases)
            _standardise(values, self.case_weights)
            is_constant = values[:, 0] == 0
            counts[some] = (4.0 / _width(values).square()).masked_fill_(is_constant, 0.0).cpu()
        totals = grouping.total(counts)
        shares = torch.where(grouping.sizes > 1, totals.clamp(min=1e-12).rsqrt(), 1.0)
        return shares[grouping.feature_of].to(self.targets.device)


def _looks_sparse(table: Table, cases: slice, clip: float) -> bool:
    """Say whether nearly all columns have one value in most samples, as counts of words have."""
    device = table.responses.device
    columns = (~table.grouping.is_indicator).nonzero().view(-1)
    n_some = min(len(columns), _LOOKED_AT)
    if not n_some:
        return False
    places = torch.linspace(0, len(columns) - 1, n_some, dtype=torch.float64).round().long()
    out = torch.empty(n_some, cases.stop - cases.start, device=device)
    table.source.read(columns[places].to(device), out=out, cases=cases)
    left = _standardise(out, table.weights_of(cases)).clamp_(-clip, clip).var(dim=1, correction=0)
    left = left[left > 0]
    return bool(len(left)) and float(left.quantile(0.9)) < _SPREAD_OF_SPARSE


def _block_means(blocks: Tensor, weights: Tensor | None) -> Tensor:
    """Return the mean of each block of samples, of shape (n_blocks, 1, n_directions)."""
    if weights is None:
        return blocks.mean(dim=1, keepdim=True)
    return (weights.unsqueeze(1) @ blocks) / weights.sum(dim=1).view(-1, 1, 1)


def _means(values: Tensor, weights: Tensor | None) -> Tensor:
    """Return the mean of each row, as a column."""
    if weights is None:
        return values.mean(dim=1, keepdim=True)
    return torch.mv(values, weights).div_(weights.sum()).unsqueeze(1)


def _width(values: Tensor) -> Tensor:
    """Return the range of each row, 1 for a constant one."""
    width = values.amax(dim=1).sub_(values.amin(dim=1))
    return width.masked_fill_(width == 0, 1.0)


def _standardise(values: Tensor, weights: Tensor | None = None) -> Tensor:
    """Give every row mean 0 and standard deviation 1, or 0 if it is constant; in place."""
    is_constant = values.amin(dim=1) == values.amax(dim=1)
    values.sub_(_means(values, weights))
    # Several times as fast as torch.std.
    if weights is None:
        deviation = torch.linalg.vector_norm(values, dim=1) / math.sqrt(values.shape[1])
    else:
        deviation = torch.mv(values.square(), weights).div_(weights.sum()).sqrt_()
    deviation.masked_fill_(is_constant, torch.inf)
    return values.div_(deviation.unsqueeze(1))
