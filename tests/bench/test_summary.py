import pytest

from entryprune.bench.store import FAILED, REFUSED
from entryprune.bench.summary import Published, Spread, group, in_sds, published


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
