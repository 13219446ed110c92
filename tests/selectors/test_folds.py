import datetime

import numpy as np
import pytest

from entryprune import EntryPruneClassifier, EntryPruneRegressor
from entryprune.baselines import FisherSelector
from entryprune.selectors._columns import grouped_order, latest_first
from entryprune.selectors._folds import (
    as_folds,
    deal,
    deal_groups,
    number_groups,
    rank_order,
    windows,
)


def lists(folds):
    return [(learn.tolist(), test.tolist()) for learn, test in folds]


# -- by chance and by groups ----------------------------------------------------------------------


def test_every_class_is_dealt_out_evenly_and_a_single_sample_is_never_left_out():
    classes = np.array([0] * 8 + [1] * 4 + [2])

    fold_of = deal(13, 4, classes, np.random.default_rng(0))

    assert np.bincount(fold_of[:8]).tolist() == [2, 2, 2, 2]
    assert np.bincount(fold_of[8:12]).tolist() == [1, 1, 1, 1]
    assert fold_of[12] == -1


def test_seven_samples_of_three_groups_make_three_folds():
    groups = np.array([2, 0, 1, 0, 2, 0, 1])

    assert lists(as_folds(deal_groups(groups, 3), 3)) == [
        ([0, 2, 4, 6], [1, 3, 5]),
        ([0, 1, 3, 4, 5], [2, 6]),
        ([1, 2, 3, 5, 6], [0, 4]),
    ]
    assert lists(as_folds(deal_groups(groups, 2), 2)) == [
        ([0, 2, 4, 6], [1, 3, 5]),
        ([1, 3, 5], [0, 2, 4, 6]),
    ]


def test_groups_are_dealt_out_so_that_folds_have_the_same_classes():
    # Two groups of each class, all of one size: by size alone the first two folds would have one.
    groups, classes = np.repeat([0, 1, 2, 3], 2), np.repeat([0, 0, 1, 1], 2)

    fold_of = deal_groups(groups, 2, classes)

    assert fold_of.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]


def test_no_fold_is_empty_as_long_as_there_are_groups_and_chance_decides_among_equals():
    groups = np.repeat(np.arange(5), [9, 1, 1, 1, 1])
    classes = np.array([0] * 9 + [1] * 4)
    seen = set()
    for seed in range(20):
        fold_of = deal_groups(groups, 5, classes, np.random.default_rng(seed))
        assert sorted(set(fold_of.tolist())) == [0, 1, 2, 3, 4]
        seen.add(tuple(fold_of))
    assert len(seen) > 5


def test_a_large_group_is_learned_from_rather_than_held_out():
    groups = np.repeat([0, 1, 2], [80, 10, 10])

    order, n_validation, _ = grouped_order(groups, 0.15, np.random.default_rng(0))

    assert n_validation == 10
    assert 0 not in groups[order[:10]]
    # Where all are larger than what is wanted, the smallest.
    assert grouped_order(groups, 0.05, np.random.default_rng(0))[1] == 10


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2, 3], "groups must have one entry for each of the 4 samples"),
        (["a", None, "b", "a"], "groups has 1 missing entries"),
        ([1.0, np.nan, np.nan, 2.0], "groups has 2 missing entries"),
    ],
)
def test_groups_that_are_none_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        number_groups(groups, 4)


def test_groups_may_be_of_any_kind():
    assert number_groups(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    assert number_groups(np.array([7, "a", 7], dtype=object), 3).tolist() == [0, 1, 0]


# -- in order -------------------------------------------------------------------------------------


def test_windows_learn_from_what_was_before():
    ranks = np.array([6, 0, 5, 1, 4, 2, 3])

    assert lists(windows(ranks, 3)) == [
        ([1, 3, 5, 6], [4]),
        ([1, 3, 5, 6, 4], [2]),
        ([1, 3, 5, 6, 4, 2], [0]),
    ]


def test_samples_of_one_time_are_on_one_side():
    ranks = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3])

    # Nine samples in three parts would be cut after the third and the sixth.
    assert lists(windows(ranks, 2)) == [([0, 1, 2], [3, 4, 5]), ([0, 1, 2, 3, 4, 5], [6, 7, 8])]
    assert lists(windows(np.array([0, 0, 0, 0, 1, 2]), 2)) == [
        ([0, 1, 2, 3], [4]),
        ([0, 1, 2, 3, 4], [5]),
    ]


def test_a_group_that_is_tested_on_is_not_learned_from():
    groups = np.array([0, 1, 1, 2, 0, 2])

    assert lists(windows(np.arange(6), 2, groups)) == [([0], [2, 3]), ([1, 2], [4, 5])]


@pytest.mark.parametrize("ranks", [[0, 0, 0, 0, 0, 0], [0, 1], [0, 0, 0, 1, 1, 1]])
def test_too_few_times_are_told(ranks):
    with pytest.raises(ValueError, match=r"2 folds in order of time take 3 parts.*Take fewer fol"):
        windows(np.array(ranks), 2)


