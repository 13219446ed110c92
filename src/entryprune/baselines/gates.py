"""Gates at the inputs of a network, which noise keeps uncertain: STG and SAND.

STG, stochastic gates that a penalty closes: Y. Yamada, O. Lindenbaum, S. Negahban and Y. Kluger,
Feature selection using stochastic gates, ICML 2020.

SAND, inputs that drown in noise unless the network pays for them with its gains: P. Pad,
H. Hammoud, M. Dia, N. Maamari and L. A. Dunbar, SAND: one-shot feature selection with additive
noise distortion, ICML 2025.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import torch
from torch import Generator, Tensor, nn

from entryprune._progress import epochs
from entryprune.baselines._base import COUNT_OR_AUTO, NOT_NEGATIVE, Data, Ranking
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

# Mini-batches of a training: for each penalty of a search, and for one that was asked for.
_SEARCH_BATCHES, _SINGLE_BATCHES = 400, 2000
# A gate this many standard deviations below 0 opens at one mini-batch in 700.
_SHUT = -3.0
# The first penalty of the search, which is less on narrow data: shared by ten features, 0.1 would
# close gates before the network has learnt what the features can only tell together.
_FIRST, _FIRST_PER_FEATURE = 0.1, 4e-4
# Then the factors up and down, the least penalty, and when it is near enough.
_UP, _DOWN, _LEAST = 2.0, 8.0, 1e-4
_NEAR_COUNT, _NEAR_ALPHA = 1.05, 1.1


@estimator()
class STGSelector(DenseSelector):
    """Select features by stochastic gates.

    Each input of a network is multiplied by a gate, clip(mu + noise, 0, 1), whose noise is drawn
    anew from N(0, sigma^2) for each mini-batch. Gates and network are trained together on the loss
    plus `alpha` times the mean over features of Phi(mu / sigma), the chance that a gate is open.
    The score of a feature is its mu; a gate with mu > 0 counts as open.

    The penalty is the mean over features, as in the authors' program, and not the sum, as in the
    paper: `alpha` is the lambda of the paper times the number of features, so that its useful range
    depends less on how wide the data are.

    How many gates stay open depends on `alpha`. By default the number is steered towards
    `n_features_to_select` from above: `alpha` starts at 0.1 (at 0.0004 times the number of
    features, if that is less) and doubles as long as enough gates stay open; then the last step
    is halved, on a log scale, up to three times. Each training goes on from the last one that had
    enough open gates, without the inputs that are shut for good. The gates thus close slowly,
    which finds better features than training each `alpha` from the start. The cost is at most
    `max_trials` times `max_epochs` passes over the data; most searches need 9 to 14 trainings.

    {parameters and attributes}
    alpha_ : float
        The penalty that was used.
    n_open_gates_ : int
        How many gates it left open.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import STGSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = STGSelector(n_features_to_select=2, max_epochs=10, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "STG"
    _score_meaning = (
        "The score is where the feature's gate stands, apart from noise: 1 is wide open, 0 or "
        "less is shut, and each began at 0.5."
    )

    alpha: float | str = setting(
        "auto",
        replace(NOT_NEGATIVE, choices=("auto",)),
        'Weight of the penalty. "auto" searches for one that leaves about as many gates open as '
        "features are asked for. With a number, one network is trained from the start. In either "
        "case the features with the largest mu are selected.",
    )
    max_trials: int = setting(20, COUNT, "Most penalties that the search tries.")
    sigma: float = setting(0.5, POSITIVE, "Standard deviation of the gates' noise.")
    learning_rate_init: float = setting(0.003, *WEIGHTS_STEP)
    gate_learning_rate_init: float = setting(0.01, POSITIVE, "Step size for the gates.")
    weight_decay: float = setting(
        0.001,
        NOT_NEGATIVE,
        "L2 penalty on the weights; without it weights grow to make up for gates that close.",
    )
    max_epochs: int | str = setting(
        "auto",
        COUNT_OR_AUTO,
        'Passes over the data for each `alpha`. "auto" takes as many as make 400 mini-batches in a '
        "search and 2000 for a given `alpha`.",
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        cases, network, generator = self._begin(data, rng)
        # Every training from the start begins with the same weights.
        first = GatedNetwork(network, self.sigma)

        def trained(alpha: float, start: GatedNetwork | None) -> GatedNetwork:
            network = (first if start is None else start).without_shut_inputs()
            self._train(network, alpha, cases, generator)
            return network

        if isinstance(self.alpha, str):
            weak = min(_FIRST, _FIRST_PER_FEATURE * data.X.shape[1])
            found = search_alpha(trained, n_selected, self.max_trials, first=weak)
        else:
            found = Trial(self.alpha, trained(self.alpha, None))
        self.alpha_ = float(found.alpha)
        self.n_open_gates_ = found.network.n_open
        return Ranking(as_scores(found.network.all_mu()))

    def _train(
        self, network: GatedNetwork, alpha: float, cases: Cases, generator: Generator
    ) -> None:
        """Train the gates and the weights, in place."""
        trainers = [
            Trainer(network.weights(), self.learning_rate_init, self.weight_decay),
            Trainer([network.mu], self.gate_learning_rate_init),
        ]

        def objective(X: Tensor, y: Tensor) -> Tensor:
            outputs = network(X, network.draw_gates(generator))
            return cases.loss(outputs, y) + alpha * network.penalty()

        train(
            network.seen(cases),
            objective,
            trainers,
            batch_size=self.batch_size,
            epochs=epochs(self._n_epochs(cases), f"{self._title}, alpha={alpha:.3g}", self.verbose),
            generator=generator,
        )

    def _n_epochs(self, cases: Cases) -> int:
        if not isinstance(self.max_epochs, str):
            return self.max_epochs
        is_search = isinstance(self.alpha, str)
        return self._epochs_of(_SEARCH_BATCHES if is_search else _SINGLE_BATCHES, cases)


class GatedNetwork(nn.Module):
    """A dense network with a gate on each input."""

    def __init__(self, network: nn.Sequential, sigma: float) -> None:
        super().__init__()
        first = network[0]
        assert isinstance(first, nn.Linear)
        self.weight, self.bias = first.weight, first.bias
        self.rest = network[1:]
        n_features = self.weight.shape[1]
        self.mu = nn.Parameter(torch.full((n_features,), 0.5, device=self.weight.device))
        self.sigma = sigma
        # The inputs still in the network, and the mu of all features when they were last in it.
        self._inputs = torch.arange(n_features, device=self.weight.device)
        self._last_mu = self.mu.detach().clone()

    def draw_gates(self, generator: Generator) -> Tensor:
        """Return the gates of one mini-batch."""
        noise = torch.empty(len(self.mu)).normal_(0.0, self.sigma, generator=generator)
        return (self.mu + noise.to(self.mu.device)).clamp(0.0, 1.0)

    def expected_gates(self) -> Tensor:
        """Return the gates without noise."""
        return self.mu.clamp(0.0, 1.0)

    def forward(self, X: Tensor, gates: Tensor | None = None) -> Tensor:
        """Return the outputs for samples that have the columns of `seen`."""
        gates = self.expected_gates() if gates is None else gates
        # Gates on the weights do the same as gates on the samples, but spare the gradient with
        # respect to each value of each sample.
        hidden = nn.functional.linear(X, self.weight * gates, self.bias)
        outputs: Tensor = self.rest(hidden)
        return outputs

    def penalty(self) -> Tensor:
        """Return the mean over all features of the chance that the gate is open."""
        chances: Tensor = torch.special.ndtr(self.mu / self.sigma)
        return chances.sum() / len(self._last_mu)

    @property
    def n_open(self) -> int:
        """Number of gates with a positive mu."""
        return int((self.mu > 0).sum())

    def weights(self) -> list[nn.Parameter]:
        """Return all parameters but mu."""
        return [parameter for name, parameter in self.named_parameters() if name != "mu"]

    def all_mu(self) -> Tensor:
        """Return the mu of every feature; of one that has left, the last that it had."""
        return self._last_mu.index_copy(0, self._inputs, self.mu.detach())

    def seen(self, cases: Cases) -> Cases:
        """Return the samples with only those columns that are still in the network."""
        if len(self._inputs) == cases.X.shape[1]:
            return cases
        return replace(cases, X=cases.X[:, self._inputs])

    def without_shut_inputs(self) -> Self:
        """Return a copy without the inputs whose gates as good as never open."""
        network = copy.deepcopy(self)
        stay = self.mu.detach() > _SHUT * self.sigma
        network._last_mu = self.all_mu()
        network._inputs = self._inputs[stay]
        network.mu = nn.Parameter(self.mu.detach()[stay])
        network.weight = nn.Parameter(self.weight.detach()[:, stay])
        return network


@dataclass(frozen=True)
class Trial:
    """A network trained under a penalty."""

    alpha: float
    network: GatedNetwork


def search_alpha(
    train_with: Callable[[float, GatedNetwork | None], GatedNetwork],
    n_selected: int,
    max_trials: int,
    first: float = _FIRST,
) -> Trial:
    """Find the penalty that leaves as few gates open as possible, but enough."""
    enough: Trial | None = None
    too_few: Trial | None = None
    alpha: float | None = first
    n_trials = 0
    while alpha is not None and n_trials < max_trials:
        # Always towards a stronger penalty: a gate that is shut would not open again.
        trial = Trial(alpha, train_with(alpha, enough.network if enough else None))
        n_trials += 1
        if trial.network.n_open >= n_selected:
            enough = trial
        else:
            too_few = trial
        if enough and enough.network.n_open <= _NEAR_COUNT * n_selected:
            break
        alpha = next_alpha(enough.alpha if enough else None, too_few.alpha if too_few else None)
    found = enough or too_few
    assert found is not None
    return found


def next_alpha(weaker: float | None, stronger: float | None) -> float | None:
    """Return a penalty between one that is too weak and one that is too strong."""
    if weaker is None:
        assert stronger is not None
        return stronger / _DOWN if stronger / _DOWN > _LEAST else None
    if stronger is None:
        return weaker * _UP
    return math.sqrt(weaker * stronger) if stronger > _NEAR_ALPHA * weaker else None


# -- SAND ------------------------------------------------------------------------------------------


# Mini-batches of a training on wide and on long data, unless told otherwise: a step on wide data
# takes long, and more of them do not find better features.
_WIDE_BATCHES, _LONG_BATCHES = 500, 2000


@estimator(scale="The noise is meant for features of standard deviation 1.")
class SANDSelector(DenseSelector):
    """Select features by their gains in a network whose inputs are distorted by noise.

    Each input x of a network is replaced by a x + (1 - a) z, where a is the feature's gain and z is
    noise, drawn anew from N(0, sigma^2) for each value. Gains and network are trained together on
    the loss alone. The squares of the gains always sum up to the number of features to select, so
    the network can raise one gain only at the cost of the others, and they gather near 1 and 0.
    The score of a feature is its gain.

    The gains are the absolute values of the trained ones, cut off at 1 and then scaled to the sum;
    they start equal. So does the authors' program, which ranks by the gain times the norm of the
    feature's weights in the first layer; this ranks by the gain, as the paper does.

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import SANDSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = SANDSelector(n_features_to_select=2, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "SAND"
    _score_meaning = (
        "The score is the feature's gain: near 1 the network sees the feature as it is, near 0 "
        "noise in its place."
    )

    sigma: float = setting(1.5, NOT_NEGATIVE, "Standard deviation of the noise.")
    learning_rate_init: float = setting(0.003, *WEIGHTS_STEP)
    gain_learning_rate_init: float = setting(0.01, POSITIVE, "Step size for the gains.")
    max_epochs: int | str = setting(
        "auto",
        COUNT_OR_AUTO,
        'Passes over the data. "auto" takes as many as make 2000 mini-batches, on wide data (no '
        "more samples than features) 500.",
    )
    scale: str | None = "standard"

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        cases, network, generator = self._begin(data, rng)
        gains = self._train(network, cases, n_selected, generator)
        # A constant has nothing to tell, whatever its gain.
        return Ranking(as_scores(gains * cases.X.any(dim=0)))

    def _train(
        self, network: nn.Module, cases: Cases, n_selected: int, generator: Generator
    ) -> Tensor:
        """Train the network in place and return the gains of the features."""
        raw = torch.ones(cases.X.shape[1], device=cases.X.device, requires_grad=True)
        trainers = [
            Trainer(network.parameters(), self.learning_rate_init, self.weight_decay),
            Trainer([raw], self.gain_learning_rate_init),
        ]

        def objective(X: Tensor, y: Tensor) -> Tensor:
            with torch.no_grad():
                raw.copy_(normalised_gains(raw, n_selected))
            noise = torch.empty(X.shape).normal_(0.0, self.sigma, generator=generator)
            distorted = distort(X, noise.to(X.device), normalised_gains(raw, n_selected))
            return cases.loss(network(distorted), y)

        train(
            cases,
            objective,
            trainers,
            batch_size=self.batch_size,
            epochs=epochs(self._n_epochs(cases), self._title, self.verbose),
            generator=generator,
        )
        return normalised_gains(raw, n_selected).detach()

    def _n_epochs(self, cases: Cases) -> int:
        if not isinstance(self.max_epochs, str):
            return self.max_epochs
        return self._epochs_of(_WIDE_BATCHES if cases.is_wide else _LONG_BATCHES, cases)


def distort(X: Tensor, noise: Tensor, gains: Tensor) -> Tensor:
    """Return ``gains * X + (1 - gains) * noise``."""
    # So written, it takes one pass over the values, and one in the gradient.
    return torch.addcmul(noise, X - noise, gains)


def normalised_gains(raw: Tensor, n_selected: int) -> Tensor:
    """Return the gains: absolute values, at most 1 before their squares are made to sum to K."""
    gains = raw.abs().clamp(max=1.0)
    norm: Tensor = torch.linalg.vector_norm(gains)
    normalised: Tensor = gains * (n_selected**0.5 / norm)
    return normalised
