"""NeuroFS: a sparse network whose weakest inputs are removed, and promising ones tried again.

Z. Atashgahi et al., Supervised feature selection with neuron evolution in sparse neural networks,
Transactions on Machine Learning Research, 2023.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from entryprune.baselines._base import SHARE, Data, Ranking
from entryprune.baselines._rewiring import (
    drop_weakest,
    rewire_by_gradient,
    steepest_absent,
    steepest_of_each_input,
)
from entryprune.baselines._sparse import Signal, SparseLayer, SparseSelector, finished_scores
from entryprune.engine.settings import setting
from entryprune.selectors._selector import estimator

# By this share of the epochs the inputs are as few as they get.
_SHRINKING = 0.65


@estimator(activation='The published comparison has "relu" on ISOLET.')
class NeuroFSSelector(SparseSelector):
    """Select features that survive as inputs of a sparse network.

    After each epoch the inputs whose absolute weights sum to least are removed, so that the
    number of inputs falls steadily until at 65 % of the epochs K + zeta_in N of all N are left.
    Beyond that, ever fewer inputs are removed and as many others tried again: those with the
    largest absolute gradient, on a mini-batch, of any weight that would leave them. An input that
    came back is safe once. The smallest weights of the inputs that stay, and of the hidden
    layers, are replaced by those with the largest gradients. A feature's score is the sum of the
    absolute weights that leave its input; removed ones have none.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import NeuroFSSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> small = dict(hidden_layer_sizes=20, learning_rate_init=0.1, batch_size=20, max_epochs=20)
    >>> selector = NeuroFSSelector(2, **small, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "NeuroFS"

    zeta_in: float = setting(
        0.2,
        SHARE,
        "Share of all features that stay beyond the selected ones; share of the removed inputs "
        "that come back after an epoch, falling to 0 in the course of the training; and share of "
        "the first layer's connections that is replaced after each epoch.",
    )
    zeta_hid: float = setting(
        0.3, SHARE, "Share of every other layer's connections that is replaced after each epoch."
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        generator = self._generator(rng)
        batches = self._batches(data, generator)
        network = self._predictor(data, generator)
        inputs = InputEvolution(network.layers[0], self.zeta_in)

        def rewire(n_epochs_done: int) -> None:
            n_out, n_back = planned_counts(
                n_epochs_done,
                self.max_epochs,
                n_features=data.X.shape[1],
                n_selected=n_selected,
                zeta=self.zeta_in,
            )
            signals = network.backward(*batches.one())
            inputs.evolve(n_out, n_back, signals[0])
            rewire_by_gradient(network.layers[1:], self.zeta_hid, signals[1:])

        self._train(network, batches, after_epoch=rewire)
        scores = finished_scores(network.layers[0].strengths(), data.X)
        scores[~inputs.is_active.cpu().numpy()] = np.nan
        return Ranking(scores)


class InputEvolution:
    """Removes and regrows input units of a network."""

    def __init__(self, layer: SparseLayer, zeta: float) -> None:
        self._layer = layer
        self._zeta = zeta
        self.is_active = torch.ones(layer.n_in, dtype=torch.bool, device=layer.values.device)
        self._is_new = torch.zeros_like(self.is_active)

    def evolve(self, n_out: int, n_back: int, signal: Signal) -> None:
        """Remove the weakest units, try others again, and rewire."""
        self._remove(n_out + n_back - self._n_removed)
        stays = self.is_active.clone()
        self._regrow(max(0, self._n_removed - n_out), signal)
        self._rewire(stays, signal)

    @property
    def _n_removed(self) -> int:
        return int((~self.is_active).sum())

    def _remove(self, count: int) -> None:
        strengths = self._layer.strengths()
        # One that has just come back has had little time to grow.
        strengths[self._is_new | ~self.is_active] = torch.inf
        count = min(count, int(strengths.isfinite().sum()))
        self.is_active[strengths.argsort(stable=True)[:count]] = False

    def _regrow(self, count: int, signal: Signal) -> None:
        removed = (~self.is_active).nonzero().view(-1)
        potential = steepest_of_each_input(signal.delta, signal.sent[removed])
        back = removed[potential.topk(count).indices]
        self.is_active[back] = True
        self._is_new = torch.zeros_like(self.is_active)
        self._is_new[back] = True

    def _rewire(self, stays: Tensor, signal: Signal) -> None:
        """Replace all connections of removed inputs and the weakest ones of those that stay."""
        layer = self._layer
        kept = stays[layer.input_units]
        kept[kept.clone()] = drop_weakest(layer.values[kept], self._zeta)
        # Positions as if the active inputs were all there are.
        inputs = self.is_active.nonzero().view(-1)
        places = self.is_active.cumsum(0) - 1
        present = layer.output_units[kept] * len(inputs) + places[layer.input_units[kept]]
        count = len(kept) - len(present)
        born = steepest_absent(present, signal.delta, signal.sent[inputs], count)
        layer.rewire(kept, born // len(inputs) * layer.n_in + inputs[born % len(inputs)])


def planned_counts(
    n_epochs_done: int, n_epochs: int, *, n_features: int, n_selected: int, zeta: float
) -> tuple[int, int]:
    """Return how many inputs are out after an epoch, and how many come back in it."""
    n_superfluous = max(0, n_features - n_selected - math.ceil(zeta * n_features))
    n_out = round(n_superfluous * min(1.0, n_epochs_done / (_SHRINKING * n_epochs)))
    n_back = round(zeta * n_out * (1 - n_epochs_done / n_epochs))
    return n_out, n_back
