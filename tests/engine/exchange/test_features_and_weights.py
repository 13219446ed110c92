"""Features of several columns, weights, kept seats and costs, in whole selections."""

from __future__ import annotations

import pytest
import torch

from entryprune.engine import ArrayColumns, ExchangeSettings, Problem, select
from entryprune.engine.columns import Grouping
from entryprune.engine.exchange.hands import Deck, Table


def noise(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def selected(values, classes, n_selected=3, *, grouping=None, weights=None, **settings):
    problem = Problem(
        ArrayColumns(values), classes.long(), 2, 0, weights=weights, grouping=grouping
    )
    return select(problem, ExchangeSettings(n_selected=n_selected, **settings), seed=0)


def hand_of(values, grouping=None, weights=None):
    targets = torch.arange(values.shape[1], dtype=torch.float32).unsqueeze(1)
    table = Table(ArrayColumns(values), targets, grouping, weights)
    return Deck(table, ExchangeSettings(n_selected=1, spread_share=0.0)).deal()


# -- features of several columns --------------------------------------------------------------


def test_two_columns_of_a_feature_share_the_spread_of_one():
    values = noise(3, 50)
    alone, together = hand_of(values), hand_of(values, Grouping(torch.tensor([0, 0, 1])))
    both = torch.tensor([0, 1])
    torch.testing.assert_close(together.read(both), alone.read(both) / 2**0.5)
    torch.testing.assert_close(together.read_features(torch.tensor([1])), alone.read(both[:1] + 2))


def test_any_two_levels_are_equally_far_apart_and_have_the_spread_of_one_column():
    levels = torch.tensor([0] * 30 + [1] * 15 + [2] * 5)
    values = torch.cat([torch.nn.functional.one_hot(levels).float().T, noise(1, 50)])
    grouping = Grouping(torch.tensor([0, 0, 0, 1]), torch.tensor([True, True, True, False]))
    prepared = hand_of(values, grouping).read_features(torch.tensor([0]))
    first, second, third = prepared[:, 0], prepared[:, 30], prepared[:, 45]
    apart = [float((a - b).square().sum()) for a, b in ((first, second), (second, third))]
    share = torch.tensor([0.6, 0.3, 0.1])
    assert apart == pytest.approx([2 / float((share * (1 - share)).sum())] * 2, rel=1e-4)
    assert float(prepared.square().mean(dim=1).sum()) == pytest.approx(1.0, rel=1e-4)


def test_a_level_that_never_occurs_changes_nothing():
    levels = torch.tensor([0, 1, 2] * 20)
    indicators = torch.nn.functional.one_hot(levels, 4).float().T
    with_it = Grouping(torch.zeros(4, dtype=torch.int64), torch.ones(4, dtype=torch.bool))
    without = Grouping(torch.zeros(3, dtype=torch.int64), torch.ones(3, dtype=torch.bool))
    feature = torch.tensor([0])
    found = hand_of(indicators, with_it).read_features(feature)
    torch.testing.assert_close(found[:3], hand_of(indicators[:3], without).read_features(feature))
    assert not found[3].any()


def test_a_feature_of_levels_is_found_among_numbers():
    levels = torch.randint(6, (300,), generator=torch.Generator().manual_seed(1))
    classes = torch.isin(levels, torch.tensor([1, 4])) ^ (noise(300, seed=3) > 1.3)
    indicators = torch.nn.functional.one_hot(levels).float().T
    values = torch.cat([noise(20, 300), indicators, noise(20, 300, seed=2)])
    feature_of = torch.tensor([*range(20), *[20] * 6, *range(21, 41)])
    is_indicator = feature_of == 20
    found = selected(values, classes, 1, grouping=Grouping(feature_of, is_indicator))
    assert found.chosen.features.tolist() == [20]
    assert found.ranked.sort().values.tolist() == list(range(41))
    (first_layer, *_) = found.network
    assert first_layer.in_features == 6


def test_a_pair_of_features_of_several_columns_is_found():
    values = noise(40, 500)
    classes = values[10] * values[31] > 0
    found = selected(values, classes, 2, grouping=Grouping(torch.arange(40) // 2))
    assert found.chosen.features.sort().values.tolist() == [5, 15]
    assert [(pair.first, pair.second) for pair in found.interactions] == [(5, 15)]


def test_two_columns_of_one_feature_may_matter_together():
    values = noise(40, 500)
    classes = values[10] * values[11] > 0
    found = selected(values, classes, 1, grouping=Grouping(torch.arange(40) // 2))
    assert found.chosen.features.tolist() == [5]
    assert not found.interactions  # for it is one feature


# -- weights ------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_pair", [False, True])
def test_a_weight_of_two_is_the_sample_twice(is_pair):
    values = noise(30, 120)
    classes = values[3] * values[8] > 0 if is_pair else values[3] + values[8] > 0.3
    weights = torch.ones(120)
    weights[20:60] = 2.0
    repeated = torch.repeat_interleave(torch.arange(120), weights.long())
    found = selected(values, classes, 4, weights=weights)
    expected = selected(values[:, repeated], classes[repeated], 4)
    assert found.chosen.features.tolist() == expected.chosen.features.tolist()
    torch.testing.assert_close(found.chosen.scores, expected.chosen.scores, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(found.scores, expected.scores, rtol=5e-3, atol=1e-4)
    assert [(p.first, p.second) for p in found.interactions] == [
        (p.first, p.second) for p in expected.interactions
    ]
    assert bool(found.interactions) == is_pair


def test_weights_of_one_change_nothing():
    values = noise(30, 120)
    classes = values[3] + values[8] > 0
    found, expected = selected(values, classes, weights=torch.ones(120)), selected(values, classes)
    torch.testing.assert_close(found.scores, expected.scores, rtol=1e-3, atol=1e-5)
    assert found.ranked.tolist()[:10] == expected.ranked.tolist()[:10]


def test_samples_that_hardly_count_decide_little():
    values = noise(20, 400)
    classes = torch.cat([values[3, :200] > 0, values[8, 200:] > 0])
    weights = torch.cat([torch.ones(200), torch.full((200,), 1e-3)])
    assert selected(values, classes, 1, weights=weights).chosen.features.tolist() == [3]
    assert selected(values, classes, 1, weights=weights.flip(0)).chosen.features.tolist() == [8]


# -- seats that are given, and costs ----------------------------------------------------------


def test_who_is_to_be_kept_is_seated_whatever_it_brings():
    values = noise(30, 200)
    found = selected(values, values[3] + values[8] > 0, 3, kept=(20,))
    assert set(found.chosen.features.tolist()) == {3, 8, 20}
    assert float(found.scores[20]) < float(found.scores[3])


def test_what_is_kept_explains_so_that_its_copies_are_not_needed():
    values = noise(30, 200)
    values[9] = values[3] + 0.05 * noise(200, seed=1)
    classes = values[3] + values[8] > 0
    assert set(selected(values, classes, 2, kept=(9,)).chosen.features.tolist()) == {8, 9}


def test_a_cheap_stand_in_is_taken_for_a_dear_feature():
    values = noise(30, 200)
    values[9] = values[3] + 0.3 * noise(200, seed=1)
    classes = values[3] > 0
    costs = torch.ones(30)
    costs[3] = 10.0
    assert selected(values, classes, 1, costs=costs).chosen.features.tolist() == [9]


@pytest.mark.parametrize("budget", [1.0, 2.5, 4.0, 7.0])
def test_the_budget_is_kept_to(budget):
    values = noise(30, 200)
    costs = torch.rand(30, generator=torch.Generator().manual_seed(4)) * 3 + 0.1
    found = selected(values, values[3] + values[8] + values[20] > 0, 10, costs=costs, budget=budget)
    taken = found.chosen.features
    assert 0 < len(taken) <= 10
    assert float(costs[taken].sum()) <= budget
    # Nothing that would still fit is left, unless ten are taken.
    rest = [i for i in range(30) if i not in set(taken.tolist())]
    assert len(taken) == 10 or float(costs[rest].min()) > budget - float(costs[taken].sum())


@pytest.mark.parametrize(("cost_of_three", "budget"), [(1.0, 4.0), (5.0, 4.0), (5.0, 8.0)])
def test_a_pair_takes_the_seats_that_it_can_pay_for(cost_of_three, budget):
    """All seats are paid for when pairs are looked for: some must be freed, and no more."""
    values = noise(20, 300)
    score = values[3] + values[5] + 1.5 * values[7] * values[12]
    costs = torch.ones(20)
    costs[3] = cost_of_three
    found = selected(values, score > 0, 20, costs=costs, budget=budget)
    taken = found.chosen.features
    expected = {5, 7, 12} if cost_of_three > budget else {3, 5, 7, 12}
    assert expected <= set(taken.tolist())
    assert float(costs[taken].sum()) == budget


def test_a_dear_feature_that_is_worth_it_is_bought():
    values = noise(30, 300)
    classes = values[3] > 0
    costs = torch.full((30,), 0.1)
    costs[3] = 1.0
    # For its cost each feature of noise promises more than this one.
    found = selected(values, classes, 10, costs=costs, budget=1.0)
    assert found.chosen.features.tolist() == [3]
