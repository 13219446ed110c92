"""Features that say much the same, on tables where the answer is clear."""

import numpy as np
import pytest

from entryprune.confidence.alike import find_stand_ins, representatives


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


def test_representatives_cover_what_was_selected_rather_than_repeat_it(table):
    frequencies = np.array([0.5, 0.5, 0.5, 0.4, 0.4, 0.3, 0, 0, 0, 0])
    chosen = representatives(frequencies, table, 3)
    assert [len(group & set(chosen)) for group in ({0, 1, 2}, {3, 4}, {5})] == [1, 1, 1]


def test_representatives_of_columns_that_are_independent_are_the_most_frequent():
    # Orthogonal columns explain nothing of each other.
    table = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.0]])
    assert representatives(np.array([0.2, 0.9, 0.5]), table, 2).tolist() == [1, 2]


@pytest.mark.parametrize(("weight", "second"), [(0.190, 1), (0.197, 2)])
def test_the_next_representative_explains_most_of_what_is_left(weight, second):
    # Columns 0 and 1 have a correlation of 0.8, and none with column 2; the noise is 0.3. Column 0
    # comes first. Then 1 - 0.64 / 1.3 = 0.5077 is left of column 1, and 0.8 - 0.8 / 1.3 = 0.1846 of
    # what it has in common with column 0, so it brings (0.4 x 0.5077^2 + 0.5 x 0.1846^2) / 0.8077 =
    # 0.1488. Column 2 brings its weight / 1.3.
    rng = np.random.default_rng(0)
    base, _ = np.linalg.qr(np.column_stack([np.ones(20), rng.normal(size=(20, 3))]))
    table = np.column_stack([base[:, 1], 0.8 * base[:, 1] + 0.6 * base[:, 2], base[:, 3]])
    assert representatives(np.array([0.5, 0.4, weight]), table, 2).tolist() == [0, second]


def test_all_features_can_be_representatives(table):
    assert sorted(representatives(np.full(10, 0.5), table, 10)) == list(range(10))