def test_order_is_of_numbers_and_dates():
    assert rank_order([30.5, 10, 20, 10], 4).tolist() == [2, 0, 1, 0]
    assert rank_order(["2024-03-31", "2023-12-01"], 2).tolist() == [1, 0]
    assert rank_order([datetime.date(2024, 3, 1), datetime.date(2023, 1, 1)], 2).tolist() == [1, 0]


@pytest.mark.filterwarnings("error")
def test_order_may_be_of_dates_with_a_time_zone():
    noon = datetime.datetime(2024, 3, 1, 12, tzinfo=datetime.UTC)
    west = datetime.timezone(datetime.timedelta(hours=-5))

    # Ten in the west is three hours later than noon in UTC.
    assert rank_order([datetime.datetime(2024, 3, 1, 10, tzinfo=west), noon], 2).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([1, 2], "order must have one entry for each of the 3 samples"),
        ([1, np.nan, 3], "order has 1 missing entries"),
        (["2024-01-01", "31.3.2024", "2024-02-01"], "has '31.3.2024'. Write dates with the year"),
        (["first", "second", "third"], "must hold numbers or dates, and has 'first'"),
    ],
)
def test_an_order_that_is_none_is_refused(order, message):
    with pytest.raises(ValueError, match=message):
        rank_order(order, 3)


def test_the_latest_samples_are_held_out():
    ranks = np.array([3, 1, 0, 2, 4, 4, 1, 0, 2, 3])

    order, n_validation = latest_first(ranks, 0.1, np.random.default_rng(0))

    assert set(order[:n_validation].tolist()) == {4, 5}  # of one time, so both
    assert sorted(order.tolist()) == list(range(10))
    groups = np.array([0, 1, 2, 3, 0, 4, 5, 6, 7, 8])
    order, n_validation = latest_first(ranks, 0.1, np.random.default_rng(0), groups)
    assert set(order[:n_validation].tolist()) == {0, 4, 5}
    with pytest.raises(ValueError, match="order has one time only"):
        latest_first(np.zeros(5, dtype=int), 0.2, np.random.default_rng(0))


# -- in the estimators ----------------------------------------------------------------------------


def drifting(n_samples=240):
    """The first column predicts at first, and no more later; the second always does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 12))
    fades = np.linspace(2, -2, n_samples)
    return X, fades * X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=n_samples)


def test_how_many_features_help_is_asked_of_later_samples():
    X, y = drifting()
    blind = EntryPruneRegressor("auto", random_state=0).fit(X, y)
    told = EntryPruneRegressor("auto", random_state=0).fit(X, y, order=np.arange(240))
    mixed = np.random.default_rng(1).permutation(240)
    shuffled = EntryPruneRegressor("auto", random_state=0).fit(X[mixed], y[mixed], order=mixed)
    assert told.k_curve_["score"].max() < blind.k_curve_["score"].max() - 0.1
    # The folds are the same in whatever order the samples come.
    np.testing.assert_allclose(shuffled.k_curve_["score"][0], told.k_curve_["score"][0], atol=0.02)


def test_standard_errors_are_those_of_groups():
    """Each sample three times is not three times as sure."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = X[:, 0] + rng.normal(size=60)
    once = EntryPruneRegressor("auto", random_state=0).fit(X, y, groups=np.arange(60))
    thrice = EntryPruneRegressor("auto", random_state=0).fit(
        np.repeat(X, 3, axis=0), np.repeat(y, 3), groups=np.repeat(np.arange(60), 3)
    )
    blind = EntryPruneRegressor("auto", random_state=0).fit(
        np.repeat(X, 3, axis=0), np.repeat(y, 3)
    )
    errors = [one.k_curve_["standard_error"][0] for one in (once, thrice, blind)]
    assert errors[1] == pytest.approx(errors[0], rel=0.3)
    assert errors[2] < 0.75 * errors[1]


def test_the_published_algorithm_validates_with_the_latest_samples():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = (X[:, 0] > 0).astype(int)
    paper = EntryPruneClassifier(2, preset="paper", max_rotations=2, random_state=0)
    with pytest.raises(ValueError, match="order has one time only"):
        paper.fit(X, y, order=np.zeros(60))
    with pytest.warns(match="cut off"):
        assert paper.fit(X, y, order=np.arange(60)).support_.sum() == 2


@pytest.mark.parametrize("n_groups", [2, 3, 4])
def test_few_groups_are_enough_to_find_a_number(n_groups):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    groups = np.arange(60) % n_groups
    assert (
        0 in EntryPruneRegressor("auto", random_state=0).fit(X, y, groups=groups).selected_indices_
    )


def test_other_methods_ask_whole_groups_how_many_features_help():
    rng = np.random.default_rng(0)
    patients = np.repeat(np.arange(24), 6)
    X = rng.normal(size=(24, 60))[patients] + 0.05 * rng.normal(size=(144, 60))
    y = rng.permutation(np.arange(24) % 2)[patients]
    blind = FisherSelector("auto").fit(X, y)
    told = FisherSelector("auto").fit(X, y, groups=patients)
    assert blind.k_curve_["score"].max() > 0.8
    assert told.k_curve_["score"].max() < 0.3
