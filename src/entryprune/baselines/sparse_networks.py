"""Sparse networks that are rewired while they train, and what they tell of their inputs.

QuickSelection: Z. Atashgahi et al., Quick and robust feature selection: the strength of
energy-efficient sparse training for autoencoders, Machine Learning 111, 2022.

RigL: U. Evci, T. Gale, J. Menick, P. S. Castro and E. Elsen, Rigging the lottery: making all
tickets winners, ICML 2020.

GradEnFS: K. Liu, Z. Atashgahi, G. Sokar, M. Pechenizkiy and D. C. Mocanu, Supervised feature
selection via ensemble gradient information from sparse neural networks, AISTATS 2024.

NeuroFS, and RigL as a feature selector: Z. Atashgahi et al., Supervised feature selection with
neuron evolution in sparse neural networks, Transactions on Machine Learning Research, 2023.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from entryprune.baselines._base import NO_SCALE, NOT_NEGATIVE, SHARE, Data, Ranking
from entryprune.baselines._rewiring import (
    drop_weakest,
    rewire_at_random,
    rewire_by_gradient,
    steepest_absent,
    steepest_of_each_input,
)
from entryprune.baselines._sparse import (
    REPLACED,
    Batches,
    Signal,
    SparseLayer,
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

    {parameters and attributes}

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
    _score_meaning = (
        "The score is the sum of the absolute weights that leave the feature's input, in a "
        f"network that restores the features and does not see the target. {NO_SCALE}"
    )

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


@estimator()
class RigLSelector(SparseSelector):
    """Select features by the weights of a sparse network that is rewired by gradient.

    After each epoch every layer drops its smallest weights and regrows as many, those whose
    gradients on a mini-batch are largest, from zero. A feature's score is the sum of the absolute
    weights that leave its input.

    {parameters and attributes}

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
    _score_meaning = (
        "The score is the sum of the absolute weights that leave the feature's input in the "
        f"network. {NO_SCALE}"
    )

    zeta: float = setting(0.3, *REPLACED)

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        network, batches, _ = self._begin(data, rng)
        self._train(
            network,
            batches,
            after_epoch=lambda _: rewire_by_gradient(
                network.layers, self.zeta, network.backward(*batches.one())
            ),
        )
        return Ranking(finished_scores(network.layers[0].strengths(), data.X))


@estimator()
class GradEnFSSelector(SparseSelector):
    """Select features to which the loss of a sparse network is sensitive while it trains.

    In every step the features' scores shrink by a factor and grow by the absolute gradients of
    the loss with respect to the inputs, summed over the mini-batch. After each epoch the smallest
    weights of either sign are dropped and as many connections grow at random places.

    {parameters and attributes}

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
    _score_meaning = (
        "The score is how steeply the loss of the network changes with the feature, summed up "
        f"over the training, the latest steps most. {NO_SCALE}"
    )

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
        network, batches, generator = self._begin(data, rng)
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

    {parameters and attributes}

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
    _score_meaning = (
        "The score is the sum of the absolute weights that leave the feature's input in the "
        f"network; inputs that were removed on the way have none. {NO_SCALE}"
    )
    _ranks_by_score = False

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
        network, batches, _ = self._begin(data, rng)
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
