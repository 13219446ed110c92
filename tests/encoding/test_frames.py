"""Frames of all kinds give the same Arrow columns, and columns of a table are of its kind."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from scipy import sparse

from entryprune.encoding import arrow_columns, frame_names, is_frame, take_columns

DAY = dt.date(2024, 2, 29)
NOON = dt.datetime(2024, 2, 29, 12)


def column_of(series):
    _, (column,) = arrow_columns(pd.DataFrame({"a": series}))
    return column


# -- what is a frame, and what its columns are called --------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": [1]}),
        pl.DataFrame({"a": [1]}),
        pl.LazyFrame({"a": [1]}),
        pa.table({"a": [1]}),
        pa.record_batch({"a": [1]}),
    ],
    ids=lambda X: type(X).__name__,
)
def test_frames_are_told(X):
    assert is_frame(X)


@pytest.mark.parametrize(
    "X", [np.zeros((1, 1)), [[1]], None, pd.Series([1]), torch.zeros(1, 1), {"a": [1]}]
)
def test_other_tables_are_no_frames(X):
    assert not is_frame(X)


@pytest.mark.parametrize("use", [frame_names, arrow_columns, lambda X: take_columns(X, [0])])
def test_lazy_frames_are_to_be_collected(use):
    with pytest.raises(TypeError, match=r"lazy frame of polars.*Collect it first: X.collect\(\)"):
        use(pl.LazyFrame({"a": [1]}))


def test_only_frames_have_columns_of_their_own():
    with pytest.raises(TypeError, match="must be a table of pandas, polars or Arrow, got a list"):
        arrow_columns([[1]])


@pytest.mark.parametrize("names", [[0, 1], [1, 1], [("a", "b"), ("a", "c")]])
def test_names_that_are_no_texts_are_places(names):
    X = pd.DataFrame([[1, 2]])
    X.columns = names
    assert frame_names(X) is None
    assert arrow_columns(X)[0] == ("x0", "x1")


def test_names_of_both_kinds_are_refused():
    with pytest.raises(TypeError) as error:
        frame_names(pd.DataFrame([[1, 2]], columns=["a", 7]))
    assert str(error.value) == (
        "The columns of X must all be named by texts, or none of them: 7 is no text. Make texts of "
        "all names: X.columns = X.columns.astype(str)"
    )


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.Table.from_arrays([pa.array([1])] * 3, ["a", "b", "a"]),
    ],
)
def test_a_name_may_be_there_once(X):
    with pytest.raises(ValueError, match=r"columns of the same name: 'a' \(2 times\). Rename"):
        arrow_columns(X)


# -- columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2.5, None], pa.float64(), [1.0, 2.5, None]),
        ([1, np.nan], pa.int64(), [1, None]),
        ([True, None], pa.bool_(), [True, None]),
        ([True, 2], pa.float64(), [1.0, 2.0]),
        ([Decimal("1.5"), 2.0, pd.NA], pa.float64(), [1.5, 2.0, None]),
        ([10**30, 1], pa.float64(), [1e30, 1.0]),
        ([10**400, 1], pa.large_string(), [str(10**400), "1"]),
        (["a", np.nan, None, pd.NA], pa.string(), ["a", None, None, None]),
        (["a", 1, 2.0, 2.5, True], pa.large_string(), ["a", "1", "2", "2.5", "true"]),
        (["a", 1, pd.NaT, np.nan], pa.large_string(), ["a", "1", None, None]),
        (["a\ud800"], pa.large_string(), ["a\\ud800"]),
        ([DAY, pd.NaT], pa.date32(), [DAY, None]),
        ([pd.Timestamp(NOON), None], pa.timestamp("us"), [NOON, None]),
        ([None, np.nan], pa.null(), [None, None]),
    ],
)
def test_objects_become_what_they_are(values, kind, expected):
    column = column_of(pd.Series(values, dtype=object))
    assert column.type == kind
    assert column.to_pylist() == expected


@pytest.mark.parametrize(
    ("series", "kind", "expected"),
    [
        (pd.Series([1, None], dtype="Int64"), pa.int64(), [1, None]),
        (pd.Series([1, None], dtype="int64[pyarrow]"), pa.int64(), [1, None]),
        (pd.Series([1.5, None], dtype="Float32"), pa.float32(), [1.5, None]),
        (pd.Series([True, None], dtype="boolean"), pa.bool_(), [True, None]),
        (pd.Series(["a", None], dtype="string"), pa.large_string(), ["a", None]),
        (pd.Series([0.0, 1.0], dtype="Sparse[float]"), pa.float64(), [0.0, 1.0]),
        (pd.Series(np.array([1, 2], ">i4")), pa.int32(), [1, 2]),
        (pd.Series(np.array([1, 2], np.longdouble)), pa.float64(), [1.0, 2.0]),
        (
            pd.Series(pd.interval_range(0, 2)),
            pa.large_string(),
            ["(0, 1]", "(1, 2]"],
        ),
    ],
    ids=lambda value: str(value.dtype) if isinstance(value, pd.Series) else "",
)
def test_types_of_pandas_are_kept(series, kind, expected):
    column = column_of(series)
    assert column.type == kind
    assert column.to_pylist() == expected


def test_nan_among_floats_stays():
    column = column_of(pd.Series([1.0, np.nan]))
    assert column.null_count == 0
    assert np.isnan(column[1].as_py())


def test_periods_are_their_first_moment():
    column = column_of(pd.Series(pd.period_range("2024-02", periods=2, freq="M")))
    assert [value.date() for value in column.to_pylist()] == [
        dt.date(2024, 2, 1),
        dt.date(2024, 3, 1),
    ]


def test_time_zones_are_kept():
    zoned = pd.Series([pd.Timestamp(NOON, tz="Europe/Berlin"), pd.NaT])
    column = column_of(zoned)
    assert column.type.tz == "Europe/Berlin"
    assert column.null_count == 1
    assert column[0].as_py() == zoned[0]


@pytest.mark.parametrize("is_ordered", [True, False])
def test_categories_are_dictionaries(is_ordered):
    column = column_of(pd.Series(pd.Categorical(["b", None, "a"], ["b", "a", "c"], is_ordered)))
    assert column.type.ordered == is_ordered
    assert column.to_pylist() == ["b", None, "a"]
    assert column.chunk(0).dictionary.to_pylist() == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("categories", "words"),
    [
        (pd.Categorical([3, 1]), [1, 3]),
        (pd.Categorical([True, False]), [False, True]),
        (pd.Categorical(["a", 1], ["a", 1]), ["a", "1"]),
        (pd.cut([1, 3], [0, 2, 4]), ["(0, 2]", "(2, 4]"]),
        (pd.Categorical([pd.Timestamp(NOON)]), [NOON]),
    ],
)
def test_categories_of_any_kind_have_words(categories, words):
    assert column_of(pd.Series(categories)).chunk(0).dictionary.to_pylist() == words


@pytest.mark.parametrize("values", [np.array([1j, 2]), np.array([1j, "a"], dtype=object)])
def test_complex_numbers_are_refused(values):
    with pytest.raises(ValueError, match="Complex data not supported, and the column 'a' has"):
        column_of(pd.Series(values))


def test_frames_of_all_kinds_give_the_same():
    data = {
        "number": [1.5, None, 3.0],
        "whole": [1, 2, None],
        "text": ["x", None, "y"],
        "truth": [True, False, None],
        "day": [DAY, None, DAY],
        "moment": [NOON, None, NOON],
        "decimal": [Decimal("1.50"), None, Decimal("2.25")],
    }
    table = pa.table(data)
    frames = [
        table,
        table.to_batches()[0],
        pl.DataFrame(data),
        pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in data.items()}),
        table.to_pandas(types_mapper=pd.ArrowDtype),
    ]
    for frame in frames:
        names, columns = arrow_columns(frame)
        assert names == tuple(data)
        assert [column.to_pylist() for column in columns] == list(data.values())


def test_the_widest_numbers_of_polars_are_floats():
    _, (column,) = arrow_columns(pl.DataFrame({"a": pl.Series([2**100, None], dtype=pl.Int128)}))
    assert column.to_pylist() == [2.0**100, None]


def test_only_the_columns_asked_for_are_converted():
    X = pd.DataFrame({"a": [1j], "b": [2], "c": [3]})
    names, columns = arrow_columns(X, [2, 1])
    assert names == ("c", "b")
    assert [column.to_pylist() for column in columns] == [[3], [2]]


def test_encodings_of_arrow_are_undone():
    table = pa.table({"a": pa.array([1, 1, 2]), "b": pa.array([True, False, None], pa.bool_())})
    table = table.set_column(0, "a", pa.compute.run_end_encode(table["a"]))
    table = table.set_column(1, "b", table["b"].cast(pa.int8()).cast(pa.bool8()))
    assert [column.to_pylist() for column in arrow_columns(table)[1]] == [[1, 1, 2], [1, 0, None]]


# -- some of the columns -------------------------------------------------------------------------


def test_pandas_keeps_types_index_and_categories():
    X = pd.DataFrame(
        {"a": [1, 2], "b": pd.Categorical(["x", "y"], ["y", "x", "z"]), "c": [1.5, 2]},
        index=["first", "second"],
    )
    pd.testing.assert_frame_equal(take_columns(X, np.array([1, 0])), X[["b", "a"]])


def test_polars_keeps_types():
    X = pl.DataFrame({"a": [1], "b": ["x"]}, schema={"a": pl.Int8, "b": pl.Categorical})
    assert take_columns(X, [1]).dtypes == [pl.Categorical]


@pytest.mark.parametrize("make", [pa.table, pa.record_batch])
def test_arrow_keeps_types(make):
    X = make({"a": pa.array([1], pa.int8()), "b": pa.array(["x"]).dictionary_encode()})
    taken = take_columns(X, [1, 0])
    assert type(taken) is type(X)
    assert taken.schema.types == X.schema.types[::-1]


def test_arrays_and_tensors_keep_types():
    assert take_columns(np.eye(3, dtype=np.float32), [2, 0]).dtype == np.float32
    assert torch.equal(take_columns(torch.eye(3), [2, 0]), torch.eye(3)[:, [2, 0]])
    assert take_columns([[1, 2], [3, 4]], [1]).tolist() == [[2], [4]]


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dia", "lil"])
def test_sparse_tables_keep_their_format(kind):
    X = sparse.random_array((4, 3), density=0.5, format=kind, rng=0)
    taken = take_columns(X, [2, 0])
    assert taken.format == kind
    np.testing.assert_array_equal(taken.toarray(), X.toarray()[:, [2, 0]])


def test_no_columns_are_a_table_too():
    assert take_columns(pd.DataFrame({"a": [1, 2]}), []).shape == (2, 0)
    assert take_columns(np.zeros((2, 1)), []).shape == (2, 0)


@pytest.mark.parametrize("indices", [[True, False], [0.5], [[0]], ["a"]])
def test_indices_are_whole_numbers(indices):
    with pytest.raises(TypeError, match="indices must be whole numbers in one dimension"):
        take_columns(np.zeros((2, 2)), indices)


@pytest.mark.parametrize("index", [-1, 2])
def test_indices_are_those_of_columns(index):
    with pytest.raises(ValueError, match=f"X has the columns 0 to 1, and {index} is none of them"):
        take_columns(pa.table({"a": [1], "b": [2]}), [index])


def test_a_table_has_two_dimensions():
    with pytest.raises(ValueError, match=r"must have rows and columns, got the shape \(3,\)"):
        take_columns(np.zeros(3), [0])
