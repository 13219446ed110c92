"""The ring of mini-batches, and the rows that stay."""

from __future__ import annotations

import math
from collections import Counter

import pytest
import torch

from entryprune.engine import ArrayColumns
from entryprune.engine.window import Window


def numbered_source(n_columns=8, n_cases=12):
    """Return a source in which each value tells its column and its case."""
    return ArrayColumns(torch.arange(n_columns).unsqueeze(1) * 1000 + torch.arange(n_cases))


def make_window(n_cases, n_validation, batch_size, n_inputs=5, n_selected=2):
    source = numbered_source(n_cases=n_cases)
    targets = torch.arange(n_cases) * 10
    window = Window(
        source, targets, n_selected=n_selected, n_validation=n_validation, batch_size=batch_size
    )
    window.resize(n_inputs)
    window.fill(0, torch.arange(n_inputs))
    return window


RINGS = [(12, 0, 4), (12, 3, 4), (13, 0, 4), (13, 3, 4), (11, 2, 8), (9, 1, 7), (10, 3, 1)]


@pytest.mark.parametrize(("n_cases", "n_validation", "batch_size"), RINGS)
def test_every_training_case_gets_the_same_number_of_turns(n_cases, n_validation, batch_size):
    window = make_window(n_cases, n_validation, batch_size)
    n_training = n_cases - n_validation
    common = math.gcd(n_training, batch_size)
    turns = Counter()
    for _ in range(n_training // common):
        turns.update(window.next_batch()[0][0].int().tolist())
    # Column 0 holds the cases' numbers, so its values are the cases.
    assert turns == dict.fromkeys(range(n_validation, n_cases), batch_size // common)


@pytest.mark.parametrize(("n_cases", "n_validation", "batch_size"), RINGS)
def test_every_batch_is_full_and_goes_with_its_targets(n_cases, n_validation, batch_size):
    window = make_window(n_cases, n_validation, batch_size)
    position = 0
    for _ in range(30):
        inputs, targets, _ = window.next_batch()
        n_training = n_cases - n_validation
        cases = [n_validation + (position + i) % n_training for i in range(batch_size)]
        position += batch_size
        assert inputs.tolist() == [[1000 * row + case for case in cases] for row in range(5)]
        assert targets.tolist() == [10 * case for case in cases]


@pytest.mark.parametrize("batch_size", [9, 10, 1000])
def test_a_batch_size_beyond_the_training_cases_takes_them_all(batch_size):
    window = make_window(12, 3, batch_size)
    assert window.batch_size == 9
    for _ in range(3):
        inputs, targets, _ = window.next_batch()
        assert inputs[0].tolist() == list(range(3, 12))
        assert targets.tolist() == [10 * case for case in range(3, 12)]


def test_a_batch_is_no_copy():
    window = make_window(12, 3, 4)
    inputs, *_ = window.next_batch()
    assert inputs.untyped_storage().data_ptr() == window.values.untyped_storage().data_ptr()


def test_looking_at_a_batch_does_not_move_on():
    window = make_window(12, 0, 4)
    window.next_batch()
    seen, seen_targets, _ = window.batch(slice(1, 3))
    assert seen.tolist() == [[1004, 1005, 1006, 1007], [2004, 2005, 2006, 2007]]
    inputs, targets, _ = window.next_batch()
    assert torch.equal(seen, inputs[1:3])
    assert torch.equal(seen_targets, targets)


@pytest.mark.parametrize(("n_validation", "sizes"), [(3, [3]), (4, [4]), (6, [4, 2]), (0, [])])
def test_validation_batches_hold_the_first_cases_and_the_seated_rows(n_validation, sizes):
    window = make_window(13, n_validation, 4)
    batches = window.validation_batches()
    assert [inputs.shape for inputs, *_ in batches] == [(2, size) for size in sizes]
    cases = [case for inputs, *_ in batches for case in inputs[0].int().tolist()]
    assert cases == list(range(n_validation))
    assert [t for _, targets, _ in batches for t in targets.tolist()] == [10 * c for c in cases]
    assert [v for inputs, *_ in batches for v in inputs[1].int().tolist()] == [
        1000 + case for case in cases
    ]


def test_targets_of_several_values_stay_with_their_cases():
    targets = torch.stack([torch.arange(10.0), -torch.arange(10.0)], dim=1)
    window = Window(
        numbered_source(n_cases=10), targets, n_selected=1, n_validation=2, batch_size=3
    )
    window.resize(2)
    window.fill(0, torch.tensor([0, 5]))
    for _ in range(8):
        inputs, batch_targets, _ = window.next_batch()
        assert torch.equal(batch_targets, torch.stack([inputs[0], -inputs[0]], dim=1))


@pytest.mark.parametrize("n_inputs", [2, 3, 8])
def test_resizing_keeps_the_seated_rows(n_inputs):
    window = make_window(12, 3, 4)
    before = window.values[:2].clone()
    window.resize(n_inputs)
    assert torch.equal(window.values[:2], before)
    window.resize(5)
    assert torch.equal(window.values[:2], before)
    window.fill(2, torch.tensor([7, 6, 5]))
    inputs, *_ = window.next_batch()
    assert inputs[:, 0].tolist() == [3, 1003, 7003, 6003, 5003]


def test_a_batch_has_as_many_rows_as_the_input_layer():
    window = make_window(12, 3, 4)
    for n_inputs in (3, 8, 2):
        window.resize(n_inputs)
        assert window.next_batch()[0].shape == (n_inputs, 4)


def test_a_moved_row_is_whole():
    window = make_window(12, 3, 5)
    window.move([4, 2], [0, 1])
    cases = [*range(12), 3, 4, 5, 6, 7]
    assert window.values[0].tolist() == [4000 + case for case in cases]
    assert window.values[1].tolist() == [2000 + case for case in cases]
    assert window.values[2].tolist() == [2000 + case for case in cases]


def test_the_sources_values_are_never_written():
    window = make_window(12, 3, 4)
    before = window.source.values.clone()
    window.move([3], [0])
    window.next_batch()[0].fill_(-1.0)
    window.resize(8)
    window.fill(2, torch.tensor([7, 6, 5]))
    assert torch.equal(window.source.values, before)
