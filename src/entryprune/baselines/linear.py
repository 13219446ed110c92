"""Sparse linear models: the L1 path, and RFS with its joint L2,1 norms.

L1: R. Tibshirani, Regression shrinkage and selection via the lasso, Journal of the Royal
Statistical Society B 58, 1996. For logistic regression: J. Friedman, T. Hastie and R. Tibshirani,
Regularization paths for generalized linear models via coordinate descent, Journal of Statistical
Software 33, 2010.

RFS: F. Nie, H. Huang, X. Cai and C. Ding, Efficient and robust feature selection via joint
L2,1-norms minimization, Advances in Neural Information Processing Systems 23, 2010.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LogisticRegression

from entryprune.baselines._base import (
    NO_SCALE,
    NOT_NEGATIVE,
    REGRESSION,
    Data,
    Floats,
    Ranking,
    RefusalError,
    ScaledSelector,
)
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

    {parameters and attributes}
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
    _score_meaning = (
        "The score is the penalty at which the feature entered the model, as a share of the one "
        "that keeps every feature out. The first enters near 1 in any table, so only how far the "
        "others are below it tells something."
    )
    _ranks_by_score = False

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

    def _lasso(self, X: Floats, targets: Floats) -> Callable[[float], Floats]:
        """Return a function from the penalty to the size of each feature's coefficient."""
        # A Gram matrix is a bargain unless it is larger than X itself.
        lasso = Lasso(
            precompute=X.shape[1] <= X.shape[0],
            fit_intercept=False,  # X and y are centred
            warm_start=True,
            tol=self.tol,
            max_iter=self.max_iter,
        )

        def sizes(penalty: float) -> Floats:
            lasso.set_params(alpha=penalty).fit(X, targets[0])
            self.n_iter_ = max(self.n_iter_, int(lasso.n_iter_))
            absolute: Floats = np.abs(lasso.coef_)
            return absolute

        return sizes

    def _logistic(self, X: Floats, targets: Floats) -> Callable[[float], Floats]:
        """Return a function from the penalty to the size of each feature's coefficients."""
        is_class = targets > 0

        def sizes(penalty: float) -> Floats:
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


def _centred(X: NDArray[Any]) -> Floats:
    # The intercept makes the mean irrelevant, but a feature far from 0 could do the work of the
    # intercept, and the solver would take longer.
    centred: Floats = X - X.mean(axis=0, dtype=np.float64)
    centred[:, np.ptp(X, axis=0) == 0] = 0.0  # rounding leaves a constant feature a little off
    return centred


def _targets(data: Data) -> Floats:
    """Return one centred row a model: y itself, or for each class who belongs to it."""
    if data.n_classes == 0:
        rows = data.y[np.newaxis]
    elif data.n_classes == 2:
        rows = data.y[np.newaxis].astype(np.float64)
    else:
        rows = np.equal.outer(np.arange(data.n_classes), data.y).astype(np.float64)
    centred: Floats = rows - rows.mean(axis=1, keepdims=True)
    centred[np.ptp(rows, axis=1) == 0] = 0.0
    return centred


def _strongest_penalty(X: Floats, targets: Floats) -> float:
    """Return the smallest penalty that keeps every feature out: the largest slope without any."""
    return float(np.max(np.abs(targets @ X))) / len(X)


# A sample's residual counts as at least this share of the mean length of a target. Without it, a
# sample that is fitted exactly would get an infinite weight.
_RESIDUAL_FLOOR = 1e-6


