import hashlib
from dataclasses import replace

import numpy as np
import pytest

from entryprune.data import DATASETS, Dataset, fingerprint
from entryprune.data import dataset as dataset_module


@pytest.fixture
def toy():
    rng = np.random.default_rng(0)
    return Dataset(
        "toy",
        "Toy",
        X=rng.integers(0, 2001, size=(50, 7)),
        y=rng.integers(0, 4, size=50),
        X_test=rng.integers(0, 2001, size=(20, 7)),
        y_test=rng.integers(0, 5, size=20),
    )


def test_the_encoding_does_not_count(toy):
    as_float = replace(
        toy,
        name="other",
        X=np.asfortranarray(toy.X / 1000 - 1),
        X_test=toy.X_test / 1000 - 1,
        y=np.array(list("abcde"))[toy.y],
        y_test=np.array(list("abcde"))[toy.y_test],
    )
    assert fingerprint(as_float) == fingerprint(toy)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: replace(d, X=d.X[::-1]),
        lambda d: replace(d, X=d.X[:, ::-1]),
        lambda d: replace(d, y=d.y[::-1]),
        lambda d: replace(d, X_test=None, y_test=None),
        lambda d: replace(d, X=d.X_test, X_test=d.X, y=d.y_test, y_test=d.y),
        lambda d: replace(d, X=np.where(np.arange(7) == 3, np.minimum(d.X + 1, 1999), d.X)),
    ],
    ids=["rows", "columns", "classes", "no test part", "parts swapped", "values"],
)
def test_the_content_and_its_order_count(toy, change):
    assert fingerprint(change(toy)) != fingerprint(toy)


def test_the_shape_counts():
    flat = Dataset("a", "A", X=np.array([[0, 1, 2, 3]]), y=np.array([0]))
    tall = Dataset("a", "A", X=np.array([[0, 1], [2, 3]]), y=np.array([0, 0]))
    assert fingerprint(flat) != fingerprint(tall)


def test_the_size_of_the_blocks_does_not_count(toy, monkeypatch):
    whole = fingerprint(toy)
    monkeypatch.setattr(dataset_module, "_BLOCK", 30)
    assert fingerprint(toy) == whole


def test_constant_and_missing_values_have_a_fingerprint():
    y = np.array([0, 1])
    constant = fingerprint(Dataset("a", "A", X=np.ones((2, 2)), y=y))
    missing = fingerprint(Dataset("a", "A", X=np.array([[1.0, np.nan], [1.0, np.inf]]), y=y))
    nothing = fingerprint(Dataset("a", "A", X=np.full((2, 2), np.nan), y=y))
    assert len({constant, missing, nothing}) == 3


def plain_fingerprint(dataset):
    """The definition, for data that fit into memory several times."""
    both = np.concatenate([dataset.X] if dataset.X_test is None else [dataset.X, dataset.X_test])
    y = np.concatenate([dataset.y] if dataset.y_test is None else [dataset.y, dataset.y_test])
    low, high = float(both.min()), float(both.max())
    levels = np.rint((both.astype(float) - low) * (10_000 / (high - low))).astype("<i8")
    content = levels.tobytes() + np.unique(y, return_inverse=True)[1].astype("<i8").tobytes()
    for table in (dataset.X, dataset.X_test):
        if table is not None:
            content += np.array(table.shape, dtype="<i8").tobytes()
    return "sha256:" + hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    "name",
    ["coil20", "arcene", "basehock", "prostate_ge", "madelon", "gordon", "nakayama"],
)
def test_the_catalogue_has_the_fingerprint_of_the_real_set(name, real_set):
    dataset = real_set(name)
    assert fingerprint(dataset) == DATASETS[name].fingerprint
    assert plain_fingerprint(dataset) == DATASETS[name].fingerprint


# Fashion-MNIST has the same size and way; one of the two large sets is enough for every run.
def test_the_catalogue_has_the_fingerprint_of_mnist(real_set):
    dataset = real_set("mnist")
    assert fingerprint(dataset) == DATASETS["mnist"].fingerprint
