import numpy as np
import pytest

from entryprune.baselines import METHODS
from entryprune.data import load


@pytest.fixture(autouse=True)
def registries_as_they_were():
    """Take back what a test registers: others count on the lists being as they are shipped."""
    kept = [METHODS, load._REGISTERED]
    before = [dict(registry) for registry in kept]
    yield
    for registry, entries in zip(kept, before, strict=True):
        registry.clear()
        registry.update(entries)


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
