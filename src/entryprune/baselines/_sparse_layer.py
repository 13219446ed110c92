"""A layer of a network that holds, computes and trains only the connections that exist.

Activations are kept units by cases, so that a product with the layer's sparse matrix reads and
writes whole rows. Gradients are worked out by hand: automatic ones would be dense.
"""

from __future__ import annotations

import warnings
from typing import Protocol, Self

import torch
from torch import Tensor

from entryprune.baselines._sparse_positions import draw_absent


def n_connections(n_in: int, n_out: int, epsilon: float) -> int:
    """Return how many connections an Erdos-Renyi layer has: epsilon for each unit on either side.

    Examples
    --------
    >>> n_connections(784, 1000, epsilon=30), n_connections(1000, 10, epsilon=30)
    (53520, 10000)
    """
    return max(1, min(round(epsilon * (n_in + n_out)), n_in * n_out))


class SparseLayer:
    """Connections from the units of one layer to the units of the next.

    Parameters
    ----------
    n_in, n_out : int
        Number of units on either side.
    positions : Tensor of int64
        Where there are connections, in rising order: output unit times `n_in` plus input unit.
    values : Tensor of float32
        Their weights.

    Attributes
    ----------
    positions, values : Tensor
        As above. `values` may be changed in place, but is replaced by `rewire`.
    output_units, input_units : Tensor of int64
        The two ends of each connection.
    bias : Tensor of shape (n_out, 1)
        Every unit's own constant.
    gradient, bias_gradient : Tensor
        Of the last `backward`.
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
        """Keep some connections and add others.

        Parameters
        ----------
        kept : Tensor of bool
            Which of the present connections stay.
        born : Tensor of int64
            Positions of the new ones, in any order; none of them is kept.
        born_values : Tensor, optional
            Their weights; zeros by default. Their momentum is zero.
        """
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
