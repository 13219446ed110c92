"""Sparse matrices of files stay sparse where that is asked for."""

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse

from entryprune.data import DatasetError, TableRequest, read_table
from entryprune.data.tables.arrays import sorted_rows


def write(path, matrix, kind):
    """Write a sparse matrix with labels; return how to ask for it."""
    y = np.arange(matrix.shape[0]) % 2
    if kind == "5":
        scipy.io.savemat(path / "t.mat", {"X": scipy.sparse.csc_matrix(matrix), "y": y})
        return TableRequest(path / "t.mat", target="y", sparse=True)
    if kind == "7.3":
        columns = scipy.sparse.csc_matrix(matrix)
        with h5py.File(path / "t.mat", "w", userblock_size=512) as file:
            group = file.create_group("X")
            group.attrs["MATLAB_sparse"] = np.uint64(matrix.shape[0])
            parts = (columns.data, columns.indices, columns.indptr)
            group["data"], group["ir"], group["jc"] = parts
            file["y"] = y.reshape(1, -1)
        return TableRequest(path / "t.mat", target="y", sparse=True)
    if kind == "svm":
        rows = scipy.sparse.csr_matrix(matrix)
        lines = [
            " ".join([str(y[n]), *(f"{c + 1}:{v}" for c, v in zip(r.indices, r.data, strict=True))])
            for n, r in enumerate(rows)
        ]
        (path / "t.svm").write_text("\n".join(lines) + "\n")
        return TableRequest(path / "t.svm", sparse=True)
    made = (scipy.sparse.csr_matrix if kind == "csr" else scipy.sparse.csc_matrix)(matrix)
    with h5py.File(path / "t.h5ad", "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = f"{kind}_matrix", made.shape
        for part in ("data", "indices", "indptr"):
            group[part] = getattr(made, part)
        for frame, n in (("obs", made.shape[0]), ("var", made.shape[1])):
            file.create_group(frame)["_index"] = [f"{frame}{i}" for i in range(n)]
        file["obs"]["y"] = y
    return TableRequest(path / "t.h5ad", target="y", sparse=True)


KINDS = ["csr", "csc", "5", "7.3", "svm"]


@pytest.mark.parametrize("kind", KINDS)
def test_it_has_the_same_values_with_sorted_indices(tmp_path, kind):
    matrix = scipy.sparse.random(30, 12, 0.3, random_state=0).tocsr()
    request = write(tmp_path, matrix, kind)
    table = read_table(request)
    assert isinstance(table.X, scipy.sparse.csr_array)
    assert table.X.has_sorted_indices
    assert table.X.has_canonical_format
    assert (table.n_samples, table.X.dtype) == (30, np.float64)
    np.testing.assert_allclose(table.X.toarray(), matrix.toarray())
    dense = read_table(TableRequest(request.path, target=request.target))
    np.testing.assert_array_equal(table.X.toarray(), dense.X)
    assert (table.feature_names, table.y.tolist()) == (dense.feature_names, dense.y.tolist())
    dropped = dense.feature_names[2]
    details = {"target": request.target, "drop": (dropped,), "mixed": True, "sparse": True}
    table = read_table(TableRequest(request.path, **details))
    assert (table.frame, table.X.shape) == (None, (30, 11))
    np.testing.assert_array_equal(table.X.toarray(), np.delete(dense.X, 2, axis=1))


@pytest.mark.parametrize("kind", ["csr", "5", "7.3", "svm"])
def test_the_memory_for_zeros_is_not_needed(tmp_path, kind, monkeypatch):
    matrix = scipy.sparse.random(2000, 300, 0.001, random_state=0).tolil()
    matrix[0, 299] = 1
    request = write(tmp_path, matrix.tocsr(), kind)
    monkeypatch.setattr("entryprune.data.tables.errors.available_bytes", lambda: 10**6)
    assert read_table(request).X.shape == (2000, 300)
    with pytest.raises(DatasetError, match="GB of memory"):
        read_table(TableRequest(request.path, target=request.target))
    monkeypatch.setattr("entryprune.data.tables.errors.available_bytes", lambda: 1000)
    with pytest.raises(DatasetError, match="of memory"):
        read_table(request)


def test_columns_can_be_labels_and_empty_ones_are_left_out(tmp_path):
    matrix = scipy.sparse.csr_matrix(np.array([[0, np.nan, 2.0], [1, np.nan, 0], [0, np.nan, 3]]))
    path = write(tmp_path, matrix, "csr").path
    table = read_table(TableRequest(path, target="var2", sparse=True))
    assert table.y.tolist() == [2, 0, 3]
    assert table.X.toarray().tolist() == [[0], [1], [0]]
    assert [(one.column, one.why) for one in table.left_out] == [("var1", "all values missing")]


def test_true_and_false_and_features_as_rows(tmp_path):
    matrix = scipy.sparse.csc_matrix(np.array([[True, False, True], [False, False, True]]))
    scipy.io.savemat(tmp_path / "t.mat", {"X": matrix})
    table = read_table(TableRequest(tmp_path / "t.mat", sparse=True, transpose=True))
    assert table.X.dtype == np.uint8
    assert table.X.toarray().tolist() == [[1, 0], [0, 0], [1, 1]]
    assert table.X.has_sorted_indices


@pytest.mark.parametrize("name", ["t.csv", "t.npy", "t.h5ad", "t.mat"])
def test_what_is_not_sparse_is_read_as_ever(make, name):
    assert isinstance(read_table(make(name, sparse=True)).X, np.ndarray)


def test_far_more_rows_and_columns_than_values_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("entryprune.data.tables.errors.available_bytes", lambda: 10**13)
    (tmp_path / "t.svm").write_text("1 400000000:1\n")
    with pytest.raises(DatasetError, match=r"1 x 400,000,000 values, of which 1 are not zero"):
        read_table(TableRequest(tmp_path / "t.svm", sparse=True))


def test_values_that_are_there_twice_are_added(tmp_path):
    parts = (np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2]), np.array([0, 3]))
    rows = sorted_rows(tmp_path, scipy.sparse.csr_matrix(parts, shape=(1, 3)))
    assert (rows.indices.tolist(), rows.data.tolist()) == ([0, 2], [2, 5])
