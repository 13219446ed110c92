import numpy as np
import pytest

from entryprune.report.levels import Outcome
from entryprune.report.statistics import (
    associations,
    correlations,
    describe_feature,
    effects,
    examples,
    groups_of,
    guess_task,
    near_duplicates,
    samples_by_class,
    strongest_pairs,
    two_values,
)

# -- correlations -------------------------------------------------------------------------------


def test_they_are_those_of_numpy():
    X = np.random.default_rng(0).normal(size=(50, 8))
    np.testing.assert_allclose(correlations(X), np.corrcoef(X.T), atol=1e-12)


@pytest.mark.parametrize("factor", [1e-12, 1e12])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_scale_and_centre_do_not_matter(factor, shift):
    X = np.random.default_rng(0).normal(size=(50, 3))
    np.testing.assert_allclose(correlations((X + shift) * factor), np.corrcoef(X.T), atol=1e-6)


def test_each_pair_uses_the_cases_that_have_both():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    X[rng.random((50, 3)) < 0.2] = np.nan
    X[0, 0] = np.inf
    table = correlations(X)
    for i in range(3):
        for j in range(3):
            both = X[np.isfinite(X[:, [i, j]]).all(axis=1)]
            assert table[i, j] == pytest.approx(np.corrcoef(both[:, i], both[:, j])[0, 1])


def test_columns_that_do_not_vary_have_none():
    X = np.column_stack([np.full(9, 0.1), np.arange(9.0), np.full(9, np.nan), np.zeros(9)])
    table = correlations(X)
    assert table[1, 1] == 1
    assert np.isnan(table[[0, 2, 3]]).all()


def test_no_cases_have_none():
    assert np.isnan(correlations(np.empty((0, 2)))).all()


def test_the_strongest_pairs_come_first_either_way():
    table = np.array([[1, 0.75, -0.9], [0.75, 1, np.nan], [-0.9, np.nan, 1]])
    assert strongest_pairs(table, least=0.7, most=9) == [(0, 2, -0.9), (0, 1, 0.75)]
    assert strongest_pairs(table, least=0.7, most=1) == [(0, 2, -0.9)]
    assert strongest_pairs(table, least=0.95, most=9) == []


def test_two_tables_are_compared_as_one(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 5))
    np.testing.assert_allclose(correlations(X[:, :2], X), correlations(X)[:2], atol=1e-12)
    X[rng.random((50, 5)) < 0.2] = np.nan
    np.testing.assert_allclose(correlations(X[:, :2], X), correlations(X)[:2], atol=1e-12)


@pytest.mark.parametrize("block", [1, 10**6])
def test_near_duplicates_are_those_left_out_that_say_the_same(monkeypatch, block):
    monkeypatch.setattr("entryprune.report.statistics._BLOCK", block)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6)).astype(np.float32)
    X[:, 3] = -2 * X[:, 1] + 5
    X[:, 4] = X[:, 1] + 0.1 * X[:, 0]
    X[:, 5] = 7.0
    found = near_duplicates(lambda i: X[:, i], [], [1, 0, 3], [f"f{i}" for i in range(6)])
    assert [[name for name, _ in near] for near in found] == [["f4"], [], ["f4"]]
    assert found[0][0][1] == pytest.approx(np.corrcoef(X[:, 1], X[:, 4])[0, 1], abs=1e-6)


# -- levels ---------------------------------------------------------------------------------------


def test_levels_go_with_numbers_and_levels():
    codes = np.repeat([0.0, 1.0, 2.0], 4)
    X = np.column_stack([codes, codes**2, np.tile([1.0, 2.0], 6), 2 - codes, -codes])
    table = associations(X, [0, 3])
    # Each level has one number, and one level of the other column.
    assert table[0, [0, 1, 3]].tolist() == pytest.approx([1, 1, 1])
    assert table[0, 2] == pytest.approx(0, abs=1e-9)
    # Numbers go together as ever, with a sign.
    assert table[1, 4] == pytest.approx(np.corrcoef(X[:, 1], X[:, 4])[0, 1])
    np.testing.assert_allclose(table, table.T)


