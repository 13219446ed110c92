import numpy as np
import pytest
from scipy import stats

from entryprune.bench.standings import (
    friedman,
    holm,
    indistinct,
    mean_ranks,
    paired,
    signed_rank,
)


@pytest.fixture
def scores():
    """Return accuracies of five methods on twelve data sets."""
    rng = np.random.default_rng(0)
    return (80 + rng.normal(size=(12, 5)) + np.array([3.0, 2.5, 1.0, 0.0, -4.0])).tolist()


def test_a_paired_difference_has_students_interval():
    rng = np.random.default_rng(1)
    one, other = rng.normal(80, 5, 9), rng.normal(79, 5, 9)
    result = paired(one, other)
    expected = stats.ttest_rel(one, other).confidence_interval(0.95)
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high))
    assert result.mean == pytest.approx(np.mean(one - other))


def test_a_tie_is_what_two_decimals_do_not_show():
    result = paired([1.0, 1.004, 1.006, 0.9], [1.0, 1.0, 1.0, 1.0])
    assert (result.n, result.wins, result.ties, result.losses) == (4, 1, 2, 1)


def test_one_data_set_has_no_interval_and_none_no_difference():
    one = paired([81.0], [80.0])
    assert (one.n, one.mean, one.low, one.high, one.wins) == (1, 1.0, None, None, 1)
    assert paired([], []).mean is None


def test_mean_ranks_by_hand():
    # Ranks 1 2 3, then 2 2 2 for all the same, then 2.5 2.5 1.
    assert mean_ranks([[9, 8, 7], [5, 5, 5], [1, 1, 4]]) == pytest.approx(
        [(1 + 2 + 2.5) / 3, (2 + 2 + 2.5) / 3, (3 + 2 + 1) / 3]
    )


def test_equal_up_to_rounding_is_a_tie():
    assert mean_ranks([[0.1 + 0.2, 0.3]]) == [1.5, 1.5]
    assert signed_rank([0.1 + 0.2 - 0.3]) == 1.0


def test_friedmans_test_is_scipys(scores):
    assert friedman(scores) == pytest.approx(stats.friedmanchisquare(*np.array(scores).T).pvalue)


@pytest.mark.parametrize("table", [[[1, 2, 3]], [[1, 2], [2, 1]], [[5, 5, 5], [5, 5, 5]]])
def test_friedmans_test_says_nothing_where_there_is_nothing_to_test(table):
    assert friedman(table) is None


@pytest.mark.parametrize("n", [4, 11, 30])
def test_the_signed_rank_test_is_scipys_exact_one(n):
    differences = np.random.default_rng(n).normal(0.4, 1, n)
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert signed_rank(differences) == pytest.approx(expected)


def test_the_signed_rank_test_with_ties_by_hand():
    # Ranks of 1, 1, 2 are 1.5, 1.5, 3. Of the eight choices of signs, sums of 0 and 6 are one each,
    # so all positive has p = 2/8; with one of the small ones negative the sum is 4.5, which three
    # of eight reach (4.5 twice and 6), so p = 6/8.
    assert signed_rank([1, 1, 2]) == pytest.approx(2 / 8)
    assert signed_rank([1, -1, 2]) == pytest.approx(6 / 8)
    assert signed_rank([0, 1, 0, 1, 2]) == pytest.approx(2 / 8)
    assert signed_rank([0, 0]) == signed_rank([]) == 1.0


def test_holms_adjustment_by_hand():
    # Sorted .005, .01, .03, .04: times 4, 3, 2, 1, and never falling.
    assert holm([0.03, 0.005, 0.04, 0.01]) == pytest.approx([0.06, 0.02, 0.06, 0.03])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_groups_are_neighbours_of_which_no_two_differ():
    # Three methods that differ by turns around a mean, and one that is always far behind.
    turns = np.array([[0.0, 0.3, 0.1], [0.2, 0.1, 0.0], [0.1, 0.0, 0.3]])
    near = np.vstack([turns] * 4) + 90
    scores = np.column_stack([near, np.full(12, 50.0) + np.arange(12)])
    (group,) = indistinct(scores.tolist())
    assert sorted(group) == [0, 1, 2]


def test_overlapping_groups_are_kept_and_those_within_others_are_not():
    base = np.arange(12.0)
    # Each is ahead of the next in nine of twelve, but not by the larger margins (p = 0.25), and the
    # first is ahead of the last in all.
    ahead = np.repeat([-1.0, 2.0, 0.2], [3, 3, 6])
    behind = np.repeat([2.0, -1.0, 0.2], [3, 3, 6])
    scores = np.column_stack([base + ahead, base, base - behind])
    assert indistinct(scores.tolist()) == [(0, 1), (1, 2)]
    alone = np.column_stack([base + 5, base, base - 5.0])
    assert indistinct(alone.tolist()) == []
    assert indistinct([[1.0]]) == []
    # With two data sets nothing can be told.
    assert indistinct([[3.0, 2.0, 1.0]] * 2) == [(0, 1, 2)]
