"""Verdicts, what noise reaches by luck, and how many may be false."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from entryprune.confidence.verdicts import (
    describe,
    expected_false,
    false_proportions,
    judge,
    noise_limit,
    threshold_for,
)


@pytest.mark.parametrize(("asked", "verdict"), [(0.6, "confirmed"), (0.61, "tentative")])
def test_features_must_be_selected_as_often_as_asked(asked, verdict):
    assert judge(np.array([0.6]), asked=asked, luckiest=0.3).tolist() == [verdict]


def test_a_tie_with_the_luckiest_shadow_is_rejected_and_rounding_decides_nothing():
    frequencies = np.array([0.1 + 0.2, 0.3, 0.31])
    assert judge(frequencies, asked=0.31, luckiest=0.3).tolist() == [
        "rejected",
        "rejected",
        "confirmed",
    ]
    assert judge(np.array([0.3]), asked=0.1 + 0.2, luckiest=0.0).tolist() == ["confirmed"]


def test_without_shadows_half_of_the_fits_are_asked():
    verdicts = judge(np.array([0.9, 0.5, 0.49]), asked=0.75, luckiest=None)
    assert verdicts.tolist() == ["confirmed", "tentative", "rejected"]


@pytest.mark.parametrize("n_columns", [30, 1000])
@pytest.mark.parametrize("bar", [2.0, 3.0])
def test_noise_is_above_the_limit_in_as_many_tables_as_is_said(n_columns, bar):
    # Columns of noise that are selected where their effect on half of the samples is above a bar:
    # what is told from one table's shadows holds for other tables.
    rng = np.random.default_rng(0)
    n_fits, n_tables = 100, 500

    def frequencies():
        effects = np.abs(rng.normal(size=n_columns))
        return rng.binomial(n_fits, ndtr(effects - bar)) / n_fits

    limits = [noise_limit(frequencies(), n_fits, level=0.1) for _ in range(n_tables)]
    luckiest = [frequencies().max() for _ in range(n_tables)]
    # A tenth, of which the counts' own chance makes a little more; 0.04 are three standard errors.
    assert np.mean(np.array(luckiest) >= limits) == pytest.approx(0.12, abs=0.05)
    truth = ndtr(-ndtri(0.1 / n_columns / 2) - bar)
    assert np.mean(limits) == pytest.approx(truth, abs=0.05)


def test_the_limit_without_shadows_or_lucky_ones():
    assert noise_limit(np.empty(0), 100) == 0
    never = noise_limit(np.zeros(1000), 100)
    once = noise_limit(np.array([0.01] + [0.0] * 999), 100)
    assert 0.01 < never == once < noise_limit(np.array([0.2] + [0.0] * 999), 100) < 1


@pytest.mark.parametrize(
    ("n_confirmed", "words"), [(0, "none is"), (1, "one is"), (1200, "1,200 are")]
)
def test_the_statement_counts_as_people_do(n_confirmed, words):
    text = describe(
        n_features=20_000, n_confirmed=n_confirmed, asked=0.75, n_fits=100, n_per_fit=50,
        has_shadows=False, n_false=0.1276,
    )  # fmt: skip
    assert text == (
        f"Of 20,000 features {words} confirmed: selected on at least 75 % of 100 half samples, "
        f"with 50 selected on each. Of features that matter no more than chance, at most 0.13 are "
        f"to be expected among them, on the average of such tables."
    )


def test_both_forms_of_the_bound_meet_in_the_middle():
    # q^2 / (p C): C = 2 (2 x 0.75 - 1 - 0.01) = 0.98, and 1.02 / (4 (1 - 0.75 + 0.01)) = 0.981.
    middle = expected_false(20_000, 50, 0.75, 50)
    assert middle == pytest.approx(2500 / 20_000 / 0.98)
    assert expected_false(20_000, 50, 0.75 + 1e-9, 50) == pytest.approx(middle, rel=1e-3)


@pytest.mark.parametrize("n_pairs", [5, 10, 50])
def test_just_above_a_half_the_bound_is_that_of_the_first_possible_frequency(n_pairs):
    first = 0.5 + 1 / (2 * n_pairs)
    bound = expected_false(20_000, 30, first, n_pairs)
    # 30^2 / 20,000, divided by 2 (2 x 0.55 - 1 - 0.05) where there are ten pairs.
    assert bound == pytest.approx(0.045 * n_pairs)
    for threshold in np.linspace(0.5 + 1e-5, first, 20):
        assert expected_false(20_000, 30, threshold, n_pairs) == pytest.approx(bound)


def test_above_the_middle_the_bound_is_the_second_one():
    # C = 1.02 / (4 (1 - 0.9 + 0.01)).
    assert expected_false(20_000, 50, 0.9, 50) == pytest.approx(0.125 * 4 * 0.11 / 1.02)


def test_the_bound_falls_as_the_threshold_rises():
    bounds = [expected_false(5_000, 30, t, 50) for t in np.arange(0.52, 1.001, 0.01)]
    assert bounds == sorted(bounds, reverse=True)


@pytest.mark.parametrize("threshold", [0.1, 0.4, 0.5])
def test_at_low_thresholds_all_that_can_be_above_may_be_false(threshold):
    # Frequencies sum up to 50, so at most 50 / threshold features are at or above it.
    assert expected_false(20_000, 50, threshold, 50) == pytest.approx(50 / threshold)
    assert expected_false(60, 50, threshold, 50) == 60


def test_no_more_than_can_reach_the_threshold_is_ever_expected():
    assert expected_false(100, 50, 0.51, 50) == pytest.approx(50 / 0.51)


def test_the_lowest_threshold_that_keeps_a_promise():
    threshold = threshold_for(1.0, 20_000, 50, 50)
    assert expected_false(20_000, 50, threshold, 50) <= 1.0
    assert expected_false(20_000, 50, threshold - 0.01, 50) > 1.0


def test_no_threshold_is_high_enough_for_many_of_few():
    assert threshold_for(0.01, 100, 50, 50) is None


def test_random_selections_keep_to_the_bound():
    # All features are false: what is above the threshold must not exceed the bound on average.
    rng = np.random.default_rng(0)
    n_features, n_selected, n_pairs, threshold = 200, 20, 25, 0.55
    n_above = []
    for _ in range(200):
        # A sample favours some features by chance, and its halves agree on them a little.
        favour = rng.normal(size=n_features) * 0.5
        counts = np.zeros(n_features)
        for _ in range(2 * n_pairs):
            noise = rng.normal(size=n_features)
            counts[np.argsort(-(favour + noise))[:n_selected]] += 1
        n_above.append((counts / (2 * n_pairs) >= threshold).sum())
    bound = expected_false(n_features, n_selected, threshold, n_pairs)
    assert 0 < np.mean(n_above) <= bound


def test_false_proportions_count_shadows_for_all_features():
    frequencies = np.array([0.9, 0.8, 0.8, 0.3, 0.0, 0.0])
    thresholds, shares = false_proportions(frequencies, np.array([0.3, 0.0, 0.0]))
    assert thresholds.tolist() == [0.3, 0.8, 0.9]
    # Three shadows stand for six features: one at 0.3 counts twice.
    assert shares == pytest.approx([(1 + 2) / 4, 1 / 3, 1 / 1])
