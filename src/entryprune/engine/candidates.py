"""Candidates: which features come next, their first weights, and how all features are scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch
from torch import Generator, Tensor

from entryprune.engine.errors import DivergedError

if TYPE_CHECKING:
    from torch import Tensor

    from entryprune.engine.network import Network
    from entryprune.engine.window import Window


# Multiplier and increment of a full-period linear congruential generator modulo 2**32.
_MULTIPLIER, _INCREMENT = 1664525, 1013904223
# Below this many outsiders per candidate a shuffle of all of them is the cheaper draw.
_SHUFFLE_RATIO = 16


def draw_outside(n_columns: int, inside: Tensor, n_draws: int, generator: Generator) -> Tensor:
    """Draw distinct columns at random from all but those in `inside`.

    The cost does not grow with `n_columns` once that is large against `n_draws`.
    """
    n_outside = n_columns - len(inside)
    ranks = _draw_distinct(n_outside, n_draws, generator)
    # The i-th smallest inside column lies before every outsider of rank >= column - i.
    steps = inside.cpu().sort().values - torch.arange(len(inside))
    return ranks + torch.searchsorted(steps, ranks, right=True)


def _draw_distinct(n: int, n_draws: int, generator: Generator) -> Tensor:
    if n <= _SHUFFLE_RATIO * n_draws:
        return torch.randperm(n, generator=generator)[:n_draws]
    # Draw with replacement and pass over what was drawn before, as one does with lottery balls.
    draws = torch.empty(0, dtype=torch.int64)
    while len(draws) < n_draws:
        more = torch.randint(n, (n_draws - len(draws) + 16,), generator=generator)
        draws = _first_occurrences(torch.cat([draws, more]))
    return draws[:n_draws]


def _first_occurrences(values: Tensor) -> Tensor:
    ordered, origin = values.sort(stable=True)
    is_first = torch.ones(len(values), dtype=torch.bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return values[origin[is_first].sort().values]


class Regrowth(Protocol):
    """Names the next candidates."""

    def __call__(
        self,
        window: Window,
        network: Network,
        seated: Tensor,
        n_candidates: int,
        generator: Generator,
    ) -> Tensor:
        """Return `n_candidates` distinct columns, none of them in `seated`."""
        ...


def random_regrowth(
    window: Window, network: Network, seated: Tensor, n_candidates: int, generator: Generator
) -> Tensor:
    """Draw from all features that are not selected, each as likely (Algorithm 1, line 13)."""
    del network
    return draw_outside(window.source.n_columns, seated, n_candidates, generator)


def gradient_regrowth(
    window: Window, network: Network, seated: Tensor, n_candidates: int, generator: Generator
) -> Tensor:
    """Take the features with the largest gradient, as RigL and NeuroFS do.

    This reads every column, so unlike random regrowth its cost grows with their number.
    """
    del generator
    metric = gradient_metric(window, network).cpu()
    metric[seated.cpu()] = -1.0
    # A stable sort lets the smaller column number win a tie, whatever the device.
    return metric.sort(descending=True, stable=True).indices[:n_candidates]


def gradient_metric(window: Window, network: Network) -> Tensor:
    """Return the largest absolute gradient among each column's weights, were it to enter now.

    It is taken on the next mini-batch, with the selected features in the network. The candidates'
    rows of the window serve as scratch: they are about to be overwritten anyway.
    """
    delta = network.hidden_gradient(window.batch(slice(window.n_selected)))
    n_columns = window.source.n_columns
    metric = torch.empty(n_columns, device=delta.device)
    room = len(window.values) - window.n_selected
    for start in range(0, n_columns, room):
        columns = torch.arange(start, min(start + room, n_columns), device=delta.device)
        window.fill(window.n_selected, columns)
        block = window.batch(slice(window.n_selected, window.n_selected + len(columns)))
        metric[columns] = torch.mm(block.inputs, delta).abs_().amax(dim=1)
    return metric


REGROWTHS: dict[str, Regrowth] = {"random": random_regrowth, "gradient": gradient_regrowth}


class TinyWeights:
    """Draws from U(-limit, limit), one per weight, for candidates that enter the network.

    Wide data redraw half a million weights every few mini-batches, for which torch's serial
    generator takes as long as two training steps. So each weight has a small generator of its
    own, started from the run's generator, and all advance together.
    """

    def __init__(self, generator: Generator, limit: float = 1e-8) -> None:
        self._generator = generator
        self._limit = limit
        self._states = torch.empty(0, dtype=torch.int32)

    def redraw(self, weights: Tensor) -> None:
        """Overwrite `weights`, a contiguous block, with fresh draws."""
        if self._states.numel() < weights.numel():
            states = torch.empty(weights.numel(), dtype=torch.int32)
            states.random_(-(2**31), 2**31, generator=self._generator)
            self._states = states.to(weights.device)
            self._increment = torch.tensor(_INCREMENT, dtype=torch.int32, device=weights.device)
        states = self._states[: weights.numel()].view_as(weights)
        torch.add(self._increment, states, alpha=_MULTIPLIER, out=states)
        # In two steps: a product of mixed types would allocate a converted copy first.
        weights.copy_(states).mul_(self._limit / 2**31)


# -- how much each feature changed the network -----------------------------------------------------


class ChangeMetric(Protocol):
    """Accumulates over the mini-batches of one rotation what the features' weights go through."""

    def begin(self, network: Network) -> None:
        """Start a rotation."""
        ...

    def add(self, network: Network, inputs: Tensor, delta: Tensor) -> None:
        """Take in one mini-batch, after its gradients are known and before the weights move.

        `inputs` are features by samples, `delta` is the gradient of the mean loss at the first
        layer's outputs, to be used at once: it lies in a buffer of the network. The network's
        ``weights_gradient``, one row per feature, is ``inputs @ delta``.
        """
        ...

    def total(self, network: Network) -> Tensor:
        """Return one non-negative value per feature in the input layer."""
        ...


