import numpy as np

from entryprune.baselines import VarianceSelector


def test_scores_are_variances_by_hand():
    X = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 1.0]])
    selector = VarianceSelector(2).fit(X, [0, 1])
    assert selector.scores_.tolist() == [1.0, 0.0, 4.0]
    assert selector.selected_indices_.tolist() == [2, 0]


def test_the_target_does_not_matter(easy):
    X, y = easy
    one, two = (VarianceSelector(3).fit(X, target).scores_ for target in (y, X[:, 0]))
    np.testing.assert_array_equal(one, two)


def test_a_constant_that_cannot_be_written_exactly_does_not_vary():
    # The mean of such values is rounded, so that they seem to vary about it.
    X = np.column_stack([np.full(1000, 0.1), np.zeros(1000)]).astype(np.float32)
    X[0, 1] = 1e-12
    assert VarianceSelector(1).fit(X, np.arange(1000) % 2).selected_indices_.tolist() == [1]


def test_large_values_do_not_swallow_the_spread():
    X = np.array([[1e4, 0.0], [1e4 + 3, 1.0]] * 500, dtype=np.float32)
    assert VarianceSelector(1).fit(X, [0, 1] * 500).scores_.tolist() == [2.25, 0.25]
