import numpy as np
import pytest
from scipy import stats

from entryprune.bench.standings import (
    Published,
    Spread,
    friedman,
    group,
    holm,
    in_sds,
    indistinct,
    mean_ranks,
    paired,
    published,
    signed_rank,
)
from entryprune.bench.store import FAILED, REFUSED


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


def test_records_that_differ_in_their_seed_only_are_put_together(make_record):
    records = [
        make_record(seed=0, accuracy=80.0),
        make_record(seed=1, accuracy=90.0),
        make_record(k=25),
        make_record(protocol="clean"),
        make_record(settings={"zeta": 0.1}),
    ]
    groups = group(records)
    assert [len(one.records) for one in groups] == [2, 1, 1, 1]
    assert groups[0].accuracy() == Spread(85.0, pytest.approx(50**0.5), 2)


def test_times_count_only_of_cases_that_ran_alone(make_record):
    records = [
        make_record(seed=0, seconds=4.0, is_alone=True),
        make_record(seed=1, seconds=6.0, is_alone=True),
        make_record(seed=2, seconds=99.0),
    ]
    one = group(records)[0]
    assert one.seconds() == Spread(5.0, pytest.approx(2**0.5), 2)
    assert one.seconds(is_alone=False) == Spread(99.0, None, 1)


def test_the_jaccard_index_is_the_mean_over_pairs(make_record):
    chosen = [[0, 1], [1, 2], [0, 1]]
    records = [make_record(seed=seed, selected=s) for seed, s in enumerate(chosen)]
    # 1 of 3, all of 2, 1 of 3
    assert group(records)[0].jaccard() == pytest.approx((1 / 3 + 1 + 1 / 3) / 3)
    assert group(records[:1])[0].jaccard() is None


def test_seeds_without_a_selection_are_told_and_do_not_count(make_record):
    from dataclasses import replace

    refused = replace(make_record(seed=1), status=REFUSED, reason="too_few: it found 3")
    failed = replace(make_record(seed=2), status=FAILED, reason="boom")
    one = group([make_record(accuracy=70.0), refused, failed])[0]
    assert one.accuracy() == Spread(70.0, None, 1)
    assert one.trouble == "failed: boom; refused: too_few: it found 3"


def test_the_paper_is_quoted_only_for_what_it_ran(make_record):
    def quoted(**details):
        return group([make_record("usps", "entryprune", 50, **details)])[0].published()

    assert quoted() == Published(96.83, 0.17)
    assert quoted(protocol="clean") is None
    assert quoted(settings={"patience": 5}) is None
    assert quoted(subset="100 of 9,298 cases") is None


def test_published_figures_by_learner_and_with_all_features():
    assert published("arcene", "all", 0) == Published(77.5)
    assert published("arcene", "all", 0, "knn") == Published(92.5)
    assert published("coil20", "neurofs", 50, "et") == Published(99.94, 0.12)
    assert published("coil20", "boruta", 50) is None


def test_a_difference_in_standard_deviations():
    assert in_sds(Spread(95.0, 3.0, 5), Published(96.0, 0.5)) == (-1.0, -2.0)
    assert in_sds(Spread(95.0, 2.0, 5), Published(96.0, 0.0)) == (-1.0, -0.5)
    assert in_sds(Spread(95.0, None, 1), Published(96.0)) == (-1.0, None)
    assert in_sds(Spread(None, None, 0), Published(96.0)) == (None, None)
    assert in_sds(Spread(95.0, 2.0, 5), None) == (None, None)


def test_a_spread_is_told_as_far_as_it_is_known():
    values = ([1.0, 3.0], [2.0], [])
    assert [str(Spread.of(some)) for some in values] == ["2.00 ± 1.41", "2.00", ""]
