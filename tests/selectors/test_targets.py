"""Targets of every kind: which columns decide, one pair of them only together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from entryprune import (
    EntryPruneClassifier,
    EntryPruneRegressor,
    EntryPruneSurvival,
    StabilitySelector,
)
from entryprune.selectors._survival import concordance

TRUE = {3, 8, 20, 41}


@pytest.fixture(scope="module")
def table():
    X = np.random.default_rng(0).normal(size=(400, 60))
    return X, X[:, 3] - X[:, 8] + 1.5 * X[:, 20] * X[:, 41]


def noise(seed=1, n=400):
    return 0.5 * np.random.default_rng(seed).normal(size=n)


def check(selector):
    assert set(selector.selected_indices_.tolist()) == TRUE


def test_heavy_tails(table):
    X, score = table
    y = score + 0.5 * np.random.default_rng(1).standard_t(1.2, size=400)
    selector = EntryPruneRegressor(4, loss="huber", random_state=0).fit(X, y)
    check(selector)
    assert np.median(np.abs(selector.predict(X) - score)) < 0.5


@pytest.mark.parametrize("level", [0.2, 0.8])
def test_a_quantile(table, level):
    X, score = table
    y = score + noise()
    selector = EntryPruneRegressor(4, loss="quantile", quantile=level, random_state=0).fit(X, y)
    check(selector)
    assert np.mean(y <= selector.predict(X)) == pytest.approx(level, abs=0.1)


def test_a_quantile_is_decided_by_what_moves_it():
    """The first column moves the upper end of the target only."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 20))
    y = rng.normal(size=600) + 3 * (X[:, 5] > 0) * (rng.random(600) < 0.25)
    y += 0.5 * X[:, 9] * (y < 0)  # and another one its lower end
    high = EntryPruneRegressor(1, loss="quantile", quantile=0.9, random_state=0).fit(X, y)
    low = EntryPruneRegressor(1, loss="quantile", quantile=0.15, random_state=0).fit(X, y)
    assert high.selected_indices_.tolist() == [5]
    assert low.selected_indices_.tolist() == [9]


def test_counts(table):
    X, score = table
    y = np.random.default_rng(1).poisson(np.exp(1 + 0.5 * score))
    selector = EntryPruneRegressor(4, loss="poisson", random_state=0).fit(X, y)
    check(selector)
    predicted = selector.predict(X)
    assert (predicted > 0).all()
    assert predicted.mean() == pytest.approx(y.mean(), rel=0.1)


def test_counts_are_not_below_0(table):
    with pytest.raises(ValueError, match=r"from 0 on, and y has -2\. Take another loss"):
        EntryPruneRegressor(1, loss="poisson").fit(table[0], np.arange(400) - 2)


def test_large_and_skewed_numbers(table):
    X, score = table
    y = 1e9 * np.exp(0.3 * (score + noise()))
    check(EntryPruneRegressor(4, loss="huber", random_state=0).fit(X, y))


def test_several_outputs(table):
    X, score = table
    y = np.column_stack([score + noise(), 1000 * X[:, 5] + noise(2)])
    selector = EntryPruneRegressor(5, random_state=0).fit(X, y)
    assert set(selector.selected_indices_.tolist()) == TRUE | {5}
    assert selector.predict(X).shape == (400, 2)


def test_several_labels(table):
    X, score = table
    y = np.column_stack([score + noise() > 0, X[:, 5] + noise(2) > 0]).astype(int)
    selector = EntryPruneClassifier(5, random_state=0).fit(X, y)
    assert set(selector.selected_indices_.tolist()) == TRUE | {5}
    labels, probabilities = selector.predict(X), selector.predict_proba(X)
    assert labels.shape == probabilities.shape == (400, 2)
    np.testing.assert_array_equal(labels, probabilities > 0.5)
    assert (labels == y).mean() > 0.9


def test_columns_of_several_classes_are_no_labels(table):
    y = np.column_stack([np.arange(400) % 3, np.arange(400) % 2])
    with pytest.raises(ValueError, match=r"multiclass-multioutput|must hold 0 and 1"):
        EntryPruneClassifier(1).fit(table[0], y)


def test_classes_in_an_order(table):
    X, score = table
    grades = np.array(["low", "middle", "high", "top"])
    y = grades[np.digitize(score + noise(), [-1.5, 0.0, 1.5])]
    ordered = pd.Series(pd.Categorical(y, categories=grades, ordered=True))
    selector = EntryPruneClassifier(4, ordinal=True, random_state=0).fit(X, ordered)
    check(selector)
    assert selector.classes_.tolist() == grades.tolist()
    probabilities = selector.predict_proba(X)
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (selector.predict(X) == y).mean() > 0.7


