"""Verdicts, and what noise reaches by luck."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from entryprune.confidence.verdicts import describe, judge, noise_limit


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
