"""RFS: robust feature selection by joint L2,1 norms.

F. Nie, H. Huang, X. Cai and C. Ding, Efficient and robust feature selection via joint L2,1-norms
minimization, Advances in Neural Information Processing Systems 23, 2010.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from sklearn.exceptions import ConvergenceWarning

from entryprune.baselines._base import (
    NOT_NEGATIVE,
    REGRESSION,
    Data,
    Ranking,
    RefusalError,
    ScaledSelector,
)
from entryprune.engine.settings import COUNT, POSITIVE, setting
from entryprune.selectors._selector import estimator

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

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}
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

    weights: NDArray[np.float64]
    objective: NDArray[np.float64]
    converged: bool


def minimise(
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
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


def _iterate(
    X: NDArray[np.float64], Y: NDArray[np.float64], gamma: float, floor: float
) -> Iterator[tuple[NDArray[np.float64], float]]:
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


def _ridge(A: NDArray[np.float64], B: NDArray[np.float64], penalty: float) -> NDArray[np.float64]:
    """Return (A'A + penalty)^-1 A'B by way of A'A or AA', whichever is smaller."""
    n_cases, n_features = A.shape
    if n_cases <= n_features:
        return A.T @ _solve(A @ A.T, B, penalty)
    return _solve(A.T @ A, A.T @ B, penalty)


def _solve(
    gram: NDArray[np.float64], right: NDArray[np.float64], penalty: float
) -> NDArray[np.float64]:
    shifted = gram.copy()
    shifted.flat[:: len(gram) + 1] += penalty
    try:
        factor = cho_factor(shifted, lower=True, overwrite_a=True)
    except LinAlgError:
        # Beside a huge Gram matrix a small penalty drowns in the rounding.
        values, vectors = eigh(gram)
        inner = (vectors.T @ right) / (np.maximum(values, 0) + penalty)[:, np.newaxis]
        solution: NDArray[np.float64] = vectors @ inner
    else:
        solution = cho_solve(factor, right)
    return solution


def _design(data: Data) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    X = data.X.astype(np.float64, copy=False)
    if data.task == REGRESSION:
        return X - X.mean(axis=0), _robustly_scaled(data.y)[:, np.newaxis]
    return X, np.eye(data.n_classes)[data.y]


def _robustly_scaled(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre and scale, so that neither the unit of y nor an outlier decides about the penalty."""
    centred = y - np.median(y)
    spread = np.median(np.abs(centred)) or centred.std() or 1.0
    scaled: NDArray[np.float64] = centred / spread
    return scaled
