from types import SimpleNamespace

import pytest
import torch

from entryprune.engine.exchange import ExchangeSettings, search
from entryprune.engine.exchange.hands import Table


def learned(monkeypatch, n_samples, *agreements):
    """Say whether anything counts as learned, and how often halves were compared for it."""
    told = iter(agreements)
    sizes, orders = [], []

    def agree(table, settings, half, middle):
        sizes.append(half)
        orders.append(tuple(table.responses.tolist()))
        return next(told)

    monkeypatch.setattr(search, "_agreement", agree)
    table = Table(SimpleNamespace(n_cases=n_samples), torch.arange(n_samples))
    settings = ExchangeSettings(n_selected=3)
    answer = search._learned(table, None, settings, torch.Generator().manual_seed(0))
    # Only what is compared for the closer look has another order, each time another one.
    n_looks = len(set(sizes))
    assert orders[:n_looks] == [tuple(range(n_samples))] * n_looks
    assert len({*orders}) == len(orders) - n_looks + bool(n_looks)
    assert all(sorted(order) == list(range(n_samples)) for order in orders)
    return answer, sizes


def test_what_is_obvious_is_seen_at_the_first_look(monkeypatch):
    assert learned(monkeypatch, 5000, 3.6) == (True, [150])


def test_what_is_hopeless_needs_no_closer_look(monkeypatch):
    assert learned(monkeypatch, 100, 1.7) == (False, [50])


@pytest.mark.parametrize(("best_of_shuffled", "expected"), [(1.9, True), (2.0, False)])
def test_in_between_all_targets_in_random_order_must_do_worse(
    monkeypatch, best_of_shuffled, expected
):
    answer, sizes = learned(monkeypatch, 101, 2.0, *[0.0] * 18, best_of_shuffled)

    assert answer is expected
    assert sizes == [50] * 20


def test_it_ends_with_the_first_that_does_as_well(monkeypatch):
    assert learned(monkeypatch, 100, 2.0, 0.0, 3.0) == (False, [50] * 3)


@pytest.mark.parametrize(("last", "expected"), [(2.7, True), (2.5, False)])
def test_large_halves_need_no_shuffles(monkeypatch, last, expected):
    answer, sizes = learned(monkeypatch, 2000, 1.0, 3.4, last)

    assert answer is expected
    assert sizes == [150, 400, 1000]


def test_samples_too_few_to_tell_are_given_the_benefit_of_the_doubt(monkeypatch):
    assert learned(monkeypatch, 19) == (True, [])
