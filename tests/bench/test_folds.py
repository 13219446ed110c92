import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedKFold,
    TimeSeriesSplit,
    train_test_split,
)

from entryprune.bench.folds import fold_places, make_folds, split
from entryprune.data import Dataset


def lists(folds):
    return [(learn.tolist(), test.tolist()) for learn, test in folds.places]


def test_by_chance_they_are_those_of_the_protocol():
    y = np.tile([0, 1], 20)
    folds = make_folds(y, "classification", n_repeats=2)
    assert (len(folds.places), folds.n_splits, folds.n_repeats, folds.how) == (10, 5, 2, "")
    assert folds.test_ratio == 0.25
    for seed in folds.seeds:
        for made, known in zip(folds.at(seed), fold_places(y, *divmod(seed, 5)), strict=True):
            np.testing.assert_array_equal(made, known)
    other = make_folds(y, "classification", seed=1)
    assert other.seeds[0] == 5000
    assert lists(other) != lists(folds)[:5]


def test_seven_samples_of_three_groups():
    y, groups = np.array([0, 1, 0, 0, 1, 1, 1]), ["b", "a", "c", "a", "b", "a", "c"]
    folds = make_folds(y, "classification", cv=3, groups=groups)
    assert sorted(lists(folds)) == sorted(
        [
            ([0, 2, 4, 6], [1, 3, 5]),
            ([0, 1, 3, 4, 5], [2, 6]),
            ([1, 2, 3, 5, 6], [0, 4]),
        ]
    )
    assert folds.how == "by groups (none of the 3 groups of samples is on both sides of a fold)"
    # 3 to 4, and twice 2 to 5
    assert folds.test_ratio == pytest.approx((3 / 4 + 2 / 5 + 2 / 5) / 3)
    assert folds.about["groups"].tolist() == [1, 0, 2, 0, 1, 0, 2]


def test_another_repetition_deals_groups_out_in_another_way():
    y, groups = np.tile([0, 1], 20), np.repeat(np.arange(20), 2)
    folds = make_folds(y, "classification", groups=groups, n_repeats=2)
    assert len(folds.places) == 10
    assert lists(folds)[:5] != lists(folds)[5:]
    for learn, test in folds.places:
        assert not set(groups[learn]) & set(groups[test])
        assert len(test) == 8


def test_classes_are_spread_as_far_as_groups_let_them():
    groups = np.repeat(np.arange(20), 3)
    y = np.repeat(np.tile([0, 0, 0, 1], 5), 3)
    folds = make_folds(y, "classification", groups=groups)
    assert [np.bincount(y[test]).tolist() for _, test in folds.places] == [[9, 3]] * 5


def test_in_order_of_time_each_fold_is_tested_on_what_comes_next():
    y = np.array([0, 1, 1, 0, 1, 0, 1])
    folds = make_folds(y, "classification", cv="time")
    # Seven samples in six parts of one, and the first has what is left over.
    assert lists(folds) == [(list(range(i)), [i]) for i in range(2, 7)]
    assert (folds.n_splits, folds.n_repeats) == (5, 1)
    by_date = make_folds(
        y, "classification", cv=2, order=[f"2024-01-0{day}" for day in (7, 6, 5, 4, 3, 2, 1)]
    )
    assert lists(by_date) == [([6, 5, 4], [3, 2]), ([6, 5, 4, 3, 2], [1, 0])]
    assert by_date.how.startswith("in order of time (each fold is tested on samples that come aft")
    assert by_date.about["order"].tolist() == [6, 5, 4, 3, 2, 1, 0]


def test_groups_in_order_are_not_learned_from_before_they_are_tested_on():
    y = np.array([0, 1, 0, 1, 0, 1])
    folds = make_folds(y, "classification", cv=2, order=range(6), groups=[0, 1, 2, 2, 0, 3])
    # The first sample is of a group that the second fold is tested on.
    assert lists(folds) == [([0, 1], [2, 3]), ([1, 2, 3], [4, 5])]
    assert folds.how.endswith(
        "after all that it learned from, and on no group that it learned from)"
    )