@estimator(random_state="RFS uses no randomness.")
class RFSSelector(ScaledSelector):
    """Select the features with the largest weights in a robust, row-sparse linear model.

    The weights W minimise ||XW - Y|| + gamma ||W||, where both norms sum the lengths of rows
    (L2,1). The first is robust, for a sample counts by its residual and not by the residual's
    square. The second drives the weights of whole features to zero. A feature's score is the
    length of its row of W.

    {parameters and attributes}
    objective_ : ndarray of shape (n_iter_,)
        The objective after each iteration. It never rises.
    n_iter_ : int
        Iterations made.

    Notes
    -----
    Y holds one column of zeros and ones for each class. In regression it is the target minus its
    median over its median absolute deviation, and the features are centred, in place of an
    intercept.

    Each iteration solves one ridge regression with weights on samples and features. It costs a
    matrix of n_samples x n_samples or n_features x n_features, whichever is smaller.

    Residuals shorter than a millionth of the mean length of a row of Y are smoothed: their length
    is taken to be sqrt(length^2 + floor^2). Weights need no such floor.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import RFSSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> RFSSelector(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['sepal width (cm)', 'petal width (cm)']
    """

    _title = "RFS"
    _score_meaning = (
        f"The score is the length of the feature's weights in the linear model. {NO_SCALE}"
    )

    gamma: float = setting(
        10.0,
        POSITIVE,
        "Weight of the penalty. The larger it is, the fewer features keep weights.",
    )
    max_iter: int = setting(1000, COUNT, "Most iterations.")
    tol: float = setting(
        1e-6,
        NOT_NEGATIVE,
        "Stop when an iteration lowers the objective by less than this share of it.",
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected, rng
        if data.task == REGRESSION and np.ptp(data.y) == 0:
            raise RefusalError(
                self._title,
                "data",
                f"y is {data.y[0]:g} in all samples, so no feature can tell anything about it. "
                f"Give a target that varies.",
            )
        solution = minimise(*_design(data), self.gamma, max_iter=self.max_iter, tol=self.tol)
        if not solution.converged:
            warnings.warn(
                f"RFS did not converge in {self.max_iter} iterations. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=5,
            )
        self.objective_ = solution.objective
        self.n_iter_ = len(solution.objective)
        return Ranking(np.linalg.norm(solution.weights, axis=1))


@dataclass(frozen=True)
class Solution:
    """Where the iterations ended: the weights, the objective after each, and whether it settled."""

    weights: Floats
    objective: Floats
    converged: bool


def minimise(
    X: Floats,
    Y: Floats,
    gamma: float,
    *,
    max_iter: int = 1000,
    tol: float = 1e-6,
) -> Solution:
    """Minimise the sum of the lengths of rows of XW - Y plus gamma times that of W."""
    floor = _RESIDUAL_FLOOR * np.linalg.norm(Y, axis=1).mean()
    rounds = _iterate(X, Y, gamma, floor)
    objective: list[float] = []
    while True:
        weights, value = next(rounds)
        objective.append(value)
        converged = len(objective) > 1 and objective[-2] - value <= tol * value
        if converged or len(objective) == max_iter:
            return Solution(weights, np.array(objective), converged)


def _iterate(X: Floats, Y: Floats, gamma: float, floor: float) -> Iterator[tuple[Floats, float]]:
    """Yield weights and objective, better each time.

    A length l is at most l^2 / (2 l') + l' / 2, with equality where l is the latest length l'. So
    each iteration minimises a sum of squares that touches the objective from above.
    """
    case_factors = np.ones(len(X))
    feature_factors = np.ones(X.shape[1])
    weighted = np.empty_like(X)
    while True:
        np.multiply(X, case_factors[:, np.newaxis], out=weighted)
        weighted *= feature_factors
        weights = _ridge(weighted, Y * case_factors[:, np.newaxis], gamma)
        weights *= feature_factors[:, np.newaxis]
        residuals = np.hypot(np.linalg.norm(X @ weights - Y, axis=1), floor)
        lengths = np.linalg.norm(weights, axis=1)
        yield weights, float(residuals.sum() + gamma * lengths.sum())
        # Multiplied by roots of lengths, not divided: a feature of weight 0 needs no floor.
        case_factors = 1.0 / np.sqrt(2.0 * residuals)
        feature_factors = np.sqrt(2.0 * lengths)


def _ridge(A: Floats, B: Floats, penalty: float) -> Floats:
    """Return (A'A + penalty)^-1 A'B by way of A'A or AA', whichever is smaller."""
    n_cases, n_features = A.shape
    if n_cases <= n_features:
        return A.T @ _solve(A @ A.T, B, penalty)
    return _solve(A.T @ A, A.T @ B, penalty)


def _solve(gram: Floats, right: Floats, penalty: float) -> Floats:
    shifted = gram.copy()
    shifted.flat[:: len(gram) + 1] += penalty
    try:
        factor = cho_factor(shifted, lower=True, overwrite_a=True)
    except LinAlgError:
        # Beside a huge Gram matrix a small penalty drowns in the rounding.
        values, vectors = eigh(gram)
        inner = (vectors.T @ right) / (np.maximum(values, 0) + penalty)[:, np.newaxis]
        solution: Floats = vectors @ inner
    else:
        solution = cho_solve(factor, right)
    return solution


def _design(data: Data) -> tuple[Floats, Floats]:
    X = data.X.astype(np.float64, copy=False)
    if data.task == REGRESSION:
        return X - X.mean(axis=0), _robustly_scaled(data.y)[:, np.newaxis]
    return X, np.eye(data.n_classes)[data.y]


def _robustly_scaled(y: Floats) -> Floats:
    """Centre and scale, so that neither the unit of y nor an outlier decides about the penalty."""
    centred = y - np.median(y)
    spread = np.median(np.abs(centred)) or centred.std() or 1.0
    scaled: Floats = centred / spread
    return scaled
