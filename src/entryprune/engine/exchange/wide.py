"""A network with an infinitely wide hidden layer, on the seated columns of a hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


# Samples that are less alike than this are not alike. Smaller numbers would be so small that
# processors take a hundred times as long to multiply them.
_SMALLEST = -30.0
# A spread that no column has, but what rounding leaves of those that are gone may have.
_NO_SPREAD = 1e-9


class Blocks(Protocol):
    """Samples in blocks of one size, and their centred targets."""

    @property
    def targets(self) -> Tensor:
        """Of shape (n_blocks, block_size, n_outputs)."""
        ...

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        ...

    @property
    def block_size(self) -> int:
        """Samples in each."""
        ...

    @property
    def weights(self) -> Tensor | None:
        """How often each sample counts, of shape (n_blocks, block_size); None where all do once."""
        ...


def weighted_mean(values: Tensor, weights: Tensor | None) -> float:
    """Return the mean over the samples of each row, given a row of their weights."""
    if weights is None:
        return float(values.mean(dim=-1).sum())
    return float((values @ weights).sum() / weights.sum())


@dataclass(frozen=True)
class Solution:
    """A wide network after training, block by block."""

    # How probable the targets are, whatever the weights, as a logarithm. More columns explain more,
    # but a network that could explain anything is not believed.
    evidence: float
    # how alike the hidden layer makes two samples of a block
    kernel: Tensor
    # Cholesky factor of the kernel with all its additions
    factor: Tensor
    # what is left of the targets, per unit of noise
    residuals: Tensor
    # size of the targets in units of the kernel, for each block
    variance: Tensor

    @cached_property
    def slope(self) -> Tensor:
        """How the evidence grows with the likeness of any two samples."""
        inverse = torch.cholesky_inverse(self.factor)
        scaled = self.residuals / self.variance.sqrt().view(-1, 1, 1)
        return torch.baddbmm(inverse, scaled, scaled.mT, beta=-1.0)

    @cached_property
    def form(self) -> Tensor:
        """The matrices of the quadratic form that is a column's first impression, block by block.

        A column that enters makes samples less alike by the square of their difference in it.
        """
        # How the evidence grows with the logarithm of the likeness of any two samples.
        sensitivity = self.slope * self.kernel
        sensitivity.diagonal(dim1=1, dim2=2).sub_(sensitivity.sum(dim=2))
        return sensitivity


def impressions(values: Tensor, form: Tensor) -> Tensor:
    """Return the first impression of columns: how fast the evidence grows as each enters.

    Large if samples that differ in the column are to be told apart, negative if they are not.
    """
    total = values.new_zeros(len(values))
    size = form.shape[1]
    for block, matrix in enumerate(form):
        part = values[:, block * size : (block + 1) * size]
        total += torch.mm(part, matrix).mul_(part).sum(dim=1)
    return total


class WideNetwork:
    """One hidden layer with infinitely many units on the seated columns, solved exactly.

    Its first layer is drawn at random and its output layer is ridge regression: the hidden layer
    then matters only through how alike it makes two samples, a Gaussian of their distance.
    """

    def __init__(self, hand: Blocks, noise: float, reach: float = 1.0) -> None:
        self.hand, self.noise, self.reach = hand, noise, reach
        size = hand.block_size
        self._distance = hand.targets.new_zeros(hand.n_blocks, size, size)
        self.spread, self.n_seats = 0.0, 0
        # A sample that counts twice has half the noise, as the mean of two has.
        self._noise: Tensor | float = noise
        self._counts = float(size) * torch.ones(hand.n_blocks, device=hand.targets.device)
        if hand.weights is not None:
            self._noise = noise / hand.weights
            self._counts = hand.weights.sum(dim=1)
        self._pairs: Tensor | None = None
        self._n_pairs = 0

    def copy(self) -> WideNetwork:
        """Return another network on the same seats, to try something with."""
        other = WideNetwork.__new__(WideNetwork)
        other.__dict__.update(self.__dict__)
        other._distance = self._distance.clone()
        return other

    def add(self, values: Tensor) -> None:
        """Seat a feature, given the prepared values of its columns, one row each."""
        self._shift(values, 1.0)

    def remove(self, values: Tensor) -> None:
        """Free a feature's seat."""
        self._shift(values, -1.0)

    def _shift(self, values: Tensor, sign: float) -> None:
        for column in values:
            self._distance.add_(self._differences(column), alpha=sign)
        self.n_seats += int(sign)
        self.spread += sign * self._spread_of(values)

    def _spread_of(self, values: Tensor) -> float:
        weights = self.hand.weights
        return weighted_mean(values.square(), None if weights is None else weights.flatten())

    def _differences(self, values: Tensor) -> Tensor:
        """Return the squared differences between the samples of each block in one column."""
        cases = values.view(self.hand.n_blocks, self.hand.block_size)
        return (cases.unsqueeze(2) - cases.unsqueeze(1)).square_()

    def pair_kernel(self, values: Tensor, reach: float) -> Tensor:
        """Return how alike the columns of two features by themselves make any two samples."""
        spread = self._spread_of(values)
        distance = self._differences(values[0])
        for column in values[1:]:
            distance.add_(self._differences(column))
        return distance.mul_(-0.5 / (reach**2 * spread)).clamp_(min=_SMALLEST).exp_()

    def mean_likeness(self, kernel: Tensor) -> Tensor:
        """Return, block by block, how alike a kernel makes two samples on average."""
        weights = self.hand.weights
        if weights is None:
            total = kernel.sum(dim=(1, 2))
        else:
            total = ((kernel @ weights.unsqueeze(2)).squeeze(2) * weights).sum(dim=1)
        return (total / self._counts - 1.0) / (self._counts - 1.0).clamp(min=1.0)

    def add_pair(self, kernel: Tensor) -> None:
        """Let a pair have units of its own beside the rest of the hidden layer."""
        self._pairs = kernel if self._pairs is None else self._pairs + kernel
        self._n_pairs += 1

    def solve(self, trial: Tensor | None = None, sign: float = 1.0) -> Solution:
        """Train the network: `trial` is the kernel of a pair to be tried with it, or without."""
        # The parts of the hidden layer have units in proportion to their seats, and together always
        # as many: a part more is no licence to explain more.
        n_pairs = self._n_pairs + (trial is not None) * sign
        pair_share = 2.0 / (max(self.n_seats, 1) + 2.0 * n_pairs)
        share = 1.0 - n_pairs * pair_share
        # Columns of one value make all samples alike, whatever rounding has left of others that
        # were seated with them.
        if self.spread > _NO_SPREAD:
            scale = -0.5 / (self.reach**2 * self.spread)
            kernel = torch.mul(self._distance, scale).clamp_(min=_SMALLEST).exp_().mul_(share)
        else:
            kernel = torch.full_like(self._distance, share)
        total = kernel.clone()
        if self._pairs is not None:
            total.add_(self._pairs, alpha=pair_share)
        if trial is not None:
            total.add_(trial, alpha=sign * pair_share)
        total.diagonal(dim1=1, dim2=2).add_(self._noise)
        factor = torch.linalg.cholesky(total)
        targets = self.hand.targets
        residuals = torch.cholesky_solve(targets, factor)
        variance = (targets * residuals).sum(dim=(1, 2)) / self._counts
        variance.clamp_(min=torch.finfo(variance.dtype).tiny)
        log_sizes = factor.diagonal(dim1=1, dim2=2).log().sum(dim=1)
        evidence = -0.5 * self._counts * variance.log() - log_sizes
        return Solution(float(evidence.sum()), kernel, factor, residuals, variance)

    def predict(self, solution: Solution, mine: Tensor, theirs: Tensor) -> Tensor:
        """Return the outputs for other samples, averaged over the blocks.

        `mine` and `theirs` are the values of the columns, for the network's own samples and for the
        others.
        """
        outputs = []
        for block, residuals in enumerate(solution.residuals):
            size = self.hand.block_size
            own = mine[:, block * size : (block + 1) * size]
            distance = torch.cdist(theirs.mT, own.mT).square_()
            kernel = distance.mul_(-0.5 / (self.reach**2 * max(self.spread, 1e-12))).exp_()
            outputs.append(kernel @ residuals)
        return torch.stack(outputs).mean(dim=0)


