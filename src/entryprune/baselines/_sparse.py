"""Networks of sparse layers, the mini-batches that they learn from, and what methods share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from entryprune._progress import epochs
from entryprune.baselines._base import (
    COUNT_OR_AUTO,
    NOT_NEGATIVE,
    SHARE,
    Data,
    Floats,
    NetworkSelector,
    standardised,
)
from entryprune.baselines._rewiring import draw_absent
from entryprune.engine.errors import DivergedError
from entryprune.engine.settings import COUNT, POSITIVE, one_of, setting
from entryprune.selectors._selector import estimator, resolve_device


def n_connections(n_in: int, n_out: int, epsilon: float) -> int:
    """Return how many connections an Erdos-Renyi layer has: epsilon for each unit at its sides."""
    return max(1, min(round(epsilon * (n_in + n_out)), n_in * n_out))


class SparseLayer:
    """Connections from the units of one layer to the units of the next, in rising order.

    `values`, their weights, may be changed in place, but `rewire` replaces them.
    """

    def __init__(self, n_in: int, n_out: int, positions: Tensor, values: Tensor) -> None:
        self.n_in, self.n_out = n_in, n_out
        self.bias = torch.zeros(n_out, 1, device=values.device)
        self._bias_velocity = torch.zeros_like(self.bias)
        self._connect(positions, values, torch.zeros_like(values))

    @classmethod
    def random(cls, n_in: int, n_out: int, epsilon: float, generator: torch.Generator) -> Self:
        """Return a layer with random connections and weights."""
        count = n_connections(n_in, n_out, epsilon)
        positions = draw_absent(None, n_in * n_out, count, generator)
        layer = cls(n_in, n_out, positions, torch.zeros(count, device=generator.device))
        layer.values.copy_(layer.draw_weights(count, generator))
        return layer

    def draw_weights(self, count: int, generator: torch.Generator) -> Tensor:
        """Draw weights that on average neither amplify nor damp a signal, forth and back.

        They follow Glorot and Bengio (2010), given how many connections a unit really has.
        """
        n_both_ways = len(self.positions) * (1 / self.n_in + 1 / self.n_out)
        bound = (6 / n_both_ways) ** 0.5
        values = torch.rand(count, device=generator.device, generator=generator)
        return values.mul_(2 * bound).sub_(bound)

    # -- the structure --------------------------------------------------------------------------

    @property
    def is_full(self) -> bool:
        """Whether every unit is connected to every other."""
        return len(self.positions) == self.n_in * self.n_out

    def _connect(self, positions: Tensor, values: Tensor, velocity: Tensor) -> None:
        self.positions, self.values, self._velocity = positions, values, velocity
        self.output_units = positions // self.n_in
        self.input_units = positions - self.output_units * self.n_in
        products = _FullProducts if self.is_full else _SparseProducts
        self._products: _Products = products(self)

    def rewire(self, kept: Tensor, born: Tensor, born_values: Tensor | None = None) -> None:
        """Keep some connections and add others."""
        nothing = torch.zeros(len(born), device=self.values.device)
        positions, order = torch.cat([self.positions[kept], born]).sort()
        values = torch.cat([self.values[kept], nothing if born_values is None else born_values])
        velocity = torch.cat([self._velocity[kept], nothing])
        self._connect(positions, values[order], velocity[order])

    def strengths(self) -> Tensor:
        """Return the sum of the absolute weights that leave each input unit, in float64."""
        return torch.bincount(
            self.input_units, weights=self.values.abs().double(), minlength=self.n_in
        )

    # -- training -------------------------------------------------------------------------------

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the units' sums, before their activation."""
        return self._products.forward(self.bias, inputs)

    def backward(self, delta: Tensor, inputs: Tensor) -> None:
        """Keep the gradient of the weights, given that of the units' sums."""
        self.gradient = self._products.gradient(delta, inputs)
        self.bias_gradient = delta.sum(dim=1, keepdim=True)

    def input_gradient(self, delta: Tensor) -> Tensor:
        """Return the gradient of the inputs, given that of the units' sums."""
        return self._products.backward(delta)

    def step(self, learning_rate: float, momentum: float, weight_decay: float) -> None:
        """Follow the gradient that `backward` left."""
        self._velocity.mul_(momentum).add_(self.gradient).add_(self.values, alpha=weight_decay)
        self.values.add_(self._velocity, alpha=-learning_rate)
        self._bias_velocity.mul_(momentum).add_(self.bias_gradient)
        self.bias.add_(self._bias_velocity, alpha=-learning_rate)


