"""The L1 penalty: which features enter first as a linear model's penalty is relaxed.

R. Tibshirani, Regression shrinkage and selection via the lasso, Journal of the Royal Statistical
Society B 58, 1996. For logistic regression: J. Friedman, T. Hastie and R. Tibshirani,
Regularization paths for generalized linear models via coordinate descent, Journal of Statistical
Software 33, 2010.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Lasso, LogisticRegression

from entryprune.baselines._base import Data, Ranking, ScaledSelector
from entryprune.engine.settings import COUNT, POSITIVE, Allowed, setting
from entryprune.selectors._selector import estimator

# liblinear penalises the intercept too, as the weight of a column of this value: the larger the
# value, the smaller the weight and hence the penalty.
_INTERCEPT_SCALING = 10.0

# scikit-learn 1.8 replaced penalty="l1" by l1_ratio=1.
_L1_PENALTY: dict[str, Any] = (
    {"penalty": "l1"}
    if LogisticRegression().get_params().get("penalty") == "l2"
    else {"l1_ratio": 1.0}
)


@estimator(random_state="The L1 path uses no randomness.")
class L1Selector(ScaledSelector):
    """Select the features that enter the L1 path of a linear model first.

    The penalty starts where it keeps every feature out and is relaxed step by step until enough
    features have had a coefficient other than 0. The earlier a feature enters, the better it is;
    of those that enter at the same step, the one with the larger absolute coefficient. The linear
    model is logistic regression (with more than two classes one against the rest, absolute
    coefficients added up over classes) or, for regression, the lasso. If too few features have
    entered at the weakest penalty, the request is refused.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}
        Here the penalty at which a feature entered, as a share of the one that keeps every feature
        out.
    n_iter_ : int
        The most passes that the solver took at any penalty.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import L1Selector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> L1Selector(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "L1"

    n_alphas: int = setting(
        100,
        Allowed(int, low=2, closed="left"),
        "Number of penalties on a whole path, evenly spaced on a logarithmic scale.",
    )
    eps: float = setting(
        1e-4,
        Allowed(float, low=0, high=1),
        "The weakest penalty, as a share of the one that keeps every feature out.",
    )
    tol: float = setting(
        1e-5,
        POSITIVE,
        "How exactly the coefficients are found: the tolerance of scikit-learn's solver.",
    )
    max_iter: int = setting(
        10_000, COUNT, "Upper bound on the solver's passes over the data at each penalty."
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del rng
        X = _centred(data.X)
        targets = _targets(data)
        strongest = _strongest_penalty(X, targets)
        # The first penalty would let nobody in.
        shares = np.geomspace(1.0, self.eps, self.n_alphas)[1:]
        if strongest == 0:
            shares = shares[:0]
        model = self._logistic if data.n_classes else self._lasso
        sizes_at = model(X, targets)
        self.n_iter_ = 0
        scores = np.full(X.shape[1], np.nan)
        order: list[NDArray[np.intp]] = []
        for share in shares:
            sizes = sizes_at(share * strongest)
            entered = np.flatnonzero((sizes > 0) & np.isnan(scores))
            scores[entered] = share
            order.append(entered[np.argsort(-sizes[entered], kind="stable")])
            if sum(map(len, order)) >= n_selected:
                break
        return Ranking(scores, np.concatenate([np.empty(0, np.intp), *order]))

    def _lasso(
        self, X: NDArray[np.float64], targets: NDArray[np.float64]
    ) -> Callable[[float], NDArray[np.float64]]:
        """Return a function from the penalty to the size of each feature's coefficient."""
        # A Gram matrix is a bargain unless it is larger than X itself.
        lasso = Lasso(
            precompute=X.shape[1] <= X.shape[0],
            fit_intercept=False,  # X and y are centred
            warm_start=True,
            tol=self.tol,
            max_iter=self.max_iter,
        )

        def sizes(penalty: float) -> NDArray[np.float64]:
            lasso.set_params(alpha=penalty).fit(X, targets[0])
            self.n_iter_ = max(self.n_iter_, int(lasso.n_iter_))
            absolute: NDArray[np.float64] = np.abs(lasso.coef_)
            return absolute

        return sizes

    def _logistic(
        self, X: NDArray[np.float64], targets: NDArray[np.float64]
    ) -> Callable[[float], NDArray[np.float64]]:
        """Return a function from the penalty to the size of each feature's coefficients."""
        is_class = targets > 0

        def sizes(penalty: float) -> NDArray[np.float64]:
            model = LogisticRegression(
                **_L1_PENALTY,
                solver="liblinear",
                C=1.0 / (penalty * len(X)),
                intercept_scaling=_INTERCEPT_SCALING,
                tol=self.tol,
                max_iter=self.max_iter,
                random_state=0,  # liblinear visits the features in random order
            )
            total = np.zeros(X.shape[1])
            for one_class in is_class:
                total += np.abs(model.fit(X, one_class).coef_[0])
                self.n_iter_ = max(self.n_iter_, int(model.n_iter_[0]))
            return total

        return sizes


def _centred(X: NDArray[Any]) -> NDArray[np.float64]:
    # The intercept makes the mean irrelevant, but a feature far from 0 could do the work of the
    # intercept, and the solver would take longer.
    centred: NDArray[np.float64] = X - X.mean(axis=0, dtype=np.float64)
    centred[:, np.ptp(X, axis=0) == 0] = 0.0  # rounding leaves a constant feature a little off
    return centred


def _targets(data: Data) -> NDArray[np.float64]:
    """Return one centred row a model: y itself, or for each class who belongs to it."""
    if data.n_classes == 0:
        rows = data.y[np.newaxis]
    elif data.n_classes == 2:
        rows = data.y[np.newaxis].astype(np.float64)
    else:
        rows = np.equal.outer(np.arange(data.n_classes), data.y).astype(np.float64)
    centred: NDArray[np.float64] = rows - rows.mean(axis=1, keepdims=True)
    centred[np.ptp(rows, axis=1) == 0] = 0.0
    return centred


def _strongest_penalty(X: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
    """Return the smallest penalty that keeps every feature out: the largest slope without any."""
    return float(np.max(np.abs(targets @ X))) / len(X)
