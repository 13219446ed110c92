"""GradEnFS: how steeply the loss of a sparse network changes with each input, through training.

K. Liu, Z. Atashgahi, G. Sokar, M. Pechenizkiy and D. C. Mocanu, Supervised feature selection via
ensemble gradient information from sparse neural networks, AISTATS 2024.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from entryprune.baselines._base import SHARE, Data, Ranking
from entryprune.baselines._rewiring import rewire_at_random
from entryprune.baselines._sparse import REPLACED, Signal, SparseSelector, finished_scores
from entryprune.engine.settings import setting
from entryprune.selectors._selector import estimator


@estimator()
class GradEnFSSelector(SparseSelector):
    """Select features to which the loss of a sparse network is sensitive while it trains.

    In every step the features' scores shrink by a factor and grow by the absolute gradients of
    the loss with respect to the inputs, summed over the mini-batch. After each epoch the smallest
    weights of either sign are dropped and as many connections grow at random places.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import GradEnFSSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> small = dict(hidden_layer_sizes=20, learning_rate_init=0.1, batch_size=20, max_epochs=20)
    >>> selector = GradEnFSSelector(2, **small, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "GradEnFS"

    hidden_layer_sizes: int | tuple[int, ...] = 1000
    epsilon: float = 1
    zeta: float = setting(0.3, *REPLACED)
    beta: float = setting(
        0.9,
        replace(SHARE, closed="both"),
        "What is left of the scores after a step, before the new gradients come in.",
    )
    learning_rate_init: float = 0.001
    batch_size: int | str = 100

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        generator = self._generator(rng)
        batches = self._batches(data, generator)
        network = self._predictor(data, generator)
        first = network.layers[0]
        importance = torch.zeros(first.n_in, device=generator.device)

        def accumulate(signals: list[Signal]) -> None:
            slopes = first.input_gradient(signals[0].delta).abs_().sum(dim=1)
            importance.mul_(self.beta).add_(slopes)

        self._train(
            network,
            batches,
            before_step=accumulate,
            after_epoch=lambda _: rewire_at_random(network.layers, self.zeta, generator),
        )
        return Ranking(finished_scores(importance, data.X))
