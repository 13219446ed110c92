"""Hands of cases: who is in them, and how values are prepared."""

from __future__ import annotations

import math

import pytest
import torch

from entryprune.engine import ArrayColumns, ExchangeSettings
from entryprune.engine.exchange import hands
from entryprune.engine.exchange.hands import Deck, Table


def make_deck(values, n_cases=None, **settings):
    chosen = ExchangeSettings(n_selected=1, **settings)
    targets = torch.arange(values.shape[1], dtype=torch.float32).unsqueeze(1)
    cases = None if n_cases is None else range(n_cases)
    return Deck(Table(ArrayColumns(values), targets), chosen, cases)


def test_one_hand_holds_all_cases_if_it_can():
    deck = make_deck(torch.randn(3, 10), cases_per_block=4, max_blocks=4)
    hand = deck.deal()
    assert (hand.n_blocks, hand.block_size) == (3, 3)  # one case of ten is left over
    assert not deck.has_more
    assert deck.deal() is hand


def test_all_cases_are_dealt_before_a_hand_comes_again():
    values = torch.arange(21.0).expand(2, 21)
    deck = make_deck(values, cases_per_block=5, max_blocks=2)
    assert deck.has_more
    # Three hands of ten for 21 cases overlap.
    seen = [deck.deal()._cases for _ in range(3)]
    assert seen == [slice(0, 10), slice(5, 15), slice(11, 21)]
    assert deck.deal()._cases == slice(0, 10)


@pytest.mark.parametrize(("room", "is_kept"), [(2 * 10 * 3, True), (2 * 10 * 3 - 1, False)])
def test_hands_are_kept_if_all_of_them_fit(monkeypatch, room, is_kept):
    monkeypatch.setattr(hands, "_KEPT_IN_HANDS", room)
    deck = make_deck(torch.randn(3, 20), cases_per_block=5, max_blocks=2)
    first, second, again = (deck.deal() for _ in range(3))
    assert first is not second
    assert (again is first) == is_kept
    assert again._cases == first._cases


def test_a_few_cases_more_than_usual_are_taken_in():
    deck = make_deck(torch.randn(3, 12), cases_per_block=5, max_blocks=2)
    assert not deck.has_more
    assert deck.deal()._cases == slice(0, 12)


def test_a_deck_of_some_cases_deals_no_others():
    deck = make_deck(torch.randn(2, 30), n_cases=8)
    assert deck.deal()._cases == slice(0, 8)


def test_targets_are_centred_in_each_block():
    hand = make_deck(torch.randn(2, 8), cases_per_block=4).deal()
    torch.testing.assert_close(hand.targets[:, :, 0], torch.tensor([[-1.5, -0.5, 0.5, 1.5]] * 2))


def test_values_are_standardised_cut_back_and_centred_again():
    values = torch.tensor([[0.0, 0, 0, 0, 0, 0, 0, 0, 0, 10], [1.0, 3, 1, 3, 1, 3, 1, 3, 1, 3]])
    hand = make_deck(values, clip=2.0, spread_share=0.0).deal()
    # Mean 1 and deviation 3: nine cases at -1/3 and one at 3, which is cut to 2.
    mean = (9 * (-1 / 3) + 2) / 10
    expected = torch.tensor([[-1 / 3 - mean] * 9 + [2 - mean], [-1.0, 1.0] * 5])
    torch.testing.assert_close(hand.read(torch.arange(2)), expected)


def test_columns_of_a_sparse_table_have_the_same_spread():
    values = torch.zeros(20, 100)
    values[:, :4] = 1.0
    values[3, 1:4] = torch.tensor([2.0, 50.0, 1.0])
    prepared = make_deck(values).deal().read(torch.arange(20))
    torch.testing.assert_close(prepared.square().mean(dim=1), torch.ones(20))
    assert make_deck(values).deal().usual_reach == 2.0
    # Four of a hundred: 0 is at -sqrt(.04 / .96), 1 at sqrt(.96 / .04).
    expected = torch.tensor([math.sqrt(24)] * 4 + [-math.sqrt(1 / 24)] * 96)
    torch.testing.assert_close(prepared[0], expected)
    # Cut back twice, an outlier among rare values is not much larger than they are.
    assert prepared[3, 2] < 3 * prepared[3, 0]


