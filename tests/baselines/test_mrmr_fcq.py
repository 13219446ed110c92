import numpy as np
import pytest
from sklearn.feature_selection import f_classif, f_regression

from entryprune.baselines import MRMRFCQSelector
from entryprune.baselines._base import Data
from entryprune.baselines.information import (
    _LARGEST,
    f_statistic,
    select_by_quotient,
    standardised_columns,
)


def test_the_relevance_is_the_f_statistic(easy, easy_regression):
    X, y = easy
    data = Data(X, y, 3)
    assert f_statistic(data, standardised_columns(X)) == pytest.approx(f_classif(X, y)[0])
    X, y = easy_regression
    data = Data(X, y, 0)
    assert f_statistic(data, standardised_columns(X)) == pytest.approx(f_regression(X, y)[0])


def test_standardised_columns_give_correlations(easy):
    X, _ = easy
    columns = standardised_columns(X)
    np.testing.assert_allclose(columns @ columns.T, np.corrcoef(X.T), atol=1e-12)


def test_three_steps_by_hand():
    # The second has a correlation of 0.6 with the first, the third none, the fourth with both.
    half = 0.5**0.5
    columns = np.array([[1.0, 0, 0], [0.6, 0.8, 0], [0, 0, 1.0], [half, 0, half]])
    relevance = np.array([10.0, 9.0, 0.01, 8.0])
    ranking = select_by_quotient(columns, relevance, 4)
    # Then 9 / 0.6 = 15 against 0.01 / 0.001 = 10 and 8 / 0.707 = 11.3.
    # Then 0.01 / 0.001 = 10 against 8 / mean(0.707, 0.424) = 14.1.
    # Then 0.01 / mean(0.001, 0.001, 0.707).
    assert ranking.order.tolist() == [0, 1, 3, 2]
    expected = [10.0, 15.0, 0.01 / ((0.002 + half) / 3), 8 / (1.6 * half / 2)]
    assert ranking.scores == pytest.approx(expected)


def test_features_that_part_the_classes_entirely_are_told_apart_by_redundancy():
    y = np.array([0, 0, 1, 1, 2, 2])
    X = np.column_stack([y, 2.0 * y, y == 1, np.arange(6) % 2])
    selector = MRMRFCQSelector(3).fit(X, y)
    assert selector.selected_indices_.tolist() == [0, 2, 1]
    assert selector.scores_[0] == _LARGEST
    assert np.isfinite(selector.scores_[:3]).all()


def test_a_copy_is_passed_over_while_nothing_else_is_selected():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=200)
    strong = y + 0.1 * rng.normal(size=200)
    X = np.column_stack([strong, strong, 3.0 - strong, rng.normal(size=200)])
    assert MRMRFCQSelector(2).fit(X, y).selected_indices_.tolist() == [0, 3]


def test_scale_does_not_matter(easy_regression):
    X, y = easy_regression
    plain = MRMRFCQSelector(5).fit(X, y)
    scaled = MRMRFCQSelector(5).fit(X * np.logspace(-200, 200, 12) + 0.0, 1e6 * y - 3)
    assert scaled.selected_indices_.tolist() == plain.selected_indices_.tolist()


def test_constant_features_come_last():
    X = np.column_stack([np.full(6, 0.1), np.arange(6.0), np.zeros(6)])
    selector = MRMRFCQSelector(3).fit(X, [0, 0, 0, 1, 1, 1])
    assert selector.selected_indices_.tolist() == [1, 0, 2]
