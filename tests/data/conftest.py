import os
from pathlib import Path

import numpy as np
import pytest

from entryprune.data import load, load_dataset

SHARED = Path(os.environ.get("ENTRYPRUNE_DATA") or Path(__file__).parents[3] / "shared" / "data")


@pytest.fixture
def real_set():
    """Load one of the real data sets, on machines that have them."""

    def load(name):
        if not (SHARED / f"{name}.npz").is_file():
            pytest.skip(f"{name}.npz is not in {SHARED}; name a folder in ENTRYPRUNE_DATA")
        return load_dataset(name, SHARED, download=False)

    return load


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A user's cache and a registry that no other test has touched."""
    monkeypatch.delenv("ENTRYPRUNE_DATA", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(load, "_REGISTERED", {})
    return tmp_path / "cache" / "entryprune"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "data"
    path.mkdir()
    return path


@pytest.fixture
def save(folder):
    """Save a small data set of random numbers in the data folder."""

    def save(name, n=6, n_features=3, n_classes=2, n_test=None, **arrays):
        rng = np.random.default_rng(0)
        content = {
            "X": rng.integers(0, 9, size=(n, n_features)),
            "y": np.arange(n) % n_classes,
        }
        if n_test is not None:
            content["X_test"] = rng.integers(0, 9, size=(n_test, n_features))
            content["y_test"] = np.arange(n_test) % n_classes
        path = folder / f"{name}.npz"
        np.savez(path, **{**content, **arrays})
        return path

    return save
