"""RFS: a linear model whose errors and whose weights are both sparse by rows.

F. Nie, H. Huang, X. Cai and C. Ding, Efficient and robust feature selection via joint L2,1-norms
minimization, NIPS 2010.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from entryprune.baselines._base import Data, Ranking, ScaledSelector
from entryprune.baselines._documentation import documented

# A case that is fitted exactly would weigh infinitely much; its residual counts as at least this
# share of the largest one.
_LEAST_RESIDUAL = 1e-6

Matrix = NDArray[np.float64]


@documented
class RFSSelector(ScaledSelector):
    """Select features by the weights of a linear model with joint L2,1 norms (RFS).

    The model minimises over W the sum over cases of the length of the row of XW - Y, plus `gamma`
    times the sum over features of the length of the row of W. Y has a column a class, 1 where the
    case belongs to it; in regression it is the target over its median absolute deviation, and X and
    Y are centred. The first norm keeps outlying cases from dominating, the second sets whole rows
    of W to 0. The score of a feature is the length of its row.

    Solved by reweighted least squares, each time through a system with as many equations as there
    are cases or features, whichever are fewer.

    Parameters
    ----------
    {n_features_to_select}
    gamma : float, default=10.0
        Weight of the penalty.
    tol : float, default=1e-4
        Stop when the objective falls by less than this share of itself.
    max_iter : int, default=200
        Most times that the weights are computed anew.
    {task}
    {scale}
    {random_state}
        RFS uses no randomness.

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import RFSSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> RFSSelector(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['sepal width (cm)', 'petal width (cm)']
    """

    _title = "RFS"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ScaledSelector._parameter_constraints,
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        gamma: float = 10.0,
        tol: float = 1e-4,
        max_iter: int = 200,
        task: str = "auto",
        scale: str | None = "minmax",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_features_to_select, task=task, scale=scale, random_state=random_state)
        self.gamma = gamma
        self.tol = tol
        self.max_iter = max_iter

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected, rng
        X = data.X.astype(np.float64)
        if data.n_classes:
            Y = np.eye(data.n_classes)[data.y]
        else:
            X, Y = X - X.mean(axis=0), _robustly_scaled(data.y)[:, np.newaxis]
        weights, _, has_converged = minimise(X, Y, self.gamma, tol=self.tol, max_iter=self.max_iter)
        if not has_converged:
            warnings.warn(
                f"RFS was still improving after max_iter={self.max_iter} rounds; raise max_iter "
                f"or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        # Rounding gives a constant feature a weight when X is centred.
        scores = _lengths(weights)
        scores[np.ptp(data.X, axis=0) == 0] = 0.0
        return Ranking(scores)


def minimise(
    X: Matrix, Y: Matrix, gamma: float, *, tol: float, max_iter: int
) -> tuple[Matrix, list[float], bool]:
    """Return W, the objective after each round, and whether it has converged."""
    update = _by_cases if X.shape[0] <= X.shape[1] else _by_features
    # All weights alike: the first round is ridge regression.
    case_lengths, feature_lengths = np.ones(X.shape[0]), np.ones(X.shape[1])
    objectives: list[float] = []
    while True:
        W = update(X, Y, gamma, 2 * case_lengths, 2 * feature_lengths)
        case_lengths, feature_lengths = _lengths(X @ W - Y), _lengths(W)
        objectives.append(float(case_lengths.sum() + gamma * feature_lengths.sum()))
        fell = objectives[-2] - objectives[-1] if len(objectives) > 1 else np.inf
        if fell <= tol * objectives[-1] or not case_lengths.any():
            return W, objectives, True
        if len(objectives) == max_iter:
            return W, objectives, False
        case_lengths = np.maximum(case_lengths, _LEAST_RESIDUAL * case_lengths.max())


def _robustly_scaled(y: Matrix) -> Matrix:
    """Centre and scale, so that neither the unit of y nor an outlier decides about the penalty.

    Examples
    --------
    >>> import numpy as np
    >>> _robustly_scaled(np.array([1.0, 3.0, 5.0, 7.0, 900.0]))
    array([ -2. ,  -1. ,   0. ,   1. , 447.5])
    """
    centred = y - np.median(y)
    spread = np.median(np.abs(centred)) or centred.std() or 1.0
    scaled: Matrix = centred / spread
    return scaled


def _by_cases(X: Matrix, Y: Matrix, gamma: float, cases: Matrix, features: Matrix) -> Matrix:
    """Solve for as many unknowns as there are cases."""
    weighted = X * features
    system = weighted @ X.T
    system[np.diag_indices_from(system)] += gamma * cases
    solution: Matrix = weighted.T @ solve(system, Y, assume_a="pos")
    return solution


def _by_features(X: Matrix, Y: Matrix, gamma: float, cases: Matrix, features: Matrix) -> Matrix:
    """Solve for as many unknowns as there are features; the same W."""
    # Scaled by the square roots, so that a feature of weight 0 needs no division.
    roots = np.sqrt(features)
    weighted = X / cases[:, np.newaxis]
    system = (roots[:, np.newaxis] * (weighted.T @ X)) * roots
    system[np.diag_indices_from(system)] += gamma
    right = roots[:, np.newaxis] * (weighted.T @ Y)
    solution: Matrix = roots[:, np.newaxis] * solve(system, right, assume_a="pos")
    return solution


def _lengths(rows: Matrix) -> Matrix:
    lengths: Matrix = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return lengths
