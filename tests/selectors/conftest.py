import numpy as np
import pytest

# Enough to select well on easy data, and quick.
QUICK = {"batches_per_rotation": 10, "patience": 10, "batch_size": 64, "random_state": 0}


@pytest.fixture
def quick():
    return dict(QUICK)


@pytest.fixture
def easy():
    """Two of twelve columns tell three classes apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, size=150)
    X = rng.normal(size=(150, 12))
    X[:, 3] += 3.0 * (y == 1)
    X[:, 8] += 3.0 * (y == 2)
    return X, y
