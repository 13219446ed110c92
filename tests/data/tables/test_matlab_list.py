"""The list of a MATLAB file's variables is scipy's, and scipy's are all that are not plain."""

import numpy as np
import pytest
import scipy.sparse
from scipy.io import savemat, whosmat

from entryprune.data.tables.matlab_list import variables_of

VARIABLES = {
    "X": np.arange(12.0).reshape(3, 4),
    "a": np.float32(1.5),
    "whole": np.arange(5, dtype=np.int16),
    "large": np.arange(6, dtype=np.uint64).reshape(1, 2, 3),
    "yes": np.array([True, False]),
    "genes": np.array(["BRCA1", "a name that is longer"]),
    "one_text": "hello",
    "cells": np.array(["a", "bcd"], dtype=object),
    "structure": {"field": 1},
    "sparse": scipy.sparse.csc_array(np.eye(3)),
    "empty": np.zeros((0, 3)),
    "complex_numbers": np.array([1 + 2j]),
    "a_name_of_63_letters".ljust(63, "_"): np.zeros((2, 2)),
}


@pytest.fixture(params=[False, True], ids=["plain", "compressed"])
def path(request, tmp_path):
    path = tmp_path / "t.mat"
    savemat(path, VARIABLES, do_compression=request.param, long_field_names=True)
    return path


def test_the_list_is_that_of_scipy(path):
    logical_as_stored = [
        (name, shape, "uint8" if kind == "logical" else kind) for name, shape, kind in whosmat(path)
    ]
    assert variables_of(path) == logical_as_stored
    assert len(logical_as_stored) == len(VARIABLES)


def test_a_file_of_the_other_byte_order(tmp_path):
    import struct

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
    assert variables_of(path) == whosmat(path) == [("X", (2, 1), "double")]


@pytest.mark.parametrize("n_bytes_less", [1, 30])
def test_a_file_cut_short_is_left_to_scipy(path, n_bytes_less):
    path.write_bytes(path.read_bytes()[:-n_bytes_less])
    assert variables_of(path) is None


def test_a_damaged_header_is_left_to_scipy(tmp_path):
    path = tmp_path / "t.mat"
    savemat(path, {"X": np.eye(3)}, do_compression=True)
    content = bytearray(path.read_bytes())
    content[136:150] = bytes(14)
    path.write_bytes(content)
    assert variables_of(path) is None


def test_version_4_is_left_to_scipy(tmp_path):
    path = tmp_path / "t.mat"
    savemat(path, {"X": np.eye(30)}, format="4")
    assert variables_of(path) is None
