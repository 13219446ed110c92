"""A network of sparse layers and the mini-batches that it learns from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from numpy.typing import NDArray
from torch import Tensor

from entryprune.baselines._sparse_layer import SparseLayer
from entryprune.engine.errors import DivergedError


@dataclass(frozen=True)
class Activation:
    """A function of a unit's sum and its slope.

    Attributes
    ----------
    apply : callable
        From the sums, which it may overwrite, to what the units send.
    pull_back : callable
        From the gradient of what the units send, and what they send, to that of the sums.
    """

    apply: Callable[[Tensor], Tensor]
    pull_back: Callable[[Tensor, Tensor], Tensor]


def _tanh(sums: Tensor) -> Tensor:
    # By way of the logistic function, whose kernel takes less than half of the time of tanh_.
    return sums.mul_(2).sigmoid_().mul_(2).sub_(1)


ACTIVATIONS = {
    "tanh": Activation(_tanh, torch.ops.aten.tanh_backward),
    "logistic": Activation(torch.sigmoid_, torch.ops.aten.sigmoid_backward),
    "relu": Activation(
        torch.relu_, lambda gradient, sent: torch.ops.aten.threshold_backward(gradient, sent, 0)
    ),
}


def softmax_error(outputs: Tensor, classes: Tensor) -> Tensor:
    """Return the gradient of the mean cross entropy, given class numbers."""
    error = outputs.softmax(dim=0)
    cases = torch.arange(len(classes), device=classes.device)
    error[classes, cases] -= 1
    return error.div_(len(classes))


def squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the gradient of half the squared error, summed over outputs, mean over cases."""
    return (outputs - targets).div_(outputs.shape[1])


class Signal(NamedTuple):
    """What passed a layer.

    Attributes
    ----------
    sent : Tensor of shape (n_in, n_cases)
        What the input units sent.
    delta : Tensor of shape (n_out, n_cases)
        Gradient of the loss with respect to the output units' sums.
    """

    sent: Tensor
    delta: Tensor


class SparseNetwork:
    """A multilayer perceptron of sparse layers, with linear outputs.

    Parameters
    ----------
    sizes : sequence of int
        Number of units in each layer, from the inputs to the outputs.
    activation : str
        A key of `ACTIVATIONS`; for the units in between.
    error : callable
        From outputs and targets to the gradient of the loss with respect to the outputs.
    epsilon : float
        A layer has as many connections as it has units on both sides, times this.
    dropout : float
        Share of the hidden units that are silent, in training, for each case.
    generator : torch.Generator
        Source of randomness, and by its device the place of all tensors.

    Attributes
    ----------
    layers : list of SparseLayer
        From the inputs to the outputs.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        activation: str,
        error: Callable[[Tensor, Tensor], Tensor],
        epsilon: float,
        generator: torch.Generator,
        dropout: float = 0.0,
    ) -> None:
        self.layers = [
            SparseLayer.random(n_in, n_out, epsilon, generator) for n_in, n_out in pairwise(sizes)
        ]
        self._activation = ACTIVATIONS[activation]
        self._error = error
        self._dropout = dropout
        self._generator = generator

    def backward(self, inputs: Tensor, targets: Tensor) -> list[Signal]:
        """Let the layers keep the gradients of their weights.

        Parameters
        ----------
        inputs : Tensor of shape (n_inputs, n_cases)
            What the network sees.
        targets : Tensor
            What it should say, as `error` expects it.

        Returns
        -------
        signals : list of Signal
            What passed each layer.
        """
        sent = [inputs]
        active, masks = [], []
        for layer in self.layers[:-1]:
            active.append(self._activation.apply(layer.forward(sent[-1])))
            masks.append(self._draw_mask(active[-1]))
            sent.append(active[-1] if masks[-1] is None else active[-1] * masks[-1])
        delta = self._error(self.layers[-1].forward(sent[-1]), targets)
        signals = []
        for number in reversed(range(len(self.layers))):
            layer = self.layers[number]
            layer.backward(delta, sent[number])
            signals.append(Signal(sent[number], delta))
            if number:
                gradient = layer.input_gradient(delta)
                mask = masks[number - 1]
                gradient = gradient if mask is None else gradient.mul_(mask)
                delta = self._activation.pull_back(gradient, active[number - 1])
        return signals[::-1]

    def step(self, learning_rate: float, momentum: float, weight_decay: float) -> None:
        """Follow the gradients that `backward` left."""
        for layer in self.layers:
            layer.step(learning_rate, momentum, weight_decay)

    def _draw_mask(self, like: Tensor) -> Tensor | None:
        if not self._dropout:
            return None
        # A comparison, because torch's own Bernoulli draws take three times as long.
        kept = torch.empty_like(like).uniform_(generator=self._generator).ge_(self._dropout)
        return kept.div_(1 - self._dropout)

    def refuse_divergence(self) -> None:
        """Raise an error if weights are not finite."""
        for layer in self.layers:
            if not (layer.values.isfinite().all() and layer.bias.isfinite().all()):
                raise DivergedError("the network's weights")


class Batches:
    """Cases in mini-batches, in a new random order each time they are gone through.

    Parameters
    ----------
    X : ndarray of shape (n_cases, n_features)
        The features.
    targets : ndarray of shape (n_cases,)
        Class numbers or values; one column of the network's targets each.
    size : int
        Cases in a mini-batch; the last one of an epoch may have fewer.
    generator : torch.Generator
        Source of randomness, and by its device the place of all tensors.
    """

    def __init__(
        self, X: NDArray[Any], targets: NDArray[Any], size: int, generator: torch.Generator
    ) -> None:
        device = generator.device
        self._X = torch.tensor(X, dtype=torch.float32, device=device)
        self._targets = torch.tensor(targets, device=device)
        self._size = min(size, len(X))
        self._generator = generator

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        order = self._random_order()
        for first in range(0, len(order), self._size):
            yield self._take(order[first : first + self._size])

    def one(self) -> tuple[Tensor, Tensor]:
        """Return a single mini-batch of random cases."""
        return self._take(self._random_order()[: self._size])

    def _random_order(self) -> Tensor:
        device = self._generator.device
        return torch.randperm(len(self._X), generator=self._generator, device=device)

    def _take(self, cases: Tensor) -> tuple[Tensor, Tensor]:
        # Whole rows first, then the transposed copy: columns of a big table are far apart.
        return self._X[cases].t().contiguous(), self._targets[cases]