def test_a_splitter_of_scikit_learn_is_taken_as_it_is():
    y = np.arange(12) % 2
    folds = make_folds(y, "classification", cv=TimeSeriesSplit(3, gap=1), n_repeats=4)
    assert lists(folds) == [
        ([0, 1], [3, 4, 5]),
        ([0, 1, 2, 3, 4], [6, 7, 8]),
        ([0, 1, 2, 3, 4, 5, 6, 7], [9, 10, 11]),
    ]
    assert (folds.n_splits, folds.n_repeats) == (3, 1)
    assert folds.how == "with the folds of TimeSeriesSplit"
    again = make_folds(y, "classification", cv=RepeatedKFold(n_splits=3, n_repeats=2))
    assert (again.n_splits, again.n_repeats, len(again.places)) == (3, 2, 6)
    left_out = make_folds(y, "classification", cv=LeaveOneGroupOut(), groups=np.arange(12) // 4)
    assert [test.tolist() for _, test in left_out.places] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]


GROUPS = np.arange(12) // 4


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"groups": GROUPS}, r"5 folds take as many groups.*are 3\. Take fewer folds \(cv=3\)"),
        ({"groups": np.zeros(12)}, r"there is 1\. Bring samples of more groups, or leave groups"),
        ({"cv": 1}, "cv takes a number of folds from 2, 'time' or a splitter.*got 1"),
        ({"cv": True}, "got True"),
        ({"cv": "days"}, "got 'days'"),
        ({"cv": 13}, "13 folds needs at least 13 samples, and there are 12"),
        ({"cv": KFold(4), "groups": GROUPS}, "KFold has samples of one group on both sides"),
        ({"cv": GroupKFold(5), "groups": GROUPS}, "cv=GroupKFold cannot split these samples"),
        ({"cv": KFold(3), "order": range(12)}, "order says how to split, and cv is a splitter"),
        ({"order": np.zeros(12)}, "of 1 time, which cannot be cut so. Take fewer folds"),
    ],
)
def test_what_cannot_be_done_is_told(asked, message):
    with pytest.raises(ValueError, match=message):
        make_folds(np.arange(12) % 2, "classification", **asked)


def test_folds_that_learn_from_one_class_are_refused():
    y = np.repeat([0, 1], 6)
    with pytest.raises(ValueError, match=r"3 of 5 folds would learn from one class only.*before"):
        make_folds(y, "classification", cv="time")
    with pytest.raises(ValueError, match=r"1 of 3 folds would learn from one class.*other groups"):
        make_folds(y, "classification", cv=3, groups=[0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2])


def test_events_are_spread_over_the_folds_of_groups():
    groups = np.repeat(np.arange(10), 2)
    y = np.column_stack([np.arange(20.0), np.repeat([1, 0, 0, 0, 1, 0, 0, 1, 1, 1], 2)])
    folds = make_folds(y, "survival", groups=groups)
    assert [int(y[test, 1].sum()) for _, test in folds.places] == [2] * 5


@pytest.fixture
def dataset():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [80, 20])
    return Dataset("made", "Made", rng.normal(size=(100, 3)) * [1, 10, 100], y)


