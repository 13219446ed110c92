"""How much each feature changed the network: the change metrics and their relative scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch

from entryprune.engine.errors import DivergedError

if TYPE_CHECKING:
    from torch import Tensor

    from entryprune.engine.network import Network


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
