"""MATLAB files: sparse matrices, rows of letters, cells; version 5 as scipy reads it."""

import struct
from contextlib import suppress

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from scipy.io import loadmat, savemat, whosmat

from entryprune.data import DatasetError, TableRequest, read_table
from entryprune.data.tables import matlab


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
    assert "The features' names are from the array 'names'." in table.notes


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


# -- version 5 ------------------------------------------------------------------------------------


VARIABLES = {
    "X": np.arange(12.0).reshape(3, 4),
    "a": np.float32(1.5),
    "whole": np.arange(5, dtype=np.int16),
    "large": np.arange(6, dtype=np.uint64).reshape(1, 2, 3),
    "yes": np.array([True, False]),
    "genes": np.array(["BRCA1", "a name that is longer", "größe"]),
    "one_text": "hello",
    "cells": np.array(["a", "bcd", "", 1.5], dtype=object),
    "structure": {"field": 1},
    "sparse": scipy.sparse.csc_array(np.array([[0, 1.5], [0, 0], [2, 0]])),
    "empty": np.zeros((0, 3)),
    "complex_numbers": np.array([1 + 2j]),
    "a_name_of_63_letters".ljust(63, "_"): np.zeros((2, 2)),
}
NO_TABLES = ("structure", "complex_numbers")


@pytest.fixture(params=[False, True], ids=["plain", "compressed"])
def path(request, tmp_path):
    path = tmp_path / "t.mat"
    savemat(path, VARIABLES, do_compression=request.param, long_field_names=True)
    return path


def as_listed(found):
    """Return what scipy lists, with the names that the classes have in the file."""
    kinds = {"logical": "uint8"}
    return [
        (name, shape, "complex" if name == "complex_numbers" else kinds.get(kind, kind))
        for name, shape, kind in found
    ]


def test_the_list_is_that_of_scipy(path):
    found = [variable[:3] for variable in matlab.variables_of(path)]
    assert found == as_listed(whosmat(path))
    assert len(found) == len(VARIABLES)


def test_the_values_are_those_of_scipy(path):
    wanted = [name for name in VARIABLES if name not in NO_TABLES]
    expected = loadmat(path, variable_names=wanted, mat_dtype=True)
    for variable in matlab.variables_of(path):
        if variable.name in NO_TABLES:
            continue
        found, right = matlab.load_5(path, variable), expected[variable.name]
        if variable.kind == "sparse":
            found, right = found.toarray(), right.toarray()
        if variable.kind == "cell":
            right = np.array([cell.item() if cell.size else "" for cell in right.ravel()])
            found = found.ravel()
            assert [str(cell) for cell in found] == right.tolist()
        elif variable.kind == "char":
            assert found.tolist() == right.tolist()
        else:
            assert found.dtype == right.dtype
            np.testing.assert_array_equal(found, right)


def test_a_file_of_the_other_byte_order(tmp_path):
    path = tmp_path / "t.mat"
    matrix = b"".join(
        (
            struct.pack(">IIII", 6, 8, 6, 0),
            struct.pack(">IIii", 5, 8, 2, 1),
            struct.pack(">HH4s", 1, 1, b"X"),
            struct.pack(">II2d", 9, 16, 0.5, 1.5),
        )
    )
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI"
    path.write_bytes(header + struct.pack(">II", 14, len(matrix)) + matrix)
    (variable,) = matlab.variables_of(path)
    assert [variable[:3]] == whosmat(path) == [("X", (2, 1), "double")]
    assert matlab.load_5(path, variable).tolist() == [[0.5], [1.5]]


def test_letters_of_two_bytes_are_joined(tmp_path):
    path = tmp_path / "t.mat"
    units = "a𝄞b".encode("utf-16-le")  # three letters, four units
    matrix = b"".join(
        (
            struct.pack("<IIII", 6, 8, 4, 0),
            struct.pack("<IIii", 5, 8, 1, 4),
            struct.pack("<HH4s", 1, 1, b"t"),
            struct.pack("<II", 4, len(units)) + units,
        )
    )
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    path.write_bytes(header + struct.pack("<II", 14, len(matrix)) + matrix)
    (variable,) = matlab.variables_of(path)
    assert matlab.load_5(path, variable).tolist() == ["a𝄞b"]


@pytest.mark.parametrize("n_bytes_less", [1, 30])
def test_a_file_cut_short_is_refused(path, n_bytes_less):
    path.write_bytes(path.read_bytes()[:-n_bytes_less])
    with pytest.raises(DatasetError, match=r"as a MATLAB file \(it ends within a variable\)"):
        read_table(path)


def test_every_type_of_an_element_is_checked(tmp_path):
    path = tmp_path / "t.mat"
    savemat(path, {"X": np.eye(3), "y": np.array(["a", "b", "c"], dtype=object)})
    content = path.read_bytes()
    for place in range(128, len(content), 4):
        for kind in (0, 8, 10, 200):
            path.write_bytes(content[:place] + struct.pack("<I", kind) + content[place + 4 :])
            with suppress(DatasetError):  # anything else, above all the end of the process, fails
                read_table(path)