def test_an_order_of_classes_holds_for_parts_of_the_samples(table, monkeypatch):
    """Of the alphabetical order, high is below low and middle."""
    X, score = table
    grades = ["low", "middle", "high"]
    labels = np.array(grades)[np.digitize(score, [-1.0, 1.0])]
    ordered = pd.Series(pd.Categorical(labels, categories=grades, ordered=True))
    seen = []

    def encode(self, y, weights, own=EntryPruneClassifier._encode):
        targets = own(self, y, weights)
        seen.append(self.classes_.tolist())
        return targets

    monkeypatch.setattr(EntryPruneClassifier, "_encode", encode)
    auto = EntryPruneClassifier("auto", ordinal=True, random_state=0).fit(X, ordered)
    assert auto.ordinal is True
    listed = EntryPruneClassifier("auto", ordinal=grades, random_state=0).fit(X, labels)
    np.testing.assert_array_equal(auto.k_curve_["score"], listed.k_curve_["score"])
    np.testing.assert_array_equal(auto.predict_proba(X), listed.predict_proba(X))
    StabilitySelector(estimator=EntryPruneClassifier(ordinal=True), n_pairs=1).fit(X, ordered)
    assert len(seen) > 8
    assert seen == [grades] * len(seen)


def test_every_class_has_a_place_in_the_order(table):
    y = np.array(["low", "middle", "high"])[np.arange(400) % 3]
    with pytest.raises(ValueError, match=r"ordinal has no place for 'high' of y\. Name all"):
        EntryPruneClassifier(1, ordinal=["low", "middle"]).fit(table[0], y)


def test_the_middle_class_is_the_median_of_the_distribution(table):
    X, score = table
    y = np.digitize(score + noise(), [-1.5, 0.0, 1.5])
    selector = EntryPruneClassifier(4, ordinal=True, random_state=0).fit(X, y)
    below = np.cumsum(selector.predict_proba(X), axis=1)
    np.testing.assert_array_equal(selector.predict(X), (below < 0.5).sum(axis=1))


# -- survival -------------------------------------------------------------------------------------


def lives(score, seed=1, per_day=0):
    rng = np.random.default_rng(seed)
    time, end = rng.exponential(np.exp(-score)), rng.exponential(2.0, size=len(score))
    seen = np.minimum(time, end)
    if per_day:
        seen = np.ceil(per_day * seen)  # many at the same time
    return np.column_stack([seen, time <= end])


@pytest.mark.parametrize("per_day", [0, 4])
def test_survival_with_and_without_ties(table, per_day):
    X, score = table
    y = lives(score, per_day=per_day)
    selector = EntryPruneSurvival(4, random_state=0).fit(X, y)
    check(selector)
    assert selector.score(X, y) > 0.8
    assert np.corrcoef(selector.predict(X), score)[0, 1] > 0.8


def test_structured_targets_are_those_of_scikit_survival(table):
    X, score = table
    y = lives(score)
    kind = [("status", bool), ("days", np.float64)]
    structured = np.array([(event > 0, time) for time, event in y], dtype=kind)
    found = EntryPruneSurvival(3, random_state=0).fit(X, structured)
    expected = EntryPruneSurvival(3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    assert found.score(X, structured) == expected.score(X, y)


@pytest.mark.parametrize("kind", [EntryPruneClassifier, EntryPruneRegressor])
def test_survival_times_are_no_classes(table, kind):
    y = np.zeros(400, dtype=[("status", bool), ("days", np.float64)])
    with pytest.raises(ValueError, match=r"fields 'status', 'days'.*Take EntryPruneSurvival"):
        kind(2).fit(table[0], y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.arange(400.0), r"got the shape \(400,\)\. Give a structured array"),
        (np.ones((400, 3)), r"got the shape \(400, 3\)"),
        (np.column_stack([np.arange(400), np.zeros(400)]), "no event"),
        (np.column_stack([np.arange(400), np.arange(400)]), "with 1 .* and has 2"),
        (np.column_stack([np.arange(400) - 5, np.ones(400)]), "times below 0, such as -5"),
        (np.column_stack([np.full(400, np.nan), np.ones(400)]), "missing or infinite"),
    ],
)
def test_what_is_no_survival_is_said(table, y, message):
    with pytest.raises(ValueError, match=message):
        EntryPruneSurvival(2).fit(table[0], y)


def test_concordance_by_hand():
    times = np.array([1.0, 2.0, 2.0, 4.0])
    events = np.array([True, True, False, True])
    # 1 before the others (3 pairs), 2 before the one that left at 2 and before 4.
    risks = np.array([0.9, 0.2, 0.5, 0.2])
    # All three of the first; of the second: 0.2 < 0.5 is wrong, 0.2 = 0.2 is half.
    assert concordance(times, events, risks) == pytest.approx(3.5 / 5)
    assert np.isnan(concordance(times, ~events & False, risks))
