"""Stand-ins on tables where the answer is clear."""

import numpy as np
import pytest

from entryprune.confidence.stand_ins import find_stand_ins


@pytest.fixture
def table():
    """Columns 0 to 2 say the same, 3 and 4 say the same, 5 to 9 are on their own."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 10))
    x[:, 1:3] = x[:, :1] + 0.2 * x[:, 1:3]
    x[:, 4] = -x[:, 3] + 0.2 * x[:, 4]
    return x


def runs(*choices, n=60):
    """Return n selections: in each one of every tuple of choices, in turn."""
    return [np.array([one[i % len(one)] for one in choices], dtype=np.intp) for i in range(n)]


def test_columns_that_take_turns_are_a_group(table):
    assert find_stand_ins(runs((0, 1, 2), (5,)), table) == [((0, 1, 2), 1.0)]


def test_columns_of_opposite_sign_are_alike_too(table):
    ((features, frequency),) = find_stand_ins(runs((3, 4, 6)), table)
    assert features == (3, 4)
    assert frequency == pytest.approx(2 / 3)


def test_columns_that_are_selected_together_are_no_group(table):
    assert find_stand_ins(runs((0,), (1,), (2,)), table) == []


def test_columns_that_take_turns_but_are_not_alike_are_no_group(table):
    assert find_stand_ins(runs((5, 6, 7)), table) == []


def test_columns_selected_independently_are_no_group(table):
    rng = np.random.default_rng(1)
    selections = [np.flatnonzero(rng.random(10) < 0.5) for _ in range(100)]
    assert find_stand_ins(selections, table) == []


def test_several_groups_come_with_the_most_frequent_first(table):
    selections = runs((0, 1, 2, 8, 9), (3, 4))
    assert [features for features, _ in find_stand_ins(selections, table)] == [(3, 4), (0, 1, 2)]


def test_constant_columns_are_like_nothing(table):
    table[:, 0:2] = 3.0
    assert find_stand_ins(runs((0, 1)), table) == []


def test_nothing_selected_has_no_groups(table):
    assert find_stand_ins([np.empty(0, dtype=np.intp)] * 4, table) == []