def test_the_papers_split_is_fixed_and_scaled_together(dataset):
    parts = split(dataset, "paper", seed=5)
    _, expected = train_test_split(dataset.y, test_size=0.2, random_state=42)
    np.testing.assert_array_equal(parts.y_test, expected)
    both = np.concatenate([parts.X_train, parts.X_test])
    np.testing.assert_allclose(both.min(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(both.max(axis=0), 1, atol=1e-6)
    np.testing.assert_array_equal(parts.X_train, split(dataset, "paper", seed=6).X_train)


def test_the_clean_split_follows_the_seed_keeps_the_classes_and_scales_by_training_cases(dataset):
    parts = split(dataset, "clean", seed=5)
    np.testing.assert_array_equal(np.bincount(parts.y_test), [16, 4])
    np.testing.assert_allclose(parts.X_train.max(axis=0), 1, atol=1e-6)
    assert not np.array_equal(parts.X_train, split(dataset, "clean", seed=6).X_train)
    np.testing.assert_array_equal(parts.X_train, split(dataset, "clean", seed=5).X_train)


def test_where_each_class_has_cases_enough_the_clean_split_is_scikit_learns(dataset):
    parts = split(dataset, "clean", seed=3)
    _, expected = train_test_split(
        np.arange(100), test_size=0.2, random_state=3, stratify=dataset.y
    )
    np.testing.assert_array_equal(parts.y_test, dataset.y[expected])
    raw = dataset.X[expected]
    np.testing.assert_array_equal(np.argsort(parts.X_test[:, 0]), np.argsort(raw[:, 0]))


def test_a_class_of_one_case_is_learned_from_in_every_clean_split(dataset):
    y = dataset.y.copy()
    y[[7, 50]] = [5, 6]
    for seed in range(10):
        parts = split(Dataset("made", "Made", dataset.X, y), "clean", seed)
        assert {5, 6} <= set(parts.y_train.tolist())
        # The other classes, of 78 and 20 cases, are still spread evenly.
        np.testing.assert_array_equal(np.bincount(parts.y_test), [16, 4])


def test_with_more_classes_than_test_cases_each_class_is_still_learned_from(dataset):
    pairs = Dataset("made", "Made", dataset.X, np.repeat(np.arange(50), 2))
    for seed in range(5):
        parts = split(pairs, "clean", seed)
        assert len(parts.y_train) == 90
        assert len(parts.y_test) == 10
        assert set(parts.y_train.tolist()) == set(range(50))
    one_pair = Dataset("made", "Made", dataset.X, np.append(np.arange(99), 98))
    assert split(one_pair, "clean", 0).y_test.tolist() == [98]


def test_the_clean_split_takes_quantities_and_refuses_classes_of_one_case_only(dataset):
    quantities = Dataset("made", "Made", dataset.X, np.linspace(0.5, 1.5, 100))
    assert len(split(quantities, "clean", 7).y_test) == 20
    with pytest.raises(ValueError, match="Each of the 100 cases is a class of its own"):
        split(Dataset("made", "Made", dataset.X, np.arange(100)), "clean", 0)


def test_an_official_test_part_is_kept_in_the_papers_protocol_and_pooled_in_the_clean(dataset):
    official = Dataset(
        "made", "Made", dataset.X[:90], dataset.y[:90], dataset.X[90:], dataset.y[90:]
    )
    assert len(split(official, "paper", 0).y_test) == 10
    assert len(split(official, "clean", 0).y_test) == 20


def test_a_data_set_may_ask_to_be_standardised(dataset):
    standard = Dataset("made", "Made", dataset.X, dataset.y, scale="standard")
    parts = split(standard, "clean", 0)
    np.testing.assert_allclose(parts.X_train.std(axis=0), 1, rtol=1e-4)


def test_five_seeds_are_the_folds_of_a_cross_validation_and_the_next_five_of_another(dataset):
    tested = [split(dataset, "cv", seed).X_test for seed in range(10)]
    assert sum(map(len, tested[:5])) == sum(map(len, tested[5:])) == 100
    assert [np.bincount(split(dataset, "cv", seed).y_test).tolist() for seed in range(5)] == [
        [16, 4]
    ] * 5
    assert not np.array_equal(tested[0], tested[5])


def test_cross_validation_takes_quantities_and_rare_classes(dataset):
    quantities = Dataset("made", "Made", dataset.X, np.linspace(0.5, 1.5, 100))
    assert len(split(quantities, "cv", 7).y_test) == 20
    rare = Dataset("made", "Made", dataset.X, np.repeat([0, 1], [97, 3]))
    assert len(split(rare, "cv", 0).y_test) == 20


def test_where_the_truth_is_known_folds_are_in_order_unscaled_and_columns_are_not():
    made = Dataset("made", "Made", np.arange(120.0).reshape(12, 10), np.arange(12), relevant=(3,))
    parts = [split(made, "truth", seed) for seed in range(6)]
    assert [part.y_test.tolist() for part in parts] == [[2 * i, 2 * i + 1] for i in range(6)]
    np.testing.assert_array_equal(parts[1].X_test, made.X[2:4])
    orders = [part.order.tolist() for part in parts]
    assert all(sorted(order) == list(range(10)) for order in orders)
    assert len({tuple(order) for order in orders}) == 6


def test_where_it_is_not_known_the_protocol_of_the_truth_is_refused(dataset):
    with pytest.raises(ValueError, match="Nobody knows which columns of Made matter"):
        split(dataset, "truth", 0)


def test_an_unknown_protocol_gets_the_list(dataset):
    with pytest.raises(
        ValueError, match=r"no protocol 'fair'\. The protocols are: paper, clean, cv, truth"
    ):
        split(dataset, "fair", 0)


def test_the_data_are_not_written(dataset):
    before = dataset.X.copy()
    split(dataset, "paper", 0)
    np.testing.assert_array_equal(dataset.X, before)


def test_groups_of_several_quantities_are_dealt_out_as_those_of_one():
    """Their values are no classes to be spread."""
    y = np.random.default_rng(0).normal(size=(60, 2))
    one, several = (
        make_folds(part, "regression", groups=np.arange(60) // 4).places for part in (y[:, 0], y)
    )
    for (learn, test), (other_learn, other_test) in zip(one, several, strict=True):
        np.testing.assert_array_equal(learn, other_learn)
        np.testing.assert_array_equal(test, other_test)
