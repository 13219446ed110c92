"""Who takes the seats, and who has to leave."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch

from entryprune.engine import ArrayColumns, ExchangeSettings
from entryprune.engine.exchange.growth import Growth, Stopped
from entryprune.engine.exchange.hands import Deck, Table
from entryprune.engine.exchange.pairs import Interaction, PairSearch
from entryprune.engine.exchange.search import _ranked
from entryprune.engine.exchange.seating import Seating


def make_growth(values, targets, listener=lambda *_: None, **settings):
    chosen = ExchangeSettings(n_selected=1, **{"interactions": False, **settings})
    deck = Deck(Table(ArrayColumns(values), targets.float().view(values.shape[1], -1)), chosen)
    return Growth(deck, chosen, torch.Generator().manual_seed(0), listener)


def noise(n_columns, n_cases, seed=0):
    return torch.randn(n_columns, n_cases, generator=torch.Generator().manual_seed(seed))


def test_the_next_seat_goes_to_the_best_impression():
    values = noise(20, 60)
    growth = make_growth(values, values[3] + 0.5 * values[8])
    expected = int(growth.seating.scan().argmax())
    growth.run(1)
    assert growth.seating.order == [expected] == [3]
    expected = int(growth.seating.scan().argmax())
    growth.run(2)
    assert growth.seating.order == [3, expected] == [3, 8]


def test_a_column_that_says_the_same_comes_after_one_that_says_something_new():
    values = noise(30, 200)
    values[1] = values[0] + 0.1 * values[2]
    growth = make_growth(values, values[0] + 0.4 * values[9])
    growth.run(2)
    assert set(growth.seating.order) in ({0, 9}, {1, 9})


@pytest.mark.parametrize("n_short_list", [1, 5, 12])
def test_a_short_list_that_holds_nothing_new_is_left_at_once(n_short_list):
    # Ten near copies of each of six columns: the best ten all say the same.
    copies = noise(6, 80).repeat_interleave(10, dim=0) + 0.2 * noise(60, 80, seed=1)
    target = copies[::10].mul(torch.arange(6, 0, -1).unsqueeze(1)).sum(dim=0)
    short, all_columns = (
        make_growth(copies, target, n_short_list=n) for n in (n_short_list, len(copies))
    )
    for growth in (short, all_columns):
        growth.run(6)
    assert short.seating.order == all_columns.seating.order
    assert len({column // 10 for column in short.seating.order[:3]}) == 3


def test_all_columns_are_judged_only_when_the_short_list_does_not_tell(monkeypatch):
    n_scans = 0
    scan = Seating.scan

    def counted(seating):
        nonlocal n_scans
        n_scans += 1
        return scan(seating)

    monkeypatch.setattr(Seating, "scan", counted)
    values = noise(300, 100)
    growth = make_growth(values, values[:20].sum(dim=0))
    growth.run(10)
    assert n_scans < 5


def test_partners_of_an_exclusive_or_take_seats_together():
    values = noise(50, 400)
    target = (values[7] * values[21] > 0).float() + 0.4 * values[3]
    growth = make_growth(values, target, interactions=True)
    growth.run(3)
    assert set(growth.seating.order) == {3, 7, 21}
    assert [pair.features for pair in growth.seating.pairs] == [(7, 21)]


def test_a_pair_needs_two_seats():
    values = noise(50, 400)
    growth = make_growth(values, values[7] * values[21] > 0, interactions=True)
    growth.run(1)
    assert len(growth.seating.order) == 1
    assert not growth.seating.pairs


def test_a_partner_that_has_a_seat_already_keeps_it():
    values = noise(50, 400)
    growth = make_growth(values, values[7] * values[21] > 0, interactions=True)
    growth.seating.seat(7)
    growth.run(2)
    assert set(growth.seating.order) == {7, 21}
    assert [pair.features for pair in growth.seating.pairs] == [(7, 21)]


def test_a_partner_of_a_seated_column_is_seen_by_its_impression():
    values = noise(3000, 400)
    growth = make_growth(values, 2 * values[5] + values[5] * values[9])
    growth.run(2)
    assert growth.seating.order == [5, 9]


def test_a_pair_too_weak_for_the_search_is_believed_on_its_evidence(monkeypatch):
    values = noise(50, 400)
    target = (values[7] * values[21] > 0).float()
    weak = Interaction(7, 21, strength=2.0, p_value=1.0)
    chance = Interaction(3, 4, strength=2.5, p_value=1.0)
    monkeypatch.setattr(
        "entryprune.engine.exchange.growth.find_pairs",
        lambda *_, **__: PairSearch((chance, weak), 1225, 1225),
    )
    growth = make_growth(values, target, interactions=True)
    growth.run(4)
    (pair,) = growth.seating.pairs
    assert pair.features == (7, 21)
    assert pair.interaction.p_value < 1e-6


def test_the_better_pair_is_seated_before_one_that_shares_a_column_with_it(monkeypatch):
    values = noise(50, 400)
    # A hint of the product of 3 and 21 beside all of that of 7 and 21.
    target = torch.sign(values[7] * values[21]) + 0.5 * torch.sign(values[3] * values[21])
    found = (Interaction(3, 21, 5.0, 0.0), Interaction(7, 21, 15.0, 0.0))
    monkeypatch.setattr(Seating, "most_promising", lambda _, pairs: list(pairs))
    monkeypatch.setattr(
        "entryprune.engine.exchange.growth.find_pairs",
        lambda *_, **__: PairSearch(found, 1225, 1225),
    )
    growth = make_growth(values, target, interactions=True)
    for column in (40, 41):
        growth.seating.seat(column)
    growth.run(2)
    assert [pair.features for pair in growth.seating.pairs] == [(7, 21)]


@pytest.mark.parametrize("n_seats", [1, 3, 8])
def test_no_pair_is_seated_where_removing_seats_alone_would_do(n_seats):
    for seed in range(4):
        values = noise(200, 300, seed)
        growth = make_growth(values, values[0] > 0, interactions=True)
        growth.run(n_seats)
        assert not growth.seating.pairs


def test_a_column_whose_middle_differs_from_its_ends_is_seated():
    values = noise(50, 400)
    growth = make_growth(values, values[7] ** 2 + values[3], interactions=True)
    growth.run(2)
    assert set(growth.seating.order) == {3, 7}


def test_clusters_in_many_dimensions_are_seen_with_a_shorter_reach():
    generator = torch.Generator().manual_seed(0)
    corners = torch.randint(0, 2, (4, 800), generator=generator) * 2.0 - 1.0
    values = noise(40, 800)
    values[:4] = 1.5 * corners + 0.5 * values[:4]
    labels = torch.randint(0, 2, (16,), generator=generator)
    place = ((corners > 0) * torch.tensor([[1], [2], [4], [8]])).sum(dim=0)
    growth = make_growth(values, labels[place])
    growth.run(4)
    assert set(growth.seating.order) == {0, 1, 2, 3}


def test_constants_are_seated_last_and_only_if_they_must():
    values = noise(6, 40)
    values[[0, 2]] = 5.0
    growth = make_growth(values, values[4])
    growth.run(4)
    assert set(growth.seating.order) == {1, 3, 4, 5}
    growth = make_growth(values, values[4])
    growth.run(5)
    assert growth.seating.order[-1] == 0


def test_new_cases_are_dealt_where_there_are_more_than_a_hand_holds():
    values = noise(10, 300)
    hands = []
    growth = make_growth(
        values,
        values[0] + values[1] + values[2],
        listener=lambda _, seating, __: hands.append(seating.hand._cases),
        cases_per_block=50,
        max_blocks=1,
    )
    growth.run(8)
    assert {0, 1, 2} <= set(growth.seating.order)
    assert hands == [slice(0, 50)] * 5 + [slice(50, 100)] * 3


def test_a_seat_that_is_not_missed_is_exchanged():
    values = noise(30, 300)
    growth = make_growth(values, values[4] + values[5] + values[6])
    for column in (4, 5, 20):
        growth.seating.seat(column)
    before = growth.seating.evidence
    growth.exchange()
    assert set(growth.seating.order) == {4, 5, 6}
    assert growth.seating.evidence > before


def test_chance_is_no_reason_for_an_exchange():
    values = noise(30, 300)
    growth = make_growth(values, noise(1, 300, seed=5)[0])
    growth.run(3)
    seats = list(growth.seating.order)
    growth.exchange()
    assert growth.seating.order == seats


def test_an_exchange_gains_more_than_chance_would():
    values = noise(60, 200)
    growth = make_growth(values, values[:5].sum(dim=0))
    for column in range(10, 15):
        growth.seating.seat(column)
    evidence = [growth.seating.evidence]
    growth._listener = lambda _, seating, __: evidence.append(seating.evidence)
    growth.exchange()
    assert len(evidence) > 1
    for previous, now in pairwise(evidence):
        assert now - previous > math.log(60)


def test_a_listener_can_end_the_growth():
    values = noise(20, 50)
    growth = make_growth(values, values[0], listener=lambda *_: True)
    with pytest.raises(Stopped):
        growth.run(5)
    assert len(growth.seating.order) == 1


def test_newcomers_sit_before_all_who_brought_less():
    values = noise(20, 300)
    target = 3 * values[2] + 2 * torch.sign(values[5] * values[9]) + 0.5 * values[12]
    growth = make_growth(values, target, interactions=True)
    growth.run(5)
    assert growth.seating.order[:4] == [2, 5, 9, 12]


def test_a_copy_of_a_seating_is_independent():
    values = noise(20, 50)
    growth = make_growth(values, values[0])
    growth.seating.seat(0)
    evidence = growth.seating.evidence
    copy = growth.seating.copy()
    copy.seat(1)
    assert growth.seating.order == [0]
    assert growth.seating.evidence == evidence
    nothing = make_growth(values, values[0]).seating.evidence
    assert growth.seating.missed() == {0: pytest.approx(evidence - nothing, abs=1e-3)}
    assert set(copy.missed()) == {0, 1}


@pytest.mark.parametrize("n_seats", [5, 8, 10, 12])
def test_more_seats_do_not_lose_a_pair(n_seats):
    for seed in range(3):
        values = noise(60, 400, seed)
        target = 3 * values[:3].sum(dim=0) + 2 * torch.sign(values[10] * values[40])
        growth = make_growth(values, target, interactions=True)
        growth.run(n_seats)
        assert {0, 1, 2, 10, 40} <= set(growth.seating.order)


def test_columns_that_bring_nothing_are_ranked_by_their_impressions():
    values = noise(5, 50)
    values[3] = 1.0
    growth = make_growth(values, values[0])
    growth.seating.seat(2)
    scores = torch.tensor([0.0, 0.0, 9.0, 0.0, 0.5]).double()
    last = torch.tensor([-2.0, -1.0, -math.inf, -math.inf, 1.0])
    assert _ranked(growth.seating, scores, last).tolist() == [2, 4, 1, 0, 3]
