"""Stability of selections from all that the estimators take: tables, targets, weights, groups."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from entryprune import (
    EntryPruneClassifier,
    EntryPruneRegressor,
    EntryPruneSurvival,
    Report,
    StabilitySelector,
)
from entryprune.baselines import FisherSelector
from entryprune.confidence.subsamples import (
    beside,
    class_numbers,
    pairs_of_groups,
    shuffled,
    with_shadows,
)

pytestmark = pytest.mark.filterwarnings("ignore::entryprune.NothingLearnedWarning")


def stable(estimator=None, **others):
    return StabilitySelector(
        estimator=estimator, n_features_per_fit=2, n_pairs=3, random_state=0, **others
    )


@pytest.fixture(scope="module")
def mixed():
    """The colour, which has gaps, and the first number decide; the other eight columns do not."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(160, 5))
    colour = rng.choice(["red", "green", "blue"], size=160)
    y = (numbers[:, 0] + 2.0 * (colour == "red") + 0.1 * rng.normal(size=160) > 0.7).astype(int)
    frame = pd.DataFrame(numbers, columns=[f"n{i}" for i in range(5)])
    frame["colour"] = pd.Series(colour, dtype="category")
    frame["town"] = rng.choice(["Ulm", "Bonn", "Trier"], size=160)
    frame.loc[:5, "n3"] = np.nan
    frame.loc[3:9, "colour"] = None
    return frame, y


@pytest.mark.parametrize("kind", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_tables_as_they_are(mixed, kind):
    frame, y = mixed
    selector = stable(EntryPruneClassifier(missing="impute")).fit(kind(frame), y)
    assert set(selector.get_feature_names_out()) == {"n0", "colour"}
    assert len(selector.frequencies_) == len(selector.shadow_frequencies_) == 7
    assert selector.frequencies_[[0, 5]].tolist() == [1.0, 1.0]
    assert selector._was_fitted_on(kind(frame))
    assert not selector._was_fitted_on(kind(frame.iloc[::-1].assign(n0=1.0)))


def test_gaps_are_refused_unless_they_are_to_be_filled(mixed):
    frame, y = mixed
    with pytest.raises(ValueError, match="n3"):
        stable().fit(frame, y)


def test_sparse_tables_are_selected_from_like_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, size=(120, 30)).astype(np.float64)
    y = (X[:, 3] > 0).astype(int)
    dense = stable().fit(X, y)
    thin = stable().fit(sparse.csr_array(X), y)
    assert 3 in thin.selected_indices_
    np.testing.assert_allclose(thin.frequencies_, dense.frequencies_, atol=0.2)
    assert thin._was_fitted_on(sparse.csr_array(X))


def test_times_and_events():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 8))
    y = np.column_stack([rng.exponential(np.exp(-2 * X[:, 4])), rng.random(160) < 0.8])
    selector = stable(EntryPruneSurvival()).fit(X, y)
    assert selector.frequencies_[4] == 1.0
    one = np.column_stack([y[:, 0], np.arange(160) == 3])
    with pytest.raises(ValueError, match="must have an event, and y has one only"):
        stable(EntryPruneSurvival()).fit(X, one)
    named = np.array([(1.0, True)] * 160, dtype=[("time", float), ("event", bool)])
    with pytest.raises(ValueError, match="Take EntryPruneSurvival"):
        stable().fit(X, named)


@pytest.mark.parametrize("estimator", [None, EntryPruneRegressor()])
def test_several_outputs(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8))
    y = X[:, [1, 6]] + 0.1 * rng.normal(size=(120, 2))
    assert stable(estimator).fit(X, y).frequencies_[[1, 6]].tolist() == [1.0, 1.0]


