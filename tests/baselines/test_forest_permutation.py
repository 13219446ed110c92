import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from entryprune.baselines import ForestPermutationSelector, RefusalError
from entryprune.baselines import trees as module
from entryprune.baselines._base import Data
from entryprune.baselines.trees import increase_of_error
from entryprune.selectors._selector import make_rng


class Reversing:
    """Stands for a generator whose permutation turns the order round."""

    @staticmethod
    def permutation(values):
        return values[::-1]


def test_one_split_by_hand():
    # The tree says 1 above 0.5 in the first column and 0 below. Left out are the last four cases.
    X = np.array([[0, 5], [1, 5], [0, 1], [0, 2], [1, 3], [1, 4]], dtype=np.float32)
    y = np.array([0.0, 1, 0, 1, 1, 3])
    tree = DecisionTreeRegressor().fit(X[:2], y[:2]).tree_
    found = increase_of_error(tree, X, Data(X, y, 0), np.array([0, 1, 1, 0]), Reversing())
    # As they are: errors 0, 1, 0, 4. Turned round the four predictions are 1, 1, 0, 0: errors
    # 1, 0, 1, 9. (11 - 5) / 4.
    assert found.tolist() == [1.5, 0.0]


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("block", [module._BLOCK, 7])
def test_scores_are_those_of_shuffling_whole_columns(
    easy, easy_regression, task, block, monkeypatch
):
    monkeypatch.setattr(module, "_BLOCK", block)
    X, y = easy if task == "classification" else easy_regression
    X = X.astype(np.float32)
    selector = ForestPermutationSelector(4, n_estimators=6, random_state=3).fit(X, y)

    rng = make_rng(3)
    kind = RandomForestClassifier if task == "classification" else RandomForestRegressor
    seed = int(rng.integers(2**31))
    forest = kind(n_estimators=6, max_features="sqrt", random_state=seed).fit(X, y)
    seeds = rng.integers(2**62, size=6)
    expected = np.zeros(12)
    for tree, drawn, seed in zip(
        forest.estimators_, forest.estimators_samples_, seeds, strict=True
    ):
        rest = np.setdiff1d(np.arange(150), drawn)
        partners = np.random.default_rng(seed).permutation(rest)

        def error(cases, tree=tree, rest=rest):
            if task == "classification":
                return np.mean(tree.predict(cases) != y[rest])
            return np.mean((tree.predict(cases) - y[rest]) ** 2)

        for column in range(12):
            shuffled = X[rest].copy()
            shuffled[:, column] = X[partners, column]
            expected[column] += (error(shuffled) - error(X[rest])) / 6
    assert selector.scores_ == pytest.approx(expected)
    assert set(selector.selected_indices_[:2]) == {3, 8}
    assert selector.task_ == task


def test_features_that_no_tree_uses_score_0_and_have_no_place(easy):
    X, y = easy
    X = X.copy()
    X[:, 5] = 1.0
    quick = {"n_estimators": 30, "random_state": 0}
    selector = ForestPermutationSelector(11, **quick).fit(X, y)
    assert selector.scores_[5] == 0
    # Some that are used harm on left-out cases; they still come before one that is not used.
    assert selector.scores_.min() < 0
    assert selector.ranking_[5] == 12
    with pytest.raises(RefusalError, match="found 11 feature") as refusal:
        ForestPermutationSelector(12, **quick).fit(X, y)
    assert refusal.value.reason == "too_few"


def test_number_of_trees_at_a_time_does_not_matter(easy):
    one, two = (
        ForestPermutationSelector(6, n_estimators=20, n_jobs=n_jobs, random_state=0).fit(*easy)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_more_features_to_a_split_find_what_is_hidden_among_many():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 400))
    y = (X[:, 7] > 0).astype(int)
    quick = {"n_estimators": 10, "random_state": 0}
    all_of_them = ForestPermutationSelector(1, max_features=None, **quick).fit(X, y)
    assert all_of_them.selected_indices_.tolist() == [7]
    assert np.count_nonzero(all_of_them.scores_) == 1
    few = ForestPermutationSelector(1, max_features=5, **quick).fit(X, y)
    assert np.count_nonzero(few.scores_) > 20


def test_a_tree_that_leaves_no_case_out_has_nothing_to_lose():
    # With this seed the one tree is grown on both cases.
    X, y = np.array([[0.0, 1.0], [1.0, 1.0]]), [0, 1]
    selector = ForestPermutationSelector(1, n_estimators=1, random_state=0).fit(X, y)
    assert selector.scores_.tolist() == [0.0, 0.0]
    assert selector.selected_indices_.tolist() == [0]
    with pytest.raises(RefusalError, match="found 1 feature"):
        ForestPermutationSelector(2, n_estimators=1, random_state=0).fit(X, y)
