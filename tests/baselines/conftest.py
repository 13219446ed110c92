import numpy as np
import pytest


@pytest.fixture
def easy():
    """Two of twelve columns tell three classes apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, size=150)
    X = rng.normal(size=(150, 12))
    X[:, 3] += 3.0 * (y == 1)
    X[:, 8] += 3.0 * (y == 2)
    return X, y


@pytest.fixture
def easy_regression():
    """Two of twelve columns make up the target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 12))
    return X, 2.0 * X[:, 3] - 3.0 * X[:, 8] + 0.1 * rng.normal(size=150)