def test_weights_count():
    """The second half of the samples, in which another column decides, counts for nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    y = np.where(np.arange(200) < 100, X[:, 0], X[:, 1]) > 0
    weights = np.repeat([1.0, 0.0], 100)
    selector = stable(EntryPruneClassifier()).fit(X, y, sample_weight=weights)
    assert selector.frequencies_[0] == 1.0
    assert selector.frequencies_[1] < 1.0
    with pytest.raises(ValueError, match="FisherSelector takes no sample_weight"):
        stable(FisherSelector()).fit(X, y, sample_weight=weights)


def test_feature_groups_have_shadows_that_are_groups():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(160, 8)), columns=list("abcdefgh"))
    y = (X["a"] + X["b"] > 0).astype(int)
    estimator = EntryPruneClassifier(
        feature_groups={"one": ["a", "b"], "two": ["c", "d"]}, keep="h", bar=["g"], costs={"e": 3.0}
    )
    selector = stable(estimator).fit(X, y)
    # Two units in each fit: the one that is kept, and the group.
    assert selector.frequencies_.tolist() == [1, 1, 0, 0, 0, 0, 0, 1]
    assert selector.shadow_frequencies_.tolist() == [0] * 8
    told = with_shadows(
        EntryPruneClassifier(
            feature_groups=[[0, 1], [2, 3]], keep=7, bar=[6], costs=[1, 1, 1, 1, 3, 1, 1, 1]
        ),
        8,
    )
    assert told.feature_groups == [[0, 1], [2, 3], [8, 9], [10, 11]]
    assert told.keep == [7]
    assert told.bar == [6, 14]
    assert told.costs.tolist() == [1, 1, 1, 1, 3, 1, 1, 1] * 2
    assert "with 2 groups or single features selected on each" in selector.statement_
    # Of those that are barred nothing is to be expected.
    assert selector._n_in_all == 14
    with pytest.raises(ValueError, match="whatever feature_groups of the estimator says"):
        StabilitySelector(2, estimator=estimator).fit(X, y)


def test_features_can_be_named_without_shadows_too():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 6)), columns=list("abcdef"))
    estimator = EntryPruneClassifier(keep="f", bar=["b"])
    selector = stable(estimator, shadows=False).fit(X, X["a"] > 0)
    assert selector.frequencies_[[1, 5]].tolist() == [0.0, 1.0]
    assert estimator.get_params()["keep"] == "f"


def test_what_a_budget_pays_is_what_each_fit_selects():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    estimator = EntryPruneClassifier(costs=[1, 5, 1, 1, 1, 1], budget=4.0)
    selector = stable(estimator).fit(X, y)
    assert selector.frequencies_[0] == 1.0
    assert selector.frequencies_[1] == 0.0


# -- groups of samples ----------------------------------------------------------------------------


def test_groups_of_which_no_sample_counts_are_not_there():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(60, 4)), np.arange(60) // 10
    y = X[:, 0] > 0
    weights = np.where(groups < 2, 0.0, 1.0)
    weighted = stable().fit(X, y, sample_weight=weights, groups=groups)
    alone = stable().fit(X[20:], y[20:], groups=groups[20:])
    np.testing.assert_array_equal(weighted.frequencies_, alone.frequencies_)
    with pytest.raises(ValueError, match="at least 4 groups of samples, and groups has 3"):
        stable().fit(X, y, sample_weight=np.where(groups < 3, 0.0, 1.0), groups=groups)


def test_halves_are_made_of_whole_groups():
    groups = np.array([0, 0, 1, 2, 2, 2, 3, 4, 4, 5, 6])
    for one, other in pairs_of_groups(10, groups, None, np.random.default_rng(0)):
        assert not set(groups[one]) & set(groups[other])
        assert len(set(groups[one])) == len(set(groups[other])) == 3


def test_the_rarest_class_is_on_both_sides():
    groups = np.repeat(np.arange(8), 3)
    classes = np.zeros(24, dtype=int)
    classes[[0, 4]] = 1  # in two of eight groups
    for pair in pairs_of_groups(30, groups, classes, np.random.default_rng(0)):
        assert [classes[half].sum() for half in pair] == [1, 1]


def test_both_sides_have_two_classes_where_groups_have_several():
    """Two groups have the rarest class alone, so that by it alone a side might have no other."""
    groups = np.repeat(np.arange(4), 2)
    classes = np.array([0, 1, 1, 1, 1, 1, 0, 0])
    for pair in pairs_of_groups(30, groups, classes, np.random.default_rng(0)):
        assert all(len(set(classes[half])) == 2 for half in pair)


def test_shadows_keep_groups_together():
    groups = np.repeat(np.arange(6), 4)
    order = shuffled(groups, 24, np.random.default_rng(0))
    assert sorted(order.tolist()) == list(range(24))
    for group in range(6):
        assert len(set(groups[order[groups == group]])) == 1
    assert (groups[order] != groups).any()


def test_patients_who_can_be_told_apart_confirm_nothing():
    """By chance some column goes with the classes of few patients, and with all their samples."""
    rng = np.random.default_rng(2)
    patients = np.repeat(np.arange(12), 10)
    X = rng.normal(size=(12, 40))[patients] + 0.05 * rng.normal(size=(120, 40))
    y = rng.permutation(np.arange(12) % 2)[patients]
    blind = stable(FisherSelector()).set_params(n_pairs=10).fit(X, y)
    told = stable(FisherSelector()).set_params(n_pairs=10).fit(X, y, groups=patients)
    assert (blind.verdicts_ == "confirmed").any()
    assert not (told.verdicts_ == "confirmed").any()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.arange(60) % 3, "at least 4 groups of samples, and groups has 3. Bring samples of"),
        (np.arange(50), "one entry for each of the 60 samples"),
        (np.where(np.arange(60) < 30, 0, np.arange(60)), "only 1 of the 2 classes in y have samp"),
    ],
)
def test_groups_that_cannot_be_halved_are_told(groups, message):
    X = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.raises(ValueError, match=message):
        stable().fit(X, np.repeat([0, 1], 30), groups=groups)


def test_classes_are_counted_by_groups():
    assert class_numbers(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 2])).tolist() == [0, 0, 1, 1]


def test_shadows_have_names_of_their_own():
    frame = pd.DataFrame({"a": [1, 2], "shadow of b": ["x", "y"]})
    found = beside(frame, frame.iloc[::-1])
    assert list(found) == ["a", "shadow of b", "a shadow of a", "a shadow of shadow of b"]
    assert found.iloc[:, 2].tolist() == [2, 1]


@pytest.mark.usefixtures("threads_for_processes")
def test_a_selection_by_stability_is_checked_on_tables_as_they_are(mixed):
    frame, y = mixed
    estimator = EntryPruneClassifier(missing="impute", bar=["n2"])
    selector = stable(estimator).set_params(n_pairs=2).fit(frame, y)
    report = Report.from_selector(selector, frame, y, validate=True)
    assert report.validation[-1].mean > 80
