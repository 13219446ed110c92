"""What methods that train a dense network share: samples as tensors, the network, the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor, nn

from entryprune.baselines._base import Data, Floats, NetworkSelector, standardised
from entryprune.engine import DivergedError
from entryprune.engine.bodies import ACTIVATION_MODULES, linear_module, uniform_linear
from entryprune.engine.network import Adam
from entryprune.engine.settings import POSITIVE
from entryprune.selectors._selector import estimator, resolve_device

# Of the step size where not only weights are trained: the values and the text.
WEIGHTS_STEP = (POSITIVE, "Step size of the optimiser, Adam, for the weights.")

Loss = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Cases:
    """Samples on the device where the network is."""

    # in single precision; constant columns are 0
    X: Tensor
    # class numbers or, in regression, a column of standardised values
    y: Tensor
    n_outputs: int
    # of outputs and y: the mean over samples of the cross entropy or the squared error
    loss: Loss

    def __len__(self) -> int:
        return len(self.X)

    @property
    def is_wide(self) -> bool:
        """Whether there are no more samples than features."""
        return self.X.shape[0] <= self.X.shape[1]

    def take(self, rows: Tensor) -> Cases:
        """Return the samples with these numbers."""
        return replace(self, X=self.X[rows], y=self.y[rows])


@estimator()
class DenseSelector(NetworkSelector):
    """A method that reads the features' worth off a dense network."""

    batch_size: int = 100

    def _begin(
        self, data: Data, rng: np.random.Generator
    ) -> tuple[Cases, nn.Sequential, Generator]:
        """Return the samples, a network for them, and the generator that it was drawn from."""
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        cases = as_cases(data, resolve_device(self.device))
        widths = self._widths(cases.X.shape[1], cases.n_outputs)
        network = dense_network(widths, self.activation, generator).to(cases.X.device)
        return cases, network, generator

    def _epochs_of(self, n_batches: int, cases: Cases, n_times: int = 1) -> int:
        """Return how many passes over the data, made so many times, give that many mini-batches."""
        return -(-n_batches // (n_times * count_batches(len(cases), self.batch_size)))


def as_cases(data: Data, device: torch.device) -> Cases:
    """Return the samples as tensors."""
    X = torch.from_numpy(_without_constants(data.X)).to(device)
    if data.n_classes:
        y = torch.tensor(data.y, device=device)
        return Cases(X, y, data.n_classes, nn.functional.cross_entropy)
    y = torch.from_numpy(standardised(data.y)).unsqueeze(1).to(device)
    return Cases(X, y, 1, nn.functional.mse_loss)


def _without_constants(X: NDArray[Any]) -> NDArray[np.float32]:
    """Return a copy in single precision whose constant columns are 0."""
    with np.errstate(over="ignore"):  # what is too large makes the training diverge, which is told
        copy = X.astype(np.float32, order="C")
    # Left as it is, a constant would serve the network as one more bias and seem to be of use.
    copy[:, (copy == copy[0]).all(axis=0)] = 0.0
    return copy


def dense_network(widths: Iterable[int], activation: str, generator: Generator) -> nn.Sequential:
    """Return a network on the CPU whose weights come from `generator`."""
    layers: list[nn.Module] = []
    for n_inputs, n_outputs in pairwise(widths):
        weights = uniform_linear(n_inputs, (n_outputs, n_inputs), generator)
        bias = uniform_linear(n_inputs, (n_outputs,), generator)
        layers += [linear_module(weights, bias), ACTIVATION_MODULES[activation]()]
    return nn.Sequential(*layers[:-1])


class Trainer:
    """Adam for parameters that share a learning rate.

    ``torch.optim`` takes over a second to load its compiler, and then as long for its bookkeeping
    as a small network takes to train.
    """

    def __init__(
        self, parameters: Iterable[Tensor], learning_rate: float, weight_decay: float = 0.0
    ) -> None:
        parameters = list(parameters)
        self._values = torch.cat([parameter.detach().flatten() for parameter in parameters])
        self._gradient = torch.zeros_like(self._values)
        start = 0
        for parameter in parameters:
            part = slice(start, start + parameter.numel())
            parameter.data = self._values[part].view_as(parameter)
            parameter.grad = self._gradient[part].view_as(parameter)
            start = part.stop
        self._weight_decay = weight_decay
        self._adam = Adam(learning_rate)
        self._adam.allocate(self._values)

    def step(self) -> None:
        """Move the parameters along their gradients, and clear these."""
        if self._weight_decay:
            self._gradient.add_(self._values, alpha=self._weight_decay)
        self._adam.step(self._values, self._gradient)
        self._gradient.zero_()


def count_batches(n_cases: int, batch_size: int) -> int:
    """Return how many mini-batches of at most `batch_size` samples make an epoch."""
    return -(-n_cases // batch_size)


def train(
    cases: Cases,
    objective: Loss,
    trainers: Iterable[Trainer],
    *,
    batch_size: int,
    epochs: Iterable[int],
    generator: Generator,
) -> None:
    """Minimise an objective over shuffled mini-batches."""
    trainers = list(trainers)
    n_batches = count_batches(len(cases), batch_size)
    for _ in epochs:
        order = torch.randperm(len(cases), generator=generator).to(cases.X.device)
        for rows in order.tensor_split(n_batches):
            value = objective(cases.X[rows], cases.y[rows])
            value.backward()  # type: ignore[no-untyped-call]
            for trainer in trainers:
                trainer.step()
        # Once an epoch, because on a GPU each look waits for all that is under way.
        if not torch.isfinite(value):
            raise DivergedError("the losses")


def as_scores(values: Tensor) -> Floats:
    """Return scores of features, or say that the training went astray."""
    scores: Floats = values.detach().cpu().numpy().astype(np.float64)
    if not np.isfinite(scores).all():
        raise DivergedError("the scores of the features")
    return scores
