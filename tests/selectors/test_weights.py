"""Samples that count more often than others, and samples that belong together."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline

from entryprune import (
    EntryPruneClassifier,
    EntryPruneRegressor,
    EntryPruneSurvival,
    NothingLearnedWarning,
)
from entryprune.selectors._columns import grouped_order


@pytest.fixture(scope="module")
def table():
    return np.random.default_rng(0).normal(size=(120, 15))


def target_of(kind, X):
    rng = np.random.default_rng(1)
    score = X[:, 3] - X[:, 8] + 0.3 * rng.normal(size=len(X))
    if kind is EntryPruneSurvival:
        time, end = rng.exponential(np.exp(-score)), rng.exponential(2.0, size=len(X))
        return np.column_stack([np.minimum(time, end), time <= end])
    return score if kind is EntryPruneRegressor else (score > 0).astype(int)


@pytest.mark.parametrize("kind", [EntryPruneClassifier, EntryPruneRegressor, EntryPruneSurvival])
@pytest.mark.parametrize("seed", range(3))
def test_weights_are_numbers_of_copies(table, kind, seed):
    weights = np.random.default_rng(seed).integers(0, 4, size=120)
    y = target_of(kind, table)
    repeated = np.repeat(np.arange(120), weights)
    found = kind(4, random_state=0).fit(table, y, sample_weight=weights)
    expected = kind(4, random_state=0).fit(table[repeated], y[repeated])
    assert found.selected_indices_.tolist() == expected.selected_indices_.tolist()
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=0.02, atol=2e-4)


@pytest.mark.parametrize("n_features", ["auto", "best"])
def test_how_many_features_is_decided_with_the_weights(table, n_features):
    y = target_of(EntryPruneClassifier, table)
    ones = EntryPruneClassifier(n_features, random_state=0).fit(
        table, y, sample_weight=np.ones(120)
    )
    alone = EntryPruneClassifier(n_features, random_state=0).fit(table, y)
    np.testing.assert_allclose(ones.k_curve_["score"], alone.k_curve_["score"], atol=1e-4)
    # Samples that say the contrary, but hardly count.
    both, contrary = np.vstack([table, table]), np.concatenate([y, 1 - y])
    weights = np.repeat([1.0, 1e-4], 120)
    found = EntryPruneClassifier(n_features, random_state=0).fit(
        both, contrary, sample_weight=weights
    )
    assert {3, 8} <= set(found.selected_indices_.tolist())
    assert found.k_curve_["score"].max() > 0.5


def test_balanced_classes_count_the_same(table):
    y = target_of(EntryPruneClassifier, table)
    rare = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:8]])
    X, y = table[rare], y[rare]
    shares = len(y) / (2 * np.bincount(y))
    balanced = EntryPruneClassifier(3, class_weight="balanced", random_state=0).fit(X, y)
    weighted = EntryPruneClassifier(3, random_state=0).fit(X, y, sample_weight=shares[y])
    np.testing.assert_allclose(balanced.scores_, weighted.scores_, rtol=1e-5, atol=1e-7)
    named = EntryPruneClassifier(3, class_weight=dict(enumerate(shares)), random_state=0).fit(X, y)
    np.testing.assert_allclose(named.scores_, balanced.scores_, rtol=1e-5, atol=1e-7)


def test_classes_count_as_much_where_the_number_of_features_is_looked_for(table):
    y = (table[:, 3] + table[:, 8] > 1).astype(int)
    weighted, named = (
        EntryPruneClassifier("auto", class_weight=of_classes, random_state=0).fit(
            table, y, sample_weight=weights
        )
        for of_classes, weights in ((None, np.where(y, 4.0, 1.0)), ({0: 1, 1: 4}, None))
    )
    for name, values in weighted.k_curve_.items():
        np.testing.assert_array_equal(named.k_curve_[name], values)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "one number for each of the 120 samples"),
        (np.full(120, np.nan), "finite and not below 0"),
        (-np.ones(120), "finite and not below 0"),
        (np.zeros(120), "some weight must be above zero"),
    ],
)
def test_weights_that_are_none_are_refused(table, weights, message):
    with pytest.raises(ValueError, match=message):
        EntryPruneClassifier(2).fit(table, np.arange(120) % 2, sample_weight=weights)


def test_weights_that_are_shares_of_one_are_warned_of(table):
    shares = np.full(120, 1 / 120)
    shares[0] = 0
    message = r"119 samples add up to 0\.992, .* no more than 1 sample, .* multiply .* by 120\."
    with pytest.warns(NothingLearnedWarning), pytest.warns(UserWarning, match=message):
        EntryPruneClassifier(2).fit(table, np.arange(120) % 2, sample_weight=shares)


def test_a_label_that_is_not_there_has_no_weight(table):
    with pytest.raises(ValueError, match=r"labels that are not in y: 7\. Those of y are 0, 1"):
        EntryPruneClassifier(2, class_weight={7: 2.0}).fit(table, np.arange(120) % 2)


def test_a_class_may_be_missing_where_its_group_is_left_out(table):
    y = (table[:, 3] > 0).astype(int)
    y[:6] = 2
    selector = EntryPruneClassifier("auto", class_weight={0: 1, 1: 1, 2: 3}, random_state=0)
    selector.fit(table, y, groups=np.arange(120) // 10)
    assert selector.classes_.tolist() == [0, 1, 2]


def test_a_loss_of_ones_own_is_not_weighted(table):
    selector = EntryPruneRegressor(2, loss=lambda outputs, y: ((outputs - y) ** 2).mean())
    with pytest.raises(ValueError, match="loss of your own cannot be weighted"):
        selector.fit(table, table[:, 0], sample_weight=np.ones(120))


def test_weights_are_routed_through_a_search(table):
    y = target_of(EntryPruneClassifier, table)
    with config_context(enable_metadata_routing=True):
        selector = EntryPruneClassifier(random_state=0).set_fit_request(sample_weight=True)
        selector.set_score_request(sample_weight=True)
        grid = {"entrypruneclassifier__n_features_to_select": [1, 2]}
        search = GridSearchCV(make_pipeline(selector), grid, cv=2)
        search.fit(table, y, sample_weight=np.ones(120))
    assert search.best_params_ == {"entrypruneclassifier__n_features_to_select": 2}


# -- groups ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("fraction", [0.0, 0.2])
def test_no_group_stands_on_both_sides(fraction):
    groups = np.random.default_rng(0).integers(12, size=100)
    order, n_validation, middle = grouped_order(groups, fraction, np.random.default_rng(1))
    assert sorted(order) == list(range(100))
    assert not set(groups[order[:middle]]) & set(groups[order[middle:]])
    assert n_validation == (middle if fraction else 0)
    assert abs(middle - 100 * (fraction or 0.5)) <= 15


def test_copies_of_one_patient_teach_nothing_about_others():
    """Columns that tell patients apart tell the classes of patients that were seen."""
    rng = np.random.default_rng(0)
    patients = np.repeat(np.arange(24), 6)
    X = rng.normal(size=(24, 60))[patients] + 0.05 * rng.normal(size=(144, 60))
    y = rng.permutation(np.arange(24) % 2)[patients]
    blind = EntryPruneClassifier("auto", random_state=0).fit(X, y)
    with pytest.warns(match="Nothing was learned"):
        told = EntryPruneClassifier("auto", random_state=0).fit(X, y, groups=patients)
    assert blind.learned_
    assert blind.k_curve_["score"].max() > 0.8
    assert told.k_curve_["score"].max() < 0.3


def test_groups_must_fit_the_samples(table):
    y = np.arange(120) % 2
    with pytest.raises(ValueError, match="one entry for each of the 120 samples"):
        EntryPruneClassifier(2).fit(table, y, groups=[1, 2])
    for k in (2, "auto"):
        with pytest.raises(ValueError, match="one group only"):
            EntryPruneClassifier(k).fit(table, y, groups=np.zeros(120))


def test_weights_and_groups_are_routed_through_a_pipeline_under_cross_validation(table):
    y = target_of(EntryPruneClassifier, table)
    weights, groups = np.where(np.arange(120) < 60, 1.0, 0.0), np.arange(120) // 2
    seen = []

    class Watched(EntryPruneClassifier):
        def fit(self, X, y, sample_weight=None, groups=None):
            seen.append((X.shape[0], float(sample_weight.sum()), len(np.unique(groups))))
            return super().fit(X, y, sample_weight, groups)

    with config_context(enable_metadata_routing=True):
        selector = Watched(2, random_state=0).set_fit_request(sample_weight=True, groups=True)
        selector.set_score_request(sample_weight=True)
        params = {"sample_weight": weights, "groups": groups}
        cv = GroupKFold(3)
        found = cross_validate(make_pipeline(selector), table, y, cv=cv, params=params)
    assert len(found["test_score"]) == 3
    # Each fold has two thirds of the samples, of the weight and of the pairs.
    assert [n for n, *_ in seen] == [80] * 3
    assert sum(total for _, total, _ in seen) == 2 * 60
    assert [n_groups for *_, n_groups in seen] == [40] * 3