class _Products(Protocol):
    """The three products of a layer's weights, or with its inputs."""

    def __init__(self, layer: SparseLayer) -> None: ...

    def forward(self, bias: Tensor, inputs: Tensor) -> Tensor: ...

    def backward(self, delta: Tensor) -> Tensor: ...

    def gradient(self, delta: Tensor, inputs: Tensor) -> Tensor: ...


class _SparseProducts:
    """Products over the connections that exist."""

    def __init__(self, layer: SparseLayer) -> None:
        n_in, n_out = layer.n_in, layer.n_out
        units, inputs = layer.output_units, layer.input_units
        self._values = layer.values
        self._matrix = _csr(units, inputs, layer.values, (n_out, n_in))
        # The transpose has the same weights in another order.
        _, self._order = (inputs * n_out + units).sort()
        self._transposed_values = layer.values[self._order]
        self._transposed = _csr(
            inputs[self._order], units[self._order], self._transposed_values, (n_in, n_out)
        )

    def forward(self, bias: Tensor, inputs: Tensor) -> Tensor:
        return torch.addmm(bias, self._matrix, inputs)

    def backward(self, delta: Tensor) -> Tensor:
        torch.index_select(self._values, 0, self._order, out=self._transposed_values)
        return torch.mm(self._transposed, delta)

    def gradient(self, delta: Tensor, inputs: Tensor) -> Tensor:
        sampled: Tensor = torch.sparse.sampled_addmm(self._matrix, delta, inputs.t(), beta=0.0)
        return sampled.values()


class _FullProducts:
    """Products of a layer without gaps, where a plain matrix is faster."""

    def __init__(self, layer: SparseLayer) -> None:
        self._matrix = layer.values.view(layer.n_out, layer.n_in)

    def forward(self, bias: Tensor, inputs: Tensor) -> Tensor:
        return torch.addmm(bias, self._matrix, inputs)

    def backward(self, delta: Tensor) -> Tensor:
        return self._matrix.t() @ delta

    def gradient(self, delta: Tensor, inputs: Tensor) -> Tensor:
        return (delta @ inputs.t()).view(-1)


