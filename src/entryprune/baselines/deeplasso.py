"""DeepLasso: the input gradients of a network that is punished for having them.

V. Cherepanova et al., A performance-driven benchmark for feature selection in tabular deep
learning, NeurIPS 2023.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Generator, Tensor, nn

from entryprune._progress import epochs
from entryprune.baselines._base import NOT_NEGATIVE, Data, Ranking
from entryprune.baselines._dense import Cases, DenseSelector, Trainer, as_scores, train
from entryprune.engine.settings import COUNT, Allowed, setting
from entryprune.selectors._columns import random_order
from entryprune.selectors._selector import estimator


@estimator()
class DeepLassoSelector(DenseSelector):
    """Select features by the gradient of a network's loss with respect to them.

    A network is trained on the loss plus `alpha` times the sum over features of the L2 norm, over
    the samples of the mini-batch, of the gradient of their mean loss with respect to the feature.
    For a linear model this is a group lasso on the features. The score of a feature is the same
    norm for the trained network on held-out samples.

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import DeepLassoSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = DeepLassoSelector(n_features_to_select=2, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "DeepLasso"

    alpha: float = setting(
        0.5,
        NOT_NEGATIVE,
        "Weight of the penalty. If it is too strong for the data, the network learns nothing, and "
        "the scores are noise.",
    )
    max_epochs: int = setting(100, COUNT, "Passes over the data.")
    validation_fraction: float = setting(
        0.2,
        Allowed(float, low=0, high=1),
        "Share of the samples that is held out for the scores, the same of each class. Where no "
        "sample can be spared, the scores come from the training samples.",
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        cases, network, generator = self._begin(data, rng)
        training, held_out = self._split(cases, data, rng)
        self._train(network, training, generator)
        norms = importance(network, held_out, self.batch_size)
        # The loss does not train the weights of a constant feature, so its gradient means nothing.
        return Ranking(as_scores(norms * cases.X.any(dim=0)))

    def _split(self, cases: Cases, data: Data, rng: np.random.Generator) -> tuple[Cases, Cases]:
        """Return samples for training, and others for the scores."""
        classes = data.y if data.n_classes else None
        order, n_held_out = random_order(len(cases), self.validation_fraction, rng, classes)
        rows = torch.from_numpy(order).to(cases.X.device)
        training = cases.take(rows[n_held_out:])
        return training, cases.take(rows[:n_held_out]) if n_held_out else training

    def _train(self, network: nn.Module, cases: Cases, generator: Generator) -> None:
        def objective(X: Tensor, y: Tensor) -> Tensor:
            loss, gradient = loss_and_input_gradient(network, X, y, cases)
            penalty: Tensor = torch.linalg.vector_norm(gradient, dim=0).sum()
            return loss + self.alpha * penalty

        train(
            cases,
            objective,
            [Trainer(network.parameters(), self.learning_rate_init, self.weight_decay)],
            batch_size=self.batch_size,
            epochs=epochs(self.max_epochs, self._title, self.verbose),
            generator=generator,
        )


def loss_and_input_gradient(
    network: nn.Module, X: Tensor, y: Tensor, cases: Cases
) -> tuple[Tensor, Tensor]:
    """Return the mean loss and its gradient with respect to `X`; both can be differentiated."""
    X = X.detach().requires_grad_()
    loss = cases.loss(network(X), y)
    (gradient,) = torch.autograd.grad(loss, X, create_graph=True)
    return loss, gradient


def importance(network: nn.Module, cases: Cases, batch_size: int) -> Tensor:
    """Return for each feature the norm of the gradient of the mean loss over all `cases`."""
    squares = torch.zeros_like(cases.X[0])
    for start in range(0, len(cases), batch_size):
        X, y = cases.X[start : start + batch_size], cases.y[start : start + batch_size]
        _, gradient = loss_and_input_gradient(network, X, y, cases)
        squares += (gradient.detach() * len(X)).square_().sum(dim=0)
    return squares.sqrt_() / len(cases)