# -- what it says of other samples, with ever more columns -----------------------------------------


# Blocks of the size that growth has, and less noise than it reckons with: columns that are seated
# one by one must not explain each other away, here all that they tell together counts.
_BLOCK_SIZE, _MOST_BLOCKS = 400, 4
_NOISE = 0.3
# Standard deviations beyond which a value counts no more.
_CLIP = 2.0


@dataclass(frozen=True)
class _Blocks:
    """The samples that a network learns from."""

    targets: Tensor
    n_blocks: int
    block_size: int
    weights: Tensor | None


@torch.no_grad()
def outputs_by_size(
    mine: Tensor,
    targets: Tensor,
    theirs: Tensor,
    sizes: Sequence[int],
    *,
    n_columns: Sequence[int] | None = None,
    weights: Tensor | None = None,
) -> list[Tensor]:
    """Return, for each rising size, the outputs for other samples of a network on so many features.

    `mine` and `theirs` have a row for each column, best feature first, with its values for the
    samples to learn from and for the others, scaled to mean 0 and variance 1. `targets` has a row
    for each sample to learn from, which counts as often as `weights` say; of more than 1,600
    samples the first count. `n_columns` are those of each feature, one where it is not given.

    Examples
    --------
    The second column tells the target, the first nothing.

    >>> import torch
    >>> x = torch.tensor([[-1.0, 1, -1, 1, -1, 1, -1, 1], [-1, -1, -1, -1, 1, 1, 1, 1]])
    >>> for outputs in outputs_by_size(x, x[1:].T, torch.tensor([[-1.0, 1], [-1, 1]]), [1, 2]):
    ...     print([round(output, 2) + 0.0 for output in outputs.flatten().tolist()])
    [0.0, 0.0]
    [-0.85, 0.85]
    """
    n_blocks = min(-(-len(targets) // _BLOCK_SIZE), _MOST_BLOCKS)
    block_size = min(len(targets) // n_blocks, _BLOCK_SIZE)
    n_samples = n_blocks * block_size
    targets = targets[:n_samples]
    if weights is None:
        mean, in_blocks = targets.mean(dim=0), None
    else:
        weights = weights[:n_samples]
        mean = (weights @ targets) / weights.sum()
        in_blocks = weights.view(n_blocks, block_size)
    mine, theirs = mine[:, :n_samples].clamp(-_CLIP, _CLIP), theirs.clamp(-_CLIP, _CLIP)
    blocks = _Blocks(
        (targets - mean).view(n_blocks, block_size, -1), n_blocks, block_size, in_blocks
    )
    network = WideNetwork(blocks, _NOISE)
    widths = [1] * len(mine) if n_columns is None else list(n_columns)
    outputs: list[Tensor] = []
    n_rows = 0
    for size in sizes:
        if outputs and size == network.n_seats:
            outputs.append(outputs[-1])
            continue
        for width in widths[network.n_seats : size]:
            network.add(mine[n_rows : n_rows + width])
            n_rows += width
        found = network.predict(network.solve(), mine[:n_rows], theirs[:n_rows])
        outputs.append(found + mean)
    return outputs
