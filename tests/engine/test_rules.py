"""Sizes of the input layer along scripted losses, and stopping rules at their exact rotation."""

from __future__ import annotations

import math
from itertools import groupby, pairwise

import pytest

from entryprune.engine.records import Progress
from entryprune.engine.rules import (
    STOPPING_RULES,
    Epochs,
    FixedSize,
    FlexSize,
    NotImproved,
    Rotations,
    SteppedSize,
    Unchanged,
    count_candidates,
)


def sizes_along(rule, losses):
    """Return the number of candidates at the start and after each rotation."""
    sizes, lowest = [rule.n_candidates], math.inf
    for rotation, loss in enumerate(losses, start=1):
        is_new_low = loss is not None and loss < lowest
        if is_new_low:
            lowest = loss
        rule.after_rotation(Progress(rotation, float(rotation), 1, loss, is_new_low))
        sizes.append(rule.n_candidates)
    return sizes


def changes(sizes):
    """Return the rotations after which the size changed, and to what."""
    return [(i + 1, new) for i, (old, new) in enumerate(pairwise(sizes)) if new != old]


@pytest.mark.parametrize(
    ("ratio", "n_columns", "n_selected", "most", "expected"),
    [
        (0.2, 784, 50, None, 147),
        (0.2, 784, 25, None, 152),
        (0.5, 10_000, 50, None, 4975),
        (1.0, 30, 10, None, 20),
        (0.001, 30, 10, None, 1),
        (0.5, 30, 30, None, 0),
        (0.5, 30, 10, 4, 4),
        (0.5, 30, 10, 40, 10),
        (1.0, 30, 29, 5, 1),
        (0.5, 30, 30, 5, 0),
    ],
)
def test_candidates_are_a_share_of_the_features_not_selected(
    ratio, n_columns, n_selected, most, expected
):
    assert count_candidates(ratio, n_columns, n_selected, most) == expected


def test_a_fixed_size_never_changes():
    assert sizes_along(FixedSize(7), [1.0] * 30) == [7] * 31


# -- flex: 110 features, 10 selected, 40 candidates at first; between 2 and 100 candidates ------


def flex(ratio=0.4, n_columns=110, n_selected=10, max_candidates=None):
    return FlexSize(ratio, n_columns, n_selected, max_candidates)


def test_flex_first_shrinks_after_ten_rotations_without_a_new_low():
    # Rotation 1 sets the low, rotations 2 to 11 stall.
    sizes = sizes_along(flex(), [1.0] * 12)
    assert sizes == [40] * 11 + [20] * 2


def test_flex_does_not_change_while_the_loss_falls():
    assert set(sizes_along(flex(), [1.0 - 0.01 * i for i in range(60)])) == {40}


def test_flex_waits_ten_rotations_again_after_a_change_and_stops_at_a_fifth_of_k():
    sizes = sizes_along(flex(), [1.0] * 80)
    # c = 0.4, 0.2, 0.1, 0.05, 0.025 and then K / (5 (N - K)) = 0.02: 2.5 and 2 both make 2.
    assert changes(sizes) == [(11, 20), (21, 10), (31, 5), (41, 2)]


def test_flex_counts_from_the_last_new_low():
    losses = [1.0] * 8 + [0.9] + [1.0] * 20
    assert changes(sizes_along(flex(), losses)) == [(19, 20), (29, 10)]


def test_flex_takes_no_note_of_a_rotation_without_a_loss():
    assert changes(sizes_along(flex(), [None] + [1.0] * 14)) == [(12, 20)]


def test_flex_needs_a_new_low_and_not_just_a_fall():
    # The loss falls every other rotation, but never below its first value.
    losses = [1.0] + [1.2, 1.1] * 10
    assert changes(sizes_along(flex(), losses))[0] == (11, 20)


def test_flex_turns_round_when_the_loss_is_above_that_of_the_last_change():
    losses = [1.0] * 11 + [1.1] * 10
    assert changes(sizes_along(flex(), losses)) == [(11, 20), (21, 40)]


def test_flex_keeps_its_direction_when_the_loss_is_not_above_that_of_the_last_change():
    # Changes at 11 (1.3), 21 (1.4: turn), 31 (1.4: equal, go on), 41 (1.2: go on, to the bound).
    losses = [1.0] + [1.3] * 10 + [1.4] * 20 + [1.2] * 10
    assert changes(sizes_along(flex(), losses)) == [(11, 20), (21, 40), (31, 80), (41, 100)]


def test_flex_grows_to_all_features_and_turns_back():
    losses = [1.0] * 11 + [1.1] * 50 + [1.2] * 20
    sizes = changes(sizes_along(flex(), losses))
    # 100 is the bound; the turn at 71 halves it.
    assert sizes == [(11, 20), (21, 40), (31, 80), (41, 100), (71, 50), (81, 25)]


def test_flex_judges_by_the_loss_at_the_change_itself():
    # Worse in between, but back at 1.0 in the rotation of the change: no turn.
    losses = [1.0] * 11 + [5.0] * 9 + [1.0]
    assert changes(sizes_along(flex(), losses)) == [(11, 20), (21, 10)]