def test_a_table_with_dense_columns_is_not_sparse():
    values = torch.zeros(20, 100)
    values[:, :4] = 1.0
    values[:4] = torch.randn(4, 100, generator=torch.Generator().manual_seed(0))
    prepared = make_deck(values, spread_share=0.0).deal().read(torch.arange(20))
    assert make_deck(values).deal().usual_reach == 1.0
    # One and zero are cut back to 2 and stay at -sqrt(1 / 24).
    variance = 0.04 * 0.96 * (2 + math.sqrt(1 / 24)) ** 2
    assert float(prepared[10].square().mean()) == pytest.approx(variance, rel=1e-4)


def test_scale_and_shift_of_a_column_do_not_matter():
    values = torch.randn(4, 50, generator=torch.Generator().manual_seed(0))
    moved = values * torch.tensor([[1e-3], [1.0], [50.0], [1e4]]) + 3.0
    one, other = (make_deck(some).deal().read(torch.arange(4)) for some in (values, moved))
    torch.testing.assert_close(one, other, rtol=1e-2, atol=1e-3)


def test_a_column_that_owes_its_range_to_an_outlier_weighs_less():
    even = torch.tensor([-1.0, 1.0] * 20)
    outlier = torch.cat([torch.tensor([20.0]), torch.randn(39) / 10])
    values = torch.stack([even, outlier])
    weights = make_deck(values, spread_share=1.0).deal().read(torch.arange(2)).std(dim=1)
    plain = make_deck(values, spread_share=0.0).deal().read(torch.arange(2)).std(dim=1)
    # Ranges of 2 and of more than 6 deviations; the exponent is 2 columns of 2 + 40.
    assert float(weights[0] / plain[0]) == pytest.approx((4 / 2) ** (2 / 42), rel=1e-4)
    assert weights[1] / plain[1] < 1


def test_a_constant_column_is_zero_and_known():
    values = torch.stack([torch.full((9,), 0.1), torch.arange(9.0)])
    hand = make_deck(values).deal()
    assert hand.is_constant.tolist() == [True, False]
    assert hand.read(torch.tensor([0])).abs().max() == 0


def test_a_scan_sees_every_column_once_in_order(monkeypatch):
    monkeypatch.setattr(hands, "_BLOCK_VALUES", 25)  # two columns at a time
    values = torch.arange(7.0).unsqueeze(1) * torch.arange(10.0)
    values[3] = 0.0
    hand = make_deck(values).deal()
    widths = []

    def judge(block):
        widths.append(len(block))
        return block.abs().sum(dim=1) > 0

    assert hand.scan(judge).tolist() == [False, True, True, False, True, True, True]
    assert widths == [2, 2, 2, 1]


def test_values_that_are_not_kept_are_the_same(monkeypatch):
    values = torch.randn(9, 20, generator=torch.Generator().manual_seed(0))
    kept = make_deck(values).deal()
    monkeypatch.setattr(hands, "_KEPT_VALUES", 0)
    monkeypatch.setattr(hands, "_BLOCK_VALUES", 50)
    read = make_deck(values).deal()
    assert read._kept is None
    columns = torch.tensor([8, 0, 3])
    assert torch.equal(kept.read(columns), read.read(columns))
    assert torch.equal(kept.scan(lambda x: x.amax(dim=1)), read.scan(lambda x: x.amax(dim=1)))


@pytest.mark.parametrize(
    ("n_cases", "n_directions", "n_outputs", "noise"),
    [
        (100, 2, 3, 3.0),
        (1600, 2, 3, 1.5),
        (100, 1, 2, 10.0),
        (400, 1, 2, 10 / 2**1.2),
        (1600, 1, 2, 1.5),
        (100, 1, 1, 30.0),
        (250, 1, 1, 30 * 0.8**4),
        (1600, 1, 1, 1.5),
    ],
)
def test_more_cases_leave_less_to_noise(n_cases, n_directions, n_outputs, noise):
    settings = ExchangeSettings(n_selected=1)
    assert settings.noise_for(n_cases, n_directions, n_outputs) == pytest.approx(noise)


def test_two_classes_differ_in_one_direction():
    for n_classes, n_directions in ((2, 1), (3, 2), (10, 9)):
        classes = torch.nn.functional.one_hot(torch.arange(30) % n_classes).float()
        settings = ExchangeSettings(n_selected=1)
        hand = Deck(Table(ArrayColumns(torch.randn(2, 30)), classes), settings).deal()
        assert hand.n_directions == n_directions
