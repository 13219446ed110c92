"""What the methods that train sparse networks share: parameters, and the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.preprocessing import scale
from sklearn.utils._param_validation import Interval, StrOptions
from torch import Tensor

from entryprune._progress import epochs
from entryprune.baselines._base import Data, ScaledSelector
from entryprune.baselines._sparse_network import (
    ACTIVATIONS,
    Batches,
    Signal,
    SparseNetwork,
    softmax_error,
    squared_error,
)
from entryprune.engine.errors import DivergedError
from entryprune.selectors._parameters import resolve_device

_POSITIVE_INT = Interval(Integral, 1, None, closed="left")
_POSITIVE_REAL = Interval(Real, 0, None, closed="neither")
SHARE = [Interval(Real, 0, 1, closed="left")]


class SparseSelector(ScaledSelector):
    """A method that reads the features' worth off a sparse network while or after it trains."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ScaledSelector._parameter_constraints,
        "hidden_layer_sizes": ["array-like", _POSITIVE_INT],
        "activation": [StrOptions(set(ACTIVATIONS))],
        "epsilon": [_POSITIVE_REAL],
        "learning_rate_init": [_POSITIVE_REAL],
        "momentum": SHARE,
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "batch_size": [_POSITIVE_INT, StrOptions({"auto"})],
        "max_epochs": [_POSITIVE_INT],
        "device": [str, torch.device],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        hidden_layer_sizes: int | tuple[int, ...] = (1000, 1000, 1000),
        activation: str = "tanh",
        epsilon: float = 30,
        learning_rate_init: float = 0.01,
        momentum: float = 0.9,
        weight_decay: float = 1e-5,
        batch_size: int | str = "auto",
        max_epochs: int = 100,
        task: str = "auto",
        scale: str | None = "minmax",
        device: str | torch.device = "auto",
        verbose: int = 0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_features_to_select, task=task, scale=scale, random_state=random_state)
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.epsilon = epsilon
        self.learning_rate_init = learning_rate_init
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.device = device
        self.verbose = verbose

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
        hidden = resolve_hidden_sizes(self.hidden_layer_sizes)
        return SparseNetwork(
            (n_inputs, *hidden, n_outputs),
            activation=self.activation,
            epsilon=self.epsilon,
            generator=generator,
            **details,
        )

    def _predictor(self, data: Data, generator: torch.Generator) -> SparseNetwork:
        """Return a network that is to predict the target."""
        error = softmax_error if data.n_classes else squared_error
        return self._network(data.X.shape[1], max(1, data.n_classes), generator, error=error)

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


def finished_scores(scores: Tensor, X: NDArray[Any]) -> NDArray[np.float64]:
    """Return scores as they go into a ranking.

    Weights that leave a constant feature are still as they were drawn, which says nothing of its
    worth: it scores 0.
    """
    if not scores.isfinite().all():
        raise DivergedError("the scores")
    finished: NDArray[np.float64] = scores.double().cpu().numpy()
    finished[np.ptp(X, axis=0) == 0] = 0.0
    return finished


def resolve_batch_size(asked: int | str, n_cases: int, n_features: int) -> int:
    """Return the number of samples in a mini-batch; "auto" means fewer on small wide data.

    Examples
    --------
    >>> resolve_batch_size("auto", 60000, 784), resolve_batch_size("auto", 160, 10000)
    (100, 20)
    """
    if not isinstance(asked, str):
        return asked
    return 20 if n_cases < min(n_features, 1000) else 100


def resolve_hidden_sizes(asked: Any) -> tuple[int, ...]:
    """Return the number of units in each hidden layer.

    Examples
    --------
    >>> resolve_hidden_sizes(50), resolve_hidden_sizes([50, 20])
    ((50,), (50, 20))
    """
    sizes = (asked,) if isinstance(asked, Integral) else tuple(asked)
    if not sizes or not all(isinstance(size, Integral) and int(size) >= 1 for size in sizes):
        raise ValueError(
            f"hidden_layer_sizes must be one or more positive integers, got {asked!r}."
        )
    return tuple(int(size) for size in sizes)


def standardised(y: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return a target of mean 0 and standard deviation 1; a constant one becomes 0.

    Examples
    --------
    >>> standardised(np.array([1.0, 3.0])), standardised(np.array([5.0, 5.0]))
    (array([-1.,  1.], dtype=float32), array([0., 0.], dtype=float32))
    """
    scaled: NDArray[np.float32] = scale(y).astype(np.float32)
    return scaled
