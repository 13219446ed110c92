import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, lasso_path
from sklearn.preprocessing import minmax_scale

from entryprune.baselines import L1Selector, RefusalError, RFSSelector
from entryprune.baselines.linear import (
    _L1_PENALTY,
    _ridge,
    _robustly_scaled,
    _strongest_penalty,
    minimise,
)


def first_nonzero(coefficients):
    """Return for each feature (row) the first step (column) that it takes part in."""
    return np.argmax(coefficients != 0, axis=1)


def test_regression_follows_scikit_learns_lasso_path():
    X, y = load_diabetes(return_X_y=True)
    selector = L1Selector(1.0, scale=None, n_alphas=60, eps=1e-3, tol=1e-8, task="regression").fit(
        X, y
    )
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    strongest = np.abs(Xc.T @ yc).max() / len(y)
    shares = np.geomspace(1, 1e-3, 60)
    _, coefficients, _ = lasso_path(Xc, yc, alphas=strongest * shares, tol=1e-8)
    entry = first_nonzero(coefficients)
    assert selector.scores_ == pytest.approx(shares[entry])
    sizes = np.abs(coefficients[np.arange(10), entry])
    assert selector.selected_indices_.tolist() == np.lexsort((-sizes, entry)).tolist()


def test_classification_follows_logistic_regressions_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    selector = L1Selector(1.0, n_alphas=20, eps=1e-2).fit(X, y)
    X = minmax_scale(X)
    Xc = X - X.mean(axis=0)
    strongest = max(np.abs(Xc.T @ ((y == c) - (y == c).mean())).max() for c in range(3)) / len(y)
    shares = np.geomspace(1, 1e-2, 20)[1:]
    coefficients = np.array(
        [
            sum(np.abs(one_against_rest(Xc, y == c, share * strongest)) for c in range(3))
            for share in shares
        ]
    ).T
    entry = first_nonzero(coefficients)
    assert selector.scores_ == pytest.approx(shares[entry])
    sizes = coefficients[np.arange(4), entry]
    assert selector.selected_indices_.tolist() == np.lexsort((-sizes, entry)).tolist()


def one_against_rest(X, is_class, penalty):
    model = LogisticRegression(
        **_L1_PENALTY,
        solver="liblinear",
        C=1 / (penalty * len(X)),
        intercept_scaling=10,
        tol=1e-5,
        max_iter=1000,
        random_state=0,
    )
    return model.fit(X, is_class).coef_[0]


def test_entry_worked_out_by_hand():
    # The columns are orthogonal, so each enters on its own at |x'y| / n: 2, 1 and 0.5.
    X = np.array([[1, 1, 1, 1], [1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]).T[:, 1:]
    y = X @ [1.0, -0.5, 2.0] + 7.0
    selector = L1Selector(3, scale=None, n_alphas=9, eps=1 / 16).fit(X, y)
    # Penalties fall by a factor of sqrt(2), and at 1 and 0.5 the features are just still out.
    assert selector.selected_indices_.tolist() == [2, 0, 1]
    assert selector.scores_ == pytest.approx([2**-1.5, 2**-2.5, 2**-0.5])


@pytest.mark.parametrize("shift", [0.0, 50.0])
def test_a_features_mean_does_not_matter(easy, shift):
    X, y = easy
    moved = X + shift * (np.arange(12) % 2)
    assert L1Selector(4, scale="standard").fit(moved, y).selected_indices_.tolist() == (
        L1Selector(4, scale="standard").fit(X, y).selected_indices_.tolist()
    )


def test_planted_features_enter_first(easy, easy_regression):
    for X, y in (easy, easy_regression):
        assert set(L1Selector(2).fit(X, y).selected_indices_) == {3, 8}


def test_two_classes_need_one_model_whatever_their_names(easy):
    X, y = easy
    names = np.where(y == 1, "yes", "no")
    assert L1Selector(1).fit(X, names).selected_indices_.tolist() == [3]


def test_fewer_features_are_the_first_of_more(easy):
    X, y = easy
    many = L1Selector(9).fit(X, y).selected_indices_
    for k in (1, 4, 7):
        assert L1Selector(k).fit(X, y).selected_indices_.tolist() == many[:k].tolist()


def test_seed_does_not_matter_and_generators_stay(easy):
    X, y = easy
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    one, other = (L1Selector(6, random_state=seed).fit(X, y) for seed in (0, 1))
    assert one.selected_indices_.tolist() == other.selected_indices_.tolist()
    np.testing.assert_array_equal(one.scores_, other.scores_)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_constant_feature_never_enters(easy):
    X, y = easy
    X = X.copy()
    X[:, 5] = 0.1
    with pytest.raises(RefusalError, match="found 11 feature") as refusal:
        L1Selector(12, n_alphas=20).fit(X, y)
    assert refusal.value.reason == "too_few"
    selector = L1Selector(11, n_alphas=20).fit(X, y)
    assert not selector.support_[5]
    assert np.isnan(selector.scores_[5])


def test_weakest_penalty_bounds_what_can_be_asked_for(easy_regression):
    X, y = easy_regression
    with pytest.raises(RefusalError, match="found 2 feature"):
        L1Selector(3, n_alphas=3, eps=0.25).fit(X, y)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_features_without_information_are_refused(task):
    X = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    with pytest.raises(RefusalError, match="no feature that helps"):
        L1Selector(1, task=task).fit(X, [0, 1, 0, 1])


def test_constant_target_is_refused():
    X = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(RefusalError, match="no feature that helps"):
        L1Selector(1, task="regression").fit(X, np.full(10, 0.1))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_two_cases_and_single_precision_are_enough(task):
    X = np.array([[0.0, 0.0], [1.0, 0.0]], dtype=np.float32)
    assert L1Selector(1, task=task).fit(X, [0, 1]).selected_indices_.tolist() == [0]


def test_more_features_than_cases():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 200))
    y = (X[:, 17] > 0).astype(int)
    assert L1Selector(10).fit(X, y).selected_indices_[0] == 17
    y = X[:, 17] + 0.1 * rng.normal(size=30)
    assert L1Selector(10).fit(X, y).selected_indices_[0] == 17


def test_the_strongest_penalty_is_the_largest_slope_without_features():
    X, targets = np.array([[-1.0, 2.0], [1.0, -2.0]]), np.array([[-0.5, 0.5]])
    assert _strongest_penalty(X, targets) == 1.0


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
