import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

from entryprune.baselines import ExtraTreesSelector, RefusalError
from entryprune.selectors._selector import make_rng


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_scores_are_scikit_learns_importance(easy, easy_regression, task):
    X, y = easy if task == "classification" else easy_regression
    kind = ExtraTreesClassifier if task == "classification" else ExtraTreesRegressor
    selector = ExtraTreesSelector(4, n_estimators=20, random_state=3).fit(X, y)
    forest = kind(n_estimators=20, random_state=int(make_rng(3).integers(2**31))).fit(X, y)
    np.testing.assert_array_equal(selector.scores_, forest.feature_importances_)
    assert set(selector.selected_indices_[:2]) == {3, 8}
    assert selector.task_ == task


def test_number_of_trees_at_a_time_does_not_matter(easy):
    X, y = easy
    one, two = (
        ExtraTreesSelector(6, n_estimators=20, n_jobs=n_jobs, random_state=0).fit(X, y)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_seed_decides_and_generators_stay(easy):
    X, y = easy
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first, again, other = (
        ExtraTreesSelector(6, n_estimators=5, random_state=seed).fit(X, y) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.scores_, again.scores_)
    assert not np.array_equal(first.scores_, other.scores_)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_features_that_no_tree_uses_are_not_found(easy):
    X, y = easy
    X = X.copy()
    X[:, 5] = 1.0
    selector = ExtraTreesSelector(11, n_estimators=20, random_state=0).fit(X, y)
    assert np.flatnonzero(np.isnan(selector.scores_)).tolist() == [5]
    with pytest.raises(RefusalError, match="found 11 feature") as refusal:
        ExtraTreesSelector(12, n_estimators=20, random_state=0).fit(X, y)
    assert refusal.value.reason == "too_few"
