"""QuickSelection: the weights of a sparse denoising autoencoder, without a look at the target.

Z. Atashgahi et al., Quick and robust feature selection: the strength of energy-efficient sparse
training for autoencoders, Machine Learning 111, 2022.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.utils._param_validation import Interval
from torch import Tensor

from entryprune.baselines._base import Data, Ranking, documented
from entryprune.baselines._rewiring import rewire_at_random
from entryprune.baselines._sparse import SHARE, SparseSelector, finished_scores
from entryprune.baselines._sparse_network import Batches, squared_error


@documented
class QuickSelectionSelector(SparseSelector):
    """Select features by the weights of a sparse autoencoder; the target is not used.

    A network with one hidden layer learns to restore samples that noise has blurred. After each
    epoch the smallest weights of either sign are dropped and as many connections grow at random
    places. A feature's score is the sum of the absolute weights that leave its input.

    Parameters
    ----------
    {n_features_to_select}
    hidden_layer_sizes : int or sequence of int, default=1000
        Widths of the hidden layers.
    activation : {"tanh", "relu", "logistic"}, default="logistic"
        Follows each hidden layer.
    epsilon : float, default=13
        A layer between n and m units has epsilon (n + m) connections, or n m if that is less.
    zeta : float, default=0.2
        Share of a layer's connections that is replaced after each epoch.
    noise : float, default=0.2
        Standard deviation of the normal noise on the inputs.
    dropout : float, default=0.2
        Share of the hidden units that are silent in a training step.
    learning_rate_init : float, default=0.01
        Step size of the stochastic gradient descent.
    momentum : float, default=0.9
        Its momentum.
    weight_decay : float, default=1e-05
        Its pull of the weights towards zero.
    batch_size : int or "auto", default=100
        Samples in a mini-batch, or all where there are fewer. "auto" is 20 on small wide data
        (fewer samples than features, and fewer than 1000), else 100.
    max_epochs : int, default=100
        Passes over the data.
    {task}
    {scale}
    {device}
    {verbose}
    {random_state}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from entryprune.baselines import QuickSelectionSelector
    >>> X, y = load_digits(return_X_y=True)
    >>> selector = QuickSelectionSelector(9, hidden_layer_sizes=50, max_epochs=5, random_state=0)
    >>> selector.fit_transform(X, y).shape
    (1797, 9)
    """

    _title = "QuickSelection"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SparseSelector._parameter_constraints,
        "zeta": SHARE,
        "noise": [Interval(Real, 0, None, closed="left")],
        "dropout": SHARE,
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        hidden_layer_sizes: int | tuple[int, ...] = 1000,
        activation: str = "logistic",
        epsilon: float = 13,
        zeta: float = 0.2,
        noise: float = 0.2,
        dropout: float = 0.2,
        learning_rate_init: float = 0.01,
        momentum: float = 0.9,
        weight_decay: float = 1e-5,
        batch_size: int | str = 100,
        max_epochs: int = 100,
        task: str = "auto",
        scale: str | None = "minmax",
        device: str | torch.device = "auto",
        verbose: int = 0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            hidden_layer_sizes=hidden_layer_sizes,
            activation=activation,
            epsilon=epsilon,
            learning_rate_init=learning_rate_init,
            momentum=momentum,
            weight_decay=weight_decay,
            batch_size=batch_size,
            max_epochs=max_epochs,
            task=task,
            scale=scale,
            device=device,
            verbose=verbose,
            random_state=random_state,
        )
        self.zeta = zeta
        self.noise = noise
        self.dropout = dropout

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        generator = self._generator(rng)
        n_features = data.X.shape[1]
        network = self._network(
            n_features, n_features, generator, error=squared_error, dropout=self.dropout
        )

        def rewire(n_epochs_done: int) -> None:
            del n_epochs_done
            for layer in network.layers:
                rewire_at_random(layer, self.zeta, generator)

        noisy = NoisyBatches(self._batches(data, generator), self.noise, generator)
        self._train(network, noisy, after_epoch=rewire)
        return Ranking(finished_scores(network.layers[0].strengths(), data.X))


class NoisyBatches:
    """Mini-batches of corrupted samples, with the clean ones as targets."""

    def __init__(self, batches: Batches, noise: float, generator: torch.Generator) -> None:
        self._batches = batches
        self._noise = noise
        self._generator = generator

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for clean, _ in self._batches:
            noisy = torch.empty_like(clean).normal_(generator=self._generator)
            yield noisy.mul_(self._noise).add_(clean), clean
