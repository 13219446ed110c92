import numpy as np
import pytest

from entryprune.report._correlation import correlations, strongest_pairs


def test_they_are_those_of_numpy():
    X = np.random.default_rng(0).normal(size=(50, 8))
    np.testing.assert_allclose(correlations(X), np.corrcoef(X.T), atol=1e-12)


@pytest.mark.parametrize("factor", [1e-12, 1e12])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_scale_and_centre_do_not_matter(factor, shift):
    X = np.random.default_rng(0).normal(size=(50, 3))
    np.testing.assert_allclose(correlations((X + shift) * factor), np.corrcoef(X.T), atol=1e-6)


def test_each_pair_uses_the_cases_that_have_both():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    X[rng.random((50, 3)) < 0.2] = np.nan
    X[0, 0] = np.inf
    table = correlations(X)
    for i in range(3):
        for j in range(3):
            both = X[np.isfinite(X[:, [i, j]]).all(axis=1)]
            assert table[i, j] == pytest.approx(np.corrcoef(both[:, i], both[:, j])[0, 1])


def test_columns_that_do_not_vary_have_none():
    X = np.column_stack([np.full(9, 0.1), np.arange(9.0), np.full(9, np.nan), np.zeros(9)])
    table = correlations(X)
    assert table[1, 1] == 1
    assert np.isnan(table[[0, 2, 3]]).all()


def test_no_cases_have_none():
    assert np.isnan(correlations(np.empty((0, 2)))).all()


def test_the_strongest_pairs_come_first_either_way():
    table = np.array([[1, 0.75, -0.9], [0.75, 1, np.nan], [-0.9, np.nan, 1]])
    assert strongest_pairs(table, least=0.7, most=9) == [(0, 2, -0.9), (0, 1, 0.75)]
    assert strongest_pairs(table, least=0.7, most=1) == [(0, 2, -0.9)]
    assert strongest_pairs(table, least=0.95, most=9) == []
