import numpy as np
import pytest

from entryprune.baselines import CIFESelector, ICAPSelector


def test_working_together_earns_nothing_but_costs_nothing():
    # y = f xor s: I(f; s | y) is large, I(f; s) is 0. CIFE pays a reward for it, ICAP does not.
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    y = X[:, 0] ^ X[:, 1]
    assert ICAPSelector(2).fit(X, y).scores_ == pytest.approx([0, 0])
    assert CIFESelector(2).fit(X, y).scores_ == pytest.approx([0, np.log(2)])


def test_a_copy_is_taken_after_what_is_new():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, size=400)
    X = np.column_stack([y % 2, y % 2, y // 2])
    assert ICAPSelector(3).fit(X, y).selected_indices_.tolist() == [0, 2, 1]