class _Buffered:
    """A matrix the size of the first layer's weights, allocated only when it must grow."""

    def __init__(self) -> None:
        self._buffer = torch.empty(0)

    def like(self, weights: Tensor) -> Tensor:
        if self._buffer.numel() < weights.numel():
            self._buffer = torch.empty_like(weights).view(-1)
        return self._buffer[: weights.numel()].view_as(weights)


class GradientSum:
    """Sum of the gradients, |S| summed over the hidden neurons: the paper's metric."""

    def __init__(self) -> None:
        self._sum = _Buffered()
        self._is_empty = True

    def begin(self, network: Network) -> None:
        """Let the next gradient be the first of the sum."""
        del network
        self._is_empty = True

    def add(self, network: Network, inputs: Tensor, delta: Tensor) -> None:
        """Add this mini-batch's gradient to S (Algorithm 1, line 7)."""
        del inputs, delta
        total = self._sum.like(network.weights)
        if self._is_empty:
            total.copy_(network.weights_gradient)
            self._is_empty = False
        else:
            total.add_(network.weights_gradient)

    def total(self, network: Network) -> Tensor:
        """Return the L1 norm of each feature's row of S (Algorithm 1, line 9)."""
        return self._sum.like(network.weights).abs_().sum(dim=1)


class WeightChange:
    """Change of the weights since the last rotation."""

    def __init__(self) -> None:
        self._old = _Buffered()

    def begin(self, network: Network) -> None:
        """Remember the weights."""
        self._old.like(network.weights).copy_(network.weights)

    def add(self, network: Network, inputs: Tensor, delta: Tensor) -> None:
        """Take in nothing: only the first and last weights count."""

    def total(self, network: Network) -> Tensor:
        """Return the L1 norm of each feature's change."""
        old = self._old.like(network.weights)
        return old.sub_(network.weights).abs_().sum(dim=1)


class Magnitude:
    """Size of the weights."""

    def begin(self, network: Network) -> None:
        """Do nothing: only the last weights count."""

    def add(self, network: Network, inputs: Tensor, delta: Tensor) -> None:
        """Do nothing: only the last weights count."""

    def total(self, network: Network) -> Tensor:
        """Return the L1 norm of each feature's weights."""
        return network.weights.abs().sum(dim=1)


class Molchanov:
    """(gradient x weight)^2 summed over mini-batches and weights (Molchanov et al., 2019)."""

    def __init__(self) -> None:
        self._sum = _Buffered()
        self._product = _Buffered()

    def begin(self, network: Network) -> None:
        """Set the sums to zero."""
        self._sum.like(network.weights).zero_()

    def add(self, network: Network, inputs: Tensor, delta: Tensor) -> None:
        """Add this mini-batch's squared products."""
        del inputs, delta
        product = self._product.like(network.weights)
        torch.mul(network.weights_gradient, network.weights, out=product)
        self._sum.like(network.weights).addcmul_(product, product)

    def total(self, network: Network) -> Tensor:
        """Return the sum over each feature's weights."""
        return self._sum.like(network.weights).sum(dim=1)


CHANGE_METRICS: dict[str, type[ChangeMetric]] = {
    "gradient": GradientSum,
    "weight_change": WeightChange,
    "magnitude": Magnitude,
    "molchanov": Molchanov,
}


def relative_scores(totals: Tensor) -> Tensor:
    """Standardise over the input layer (Algorithm 1, line 10); without any spread all score 0."""
    if not bool(torch.isfinite(totals).all()):
        raise DivergedError("change scores")
    if bool(totals.min() == totals.max()):
        return torch.zeros_like(totals)
    # The largest sums of single-precision numbers have no square in single precision.
    exact = totals.double()
    return ((exact - exact.mean()) / exact.std(correction=1)).to(totals.dtype)


def top_rows(scores: Tensor, n_selected: int) -> Tensor:
    """Return the rows of the highest scores, in no particular order; the first win a tie."""
    bar = scores.topk(n_selected).values[-1]
    above = (scores > bar).nonzero().view(-1)
    level = (scores == bar).nonzero().view(-1)
    return torch.cat([above, level[: n_selected - len(above)]])
