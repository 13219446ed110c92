import pickle

import numpy as np
import pytest

from entryprune.data import DatasetError
from entryprune.data.npz import read_npz, shape_in, write_npz

READERS = pytest.mark.parametrize("read", [read_npz, shape_in])


class Bomb:
    """Something that runs code when it is unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was read",))


def test_all_arrays_are_read(save):
    path = save("toy", n=6, n_test=4, feature_names=np.array(["a", "b", "c"]))
    dataset = read_npz(path, scale="standard")
    assert (dataset.name, dataset.title, dataset.scale) == ("toy", "toy", "standard")
    assert dataset.feature_names == ("a", "b", "c")
    assert dataset.X_test.shape == (4, 3)
    assert dataset.origin == str(path)


def test_what_is_written_is_read_back(save, folder):
    dataset = read_npz(save("toy", n_test=4, feature_names=np.array(["a", "b", "c"])))
    write_npz(folder / "copy.npz", dataset)
    copy = read_npz(folder / "copy.npz")
    for name in ("X", "y", "X_test", "y_test", "feature_names"):
        assert np.array_equal(getattr(copy, name), getattr(dataset, name))
        assert np.asarray(getattr(copy, name)).dtype == np.asarray(getattr(dataset, name)).dtype


def test_the_size_is_known_without_reading_the_values(save):
    shape = shape_in(save("toy", n=7, n_features=5, n_classes=3, n_test=4))
    assert (shape.n_train, shape.n_test, shape.n_features, shape.n_classes) == (7, 4, 5, 3)


@READERS
def test_a_missing_file_is_an_error(read, folder):
    with pytest.raises(DatasetError, match=r"There is no file .*none\.npz"):
        read(folder / "none.npz")


@READERS
def test_pickled_objects_are_never_read(read, folder):
    path = folder / "bad.npz"
    bombs = np.array([Bomb(), Bomb()], dtype=object)
    np.savez(path, X=bombs.reshape(2, 1), y=bombs, allow_pickle=True)
    with pytest.raises(DatasetError, match=r"bad\.npz holds pickled objects, which are never read"):
        read(path)


@READERS
@pytest.mark.parametrize(
    "content", [b"", b"not a zip", pickle.dumps({"X": 1})], ids=["empty", "text", "pickle"]
)
def test_a_file_that_is_no_archive_is_an_error(read, folder, content):
    path = folder / "bad.npz"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=r"bad\.npz is not a complete \.npz file"):
        read(path)


@READERS
def test_a_file_that_was_cut_short_is_an_error(read, save):
    path = save("toy", n=500)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DatasetError, match=r"is not a complete \.npz file.* was cut short"):
        read(path)


def test_a_file_with_changed_bytes_is_an_error(save):
    path = save("toy", n=500)
    content = bytearray(path.read_bytes())
    content[1000] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=r"toy\.npz is damaged or cannot be read"):
        read_npz(path)


@READERS
@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.eye(2)}, "has no y; it has X"),
        ({"y": np.eye(2)}, "has no X; it has y"),
        ({"data": np.eye(2)}, "has no X and no y; it has data. Save the samples as X"),
    ],
)
def test_a_file_without_x_or_y_is_an_error(read, folder, arrays, message):
    np.savez(folder / "bad.npz", **arrays)
    with pytest.raises(DatasetError, match=f"bad.npz {message}"):
        read(folder / "bad.npz")


def test_arrays_of_different_lengths_are_an_error(save):
    path = save("toy", y=np.zeros(5))
    with pytest.raises(DatasetError, match=r"toy\.npz cannot be used\. toy: X has 6 rows and y 5"):
        read_npz(path)


def test_rows_are_put_back_into_their_original_order(save):
    path = save("mixed", X=[[30], [10], [20]], y=["c", "a", "b"], orig_index=[7, 0, 3])
    dataset = read_npz(path)
    assert dataset.X.ravel().tolist() == [10, 20, 30]
    assert dataset.y.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("places", [[0, 1], [0, 1, 1], [[0, 1, 2]]])
def test_an_order_that_is_none_is_an_error(save, places):
    path = save("mixed", n=3, orig_index=places)
    with pytest.raises(DatasetError, match=r"orig_index must have a number of its own for each"):
        read_npz(path)
