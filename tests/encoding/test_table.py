"""Frames and arrays are read the same way."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from scipy import sparse

from entryprune.encoding.table import Numbers, Table, numbers_of


def test_numbers_are_not_copied():
    X = np.arange(6.0).reshape(2, 3)
    assert Table.of(X).block() is X
    assert Table.of(X).block(range(3)) is X
    frame = pd.DataFrame(X)
    assert np.shares_memory(Table.of(frame).block(), frame.to_numpy())
    tensor = torch.zeros(2, 3)
    assert np.shares_memory(Table.of(tensor).block(), tensor.numpy())


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint16, np.bool_])
def test_the_type_of_numbers_is_kept(dtype):
    X = np.ones((2, 3), dtype)
    for frame in (X, pd.DataFrame(X)):
        assert Table.of(frame).block().dtype == dtype


def test_numbers_beside_truth_are_numbers():
    block = Table.of(pd.DataFrame({"a": [1.5, 2], "b": [True, False]})).block()
    assert block.dtype == np.float64
    assert block.tolist() == [[1.5, 1.0], [2.0, 0.0]]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
        pd.DataFrame({"a": pd.Series([1, None], dtype="Int64")}),
        pl.DataFrame({"a": [1, None]}),
        pl.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
        np.array([[1, "x"]], dtype=object),
    ],
)
def test_what_is_not_only_numbers_has_no_block(X):
    assert Table.of(X).block() is None


def test_some_columns_may_be_numbers():
    X = pd.DataFrame({"a": ["x", "y"], "b": [1.5, 2], "c": [3, 4]})
    assert Table.of(X).block([2, 1]).tolist() == [[3.0, 1.5], [4.0, 2.0]]
    assert Table.of(pl.DataFrame(X)).block([2, 1]).tolist() == [[3.0, 1.5], [4.0, 2.0]]
    assert Table.of(pa.table({"b": [1.5, 2], "c": [3, 4]})).numbers([1, 0]).tolist() == [
        [3.0, 1.5],
        [4.0, 2.0],
    ]


def test_lists_keep_what_they_mix():
    columns = Table.of([[1, "red", None], [2, "blue", 3.5]]).columns([0, 1, 2])
    assert [column.to_pylist() for column in columns] == [[1, 2], ["red", "blue"], [None, 3.5]]


def test_arrays_of_text_are_read_as_numbers_where_they_can_be():
    columns = Table.of(np.array([[1.5, "red"], [np.nan, "blue"]])).columns([0, 1])
    assert columns[0].type == pa.float64()
    assert columns[0].to_pylist()[0] == 1.5
    assert np.isnan(columns[0].to_pylist()[1])
    assert columns[1].to_pylist() == ["red", "blue"]


def test_masked_values_are_missing():
    whole = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    np.testing.assert_array_equal(Table.of(whole).block(), [[1, np.nan], [3, 4]])
    mixed = np.ma.array([["a"], ["b"]], mask=[[0], [1]], dtype=object)
    assert Table.of(mixed).columns([0])[0].to_pylist() == ["a", None]


def test_sparse_tables_are_to_be_made_dense():
    with pytest.raises(TypeError, match=r"sparse table \(csr_matrix\).*Make it dense: X.toarray"):
        Table.of(sparse.csr_matrix((2, 2)))


@pytest.mark.parametrize("X", [np.zeros(3), 3, pd.Series([1, 2]), np.zeros((2, 2, 2))])
def test_a_table_has_two_dimensions(X):
    with pytest.raises(ValueError, match=r"Expected 2D array, got .D array.*Reshape your data"):
        Table.of(X)


def test_dates_of_numpy_may_have_any_unit():
    months = np.array([["2024-01"], ["2024-03"]], "datetime64[M]")
    assert Table.of(months).columns([0])[0].to_pylist() == [
        dt.datetime(2024, 1, 1),
        dt.datetime(2024, 3, 1),
    ]
    days = np.array([[1], [2]], "timedelta64[D]")
    assert Table.of(days).numbers([0]).tolist() == [[1], [2]]


def test_records_are_no_columns():
    with pytest.raises(TypeError, match=r"X is an array of records .* Make a frame of it"):
        Table.of(np.zeros((2, 2), dtype=[("a", float)]))


def test_complex_arrays_are_refused():
    with pytest.raises(ValueError, match="Complex data not supported: X has values of type compl"):
        Table.of(np.array([[1j]]))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([dt.timedelta(days=1, hours=6), None]), [1.25, np.nan]),
        (pa.array([dt.time(6, 30), None]), [6.5, np.nan]),
        (pa.array([None, None]), [np.nan, np.nan]),
        (pa.array([None, None], pa.string()), [np.nan, np.nan]),
        (pa.array(["1.5", "2"]), [1.5, 2]),
        (pa.array([3, None]).dictionary_encode(), [3, np.nan]),
        (pa.array([True, None]), [1, np.nan]),
        (pa.array([1.5, None]).cast(pa.decimal128(5, 2)), [1.5, np.nan]),
    ],
)
def test_columns_of_many_kinds_are_numbers(column, expected):
    np.testing.assert_array_equal(numbers_of(pa.chunked_array([column]), "a"), expected)


def test_what_had_numbers_must_have_them_again():
    with pytest.raises(ValueError, match="had numbers in fit") as error:
        numbers_of(pa.chunked_array([[None, "many"]]), "age")
    assert str(error.value) == (
        "The column 'age' had numbers in fit, and now has text such as 'many'. Bring it as numbers."
    )


def test_masked_tables_are_not_changed():
    mixed = np.ma.array([["a"], ["b"]], mask=[[0], [1]], dtype=object)
    Table.of(mixed)
    assert mixed.data.tolist() == [["a"], ["b"]]


# -- numbers -------------------------------------------------------------------------------------


def counted(values):
    values = np.array(values)
    return Numbers.of(range(values.shape[1]), values)


def test_gaps_and_infinities_are_counted():
    found = counted([[np.nan, np.inf, 1], [np.nan, 2, 3], [4, -np.inf, 5]])
    assert found.n_gaps.tolist() == [2, 0, 0]
    assert found.n_infinite.tolist() == [0, 2, 0]


def test_sums_that_are_too_large_are_no_infinities():
    found = counted([[1e308], [1e308]])
    assert (found.n_gaps.tolist(), found.n_infinite.tolist()) == ([0], [0])


def test_medians_leave_out_gaps():
    found = counted(
        [[1, np.nan, np.nan, 1.0], [2, 5, np.nan, 3], [9, 8, np.nan, 4], [4, 7, np.nan, 0]]
    )
    assert found.medians().tolist() == [3, 7, 0, 2]


def test_what_is_0_or_1_is_filled_with_one_of_them():
    found = counted([[0, 0, 0.25], [1, 1, 0.75], [0, 1, np.nan], [1, np.nan, np.nan]])
    assert found.medians().tolist() == [0, 1, 0.5]
    assert Numbers.of([0], np.array([[True], [False]])).medians().tolist() == [0]


def test_gaps_are_filled_without_a_change_to_the_table():
    values = np.array([[np.nan, 1], [2, 3]])
    found = list(Numbers.of([4, 7], values).filled(np.arange(10.0)))
    assert [(f, column.tolist()) for f, column, _ in found] == [(4, [4, 2]), (7, [1, 3])]
    assert found[0][2].tolist() == [True, False]
    assert found[1][2] is None
    assert np.isnan(values[0, 0])