def _csr(rows: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return a matrix that shares `values`, so that it follows their changes in place."""
    counts = torch.bincount(rows, minlength=shape[0])
    starts = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    with warnings.catch_warnings():
        # torch says once in a process that its support of such matrices is in beta state.
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
        # Indices of 32 bits are what the kernels work with: others they convert in every call.
        return torch.sparse_csr_tensor(
            starts.int(), columns.int(), values, shape, check_invariants=False
        )


@dataclass(frozen=True)
class Activation:
    """A function of a unit's sum and its slope."""

    # from the sums, which it may overwrite, to what the units send
    apply: Callable[[Tensor], Tensor]
    # from the gradient of what the units send, and what they send, to that of the sums
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
    """Return the gradient of half the squared error, summed over outputs, mean over samples."""
    return (outputs - targets).div_(outputs.shape[1])


class Signal(NamedTuple):
    """What passed a layer: what its input units sent, and the gradient of its outputs' sums."""

    sent: Tensor
    delta: Tensor


class SparseNetwork:
    """A multilayer perceptron of sparse layers, with linear outputs."""

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
        """Let the layers keep the gradients of their weights."""
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
    """Samples in mini-batches, in a new random order each time they are gone through."""

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
        """Return a single mini-batch of random samples."""
        return self._take(self._random_order()[: self._size])

    def _random_order(self) -> Tensor:
        device = self._generator.device
        return torch.randperm(len(self._X), generator=self._generator, device=device)

    def _take(self, cases: Tensor) -> tuple[Tensor, Tensor]:
        # Whole rows first, then the transposed copy: columns of a big table are far apart.
        return self._X[cases].t().contiguous(), self._targets[cases]


# -- the methods --------------------------------------------------------------------------------

# Of a parameter that most of them have: the values and the text.
REPLACED = (SHARE, "Share of a layer's connections that is replaced after each epoch.")


@estimator()
class SparseSelector(NetworkSelector):
    """A method that reads the features' worth off a sparse network while or after it trains."""

    hidden_layer_sizes: int | tuple[int, ...] = (1000, 1000, 1000)
    activation: str = setting("tanh", one_of(ACTIVATIONS), "Follows each hidden layer.")
    epsilon: float = setting(
        30,
        POSITIVE,
        "A layer between n and m units has epsilon (n + m) connections, or n m if that is less.",
    )
    learning_rate_init: float = setting(
        0.01, POSITIVE, "Step size of the stochastic gradient descent."
    )
    momentum: float = setting(0.9, SHARE, "Momentum of the stochastic gradient descent.")
    weight_decay: float = setting(1e-5, NOT_NEGATIVE, "Pull of the weights towards zero.")
    batch_size: int | str = setting(
        "auto",
        COUNT_OR_AUTO,
        'Samples in a mini-batch, or all where there are fewer. "auto" is 20 on small wide data '
        "(fewer samples than features, and fewer than 1000), else 100.",
    )
    max_epochs: int = setting(100, COUNT, "Passes over the data.")

    def _generator(self, rng: np.random.Generator) -> torch.Generator:
        """Return a generator on the device where everything is to be."""
        device = resolve_device(self.device)
        return torch.Generator(device).manual_seed(int(rng.integers(2**62)))

    def _batches(self, data: Data, generator: torch.Generator) -> Batches:
        size = resolve_batch_size(self.batch_size, *data.X.shape)
        targets = data.y if data.n_classes else standardised(data.y)
        return Batches(data.X, targets, size, generator)

    def _network(
        self, n_inputs: int, n_outputs: int, generator: torch.Generator, **details: Any
    ) -> SparseNetwork:
        return SparseNetwork(
            self._widths(n_inputs, n_outputs),
            activation=self.activation,
            epsilon=self.epsilon,
            generator=generator,
            **details,
        )

    def _begin(
        self, data: Data, rng: np.random.Generator
    ) -> tuple[SparseNetwork, Batches, torch.Generator]:
        """Return a network that is to predict the target, samples for it, and their generator."""
        generator = self._generator(rng)
        error = softmax_error if data.n_classes else squared_error
        network = self._network(data.X.shape[1], max(1, data.n_classes), generator, error=error)
        return network, self._batches(data, generator), generator

    def _train(
        self,
        network: SparseNetwork,
        batches: Iterable[tuple[Tensor, Tensor]],
        *,
        after_epoch: Callable[[int], None],
        before_step: Callable[[list[Signal]], None] | None = None,
    ) -> None:
        """Train `network`, or say that it diverged."""
        for epoch in epochs(self.max_epochs, self._title, self.verbose):
            for inputs, targets in batches:
                signals = network.backward(inputs, targets)
                if before_step is not None:
                    before_step(signals)
                network.step(self.learning_rate_init, self.momentum, self.weight_decay)
            network.refuse_divergence()
            # New connections are worth nothing before they are trained.
            if epoch + 1 < self.max_epochs:
                after_epoch(epoch + 1)


def finished_scores(scores: Tensor, X: NDArray[Any]) -> Floats:
    """Return scores as they go into a ranking."""
    if not scores.isfinite().all():
        raise DivergedError("the scores")
    finished: Floats = scores.double().cpu().numpy()
    # Weights that leave a constant feature are as they were drawn: that says nothing of its worth.
    finished[np.ptp(X, axis=0) == 0] = 0.0
    return finished


def resolve_batch_size(asked: int | str, n_cases: int, n_features: int) -> int:
    """Return the number of samples in a mini-batch; "auto" means fewer on small wide data."""
    if not isinstance(asked, str):
        return asked
    return 20 if n_cases < min(n_features, 1000) else 100
