import numpy as np

from entryprune.baselines import CIFESelector, MRMRSelector


def test_the_partner_of_an_exclusive_or_is_found():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(400, 8))
    y = X[:, 2] ^ X[:, 6]
    X[:, 4] = np.where(rng.random(400) < 0.1, 1 - X[:, 2], X[:, 2])
    # A little of column 2 shows in the class, so that it is taken first.
    y = np.where(rng.random(400) < 0.1, X[:, 2], y)
    assert CIFESelector(2).fit(X, y).selected_indices_.tolist() == [2, 6]


def test_a_repetition_costs_all_that_it_repeats():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=200)
    X = np.column_stack([y, y, rng.integers(0, 2, size=200)])
    selector = CIFESelector(3).fit(X, y)
    assert selector.selected_indices_.tolist() == [0, 1, 2]
    # I(f; y) - I(f; s) + I(f; s | y) = H - H + 0: a copy of the class adds nothing.
    assert abs(selector.scores_[1]) < 1e-12


def test_it_differs_from_mrmr_where_features_work_together():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(600, 5))
    y = 2 * X[:, 0] + (X[:, 1] ^ X[:, 2])
    assert set(CIFESelector(3).fit(X, y).selected_indices_) == {0, 1, 2}
    assert MRMRSelector(1).fit(X, y).selected_indices_.tolist() == [0]
