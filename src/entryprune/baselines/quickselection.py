"""QuickSelection: the weights of a sparse denoising autoencoder, without a look at the target.

Z. Atashgahi et al., Quick and robust feature selection: the strength of energy-efficient sparse
training for autoencoders, Machine Learning 111, 2022.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from entryprune.baselines._base import NOT_NEGATIVE, SHARE, Data, Ranking
from entryprune.baselines._rewiring import rewire_at_random
from entryprune.baselines._sparse import (
    REPLACED,
    Batches,
    SparseSelector,
    finished_scores,
    squared_error,
)
from entryprune.engine.settings import setting
from entryprune.selectors._selector import estimator


@estimator()
class QuickSelectionSelector(SparseSelector):
    """Select features by the weights of a sparse autoencoder; the target is not used.

    A network with one hidden layer learns to restore samples that noise has blurred. After each
    epoch the smallest weights of either sign are dropped and as many connections grow at random
    places. A feature's score is the sum of the absolute weights that leave its input.

    Parameters
    ----------
    {parameters}

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

    hidden_layer_sizes: int | tuple[int, ...] = 1000
    activation: str = "logistic"
    epsilon: float = 13
    zeta: float = setting(0.2, *REPLACED)
    noise: float = setting(
        0.2, NOT_NEGATIVE, "Standard deviation of the normal noise on the inputs."
    )
    dropout: float = setting(
        0.2, SHARE, "Share of the hidden units that are silent in a training step."
    )
    batch_size: int | str = 100

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        generator = self._generator(rng)
        n_features = data.X.shape[1]
        network = self._network(
            n_features, n_features, generator, error=squared_error, dropout=self.dropout
        )
        self._train(
            network,
            NoisyBatches(self._batches(data, generator), self.noise, generator),
            after_epoch=lambda _: rewire_at_random(network.layers, self.zeta, generator),
        )
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