def test_flex_never_shrinks_below_a_fifth_of_k_nor_grows_above_n_minus_k():
    losses = [1.0] + [1.0 + 0.1 * ((i // 70) % 2) + 1e-6 * i for i in range(400)]
    sizes = sizes_along(flex(n_selected=10), losses)
    assert min(sizes) >= 2
    assert max(sizes) <= 100


def test_flex_with_few_features_left_stays_within_them():
    # A fifth of K is more than there are.
    assert set(sizes_along(flex(0.5, n_columns=21, n_selected=20), [1.0] * 40)) == {1}


def test_flex_with_all_features_selected_has_no_candidates():
    assert set(sizes_along(flex(0.5, n_columns=20, n_selected=20), [1.0] * 40)) == {0}


def test_flex_never_exceeds_the_bound_it_is_given():
    losses = [1.0] * 11 + [1.1] * 50
    assert changes(sizes_along(flex(max_candidates=60), losses)) == [(11, 20), (21, 40), (31, 60)]


def test_flex_shrinks_at_its_first_change_from_a_bound_too():
    # 40 by the ratio, 10 by the bound: to halve the ratio alone would change nothing.
    sizes = sizes_along(flex(max_candidates=10), [1.0] * 12)
    assert sizes[:11] == [10] * 11
    assert sizes[11] < 10


# -- the second training ------------------------------------------------------------------------


def stepped(first, final, n_rotations):
    """Return the number of candidates in each rotation."""
    return sizes_along(SteppedSize(first, final, n_rotations), [None] * (n_rotations - 1))


@pytest.mark.parametrize("n_rotations", [11, 12, 15, 22, 25, 110, 333])
@pytest.mark.parametrize(("first", "final"), [(40, 140), (140, 40), (100, 20)])
def test_steps_are_ten_and_equal_and_last_equally_long(first, final, n_rotations):
    sizes = stepped(first, final, n_rotations)
    runs = [(size, len(list(run))) for size, run in groupby(sizes)]
    step = (final - first) // 10
    assert [size for size, _ in runs] == [first + i * step for i in range(11)]
    lengths = [length for _, length in runs]
    assert sum(lengths) == n_rotations
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize("n_rotations", [2, 3, 5, 10])
@pytest.mark.parametrize(("first", "final"), [(40, 140), (140, 40)])
def test_a_short_run_goes_from_the_first_to_the_final_size_as_well(first, final, n_rotations):
    sizes = stepped(first, final, n_rotations)
    assert len(sizes) == n_rotations
    assert sizes[0] == first
    assert sizes[-1] == final
    steps = [abs(b - a) for a, b in pairwise(sizes)]
    assert max(steps) - min(steps) <= 10


def test_a_run_of_one_rotation_has_one_of_the_two_sizes():
    assert stepped(40, 140, 1)[0] in (40, 140)


def test_steps_between_near_sizes_are_rounded():
    assert stepped(3, 5, 11) == [round(3 + 0.2 * i) for i in range(11)]


def test_equal_sizes_never_change():
    assert set(stepped(7, 7, 30)) == {7}


# -- when to stop -------------------------------------------------------------------------------


def stops(rule, losses=None, n_changed=None, epochs_per_rotation=1.0, n_rotations=100):
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
    assert stops(Unchanged(3), n_changed=n_changed, n_rotations=len(n_changed)) == expected


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
    assert stops(NotImproved(3), losses, n_rotations=len(losses)) == expected


def test_validation_stops_when_the_set_has_not_changed_for_its_patience():
    falling = [None] + [1.0 - 0.1 * i for i in range(8)]
    n_changed = [2, 1, 0, 0, 1, 0, 0, 0, 0]
    assert stops(NotImproved(3), falling, n_changed) == (8, "ident")


def test_validation_stops_by_whichever_comes_first():
    losses = [None, 1.0, 0.9, 1.0, 1.0, 1.0, 1.0]
    assert stops(NotImproved(3), losses, [2, 0, 0, 1, 0, 0, 0]) == (6, "validation")
    assert stops(NotImproved(3), losses, [2, 1, 0, 0, 0, 0, 0]) == (5, "ident")


def test_a_loss_that_is_not_a_number_is_no_new_low():
    losses = [None, 1.0, math.nan, math.nan, math.nan]
    assert stops(NotImproved(3), losses) == (5, "validation")


@pytest.mark.parametrize(
    ("n_epochs", "epochs_per_rotation", "rotation"),
    [(2, 0.75, 3), (3, 0.75, 4), (1, 2.5, 1), (5, 2.5, 2), (0.5, 0.25, 2)],
)
def test_epochs_stop_with_the_rotation_that_completes_them(n_epochs, epochs_per_rotation, rotation):
    rule = Epochs(n_epochs)
    assert stops(rule, epochs_per_rotation=epochs_per_rotation) == (rotation, "epochs")


@pytest.mark.parametrize("n_rotations", [1, 2, 7])
def test_a_number_of_rotations_is_kept(n_rotations):
    assert stops(Rotations(n_rotations)) == (n_rotations, "rotations")


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


def test_a_rule_is_made_by_its_name():
    made = {name: make(7, 3) for name, make in STOPPING_RULES.items()}
    assert {name: type(rule) for name, rule in made.items()} == {
        "validation": NotImproved,
        "ident": Unchanged,
        "epochs": Epochs,
    }
    assert stops(made["ident"], n_changed=[0] * 7) == (7, "ident")
    assert stops(made["validation"], losses=[1.0] * 8) == (8, "validation")
    assert stops(made["epochs"]) == (3, "epochs")


def test_epochs_need_their_number():
    with pytest.raises(ValueError, match=r"stopping='epochs' needs max_epochs"):
        STOPPING_RULES["epochs"](7, None)
