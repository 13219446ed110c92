"""Stopping rules, each at its exact rotation."""

from __future__ import annotations

import math

import pytest

from entryprune.engine.records import Progress
from entryprune.engine.stopping import Epochs, NotImproved, Rotations, Unchanged


def play(rule, losses=None, n_changed=None, epochs_per_rotation=1.0, n_rotations=100):
    """Return the rotation at which the rule stops and its reason."""
    lowest = math.inf
    for rotation in range(1, n_rotations + 1):
        loss = None if losses is None else losses[rotation - 1]
        is_new_low = loss is not None and loss < lowest
        if is_new_low:
            lowest = loss
        changed = 1 if n_changed is None else n_changed[rotation - 1]
        reason = rule.check(
            Progress(rotation, rotation * epochs_per_rotation, changed, loss, is_new_low)
        )
        if reason is not None:
            return rotation, reason
    return None


@pytest.mark.parametrize(
    ("n_changed", "expected"),
    [
        ([5, 0, 0, 0, 0, 0], (4, "ident")),
        ([5, 2, 0, 0, 1, 0, 0, 0, 0], (8, "ident")),
        ([5, 0, 0, 1, 0, 0, 1, 1], None),
    ],
)
def test_ident_stops_when_the_set_has_not_changed_for_its_patience(n_changed, expected):
    assert play(Unchanged(3), n_changed=n_changed, n_rotations=len(n_changed)) == expected


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        # No loss in rotation 1, the low in rotation 2.
        ([None, 1.0, 1.1, 1.2, 1.3, 0.1], (5, "validation")),
        ([None, 1.0, 1.1, 1.2, 0.9, 1.0, 1.0, 1.0], (8, "validation")),
        # An equal loss is no new low.
        ([None, 1.0, 1.0, 1.0, 1.0], (5, "validation")),
        # A fall from a higher loss is none either.
        ([None, 1.0, 3.0, 2.0, 1.5], (5, "validation")),
        ([None, 5.0, 4.0, 3.0, 2.0, 1.0], None),
        # With the training loss there is a loss from the beginning.
        ([1.0, 1.1, 1.1, 1.1], (4, "validation")),
    ],
)
def test_validation_stops_when_the_loss_found_no_new_low_for_its_patience(losses, expected):
    assert play(NotImproved(3), losses, n_rotations=len(losses)) == expected


def test_validation_stops_when_the_set_has_not_changed_for_its_patience():
    falling = [None] + [1.0 - 0.1 * i for i in range(8)]
    n_changed = [2, 1, 0, 0, 1, 0, 0, 0, 0]
    assert play(NotImproved(3), falling, n_changed) == (8, "ident")


def test_validation_stops_by_whichever_comes_first():
    losses = [None, 1.0, 0.9, 1.0, 1.0, 1.0, 1.0]
    assert play(NotImproved(3), losses, [2, 0, 0, 1, 0, 0, 0]) == (6, "validation")
    assert play(NotImproved(3), losses, [2, 1, 0, 0, 0, 0, 0]) == (5, "ident")


def test_a_loss_that_is_not_a_number_is_no_new_low():
    losses = [None, 1.0, math.nan, math.nan, math.nan]
    assert play(NotImproved(3), losses) == (5, "validation")


@pytest.mark.parametrize(
    ("n_epochs", "epochs_per_rotation", "rotation"),
    [(2, 0.75, 3), (3, 0.75, 4), (1, 2.5, 1), (5, 2.5, 2), (0.5, 0.25, 2)],
)
def test_epochs_stop_with_the_rotation_that_completes_them(n_epochs, epochs_per_rotation, rotation):
    rule = Epochs(n_epochs)
    assert play(rule, epochs_per_rotation=epochs_per_rotation) == (rotation, "epochs")


@pytest.mark.parametrize("n_rotations", [1, 2, 7])
def test_a_number_of_rotations_is_kept(n_rotations):
    assert play(Rotations(n_rotations)) == (n_rotations, "rotations")


def shares(rule, steps):
    result = []
    for progress in steps:
        rule.check(progress)
        result.append(rule.share_used)
    return result


def test_the_share_of_patience_counts_up_and_starts_again():
    steps = [
        Progress(1, 1.0, 2, None, False),
        Progress(2, 2.0, 1, 1.0, True),
        Progress(3, 3.0, 0, 1.5, False),
        Progress(4, 4.0, 0, 0.5, True),
        Progress(5, 5.0, 1, 0.4, True),
        Progress(6, 6.0, 1, 0.6, False),
    ]
    assert shares(NotImproved(4), steps) == [0.0, 0.0, 0.25, 0.5, 0.0, 0.25]
    assert shares(Unchanged(4), steps) == [0.0, 0.0, 0.25, 0.5, 0.0, 0.0]


def test_the_share_of_a_fixed_length_is_what_is_done_of_it():
    steps = [Progress(i, 0.75 * i, 1, None, False) for i in (1, 2, 3)]
    assert shares(Epochs(2), steps) == [0.375, 0.75, 1.0]
    assert shares(Rotations(2), steps) == [0.5, 1.0, 1.0]
