"""RigL, a sparse network rewired by gradient, as a feature selector.

U. Evci, T. Gale, J. Menick, P. S. Castro and E. Elsen, Rigging the lottery: making all tickets
winners, ICML 2020. As a feature selector: Z. Atashgahi et al., Supervised feature selection with
neuron evolution in sparse neural networks, Transactions on Machine Learning Research, 2023.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch

from entryprune.baselines._base import Data, Ranking, documented
from entryprune.baselines._rewiring import rewire_by_gradient
from entryprune.baselines._sparse import SHARE, SparseSelector, finished_scores


@documented
class RigLSelector(SparseSelector):
    """Select features by the weights of a sparse network that is rewired by gradient.

    After each epoch every layer drops its smallest weights and regrows as many, those whose
    gradients on a mini-batch are largest, from zero. A feature's score is the sum of the absolute
    weights that leave its input.

    Parameters
    ----------
    {n_features_to_select}
    hidden_layer_sizes : int or sequence of int, default=(1000, 1000, 1000)
        Widths of the hidden layers.
    activation : {"tanh", "relu", "logistic"}, default="tanh"
        Follows each hidden layer.
    epsilon : float, default=30
        A layer between n and m units has epsilon (n + m) connections, or n m if that is less.
    zeta : float, default=0.3
        Share of a layer's connections that is replaced after each epoch.
    learning_rate_init : float, default=0.01
        Step size of the stochastic gradient descent.
    momentum : float, default=0.9
        Its momentum.
    weight_decay : float, default=1e-05
        Its pull of the weights towards zero.
    batch_size : int or "auto", default="auto"
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
    >>> from entryprune.baselines import RigLSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> small = dict(hidden_layer_sizes=20, learning_rate_init=0.1, batch_size=20, max_epochs=20)
    >>> selector = RigLSelector(2, **small, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "RigL"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SparseSelector._parameter_constraints,
        "zeta": SHARE,
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        hidden_layer_sizes: int | tuple[int, ...] = (1000, 1000, 1000),
        activation: str = "tanh",
        epsilon: float = 30,
        zeta: float = 0.3,
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

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        generator = self._generator(rng)
        batches = self._batches(data, generator)
        network = self._predictor(data, generator)

        def rewire(n_epochs_done: int) -> None:
            del n_epochs_done
            signals = network.backward(*batches.one())
            for layer, signal in zip(network.layers, signals, strict=True):
                rewire_by_gradient(layer, self.zeta, signal)

        self._train(network, batches, after_epoch=rewire)
        return Ranking(finished_scores(network.layers[0].strengths(), data.X))
