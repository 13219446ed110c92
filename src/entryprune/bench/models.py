"""Learners that scikit-learn does not have: for times until an event, and for several outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier

from entryprune._survival import RiskSets, concordance, standardised

Array = NDArray[Any]


class CoxRegression:
    """A linear Cox model with a ridge.

    The ridge is that of features whose risks together have a standard deviation of 1 beforehand,
    however many they are.
    """

    def fit(self, X: Array, y: Array) -> Self:
        """Learn from times and events, the two columns of y."""
        self._mean, spread = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
        self._factor = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)
        values, ridge = standardised(X), X.shape[1]
        sets = RiskSets(y[:, 0], y[:, 1] > 0)

        def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            value, slope = sets.loss(values @ weights)
            penalty = 0.5 * ridge * float(weights @ weights)
            return value + penalty, values.T @ slope + ridge * weights

        self.weights = np.zeros(X.shape[1])
        if X.shape[1] and y[:, 1].any():
            self.weights = minimize(loss, self.weights, jac=True, method="L-BFGS-B").x
        return self

    def predict(self, X: Array) -> NDArray[np.float64]:
        """Return the logarithm of the hazard, relative to others."""
        risks: NDArray[np.float64] = ((X - self._mean) * self._factor) @ self.weights
        return risks

    def score(self, X: Array, y: Array) -> float:
        """Return the concordance."""
        return concordance(y[:, 0], y[:, 1] > 0, self.predict(X))


class PerOutput:
    """A model for each of several outputs."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def fit(self, X: Array, y: Array) -> Self:
        """Learn each column of y."""
        self.models = [self._fitted(X, column) for column in y.T]
        return self

    def _fitted(self, X: Array, column: Array) -> Any:
        model = self._make()
        # Of one label there is nothing to tell apart.
        if is_classifier(model) and len(np.unique(column)) == 1:
            model = DummyClassifier()
        return model.fit(X, column)

    def score(self, X: Array, y: Array) -> float:
        """Return the mean of the models' own scores."""
        pairs = zip(self.models, y.T, strict=True)
        return float(np.mean([model.score(X, column) for model, column in pairs]))
