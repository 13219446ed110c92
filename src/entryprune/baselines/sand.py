"""SAND: inputs that drown in noise unless the network pays for them with its gains.

P. Pad, H. Hammoud, M. Dia, N. Maamari and L. A. Dunbar, SAND: one-shot feature selection with
additive noise distortion, ICML 2025.
"""

from __future__ import annotations

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
from entryprune.engine.settings import POSITIVE, setting
from entryprune.selectors._selector import estimator

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
