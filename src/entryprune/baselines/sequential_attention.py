"""Sequential Attention: greedy selection within one training, by a softmax over what is left.

T. Yasuda, M. Bateni, L. Chen, M. Fahrbach, G. Fu and V. Mirrokni, Sequential attention for feature
selection, ICLR 2023.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import torch
from torch import Tensor, nn

from entryprune._progress import epochs
from entryprune.baselines._base import COUNT_OR_AUTO, Data, Ranking
from entryprune.baselines._dense import (
    WEIGHTS_STEP,
    Cases,
    DenseSelector,
    Trainer,
    as_scores,
    train,
)
from entryprune.engine.settings import COUNT, POSITIVE, setting
from entryprune.selectors._selector import estimator

# Mini-batches of a phase on wide and on long data, unless told otherwise. Fewer phases than this
# share the mini-batches of so many, for the network has to learn something first.
_WIDE_BATCHES, _LONG_BATCHES = 30, 60
_FEW_PHASES = 25
# Before the first phase the network trains on all features for a tenth of the epochs.
_PHASES_TO_WARM_UP = 9


@estimator()
class SequentialAttentionSelector(DenseSelector):
    """Select features one after the other by the attention that a network pays to them.

    A training in phases. Features that are selected enter the network as they are, each of the
    others times its softmax weight among the others; the logits behind these weights start at 0 in
    each phase and are trained together with the network. At the end of a phase the feature with
    the largest logit joins the selected ones. The network is never trained anew. As in the authors'
    program, the first tenth of the epochs trains it on all features, without attention.

    {parameters and attributes}

    Notes
    -----
    `scores_` holds each selected feature's softmax weight at the moment when it was selected. The
    fewer features are left, the larger these are, so later ones may be larger than earlier ones.
    Constant features get no attention; they are taken last.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import SequentialAttentionSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = SequentialAttentionSelector(n_features_to_select=2, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "Sequential Attention"

    n_phases: int = setting(
        50,
        COUNT,
        "Most phases. To select more features than this, each phase takes the best two or more.",
    )
    epochs_per_phase: int | str = setting(
        "auto",
        COUNT_OR_AUTO,
        'Passes over the data in a phase. "auto" takes as many as make 60 mini-batches, and more '
        "if there are fewer than 25 phases, which then make 1500 together. On wide data (no more "
        "samples than features) it takes half as many.",
    )
    learning_rate_init: float = setting(0.001, *WEIGHTS_STEP)
    attention_learning_rate_init: float = setting(0.1, POSITIVE, "Step size for the logits.")

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        cases, network, generator = self._begin(data, rng)
        attention = Attention(cases.X.any(dim=0))
        weights = Trainer(network.parameters(), self.learning_rate_init, self.weight_decay)

        def objective(X: Tensor, y: Tensor) -> Tensor:
            return cases.loss(masked_outputs(network, X, attention.mask()), y)

        def train_for(n_epochs: int, *trainers: Trainer) -> None:
            train(
                cases,
                objective,
                [weights, *trainers],
                batch_size=self.batch_size,
                epochs=islice(bar, n_epochs),
                generator=generator,
            )

        portions = split_evenly(min(n_selected, attention.n_waiting), self.n_phases)
        n_epochs = self._epochs_per_phase(cases, len(portions))
        n_warm_up = -(-len(portions) * n_epochs // _PHASES_TO_WARM_UP)
        bar = epochs(n_warm_up + len(portions) * n_epochs, self._title, self.verbose)
        train_for(n_warm_up)
        for portion in portions:
            attention.begin()
            train_for(n_epochs, Trainer([attention.logits], self.attention_learning_rate_init))
            attention.take(portion)
        return attention.ranking(n_selected)

    def _epochs_per_phase(self, cases: Cases, n_phases: int) -> int:
        if not isinstance(self.epochs_per_phase, str):
            return self.epochs_per_phase
        n_batches = _WIDE_BATCHES if cases.is_wide else _LONG_BATCHES
        n_batches *= max(_FEW_PHASES, n_phases)
        return self._epochs_of(n_batches, cases, n_times=max(n_phases, 1))


class Attention:
    """What the features enter the network with, and which are selected."""

    def __init__(self, can_wait: Tensor) -> None:
        self._can_wait = can_wait
        self._waiting = can_wait.clone()
        self._order: list[int] = []
        self._scores = torch.full(can_wait.shape, torch.nan, device=can_wait.device)
        self._has_begun = False
        self.logits = torch.zeros(can_wait.shape, device=can_wait.device, requires_grad=True)

    @property
    def n_waiting(self) -> int:
        """How many features can still be selected."""
        return int(self._waiting.sum())

    def begin(self) -> None:
        """Start a phase: all that wait get the same attention."""
        self._has_begun = True
        with torch.no_grad():
            self.logits.zero_()

    def mask(self) -> Tensor:
        """Return the factor of each feature: 1 for all before the first phase."""
        if not self._has_begun:
            return torch.ones_like(self.logits)
        selected = self._can_wait & ~self._waiting
        return torch.where(selected, 1.0, self._weights())

    def take(self, n: int) -> None:
        """Select the `n` waiting features with the largest logits, of equal ones the first."""
        weights = self._weights().detach()
        best = weights.masked_fill(~self._waiting, -1.0).argsort(descending=True, stable=True)[:n]
        self._scores[best] = weights[best]
        self._waiting[best] = False
        self._order += best.tolist()

    def ranking(self, n_selected: int) -> Ranking:
        """Return the selected features in their order, filled up with those that cannot wait."""
        rest = torch.nonzero(~self._can_wait).flatten().tolist()
        order = [*self._order, *rest[: n_selected - len(self._order)]]
        self._scores[order[len(self._order) :]] = 0.0
        scores = np.full(len(self._scores), np.nan)
        scores[order] = as_scores(self._scores[order])
        return Ranking(scores, np.array(order, dtype=np.intp))

    def _weights(self) -> Tensor:
        logits = self.logits.masked_fill(~self._waiting, -torch.inf)
        return torch.softmax(logits, dim=0)


def masked_outputs(network: nn.Sequential, X: Tensor, mask: Tensor) -> Tensor:
    """Return a network's outputs when each feature is multiplied by its factor."""
    first = network[0]
    assert isinstance(first, nn.Linear)
    # On the weights rather than on the samples, which spares the gradient with respect to each
    # value of each sample.
    outputs: Tensor = network[1:](nn.functional.linear(X, first.weight * mask, first.bias))
    return outputs


def split_evenly(n: int, most: int) -> list[int]:
    """Return at most so many positive portions that make up `n`, equal give or take one."""
    n_portions = min(n, most)
    return [len(part) for part in np.array_split(np.arange(n), n_portions)] if n_portions else []
