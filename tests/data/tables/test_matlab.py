"""MATLAB files: sparse matrices, rows of letters and cells."""

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse

from entryprune.data import DatasetError, TableRequest, read_table


def test_sparse_matrices_of_matlab_are_filled(tmp_path):
    values = np.array([[0, 1.5, 0], [2.5, 0, 0]])
    scipy.io.savemat(tmp_path / "t.mat", {"X": scipy.sparse.csc_matrix(values)})
    assert np.array_equal(read_table(tmp_path / "t.mat").X, values)
    sparse = scipy.sparse.csc_matrix(values)
    with h5py.File(tmp_path / "t.mat", "w", userblock_size=512) as file:
        group = file.create_group("X")
        group.attrs["MATLAB_sparse"] = np.uint64(2)
        group["data"], group["ir"], group["jc"] = sparse.data, sparse.indices, sparse.indptr
    assert np.array_equal(read_table(tmp_path / "t.mat").X, values)


def test_rows_of_letters_are_names_and_labels(tmp_path):
    content = {"X": np.eye(2), "names": np.array(["a", "long"]), "y": np.array(["no", "yes"])}
    scipy.io.savemat(tmp_path / "t.mat", content)
    table = read_table(TableRequest(tmp_path / "t.mat", target="y"))
    assert table.feature_names == ("a", "long")
    assert table.y.tolist() == ["no", "yes"]
    assert "The columns' names are from the array 'names'." in table.notes


def test_cells_with_many_values_are_no_labels(tmp_path):
    cells = np.empty(2, dtype=object)
    cells[:] = [np.eye(2), np.eye(2)]
    scipy.io.savemat(tmp_path / "t.mat", {"X": np.eye(2), "y": cells})
    with pytest.raises(DatasetError, match="'y' has cells with more than one text or number each"):
        read_table(TableRequest(tmp_path / "t.mat", target="y"))


def test_without_h5py_an_error_says_what_to_install(make, monkeypatch):
    request = make("t73.mat")
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(DatasetError, match=r"h5py is needed: pip install 'entryprune\[files\]'"):
        read_table(request)
