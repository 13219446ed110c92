from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from entryprune import EntryPruneClassifier, EntryPruneRegressor, EntryPruneSurvival
from entryprune.baselines import FisherSelector, RefusalError, make_selector
from entryprune.selectors._how_many import (
    _curve,
    best_size,
    is_within_noise,
    parsimonious_size,
)


def _linear(n_samples=240, n_features=30, n_true=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    return X, X[:, :n_true].sum(axis=1) + 0.3 * rng.normal(size=n_samples)


def test_a_curve_compares_sizes_over_the_same_samples():
    losses = np.array([[1.0, 0.6, 0.6, 0.6], [0.4, 0.2, 0.4, 0.2], [0.4, 0.2, 0.4, 0.6]])

    curve = _curve(np.array([1, 2, 4]), losses, np.ones(4))

    np.testing.assert_allclose(curve["score"], [0.3, 0.7, 0.6])
    np.testing.assert_allclose(curve["behind"], [0.4, 0.0, 0.1])
    # of 0, 0, 0 and 0.4: the standard deviation is 0.2, over four samples
    np.testing.assert_allclose(curve["behind_error"][2], 0.1)
    np.testing.assert_allclose(curve["standard_error"][0], 0.1)


@pytest.mark.parametrize(
    ("behind", "parsimonious"),
    [([0.3, 0.09, 0.0, 0.2], 2), ([0.3, 0.11, 0.0, 0.2], 5), ([0.05, 0.0, 0.0, 0.2], 1)],
)
def test_the_parsimonious_size_is_the_smallest_within_one_standard_error(behind, parsimonious):
    behind = np.array(behind)
    curve = {
        "k": np.array([1, 2, 5, 10]),
        "score": 0.8 - behind,
        "behind": behind,
        "behind_error": np.where(behind > 0, 0.1, 0.0),
        "standard_error": np.full(4, 0.1),
    }

    assert parsimonious_size(curve) == parsimonious


@pytest.mark.parametrize(("best", "parsimonious"), [(0.11, 5), (0.1, 1), (0.0, 1), (-0.2, 1)])
def test_where_the_best_is_within_its_error_of_nothing_the_fewest_are_enough(best, parsimonious):
    behind = np.array([0.5, 0.4, 0.0])
    curve = {
        "k": np.array([1, 2, 5]),
        "score": best - behind,
        "behind": behind,
        "behind_error": np.array([0.1, 0.1, 0.0]),
        "standard_error": np.full(3, 0.1),
    }

    assert parsimonious_size(curve) == parsimonious
    assert best_size(curve) == 5
    assert is_within_noise(curve) == (parsimonious == 1)


@pytest.mark.filterwarnings("ignore::entryprune.NothingLearnedWarning")
@pytest.mark.parametrize("seed", range(3))
def test_of_noise_few_features_are_taken(seed):
    rng = np.random.default_rng(seed)
    selector = EntryPruneClassifier("auto", random_state=0)

    selector.fit(rng.normal(size=(80, 300)), rng.integers(0, 2, 80))

    assert len(selector.selected_indices_) == 1


def test_the_best_size_is_the_first_of_the_best():
    curve = {"k": np.array([1, 2, 5]), "score": np.array([0.5, 0.7, 0.7])}

    assert best_size(curve) == 2


@pytest.mark.parametrize("name", ["auto", "best"])
def test_the_features_that_matter_are_counted(name):
    X, y = _linear()

    regressor = EntryPruneRegressor(name, random_state=0).fit(X, y)

    assert set(regressor.selected_indices_[:3]) == {0, 1, 2}
    assert 3 <= len(regressor.selected_indices_) <= 5
    curve = regressor.k_curve_
    assert curve["k"].tolist() == [1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 30]
    assert curve["score"][2] > 0.8 > curve["score"][1] > curve["score"][0]


def test_the_answer_is_that_of_the_number_it_comes_to():
    X, y = _linear()
    classes = y > 0

    auto = EntryPruneClassifier("auto", random_state=0).fit(X, classes)
    given = EntryPruneClassifier(len(auto.selected_indices_), random_state=0).fit(X, classes)

    assert auto.selected_indices_.tolist() == given.selected_indices_.tolist()
    assert auto.predict(X).tolist() == given.predict(X).tolist()


def test_partners_that_matter_only_together_are_counted():
    X = np.random.default_rng(0).normal(size=(400, 40))

    selector = EntryPruneClassifier("auto", random_state=0).fit(X, X[:, 10] * X[:, 30] > 0)

    assert {10, 30} <= set(selector.selected_indices_)
    assert len(selector.selected_indices_) <= 4


def test_several_targets_are_explained_together():
    X, y = _linear()
    both = np.column_stack([1e6 * y, X[:, 7] - X[:, 8]])

    selector = EntryPruneRegressor("auto", random_state=0).fit(X, both)

    assert {0, 1, 2, 7, 8} <= set(selector.selected_indices_)
    assert len(selector.selected_indices_) <= 7


def test_other_selectors_can_be_asked_too():
    X, y = _linear()

    selector = make_selector("fisher", "auto").fit(X, y > 0)

    assert {0, 1, 2} <= set(selector.selected_indices_)
    assert len(selector.selected_indices_) < 10


class _FewAtLast(FisherSelector):
    """Finds all features in the folds, and four in all samples."""

    def _rank(self, data, n_selected, rng):
        ranking = super()._rank(data, n_selected, rng)
        n_found = 4 if len(data.y) == 240 else 60
        return replace(ranking, order=ranking.best_first()[:n_found])


def test_a_method_that_finds_fewer_at_last_is_asked_for_no_more():
    X, y = _linear(n_features=60, n_true=12)
    assert len(FisherSelector("best").fit(X, y > 0).selected_indices_) > 4

    selector = _FewAtLast("best").fit(X, y > 0)

    assert len(selector.selected_indices_) <= 4
    assert selector.k_curve_["k"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("change", [lambda X: X + 1e10, lambda X: X * 1e60, lambda X: X * 1e-60])
def test_the_scale_of_the_features_does_not_matter(change):
    X, y = _linear()
    usual = EntryPruneRegressor("auto", random_state=0).fit(X, y)

    other = EntryPruneRegressor("auto", random_state=0).fit(change(X), y)

    np.testing.assert_allclose(other.k_curve_["score"], usual.k_curve_["score"], atol=1e-3)


def test_where_nothing_can_be_compared_that_is_told():
    X, _ = _linear(n_samples=12)

    with pytest.raises(ValueError, match="no class has a sample to spare"):
        EntryPruneClassifier("auto").fit(X, np.arange(12))
    with pytest.raises(ValueError, match="y is constant"):
        EntryPruneRegressor("auto").fit(X, np.ones(12))


def test_what_the_curve_shows_was_learned():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 40))
    y = X[:, :5].sum(axis=1) + 0.5 * rng.normal(size=60)

    selector = EntryPruneRegressor("auto", random_state=0).fit(X, y)

    assert (selector.k_curve_["score"] > 3 * selector.k_curve_["standard_error"]).any()
    assert selector.learned_


