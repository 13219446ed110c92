"""Any table as one number for each feature."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from entryprune.encoding import Encoder
from entryprune.encoding.views import (
    dense,
    encoder_of,
    has_gaps,
    is_sparse,
    numbers_and_codes,
    numbers_of,
)

TABLE = pa.table(
    {
        "age": [41.0, None, 29.0, 30.0],
        "colour": ["red", "blue", None, "red"],
        "opened": [dt.date(2020, 1, day) for day in (3, 1, 2, 1)],
    }
)
MATRIX = sparse.csr_array(np.array([[0.0, 2, 0], [1, 0, 0]]))


def test_only_tables_that_are_not_all_numbers_need_an_encoder():
    assert encoder_of(np.eye(3)) is None
    assert encoder_of(MATRIX) is None
    assert encoder_of(np.array([[1.0, np.nan], [2.0, 3.0]])).fills.tolist() == [1.5, 3.0]
    assert encoder_of(TABLE).kinds == ("number", "yes/no", "date")
    learned = Encoder.fit(np.eye(3))
    assert encoder_of(np.eye(3), learned) is learned


def test_gaps_are_shown_and_columns_come_in_the_order_asked_for():
    found = numbers_of(TABLE, encoder_of(TABLE), [2, 0, 1])
    expected = [[2, 41, 1], [0, np.nan, 0], [1, 29, np.nan], [0, 30, 1]]
    np.testing.assert_array_equal(found, expected)
    assert numbers_of(MATRIX, None, [1, 0]).tolist() == [[2, 0], [0, 1]]


def test_all_columns_of_numbers_are_not_copied():
    X = np.eye(3)
    assert numbers_of(X, None, range(3)) is X


def test_levels_are_codes_of_their_own_be_there_ever_so_many():
    many = pa.table({"id": [f"p{i}" for i in range(30)], "x": list(range(30))})
    numbers, codes = numbers_and_codes(many, encoder_of(many))
    assert np.isnan(numbers[:, 0]).all()
    assert numbers[:, 1].tolist() == list(range(30))
    assert codes[0].tolist() == list(range(30))
    _, codes = numbers_and_codes(TABLE, encoder_of(TABLE))
    assert codes[1].tolist() == [0, 1, -1, 0]


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (np.eye(2), False),
        (np.eye(2, dtype=int), False),
        (np.array([[1.0, np.nan]]), True),
        (MATRIX, False),
        (sparse.csr_array(np.array([[np.nan, 0.0]])), True),
    ],
)
def test_gaps_are_seen(X, expected):
    assert has_gaps(X) is expected


def test_sparse_tables_are_told_and_made_dense():
    assert (is_sparse(MATRIX), is_sparse(np.eye(2)), is_sparse(TABLE)) == (True, False, False)
    assert dense(MATRIX).tolist() == [[0, 2, 0], [1, 0, 0]]
