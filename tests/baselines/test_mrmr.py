import numpy as np
import pytest

from entryprune.baselines import MRMRSelector


def test_a_duplicate_is_passed_over_for_something_new():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, size=400)
    noise = rng.integers(0, 2, size=400)
    X = np.column_stack([y % 2, y % 2, np.where(rng.random(400) < 0.2, noise, y // 2)])
    assert MRMRSelector(2).fit(X, y).selected_indices_.tolist() == [0, 2]


def test_the_prices_are_averaged_over_the_selected():
    # Three independent bits; y is their number. Each tells as much, and nothing of the others.
    bits = np.array([[i >> b & 1 for b in range(3)] for i in range(8)])
    selector = MRMRSelector(3).fit(bits, 4 * bits[:, 0] + 2 * bits[:, 1] + bits[:, 2])
    assert selector.scores_ == pytest.approx([np.log(2)] * 3)
    doubled = np.column_stack([bits[:, 0], bits[:, 0], bits[:, 1]])
    selector = MRMRSelector(3).fit(doubled, 2 * bits[:, 0] + bits[:, 1])
    # The copy repeats one of two selected features entirely: log 2 - (log 2 + 0) / 2.
    assert selector.scores_ == pytest.approx([np.log(2), np.log(2) / 2, np.log(2)])