@pytest.mark.parametrize(("reason", "found"), [("data", [0]), ("too_few", [])])
def test_a_refusal_for_another_reason_or_with_nothing_found_comes_out(monkeypatch, reason, found):
    X, y = _linear()
    rank = FisherSelector._rank

    def refuse_folds(self, data, *more):
        if len(data.X) < len(X):
            raise RefusalError("Fisher score", reason, "it cannot.", found)
        return rank(self, data, *more)

    monkeypatch.setattr(FisherSelector, "_rank", refuse_folds)
    with pytest.raises(RefusalError, match="it cannot"):
        make_selector("fisher", "auto").fit(X, y > 0)


def test_a_number_given_later_leaves_no_curve_behind():
    X, y = _linear()
    selector = EntryPruneRegressor("auto", random_state=0).fit(X, y)

    selector.set_params(n_features_to_select=2).fit(X, y)

    assert not hasattr(selector, "k_curve_")


def test_samples_too_few_to_compare_are_an_error_that_says_so():
    X, y = _linear(n_samples=9)

    with pytest.raises(ValueError, match=r"at least 10; X has 9\. Give a number of features"):
        EntryPruneRegressor("auto").fit(X, y)


def test_bad_input_is_told_as_ever():
    X, y = _linear()
    X[3, 4] = np.nan

    with pytest.raises(ValueError, match=r"NaN .* column 4"):
        EntryPruneRegressor("auto").fit(X, y)


def test_another_word_is_refused():
    X, y = _linear()

    with pytest.raises(ValueError, match=r"'n_features_to_select'.*'(auto|best)'"):
        EntryPruneRegressor("some").fit(X, y)


