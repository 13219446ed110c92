"""Indices of agreement against values worked out by hand and against their definitions."""

import itertools
import math

import numpy as np
import pytest

from entryprune.confidence.agreement import agreement, size_agreed_on


def as_arrays(*selections):
    return [np.array(one, dtype=np.intp) for one in selections]


def dense_nogueira(selections, n_features):
    """The definition, from the table of zeros and ones."""
    table = np.zeros((len(selections), n_features))
    for row, one in zip(table, selections, strict=True):
        row[one] = 1
    share = table.sum(axis=1).mean() / n_features
    return 1 - table.var(axis=0, ddof=1).mean() / (share * (1 - share))


def test_two_selections_that_share_one_of_three_features():
    # Frequencies 1, 1/2, 1/2, 0, 0 have variances 0, 1/2, 1/2, 0, 0; by chance 0.4 x 0.6 each.
    result = agreement(as_arrays([0, 1], [0, 2]), n_features=5)
    assert result.stability == pytest.approx(1 - 0.2 / 0.24)
    assert result.jaccard == pytest.approx(1 / 3)
    # One is shared, 4/5 by chance, two at most.
    assert result.kuncheva == pytest.approx((1 - 0.8) / (2 - 0.8))


def test_the_same_selection_again_and_again_is_perfectly_stable():
    result = agreement(as_arrays([3, 1], [1, 3], [1, 3]), n_features=4)
    assert (result.stability, result.jaccard, result.kuncheva) == (1, 1, 1)
    assert (result.low, result.high) == (1, 1)


def test_disjoint_selections_agree_less_than_by_chance():
    result = agreement(as_arrays([0, 1], [2, 3]), n_features=4)
    assert result.stability == pytest.approx(-1)
    assert result.jaccard == 0
    assert result.kuncheva == pytest.approx(-1)


def test_of_selections_of_several_sizes_no_more_can_be_shared_than_the_smaller_has():
    selections = as_arrays([0], [0, 1, 2], [2, 4])
    result = agreement(selections, n_features=6)
    # Shared are 1, 0 and 1; by chance 1/2, 1/3 and 1; at most 1, 1 and 2.
    assert result.kuncheva == pytest.approx((1 - 0.5 + 0) / 3)
    # Where one selects all or none, there is nothing to agree on.
    assert agreement(as_arrays([0], [0, 1]), n_features=2).kuncheva is None
    assert agreement(as_arrays([0], []), n_features=2).kuncheva is None
    assert result.jaccard == pytest.approx((1 / 3 + 0 + 1 / 4) / 3)
    assert result.stability == pytest.approx(dense_nogueira(selections, 6))


def test_random_selections_of_one_size_agree_with_the_definitions():
    rng = np.random.default_rng(0)
    selections = [rng.permutation(30)[:7] for _ in range(12)]
    result = agreement(selections, 30)
    assert result.stability == pytest.approx(dense_nogueira(selections, 30))
    # With one size the two indices that allow for chance are the same.
    assert result.kuncheva == pytest.approx(result.stability)
    overlaps = [
        len(set(a) & set(b)) / len(set(a) | set(b))
        for a, b in itertools.combinations(selections, 2)
    ]
    assert result.jaccard == pytest.approx(np.mean(overlaps))


def runs_with_favourites(rng, n_runs):
    """Return runs that take feature 0 rather than 1, and 2 rather than 3, in four of five cases."""
    return list(np.column_stack([rng.random(n_runs) > 0.8, 2 + (rng.random(n_runs) > 0.8)]) + 0)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    truth = 1 - (4 * 0.8 * 0.2 / 8) / (2 / 8 * 6 / 8)
    rng = np.random.default_rng(1)
    results = [agreement(runs_with_favourites(rng, 100), 8) for _ in range(400)]
    covered = [one.low <= truth <= one.high for one in results]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.03)


def test_the_interval_shrinks_with_the_root_of_the_number_of_runs():
    rng = np.random.default_rng(2)
    results = [agreement(runs_with_favourites(rng, n_runs), 8) for n_runs in (100, 1600)]
    few, many = (one.high - one.low for one in results)
    assert few / many == pytest.approx(math.sqrt(16), rel=0.2)


@pytest.mark.parametrize(
    ("selections", "n_features"), [([[0, 1]], 4), ([[0, 1], [0, 1]], 2), ([[], []], 3)]
)
def test_nothing_is_said_where_nothing_can_be_compared(selections, n_features):
    result = agreement(as_arrays(*selections), n_features)
    assert result.stability is None
    assert result.kuncheva is None
    assert result.low is None


# -- how many features count -----------------------------------------------------------------------


def in_front(n_first, n_behind, n_runs=40, n_features=200):
    """The same few come first, in any order, and others behind them at random."""
    rng = np.random.default_rng(0)
    behind = np.arange(n_first, n_features)
    return [
        np.concatenate([rng.permutation(n_first), rng.permutation(behind)[:n_behind]])
        for _ in range(n_runs)
    ]


@pytest.mark.parametrize(("n_first", "expected"), [(2, 10), (5, 10), (8, 16), (20, 30)])
def test_what_is_agreed_on_counts_and_as_many_again(n_first, expected):
    selections = in_front(n_first, 30 - n_first)
    assert size_agreed_on(selections, 200) == expected
    # By the definition: all of the first few are the same, which is 1, and more of them are not.
    assert dense_nogueira([one[:n_first] for one in selections], 200) == pytest.approx(1)
    assert dense_nogueira([one[: n_first + 2] for one in selections], 200) < 0.9


@pytest.mark.parametrize(
    "selections",
    [
        in_front(30, 0),  # agreed on, but only as a whole
        in_front(0, 30),  # not agreed on
        in_front(6, 3),  # ten count at least
        in_front(1, 0),
        in_front(6, 24, n_runs=8),  # too few selections to tell
        [np.empty(0, dtype=np.intp)] * 4,
    ],
)
def test_otherwise_all_count(selections):
    assert size_agreed_on(selections, 200) == len(selections[0])


def test_of_one_that_all_select_no_more_than_ten_follow():
    # One of two is half of what there is to agree on, and one of three a third, which is poor.
    selections = in_front(1, 29)
    two, three = (agreement([one[:size] for one in selections], 200) for size in (2, 3))
    assert two.stability == pytest.approx(0.5, abs=0.03)
    assert three.stability < two.low
    assert size_agreed_on(selections, 200) == 10


def test_sizes_that_do_not_clearly_agree_less_count_as_agreed_on():
    # Six of seven, then six of seven others, and then any.
    rng = np.random.default_rng(1)
    selections = [
        np.concatenate(
            [rng.permutation(7)[:6], 7 + rng.permutation(7)[:6], 14 + rng.permutation(186)[:18]]
        )
        for _ in range(40)
    ]
    six, twelve = (agreement([one[:size] for one in selections], 200) for size in (6, 12))
    assert six.low < twelve.stability < six.stability
    assert size_agreed_on(selections, 200) == 24
