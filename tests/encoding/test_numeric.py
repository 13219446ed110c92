"""What is missing among numbers, and what is filled in."""

import numpy as np

from entryprune.encoding.numeric import Numbers


def numbers_of(values):
    values = np.array(values)
    return Numbers.of(range(values.shape[1]), values)


def test_gaps_and_infinities_are_counted():
    found = numbers_of([[np.nan, np.inf, 1], [np.nan, 2, 3], [4, -np.inf, 5]])
    assert found.n_gaps.tolist() == [2, 0, 0]
    assert found.n_infinite.tolist() == [0, 2, 0]


def test_sums_that_are_too_large_are_no_infinities():
    found = numbers_of([[1e308], [1e308]])
    assert (found.n_gaps.tolist(), found.n_infinite.tolist()) == ([0], [0])


def test_medians_leave_out_gaps():
    found = numbers_of(
        [[1, np.nan, np.nan, 1.0], [2, 5, np.nan, 3], [9, 8, np.nan, 4], [4, 7, np.nan, 0]]
    )
    assert found.medians().tolist() == [3, 7, 0, 2]


def test_what_is_0_or_1_is_filled_with_one_of_them():
    found = numbers_of([[0, 0, 0.25], [1, 1, 0.75], [0, 1, np.nan], [1, np.nan, np.nan]])
    assert found.medians().tolist() == [0, 1, 0.5]
    assert Numbers.of([0], np.array([[True], [False]])).medians().tolist() == [0]


def test_gaps_are_filled_without_a_change_to_the_table():
    values = np.array([[np.nan, 1], [2, 3]])
    found = list(Numbers.of([4, 7], values).filled(np.arange(10.0)))
    assert [(f, column.tolist()) for f, column, _ in found] == [(4, [4, 2]), (7, [1, 3])]
    assert found[0][2].tolist() == [True, False]
    assert found[1][2] is None
    assert np.isnan(values[0, 0])
