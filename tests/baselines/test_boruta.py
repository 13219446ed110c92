import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from entryprune.baselines import BorutaSelector
from entryprune.selectors._selector import make_rng

BorutaPy = pytest.importorskip("boruta").BorutaPy

QUICK = {"n_estimators": 5, "max_iter": 12}


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_order_is_that_of_the_package(easy, easy_regression, task):
    X, y = easy if task == "classification" else easy_regression
    forest = (
        RandomForestClassifier(max_depth=5, class_weight="balanced")
        if task == "classification"
        else RandomForestRegressor(max_depth=5)
    )
    package = BorutaPy(forest, **QUICK, random_state=int(make_rng(3).integers(2**31))).fit(X, y)
    selector = BorutaSelector(12, random_state=3, **QUICK).fit(X, y)
    # The package's history begins with a row of zeros.
    np.testing.assert_allclose(
        selector.scores_, np.nanmean(package.importance_history_[1:], axis=0), equal_nan=True
    )
    assert (np.diff(package.ranking_[selector.selected_indices_]) >= 0).all()
    assert set(selector.selected_indices_[:2]) == {3, 8}
    assert np.flatnonzero(selector.confirmed_).tolist() == [3, 8]
    assert selector.task_ == task


class FakeBoruta:
    """Stands in for the package with results that are easy to follow."""

    def __init__(self, forest, **settings):
        self.ranking_ = np.array([3, 1, 2, 3, 1])
        self.support_weak_ = self.ranking_ == 2
        self.importance_history_ = np.array(
            [
                [0.0, 0.0, 0.0, 0.0, 0.0],
                [0.1, 0.2, 0.3, 0.2, 0.4],
                [0.1, 0.2, 0.3, np.nan, 0.6],
            ]
        )

    def fit(self, X, y):
        return self


def test_confirmed_then_tentative_then_place_then_mean_importance(monkeypatch):
    monkeypatch.setattr("boruta.BorutaPy", FakeBoruta)
    selector = BorutaSelector(4).fit(np.eye(5), [0, 1, 0, 1, 0])
    assert selector.selected_indices_.tolist() == [4, 1, 2, 3]
    assert selector.ranking_.tolist() == [5, 2, 3, 4, 1]
    assert selector.confirmed_.tolist() == [False, True, False, False, True]
    assert selector.tentative_.tolist() == [False, False, True, False, False]


def test_scores_are_mean_importances_while_a_feature_took_part(monkeypatch):
    monkeypatch.setattr("boruta.BorutaPy", FakeBoruta)
    selector = BorutaSelector(4).fit(np.eye(5), [0, 1, 0, 1, 0])
    np.testing.assert_allclose(selector.scores_, [0.1, 0.2, 0.3, 0.2, 0.5])


def test_every_feature_has_a_place(easy):
    X, y = easy
    X = X.copy()
    X[:, 5] = 1.0
    X[:, 6] = X[:, 7]
    selector = BorutaSelector(12, random_state=0, **QUICK).fit(X, y)
    assert sorted(selector.selected_indices_) == list(range(12))
    assert not selector.confirmed_[5]


def test_default_number_of_trees_follows_the_number_of_features(easy):
    X, y = easy
    assert set(BorutaSelector(2, max_iter=5, random_state=0).fit(X, y).selected_indices_) == {3, 8}


def test_number_of_trees_at_a_time_does_not_matter(easy):
    X, y = easy
    one, two = (
        BorutaSelector(6, n_jobs=n_jobs, random_state=0, **QUICK).fit(X, y) for n_jobs in (1, 2)
    )
    assert one.selected_indices_.tolist() == two.selected_indices_.tolist()
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_seed_decides_and_generators_stay(easy):
    X, y = easy
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first, again, other = (
        BorutaSelector(6, random_state=seed, **QUICK).fit(X, y).ranking_.tolist()
        for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("n_features", [1, 6])
def test_two_cases_are_enough(task, n_features):
    X = np.tile([[0.0], [1.0]], n_features)
    assert BorutaSelector(1, task=task, **QUICK).fit(X, [0, 1]).support_.sum() == 1


def test_reports_go_to_the_error_stream(easy, capsys):
    X, y = easy
    BorutaSelector(2, verbose=1, n_estimators=2, max_iter=3).fit(X, y)
    output, errors = capsys.readouterr()
    assert output == ""
    assert "Iteration" in errors
