"""Second impressions: the waves, their products, and what counts as a pair."""

from __future__ import annotations

import math

import pytest
import torch

from entryprune.engine import ArrayColumns, ExchangeSettings
from entryprune.engine.exchange import pairs
from entryprune.engine.exchange.hands import Deck, Table
from entryprune.engine.exchange.pairs import SIGNIFICANT, find_pairs


def search(values, targets, work=1e10, seed=0):
    targets = targets.float().view(values.shape[1], -1)
    hand = Deck(Table(ArrayColumns(values), targets), ExchangeSettings(n_selected=2)).deal()
    generator = torch.Generator().manual_seed(seed)
    return find_pairs(hand, hand.targets, work=work, generator=generator)


def noise(n_columns, n_cases, seed=0):
    return torch.randn(n_columns, n_cases, generator=torch.Generator().manual_seed(seed))


def stands_out(result):
    return any(pair.p_value < SIGNIFICANT for pair in result.found)


def test_waves_by_hand():
    rising, bending = pairs._waves(torch.tensor([[10.0, 30.0, 20.0, 40.0]]))
    # Ranks 1/8, 5/8, 3/8, 7/8.
    odd = [math.cos(math.pi * rank) for rank in (1 / 8, 5 / 8, 3 / 8, 7 / 8)]
    size = math.sqrt(sum(value**2 for value in odd) / 4)
    torch.testing.assert_close(rising, torch.tensor([[value / size for value in odd]]))
    torch.testing.assert_close(bending, torch.tensor([[1.0, -1.0, -1.0, 1.0]]))


def test_equal_values_have_equal_waves_and_constants_have_none():
    rising, _ = pairs._waves(torch.tensor([[1.0, 1.0, 5.0, 5.0], [2.0, 2.0, 2.0, 2.0]]))
    torch.testing.assert_close(rising[0], torch.tensor([1.0, 1.0, -1.0, -1.0]))
    assert rising[1].abs().max() == 0


def test_the_strongest_pairs_are_those_of_a_plain_double_loop(monkeypatch):
    monkeypatch.setattr(pairs, "_PRODUCTS_AT_ONCE", 40)  # in several pieces
    waves = pairs._waves(noise(12, 30))
    directions = pairs._main_directions(noise(30, 2, seed=1))
    plain = []
    for wave in waves:
        for direction in directions.mT:
            for i in range(12):
                for j in range(i + 1, 12):
                    product = abs(float((wave[i] * wave[j] * direction).sum())) / math.sqrt(30)
                    plain.append((product, i, j))
    for i in range(12):
        bend = (waves[1][i].unsqueeze(1) * directions).sum(dim=0).abs().max() / math.sqrt(30)
        plain.append((float(bend), i, i))
    expected = sorted(plain, reverse=True)[:5]
    found = pairs._strongest(waves, directions / math.sqrt(30), 5, torch.arange(12))
    assert [pair[1:] for pair in found] == [pair[1:] for pair in expected]
    assert [pair[0] for pair in found] == pytest.approx([pair[0] for pair in expected], rel=1e-4)


def test_an_exclusive_or_is_found():
    values = noise(80, 300)
    found, *others = search(values, values[11] * values[57] > 0).found
    assert (found.first, found.second) == (11, 57)
    assert found.p_value < 1e-6
    assert all(other.p_value > SIGNIFICANT for other in others)


def test_a_ring_is_found_by_its_middle():
    values = noise(80, 600)
    distance = (values[3] ** 2 + values[40] ** 2).sqrt()
    found = search(values, (distance > 0.8) & (distance < 1.6)).found
    assert {(pair.first, pair.second) for pair in found} & {(3, 40), (3, 3), (40, 40)}


def test_columns_with_an_effect_of_their_own_are_left_to_first_impressions():
    values = noise(40, 400)
    target = 2 * values[5] + values[5] * values[9]
    assert not any(5 in (pair.first, pair.second) for pair in search(values, target).found)


def test_noise_shows_no_pair_in_nearly_all_tables():
    with_pair = sum(
        stands_out(search(noise(60, 120, seed), noise(1, 120, 1000 + seed) > 0))
        for seed in range(60)
    )
    assert with_pair <= 6  # 3 are expected at a level of 5 %


def test_heavy_tails_show_no_pair():
    with_pair = 0
    for seed in range(20):
        values = noise(60, 120, seed) ** 7
        with_pair += stands_out(search(values, noise(1, 120, 1000 + seed) ** 5))
    assert with_pair <= 3


def test_too_few_cases_for_any_pair_are_not_searched():
    values = noise(500, 30)
    result = search(values, values[0] * values[1] > 0)
    assert (result.found, result.n_tried, result.n_pairs) == ((), 0, 500 * 499 // 2)


def test_a_search_that_may_not_take_long_tries_some_columns():
    values = noise(100, 200)
    result = search(values, values[0] > 0, work=2 * 200 * 30**2)
    assert result.n_tried == 30 * 29 // 2
    assert result.n_pairs == 100 * 99 // 2


def test_residuals_of_two_classes_have_one_direction():
    classes = torch.tensor([0, 1, 1, 0, 1])
    one_hot = torch.nn.functional.one_hot(classes).float()
    directions = pairs._main_directions(one_hot)
    assert directions.shape == (5, 1)
    assert float(directions.square().mean()) == pytest.approx(1.0, rel=1e-5)
