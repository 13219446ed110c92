import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.feature_selection import f_classif

from entryprune.baselines import FisherSelector
from entryprune.baselines.fisher import fisher_scores


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
