"""GradEnFS: how steeply the loss of a sparse network changes with each input, through training.

K. Liu, Z. Atashgahi, G. Sokar, M. Pechenizkiy and D. C. Mocanu, Supervised feature selection via
ensemble gradient information from sparse neural networks, AISTATS 2024.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.utils._param_validation import Interval

from entryprune.baselines._base import Data, Ranking, documented
from entryprune.baselines._rewiring import rewire_at_random
from entryprune.baselines._sparse import SHARE, SparseSelector, finished_scores
from entryprune.baselines._sparse_network import Signal


@documented
class GradEnFSSelector(SparseSelector):
    """Select features to which the loss of a sparse network is sensitive while it trains.

    In every step the features' scores shrink by a factor and grow by the absolute gradients of
    the loss with respect to the inputs, summed over the mini-batch. After each epoch the smallest
    weights of either sign are dropped and as many connections grow at random places.

    Parameters
    ----------
    {n_features_to_select}
    hidden_layer_sizes : int or sequence of int, default=1000
        Widths of the hidden layers.
    activation : {"tanh", "relu", "logistic"}, default="tanh"
        Follows each hidden layer.
    epsilon : float, default=1
        A layer between n and m units has epsilon (n + m) connections, or n m if that is less.
    zeta : float, default=0.3
        Share of a layer's connections that is replaced after each epoch.
    beta : float, default=0.9
        What is left of the scores after a step, before the new gradients come in.
    learning_rate_init : float, default=0.001
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
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import GradEnFSSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> small = dict(hidden_layer_sizes=20, learning_rate_init=0.1, batch_size=20, max_epochs=20)
    >>> selector = GradEnFSSelector(2, **small, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "GradEnFS"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SparseSelector._parameter_constraints,
        "zeta": SHARE,
        "beta": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        hidden_layer_sizes: int | tuple[int, ...] = 1000,
        activation: str = "tanh",
        epsilon: float = 1,
        zeta: float = 0.3,
        beta: float = 0.9,
        learning_rate_init: float = 0.001,
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
        self.beta = beta

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

        def rewire(n_epochs_done: int) -> None:
            del n_epochs_done
            for layer in network.layers:
                rewire_at_random(layer, self.zeta, generator)

        self._train(network, batches, before_step=accumulate, after_epoch=rewire)
        return Ranking(finished_scores(importance, data.X))
