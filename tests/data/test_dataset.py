import hashlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from entryprune.data import DATASETS, Dataset, DatasetError, fingerprint
from entryprune.data import dataset as dataset_module
from entryprune.data.dataset import from_arrays

X = np.arange(6.0).reshape(3, 2)
y = np.array([0, 1, 1])


def test_a_data_set_knows_its_size():
    shape = Dataset("toy", "Toy", X, y, X_test=X, y_test=np.array([2, 2, 1])).shape
    assert (shape.n_train, shape.n_test, shape.n_features, shape.n_classes) == (3, 3, 2, 3)


def test_its_text_does_not_show_the_values():
    assert "array" not in repr(Dataset("toy", "Toy", X, y, X_test=X, y_test=y))


def test_a_frame_keeps_its_column_names():
    frame = pd.DataFrame(X, columns=["height", "width"])
    dataset = from_arrays("toy", frame, pd.Series(["a", "b", "b"]))
    assert dataset.feature_names == ("height", "width")
    assert dataset.X.tolist() == X.tolist()


def test_a_sparse_matrix_becomes_a_table():
    assert from_arrays("toy", scipy.sparse.csr_matrix(X), y).X.tolist() == X.tolist()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"X": X[0]},
            r"X must be a numpy array with 2 dimension\(s\); got ndarray of shape \(2,\)",
        ),
        ({"X": X.tolist()}, r"X must be a numpy array with 2 dimension\(s\); got list\."),
        ({"y": np.ones((3, 1, 1))}, r"y must be a numpy array with 1 or 2 dimension\(s\)"),
        ({"X": np.array([["a"], ["b"], ["c"]])}, "X must hold numbers; got <U1. Encode categories"),
        ({"X": X[:0], "y": y[:0]}, r"X is empty, its shape is \(0, 2\)"),
        ({"y": y[:2]}, "X has 3 rows and y 2 values"),
        ({"X_test": X}, "X_test and y_test come together"),
        ({"y_test": y}, "X_test and y_test come together"),
        ({"X_test": X, "y_test": y[:1]}, "X_test has 3 rows and y_test 1 values"),
        ({"X_test": X[:, :1], "y_test": y}, "X has 2 columns and X_test 1"),
        ({"feature_names": ("a",)}, "there are 1 feature_names for 2 columns"),
        ({"scale": "log"}, "scale must be one of minmax, standard; got 'log'"),
    ],
)
def test_what_does_not_fit_together_is_refused(arrays, message):
    with pytest.raises(DatasetError, match=f"toy: {message}"):
        Dataset("toy", "Toy", **{"X": X, "y": y, **arrays})


# -- fingerprints ---------------------------------------------------------------------------------


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
