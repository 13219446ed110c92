import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from entryprune.baselines import RFSSelector
from entryprune.baselines.rfs import _by_cases, _by_features, minimise


def objective(W, X, Y, gamma):
    return np.linalg.norm(X @ W - Y, axis=1).sum() + gamma * np.linalg.norm(W, axis=1).sum()


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 4))
    return X, X[:, :1] @ [[1.0, -1.0]] + 0.1 * rng.normal(size=(12, 2))


def test_one_weight_worked_out_by_hand():
    # One feature, one case: |2 w - 6| + gamma |w| is least at w = 3 while gamma < 2.
    W, objectives, has_converged = minimise(
        np.array([[2.0]]), np.array([[6.0]]), 1.0, tol=1e-12, max_iter=500
    )
    assert W[0, 0] == pytest.approx(3.0, rel=1e-4)
    assert objectives[-1] == pytest.approx(3.0, rel=1e-4)
    assert has_converged


def test_a_strong_penalty_closes_all_rows():
    # With gamma > 2 the same objective is least at w = 0, where it is 6.
    W, objectives, _ = minimise(np.array([[2.0]]), np.array([[6.0]]), 3.0, tol=1e-12, max_iter=500)
    assert W[0, 0] == pytest.approx(0.0, abs=1e-3)
    assert objectives[-1] == pytest.approx(6.0, abs=1e-2)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("is_wide", [False, True])
def test_the_minimum_is_that_of_a_general_minimiser(problem, gamma, is_wide):
    X, Y = problem
    if is_wide:
        X, Y = X[:3], Y[:3]
    W, objectives, _ = minimise(X, Y, gamma, tol=1e-10, max_iter=2000)
    best = min(
        minimize(
            lambda flat: objective(flat.reshape(4, 2), X, Y, gamma),
            start.ravel(),
            method="Powell",
            options={"maxiter": 20_000, "xtol": 1e-9, "ftol": 1e-12},
        ).fun
        for start in (W, np.zeros((4, 2)))
    )
    assert objectives[-1] == pytest.approx(objective(W, X, Y, gamma))
    assert objectives[-1] <= best * (1 + 1e-3)


@pytest.mark.parametrize("shape", [(30, 5), (5, 30)])
def test_the_objective_falls_in_every_round(shape):
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=shape), rng.normal(size=(shape[0], 3))
    _, objectives, _ = minimise(X, Y, 0.5, tol=0.0, max_iter=60)
    assert len(objectives) > 5
    assert (np.diff(objectives) <= 1e-9 * objectives[0]).all()


def test_both_systems_have_the_same_solution():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(6, 9)), rng.normal(size=(6, 2))
    cases, features = rng.uniform(0.1, 2, size=6), rng.uniform(0.1, 2, size=9)
    features[4] = 0.0
    by_cases = _by_cases(X, Y, 0.7, cases, features)
    assert by_cases == pytest.approx(_by_features(X, Y, 0.7, cases, features))
    assert not by_cases[4].any()
    # Both solve the reweighted normal equations for the features that are left.
    left = features > 0
    A = X[:, left].T @ (X[:, left] / cases[:, None]) + 0.7 * np.diag(1 / features[left])
    expected = np.linalg.solve(A, X[:, left].T @ (Y / cases[:, None]))
    assert by_cases[left] == pytest.approx(expected)


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
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        RFSSelector(2, max_iter=2, tol=0.0).fit(*easy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RFSSelector(2).fit(*easy)
