import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.feature_selection import f_classif

from entryprune.baselines import (
    CoxScoreSelector,
    FisherSelector,
    RandomSelector,
    RefusalError,
    VarianceSelector,
    make_selector,
)
from entryprune.baselines.filters import fisher_scores


def test_score_worked_out_by_hand():
    # Class means 1 and 6 about a mean of 3.5, class variances 1 and 4, two cases each:
    # (2 * 2.5^2 + 2 * 2.5^2) / (2 * 1 + 2 * 4) = 2.5.
    X = np.array([[0.0], [2.0], [4.0], [8.0]])
    assert fisher_scores(X, np.array([0, 0, 1, 1]), 2) == pytest.approx([2.5])


def test_score_is_the_f_statistic_times_its_degrees_of_freedom():
    X, y = load_digits(return_X_y=True)
    X = X[:, X.std(axis=0) > 0]
    f_statistic, _ = f_classif(X, y)
    assert fisher_scores(X, y, 10) == pytest.approx(f_statistic * 9 / (len(X) - 10))


def test_constant_feature_scores_nothing_and_a_perfect_one_wins():
    X = np.array([[0.1, 0.0, 0.0], [0.1, 0.0, 1.0], [0.1, 1.0, 0.5], [0.1, 1.0, 2.0]])
    selector = FisherSelector(1).fit(X, [0, 0, 1, 1])
    assert selector.scores_[0] == 0
    assert selector.scores_[1] == np.inf
    assert selector.selected_indices_.tolist() == [1]
    assert selector.ranking_.tolist() == [3, 1, 2]


def test_scores_are_variances_by_hand():
    X = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 1.0]])
    selector = VarianceSelector(2).fit(X, [0, 1])
    assert selector.scores_.tolist() == [1.0, 0.0, 4.0]
    assert selector.selected_indices_.tolist() == [2, 0]


def test_the_target_does_not_matter(easy):
    X, y = easy
    one, two = (VarianceSelector(3).fit(X, target).scores_ for target in (y, X[:, 0]))
    np.testing.assert_array_equal(one, two)


def test_a_constant_that_cannot_be_written_exactly_does_not_vary():
    # The mean of such values is rounded, so that they seem to vary about it.
    X = np.column_stack([np.full(1000, 0.1), np.zeros(1000)]).astype(np.float32)
    X[0, 1] = 1e-12
    assert VarianceSelector(1).fit(X, np.arange(1000) % 2).selected_indices_.tolist() == [1]


def test_large_values_do_not_swallow_the_spread():
    X = np.array([[1e4, 0.0], [1e4 + 3, 1.0]] * 500, dtype=np.float32)
    assert VarianceSelector(1).fit(X, [0, 1] * 500).scores_.tolist() == [2.25, 0.25]


def test_every_feature_is_as_likely():
    X, y = np.zeros((4, 5)), [0, 1, 0, 1]
    counts = sum(RandomSelector(2, random_state=seed).fit(X, y).support_ for seed in range(500))
    assert counts.sum() == 1000
    # 200 expected, with a standard deviation of 11.
    assert (np.abs(counts - 200) < 44).all()


def test_a_larger_selection_contains_the_smaller(easy):
    small, large = (
        RandomSelector(k, random_state=3).fit(*easy).selected_indices_.tolist() for k in (4, 7)
    )
    assert large[:4] == small


def test_neither_the_values_nor_the_target_matter(easy):
    X, y = easy
    one = RandomSelector(4, random_state=3).fit(X, y)
    other = RandomSelector(4, random_state=3).fit(X[::-1] ** 2, X[:, 0])
    assert one.selected_indices_.tolist() == other.selected_indices_.tolist()


def test_the_cox_score_finds_who_decides_how_soon():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 12))
    time, watched = rng.exponential(np.exp(2 * X[:, 7])), rng.exponential(2.0, size=150)
    y = np.column_stack([np.minimum(time, watched), time <= watched])
    selector = CoxScoreSelector(n_features_to_select=1).fit(X, y)
    assert (selector.selected_indices_.tolist(), selector.task_) == ([7], "survival")
    assert make_selector("cox-score", "auto", task="survival").fit(X, y).support_[7]
    with pytest.raises(RefusalError, match="survival only, and this is classification"):
        CoxScoreSelector(task="classification").fit(X, y[:, 1])
    with pytest.raises(ValueError, match="a time and an event"):
        CoxScoreSelector().fit(X, y[:, 1])


@pytest.mark.parametrize("name", ["random", "variance"])
def test_who_does_not_look_at_the_target_takes_any(name):
    X = np.random.default_rng(0).normal(size=(9, 4)) * (1, 9, 1, 1)
    y = np.column_stack([np.arange(9.0), np.arange(9) % 2])
    for task in ("survival", "regression", "classification"):
        one = make_selector(name, 1, task=task, random_state=0).fit(X, y)
        assert one.support_.sum() == 1
    with pytest.raises(ValueError, match="y should be a 1d array"):
        make_selector("l1", 1, task="regression").fit(X, y)
    with pytest.raises(RefusalError, match="this is survival"):
        make_selector("l1", 1, task="survival").fit(X, y)
