"""Times until an event, by hand."""

import numpy as np
import pytest

from entryprune._survival import (
    RiskSets,
    concordance,
    kaplan_meier,
    log_hazard,
    score_statistics,
    time_of_share,
)

YES = np.ones(4, dtype=bool)


def test_who_is_not_seen_any_more_compares_with_earlier_events_only():
    times = np.array([2.0, 2.0, 4.0, 5.0])
    events = np.array([True, False, True, False])
    # Pairs: the first against each other one, the third against the last.
    risks = np.array([3.0, 1.0, 5.0, 5.0])
    assert concordance(times, events, risks) == (1 + 0 + 0 + 0.5) / 4
    assert np.isnan(concordance(times, ~YES, risks))


def test_the_share_without_the_event():
    # Six patients after Kaplan and Meier: of 6 one, of 4 (one has left) two, of 1 one.
    times = np.array([1.0, 2.0, 3.0, 3.0, 4.0, 5.0])
    events = np.array([True, False, True, True, False, True])
    at, left = kaplan_meier(times, events)
    assert at.tolist() == [0, 1, 3, 5]
    assert left.tolist() == pytest.approx([1, 5 / 6, 5 / 12, 0])
    assert time_of_share(times, events) == 3
    assert np.isnan(time_of_share(times, events & (times < 2)))


def test_the_likelihood_of_cox_with_ties_by_efron():
    # Two of three have the event at one time: 1/3 each turn of hazards 2, 1, 1, the rest of two
    # turns 4 and 4 - (2 + 1) / 2.
    sets = RiskSets(np.array([1.0, 1.0, 2.0]), np.array([True, True, False]))
    risks = np.log([2.0, 1.0, 1.0])
    loss, slope = sets.loss(risks)
    assert loss == pytest.approx(np.log(4) + np.log(2.5) - np.log(2))
    step = 1e-6 * np.eye(3)
    numeric = [(sets.loss(risks + one)[0] - sets.loss(risks - one)[0]) / 2e-6 for one in step]
    assert slope.tolist() == pytest.approx(numeric, abs=1e-6)


def test_the_likelihood_is_that_of_the_engine():
    torch = pytest.importorskip("torch")
    from entryprune.engine.losses import Cox

    rng = np.random.default_rng(0)
    times, events = rng.integers(1, 9, 40).astype(float), rng.random(40) < 0.6
    risks = rng.normal(size=40)
    targets = torch.from_numpy(np.column_stack([times, events]))
    engine = Cox().value(torch.from_numpy(risks)[:, None], targets)
    assert RiskSets(times, events).loss(risks)[0] / 40 == pytest.approx(float(engine))


def test_the_score_of_two_groups_is_the_log_rank_test():
    # Expected in the first group: 2/4, 1/3, 1/2 and 0; variances 1/4, 2/9, 1/4 and 0.
    X = np.array([[1.0], [0.0], [1.0], [0.0]])
    expected = (2 - 4 / 3) ** 2 / (1 / 2 + 2 / 9)
    assert score_statistics(X, np.arange(4.0), YES)[0] == pytest.approx(expected)
    assert score_statistics(X * 0 + 7, np.arange(4.0), YES)[0] == 0


def test_a_hazard_where_the_likelihood_can_be_solved_by_hand():
    # Values 1, 0, 1 in this order, the last not seen: h/(2h+1) * 1/(1+h), largest at h^2 = 1/2.
    values, times = np.array([1.0, 0.0, 1.0]), np.arange(1.0, 4.0)
    found = log_hazard(values, times, np.array([True, True, False]))
    assert found == pytest.approx(np.log(np.sqrt(1 / 2)) * values.std())
    # What is missing counts as not there.
    gap = np.append(values, np.nan)
    assert log_hazard(gap, np.append(times, 0.5), np.array([True, True, False, True])) == found


def test_a_feature_that_orders_all_events_has_no_hazard():
    assert np.isnan(log_hazard(np.arange(4.0), np.arange(4.0), YES))
    assert np.isnan(log_hazard(np.ones(4), np.arange(4.0), YES))
    assert np.isnan(log_hazard(np.arange(4.0), np.arange(4.0), ~YES))