# -- all that the estimators take -----------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed():
    """A colour with gaps and a number decide."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 5)), columns=list("abcde"))
    frame["colour"] = pd.Categorical(rng.choice(["red", "green", "blue"], size=200))
    y = frame["a"] + 2.0 * (frame["colour"] == "red") + 0.1 * rng.normal(size=200)
    frame.loc[3:9, "colour"] = None
    frame.loc[:5, "d"] = np.nan
    return frame, y.to_numpy()


@pytest.mark.parametrize("kind", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_a_table_with_categories_and_gaps_is_asked_too(mixed, kind):
    frame, y = mixed
    regressor = EntryPruneRegressor("auto", missing="impute", random_state=0).fit(kind(frame), y)
    assert set(regressor.get_feature_names_out()[:2]) <= {"a", "colour"}
    assert regressor.k_curve_["k"].tolist() == [1, 2, 3, 4, 5, 6]
    assert len(regressor.selected_indices_) <= 3


def test_a_sparse_table_has_the_number_of_the_dense_one():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, size=(150, 20)).astype(np.float64)
    y = X[:, 3] + X[:, 7] + 0.1 * rng.normal(size=150)
    dense = EntryPruneRegressor("auto", random_state=0).fit(X, y)
    thin = EntryPruneRegressor("auto", random_state=0).fit(sparse.csr_array(X), y)
    assert thin.selected_indices_.tolist() == dense.selected_indices_.tolist()
    assert set(dense.selected_indices_) == {3, 7}


def test_groups_of_features_are_counted_as_one():
    X, y = _linear()
    groups = [[0, 1, 2], [10, 11, 12]]
    regressor = EntryPruneRegressor("auto", feature_groups=groups, random_state=0).fit(X, y)
    assert regressor.k_curve_["k"][-1] == 26
    assert set(regressor.selected_indices_[:3]) == {0, 1, 2}
    assert len(regressor.selected_indices_) == 3


def test_samples_of_weight_zero_are_not_asked():
    X, y = _linear()
    noise = np.random.default_rng(1).normal(size=X.shape)
    weights = np.repeat([1.0, 0.0], len(X))
    told = EntryPruneRegressor("auto", random_state=0).fit(
        np.concatenate([X, noise]), np.concatenate([y, 9 * noise[:, 9]]), sample_weight=weights
    )
    alone = EntryPruneRegressor("auto", random_state=0).fit(X, y, sample_weight=np.ones(len(X)))
    assert told.selected_indices_.tolist() == alone.selected_indices_.tolist()


def test_times_and_events_are_asked_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    times = rng.exponential(np.exp(-2 * X[:, 4] - 2 * X[:, 5]))
    survival = EntryPruneSurvival("auto", random_state=0)
    survival.fit(X, np.column_stack([times, rng.random(200) < 0.8]))
    assert set(survival.selected_indices_[:2]) == {4, 5}
    assert len(survival.selected_indices_) <= 4


def test_a_budget_and_a_number_that_data_decide_on_are_refused():
    X, y = _linear()
    with pytest.raises(ValueError, match="budget how many can be paid: give a number or None"):
        EntryPruneRegressor("auto", budget=3, random_state=0).fit(X, y)


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_features_can_be_named_where_their_number_is_looked_for(kind):
    values, y = _linear(n_samples=120, n_features=6, n_true=2)
    X = pd.DataFrame(values, columns=list("abcdef"))
    if kind == "mixed":
        X["f"] = np.where(X["f"] > 0, "yes", "no")
    told = {"keep": "f", "bar": ["b"], "feature_groups": {"one": ["a", "c"]}, "costs": {"d": 2}}

    regressor = EntryPruneRegressor("auto", random_state=0, **told).fit(X, y)

    assert {"a", "c", "f"} <= set(regressor.get_feature_names_out())
    assert not regressor.support_[1]
    assert {name: regressor.get_params()[name] for name in told} == told


@pytest.mark.filterwarnings("error")
def test_levels_that_a_fold_lacks_are_no_news():
    values, y = _linear(n_samples=120, n_features=3, n_true=2)
    X = pd.DataFrame(values, columns=list("abc"))
    X["d"] = np.where(np.arange(120) == 7, "once", np.where(values[:, 2] > 0, "yes", "no"))

    regressor = EntryPruneRegressor("auto", random_state=0).fit(X, y - 3 * (X["d"] == "yes"))

    assert "d" in regressor.get_feature_names_out()


def test_a_fold_that_could_learn_of_one_class_only_is_left_out():
    """All that comes first is of one class, and so is what is learned from in the first fold."""
    X, y = _linear(n_samples=120, n_features=4, n_true=1)
    y = (y > 0).astype(int)
    y[:50] = 0

    classifier = EntryPruneClassifier("auto", random_state=0).fit(X, y, order=np.arange(120))

    assert classifier.selected_indices_.tolist() == [0]
    with pytest.raises(ValueError, match="groups and order leave too few, one class only"):
        EntryPruneClassifier("auto").fit(X, y, groups=y)


def test_a_fold_that_could_learn_of_no_event_is_left_out():
    X, y = _linear(n_samples=120, n_features=4, n_true=1)
    followed = np.column_stack([np.exp(-y), np.arange(120) >= 40])

    found = EntryPruneSurvival("auto", random_state=0).fit(X, followed, order=np.arange(120))

    assert found.selected_indices_.tolist() == [0]
