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