def test_half_of_the_variance_between_levels_is_a_correlation_ratio():
    codes = np.repeat([0.0, 1.0, 2.0], 4)
    number = codes + np.tile([-1.0, 1.0], 6) * np.sqrt(2 / 3)
    assert associations(np.column_stack([codes, number]), [0])[0, 1] ** 2 == pytest.approx(0.5)


def test_a_gap_among_levels_is_one():
    codes = np.repeat([0.0, 1.0, np.nan], 4)
    number = np.repeat([0.0, 0.0, 7.0], 4)
    assert associations(np.column_stack([codes, number]), [0])[0, 1] == pytest.approx(1)


def test_levels_that_are_the_same_in_other_words_are_near_duplicates():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 200).astype(float)
    X = np.column_stack([codes, rng.normal(size=200), (codes + 1) % 4, codes**3])
    found = near_duplicates(lambda i: X[:, i], [0, 2], [0, 1], ["town", "x", "code", "size"])
    assert [name for name, _ in found[0]] == ["code", "size"]
    assert found[1] == []


# -- classes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        ([10.0, 9.0, 10.0], ["9", "10"]),
        (np.array([True, False]), ["False", "True"]),
        (np.array(["b", 1, "a"], dtype=object), ["1", "a", "b"]),
        (["b", "a", "b"], ["a", "b"]),
    ],
)
def test_classes_are_in_the_order_of_their_labels(y, labels):
    groups = samples_by_class(y, most=9)
    assert [group.label for group in groups] == labels
    assert sorted(np.concatenate([group.rows for group in groups])) == list(range(len(y)))


def test_the_most_frequent_classes_are_kept():
    groups = samples_by_class(["rare", *["b"] * 3, *["a"] * 2], most=2)
    assert [group.label for group in groups] == ["a", "b"]


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (["a", "b"], "classification"),
        ([True, False], "classification"),
        ([1.0, 2.0, 1.0], "classification"),
        ([1.5, 2.0, 1.0], "regression"),
        (list(range(50)), "classification"),
        (list(range(51)), "regression"),
    ],
)
def test_the_task_is_guessed_from_the_target(y, task):
    assert guess_task(np.array(y)) == task


# -- how a feature goes with the target ---------------------------------------------------------


def test_a_feature_of_two_values_is_known_whatever_is_missing():
    assert two_values(np.array([0.0, 1.0, 1.0, np.nan])) == (0.0, 1.0)
    assert two_values(np.array([0.0, 1.0, 2.0])) is None


def test_a_feature_is_described_by_class_or_by_its_correlation():
    values, y = np.array([1.0, 3.0, 7.0, 9.0]), ["no", "no", "yes", "yes"]
    assert describe_feature(values, y, "classification") == "Median: 2 for no, 8 for yes."
    said = describe_feature(values > 2, y, "classification")
    assert said == "Share of samples with the value 1: 50 % for no, 100 % for yes."
    said = describe_feature(values, -values, "regression")
    assert said == "Correlation with the target: -1.00."


def test_examples_are_of_different_classes_and_from_zero_to_one():
    X = np.array([[0, 10], [5, 5], [10, 0]], dtype=np.uint8)
    assert examples(X, np.array(["b", "b", "a"])).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert examples(np.full((2, 2), 7), np.array([0, 1])).tolist() == [[0.0, 0.0]] * 2


def test_two_classes_differ_in_standard_deviations_and_in_units():
    # Means 2 and 8; each class has the variance 1, with two degrees of freedom each.
    X = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]])
    (one,) = effects(X, ["no"] * 3 + ["yes"] * 3, "classification")
    assert one.size == pytest.approx(6.0)
    assert (one.high, one.high_mean) == ("yes", 8.0)
    assert (one.low, one.low_mean) == ("no", 2.0)


