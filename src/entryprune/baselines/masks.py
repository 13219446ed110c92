"""A mask over the inputs that a network learns: Sequential Attention and AutoNFS.

Sequential Attention, greedy selection within one training, by a softmax over what is left:
T. Yasuda, M. Bateni, L. Chen, M. Fahrbach, G. Fu and V. Mirrokni, Sequential attention for feature
selection, ICLR 2023.

AutoNFS, a mask that a penalty closes wherever the loss allows it: W. Wydmański, the program
`autonfs`, 2025, https://github.com/wwydmanski/AutoNFS.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import torch
from sklearn.preprocessing import scale
from torch import Tensor, nn

from entryprune._progress import epochs
from entryprune.baselines._base import (
    COUNT_OR_AUTO,
    NOT_NEGATIVE,
    ON_DEVICE,
    WITH_BAR,
    BaselineSelector,
    Data,
    Ranking,
    RefusalError,
    import_peer,
)
from entryprune.baselines._dense import (
    WEIGHTS_STEP,
    Cases,
    DenseSelector,
    Trainer,
    as_scores,
    train,
)
from entryprune.engine.settings import COUNT, POSITIVE, Allowed, setting
from entryprune.selectors._selector import estimator, resolve_device

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
    _score_meaning = (
        "The score is the feature's share of the attention when it was selected, among those that "
        "were left; an even share is 1 divided by their number. Later scores may be larger than "
        "earlier ones."
    )
    _ranks_by_score = False

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


# -- AutoNFS ---------------------------------------------------------------------------------------


@estimator()
class AutoNFSSelector(BaselineSelector):
    """Select features by the votes of AutoNFS.

    A small network is trained on inputs times a random mask whose probabilities are learned, with
    a penalty on the share of open inputs. Afterwards the mask is drawn once a batch, and each draw
    is a vote for the features that it lets through.

    AutoNFS chooses how many features it wants: those with at least one vote. They are ranked by
    votes, and of equally many by the learned probability. If that is fewer than asked for and
    `balance` is "auto", the penalty is relaxed along the grid of the package until there are
    enough; if there never are, or `balance` is a number, the request is refused. The package
    standardises the features; in regression y is standardised too, so that its unit does not
    matter. Needs the package `autonfs` (``pip install 'entryprune[peers]'``).

    {parameters and attributes}
        Here the number of votes.
    balance_ : float
        The weight of the penalty in the end.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import AutoNFSSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = AutoNFSSelector(2, balance=0.1, epochs=40, batch_size=16, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "AutoNFS"
    _score_meaning = (
        "The score is how many draws of the learned mask let the feature through, of one draw for "
        "each batch of samples."
    )

    balance: float | str = setting(
        "auto",
        replace(NOT_NEGATIVE, choices=("auto",)),
        'Weight of the penalty. "auto" lets the package search: from 1 down to 0.0001, until a '
        "random forest on the features kept does about as well as one on all features.",
    )
    adaptive_n_seeds: int = setting(5, COUNT, "Networks trained for each weight in that search.")
    adaptive_threshold_frac: float = setting(
        0.9,
        NOT_NEGATIVE,
        "Share of the score with all features that is good enough in that search.",
    )
    epochs: int = setting(150, COUNT, "Passes over the data.")
    batch_size: int = setting(32, COUNT, "Samples in a batch.")
    temperature_decay: float = setting(
        0.997,
        Allowed(float, low=0, high=1, closed="right"),
        "Factor on the temperature of the mask after each pass.",
    )
    device: str | torch.device = setting("auto", *ON_DEVICE)
    verbose: int = setting(0, *WITH_BAR)

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        fit = self._trainer(data, rng)
        cards = range(torch.cuda.device_count())
        # The package prints on the output stream, which belongs to the caller.
        stream = redirect_stdout(sys.stderr) if self.verbose else nullcontext()
        with torch.random.fork_rng(devices=cards), warnings.catch_warnings(), stream:
            torch.manual_seed(int(rng.integers(2**62)))
            warnings.simplefilter("ignore")  # of the forests that judge a weight
            model = fit(self.balance)
            weaker = [weight for weight in model.adaptive_grid if weight < model.balance_]
            while self.balance == "auto" and weaker and _n_voted(model) < n_selected:
                model = fit(weaker.pop(0))
        self.balance_ = float(model.balance_)
        return _by_votes(model)

    def _trainer(self, data: Data, rng: np.random.Generator) -> Callable[[float | str], Any]:
        """Return a function from the weight of the penalty to the package's fitted model."""
        package = import_peer("autonfs", self._title)
        settings = {
            "adaptive_n_seeds": self.adaptive_n_seeds,
            "adaptive_threshold_frac": self.adaptive_threshold_frac,
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "temperature_decay": self.temperature_decay,
            "mode": data.task,
            "device": str(resolve_device(self.device)),
            "verbose": bool(self.verbose),
            "random_state": int(rng.integers(2**31)),
        }
        X = np.array(data.X)  # torch complains about arrays that it may not write to
        y = data.y if data.n_classes else scale(data.y)

        def fit(balance: float | str) -> Any:
            try:
                return package.AutoNFS(balance=balance, **settings).fit(X, y)
            except ValueError as error:
                if balance != "auto":
                    raise
                raise RefusalError(
                    self._title,
                    "data",
                    f"its search for the penalty needs to split the data, and cannot ({error}). "
                    f"Give `balance` a number, for example 0.1, or take another method.",
                ) from error

        return fit


def _n_voted(model: Any) -> int:
    return int(np.count_nonzero(model.scores_))


def _by_votes(model: Any) -> Ranking:
    votes = model.scores_
    with torch.no_grad():
        # The larger the logit, the likelier is the feature let through.
        logits = model.network.fc1(model.network.emb).cpu().numpy()[0]
    order = np.lexsort((-logits, -votes))[: _n_voted(model)]
    return Ranking(np.where(votes > 0, votes, np.nan), order)
