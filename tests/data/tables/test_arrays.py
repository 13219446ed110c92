"""Arrays of numpy and MATLAB: which is the table, and what is never read."""

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse

from entryprune.data import DatasetError, TableRequest, read_table


class Bomb:
    """Something that runs code when it is unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was read",))


@pytest.fixture(params=["npz", "mat", "mat73"])
def save(request, tmp_path):
    """Write arrays in one of the formats, and ask for them."""

    def save(arrays, **details):
        arrays = {name: np.asarray(array) for name, array in arrays.items()}
        path = tmp_path / f"t.{request.param.removesuffix('73')}"
        if request.param == "npz":
            np.savez(path, **arrays)
        elif request.param == "mat":
            scipy.io.savemat(path, arrays)
        else:
            with h5py.File(path, "w", userblock_size=512) as file:
                for name, array in arrays.items():
                    file[name] = np.atleast_2d(array).T
        return TableRequest(path, **details)

    return save


# -- which array is the table ---------------------------------------------------------------------


def test_the_only_table_is_taken(save):
    table = read_table(save({"data": np.eye(3), "y": [1, 2, 3]}, target="y"))
    assert np.array_equal(table.X, np.eye(3))
    assert table.y.tolist() == [1, 2, 3]
    assert table.feature_names == ("column_1", "column_2", "column_3")


def test_the_one_called_x_is_taken_and_said(save):
    table = read_table(save({"A": np.eye(2), "X": np.eye(3)}))
    assert table.X.shape == (3, 3)
    assert "The table is the array 'X', not 'A'." in table.notes


def test_several_tables_are_an_error_that_lists_them(save):
    arrays = {"A": np.eye(3), "B": np.ones((2, 4)), "y": [1, 2, 3]}
    with pytest.raises(
        DatasetError,
        match=r"several arrays that could be the table: 'A' \(3 x 3\), 'B' \(2 x 4\)\. .*--array",
    ):
        read_table(save(arrays))
    assert read_table(save(arrays, array="B")).X.shape == (2, 4)


def test_an_array_that_is_not_there_or_no_table_is_an_error(save):
    arrays = {"A": np.eye(3), "y": [1, 2, 3]}
    with pytest.raises(
        DatasetError, match=r"has no array 'AA'\. Did you mean 'A'\? It has 'A' \(3"
    ):
        read_table(save(arrays, array="AA"))
    with pytest.raises(DatasetError, match="has no array of numbers with rows and columns; it has"):
        read_table(save({"y": [1, 2, 3]}))


def test_types_are_kept(save):
    for dtype in (np.uint8, np.int16, np.float32, np.float64):
        table = read_table(save({"X": np.eye(3, dtype=dtype)}))
        assert table.X.dtype == dtype


def test_labels_of_another_length_are_an_error(save):
    with pytest.raises(
        DatasetError, match=r"The target 'y' of .* has 3 values, but .* has 4 samples"
    ):
        read_table(save({"X": np.ones((4, 6)), "y": [1, 2, 3]}, target="y"))
    with pytest.raises(DatasetError, match=r"as many columns: if these are the samples, say --tr"):
        read_table(save({"X": np.ones((4, 3)), "y": [1, 2, 3]}, target="y"))
    request = save({"X": np.ones((3, 4)), "y": [1, 2, 3]}, target="y", transpose=True)
    with pytest.raises(DatasetError, match=r"as many features: leave out --transpose"):
        read_table(request)


def test_labels_with_columns_are_an_error(save):
    with pytest.raises(
        DatasetError, match=r"'Y' has the shape \(3, 2\).*one text or number a sample"
    ):
        read_table(save({"X": np.eye(3), "Y": np.ones((3, 2))}, target="Y"))


def test_missing_labels_are_an_error(save):
    with pytest.raises(DatasetError, match=r"1 of 3 labels is missing in 'y'"):
        read_table(save({"X": np.eye(3), "y": [1, np.nan, 3]}, target="y"))


def test_a_target_that_is_there_twice_is_an_error(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(2), y=[1, 2], feature_names=["a", "y"])
    with pytest.raises(DatasetError, match="has 'y' twice, as a column and beside the table"):
        read_table(TableRequest(tmp_path / "t.npz", target="y"))


def test_columns_without_values_are_left_out(save):
    values = np.array([[1.0, np.nan], [np.nan, np.nan]])
    table = read_table(save({"X": values}))
    assert table.feature_names == ("column_1",)
    assert [(one.column, one.why) for one in table.left_out] == [("column_2", "all values missing")]


# -- numpy ----------------------------------------------------------------------------------------


def test_truth_and_short_numbers_are_converted(tmp_path):
    np.save(tmp_path / "t.npy", np.eye(2, dtype=bool))
    table = read_table(tmp_path / "t.npy")
    assert (table.X.dtype, table.X.tolist()) == (np.uint8, [[1, 0], [0, 1]])
    np.save(tmp_path / "t.npy", np.eye(2, dtype=np.float16))
    assert read_table(tmp_path / "t.npy").X.dtype == np.float32
    np.save(tmp_path / "t.npy", np.eye(2, dtype=">f8"))
    assert read_table(tmp_path / "t.npy").X.dtype == np.dtype("=f8")


def test_named_columns_are_read(tmp_path):
    rows = np.array([("x", 1, 0.5), ("y", 2, 1.5)], dtype=[("k", "U1"), ("a", "i4"), ("ß", "f8")])
    np.save(tmp_path / "t.npy", rows)
    with pytest.raises(DatasetError, match="cannot be transposed"):
        read_table(TableRequest(tmp_path / "t.npy", transpose=True))
    table = read_table(TableRequest(tmp_path / "t.npy", target="k"))
    assert table.feature_names == ("a", "ß")
    assert table.X.tolist() == [[1, 0.5], [2, 1.5]]
    assert table.y.tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), r"has the shape \(3,\), not two dimensions"),
        (np.zeros((0, 3)), r"is empty, its shape is \(0, 3\)"),
        (np.array([["a", "b"]]), "has text, not numbers"),
        (np.ones((2, 2), dtype=complex), "has values of the type complex128, not numbers"),
    ],
)
def test_what_is_no_table_of_numbers_is_an_error(tmp_path, array, message):
    np.save(tmp_path / "t.npy", array)
    with pytest.raises(DatasetError, match=message):
        read_table(tmp_path / "t.npy")


def test_pickled_objects_are_never_read(tmp_path):
    bombs = np.array([[Bomb(), Bomb()]], dtype=object)
    np.save(tmp_path / "t.npy", bombs, allow_pickle=True)
    np.savez(tmp_path / "t.npz", X=np.eye(2), y=bombs, allow_pickle=True)
    for name in ("t.npy", "t.npz"):
        with pytest.raises(DatasetError, match="holds pickled objects, which are never read"):
            read_table(TableRequest(tmp_path / name, target="y" if name == "t.npz" else None))


@pytest.mark.parametrize("name", ["t.npz", "t.npy", "t.mat"])
def test_files_that_were_cut_short_are_errors(make, name):
    request = make(name)
    request.path.write_bytes(request.path.read_bytes()[:-40])
    with pytest.raises(DatasetError, match="It may be damaged, cut short, or of another format"):
        read_table(request)
