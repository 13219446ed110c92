import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from entryprune.baselines import RefusalError, RFSSelector
from entryprune.baselines.rfs import _ridge, _robustly_scaled, minimise


def objective(W, X, Y, gamma):
    return np.linalg.norm(X @ W - Y, axis=1).sum() + gamma * np.linalg.norm(W, axis=1).sum()


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 4))
    return X, X[:, :1] @ [[1.0, -1.0]] + 0.1 * rng.normal(size=(12, 2))


def test_one_weight_worked_out_by_hand():
    # One feature, one case: |2 w - 6| + gamma |w| is least at w = 3 while gamma < 2.
    solution = minimise(np.array([[2.0]]), np.array([[6.0]]), 1.0, tol=1e-12, max_iter=500)
    assert solution.weights[0, 0] == pytest.approx(3.0, rel=1e-4)
    assert solution.objective[-1] == pytest.approx(3.0, rel=1e-4)
    assert solution.converged


def test_a_strong_penalty_closes_all_rows():
    # With gamma > 2 the same objective is least at w = 0, where it is 6.
    solution = minimise(np.array([[2.0]]), np.array([[6.0]]), 3.0, tol=1e-12, max_iter=500)
    assert solution.weights[0, 0] == pytest.approx(0.0, abs=1e-3)
    assert solution.objective[-1] == pytest.approx(6.0, abs=1e-2)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("is_wide", [False, True])
def test_the_minimum_is_that_of_a_general_minimiser(problem, gamma, is_wide):
    X, Y = problem
    if is_wide:
        X, Y = X[:3], Y[:3]
    solution = minimise(X, Y, gamma, tol=1e-10, max_iter=2000)
    W, objectives = solution.weights, solution.objective
    best = min(
        minimize(
            lambda flat: objective(flat.reshape(4, 2), X, Y, gamma),
            start.ravel(),
            method="Powell",
            options={"maxiter": 20_000, "xtol": 1e-9, "ftol": 1e-12},
        ).fun
        for start in (W, np.zeros((4, 2)))
    )
    assert objectives[-1] == pytest.approx(objective(W, X, Y, gamma), rel=1e-4)
    assert objectives[-1] <= best * (1 + 1e-3)


@pytest.mark.parametrize("shape", [(30, 5), (5, 30)])
def test_the_objective_falls_in_every_round(shape):
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=shape), rng.normal(size=(shape[0], 3))
    objectives = minimise(X, Y, 0.5, tol=0.0, max_iter=60).objective
    assert len(objectives) > 5
    assert (np.diff(objectives) <= 1e-9 * objectives[0]).all()


@pytest.mark.parametrize("shape", [(6, 9), (9, 6)])
def test_ridge_regression_is_that_of_the_normal_equations(shape):
    rng = np.random.default_rng(2)
    A, B = rng.normal(size=shape), rng.normal(size=(shape[0], 2))
    expected = np.linalg.solve(A.T @ A + 0.7 * np.eye(shape[1]), A.T @ B)
    assert _ridge(A, B, 0.7) == pytest.approx(expected)


def test_huge_values_are_no_obstacle():
    X = np.random.default_rng(0).normal(size=(20, 40))
    X[:, 7] += np.arange(20) % 2
    assert RFSSelector(3, scale=None).fit(1e12 * X, np.arange(20) % 2).support_.sum() == 3


def test_the_unit_of_the_target_does_not_matter(easy_regression):
    X, y = easy_regression
    selections = [RFSSelector(4).fit(X, 1000.0 * y + 7).ranking_, RFSSelector(4).fit(X, y).ranking_]
    assert selections[0].tolist() == selections[1].tolist()


def test_an_outlying_case_changes_little(easy_regression):
    X, y = easy_regression
    y = y.copy()
    y[0] = 1e4
    assert sorted(RFSSelector(2, gamma=0.01).fit(X, y).selected_indices_) == [3, 8]


def test_too_few_rounds_are_told(easy):
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 iterations"):
        RFSSelector(2, max_iter=2, tol=0.0).fit(*easy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RFSSelector(2).fit(*easy)


def test_a_target_that_never_varies_is_refused(easy_regression):
    X, _ = easy_regression
    with pytest.raises(RefusalError, match="y is 3 in all samples") as refusal:
        RFSSelector(2, task="regression").fit(X, np.full(len(X), 3.0))
    assert refusal.value.reason == "data"


def test_neither_unit_nor_outlier_of_the_target_decides_about_the_penalty():
    scaled = _robustly_scaled(np.array([1.0, 3.0, 5.0, 7.0, 900.0]))
    assert scaled.tolist() == [-2.0, -1.0, 0.0, 1.0, 447.5]