def test_of_many_classes_the_two_furthest_apart_are_named():
    X = np.array([[0.0], [2.0], [10.0], [12.0], [4.0], [6.0]])
    (one,) = effects(X, [0, 0, 1, 1, 2, 2], "classification")
    assert (one.high, one.low) == ("1", "0")
    assert one.size == pytest.approx(10 / np.sqrt(2))


def test_a_quantity_has_a_correlation_and_the_means_of_its_thirds():
    y = np.arange(9.0)
    falling, flat = effects(np.column_stack([-2 * y, np.ones(9)]), y, "regression")
    assert falling.size == pytest.approx(-1.0)
    assert (falling.high, falling.high_mean) == ("lowest third", -2.0)
    assert (falling.low, falling.low_mean) == ("highest third", -14.0)
    assert flat.size is None
    assert (flat.high_mean, flat.low_mean) == (1.0, 1.0)
    assert flat.high != flat.low


def test_what_is_missing_or_does_not_vary_has_no_size():
    X = np.array(
        [[np.nan, 5.0, np.nan], [1.0, 5.0, np.nan], [3.0, 5.0, np.nan], [5.0, 5.0, np.nan]]
    )
    some, flat, none = effects(X, ["a", "a", "b", "b"], "classification")
    assert (some.high_mean, some.low_mean) == (4.0, 1.0)
    # One degree of freedom is left, from the class with two values.
    assert some.size == pytest.approx(3 / np.sqrt(2))
    assert flat.size is None
    assert (none.size, none.high_mean, none.low_mean) == (None, None, None)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_size_does_not_depend_on_the_unit(scale, task):
    X, y = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]]), [0, 0, 0, 1, 1, 1]
    (one,), (other,) = effects(X, y, task), effects(scale * X, y, task)
    assert other.size == pytest.approx(one.size)
    assert other.high_mean == pytest.approx(scale * one.high_mean)


# -- times until an event, and several targets ---------------------------------------------------

TIMES = np.array([[1.0, 1], [2, 0], [3, 1], [4, 1], [5, 0], [6, 1]])


def test_early_events_are_set_against_those_known_to_have_none():
    # Half of the four events have come by 3.5; who left at 2 is in neither group.
    groups = {name: rows.tolist() for name, rows in groups_of(TIMES, "survival").items()}
    assert groups == {"event by 3.5": [0, 2], "none by 3.5": [3, 4, 5]}


def test_a_hazard_ratio_is_the_effect_on_times():
    X = np.array([[1.0], [0.0], [1.0]])
    y = np.array([[1.0, 1], [2, 1], [3, 0]])
    (effect,) = effects(X, y, "survival")
    # See the test of the hazard: h^2 = 1/2 for one unit, and a standard deviation is sqrt(2) / 3.
    assert effect.size == pytest.approx(np.sqrt(1 / 2) ** (np.sqrt(2) / 3))
    assert (effect.high, effect.high_mean) == ("event by 1.5", 1)
    text = describe_feature(X[:, 0], y, "survival")
    assert text.startswith("Hazard ratio per SD: 0.85; concordance of the feature alone")


def test_who_was_watched_for_long_has_more_events_by_that_alone():
    # Events come at the same times in both groups, but half of the second leave before theirs.
    rng = np.random.default_rng(0)
    first = np.column_stack([np.arange(1, 41), np.ones(40)])
    second = first.copy()
    second[20:, 0], second[20:, 1] = 20 + rng.random(20), 0
    y = np.concatenate([first, second])
    outcome = Outcome.of(y, "survival", "days")
    is_first = np.arange(80) < 40
    # By the share alone the first would be far worse.
    assert outcome.values[is_first].mean() == 1
    assert outcome.values[~is_first].mean() == 0.5
    assert abs(outcome.strengths(is_first)[0]) < 1
    # Events seen and expected are as many.
    assert outcome.basis.sum() == pytest.approx(0, abs=1e-9)
