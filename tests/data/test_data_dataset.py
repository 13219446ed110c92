import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from entryprune.data import Dataset, DatasetError
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
        ({"y": np.eye(3)}, r"y must be a numpy array with 1 dimension\(s\)"),
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
