"""Parquet, Feather and Arrow: types, indexes of pandas, damage."""

from datetime import date, time
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from entryprune.data import DatasetError, TableRequest, read_table, write_columns


@pytest.fixture(params=["parquet", "feather"])
def save(request, tmp_path):
    """Write a table in one of the formats, and ask for it."""

    def save(columns, **details):
        path = tmp_path / f"t.{request.param}"
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        if request.param == "parquet":
            pa.parquet.write_table(table, path)
        else:
            pa.feather.write_feather(table, path)
        return TableRequest(path, **details)

    return save


@pytest.mark.parametrize(
    ("kinds", "dtype"),
    [
        ((pa.uint8(), pa.uint8()), np.uint8),
        ((pa.int8(), pa.int16()), np.int16),
        ((pa.float32(), pa.float32()), np.float32),
        ((pa.float32(), pa.int64()), np.float64),
        ((pa.bool_(), pa.bool_()), np.uint8),
        ((pa.bool_(), pa.float32()), np.float32),
        ((pa.float16(), pa.float16()), np.float32),
    ],
)
def test_the_type_of_the_values_is_kept(save, kinds, dtype):
    values = [np.array([0, 1, 1]), np.array([1, 0, 1])]
    columns = {
        name: pa.array(value.astype(kind.to_pandas_dtype()), kind)
        for name, value, kind in zip("ab", values, kinds, strict=True)
    }
    table = read_table(save(columns))
    assert table.X.dtype == dtype
    assert table.X.T.tolist() == [[0, 1, 1], [1, 0, 1]]


def test_every_other_type_is_left_out_with_a_reason(save):
    table = read_table(
        save(
            {
                "x": [1, 2],
                "text": ["a", "b"],
                "large": pa.array(["a", "b"], pa.large_string()),
                "digits": ["1", "2.5"],
                "kinds": pa.array(["a", "b"]).dictionary_encode(),
                "day": [date(2020, 1, 1), date(2020, 1, 2)],
                "hour": [time(1), time(2)],
                "bytes": [b"a", b"b"],
                "lists": [[1], [2]],
                "none": pa.nulls(2),
                "gaps": pa.array([None, None], pa.float64()),
                "nan": [np.nan, np.nan],
            }
        )
    )
    assert table.feature_names == ("x",)
    why = {one.column: one.why for one in table.left_out}
    assert why.pop("lists").startswith("values of the type list")
    assert why == {
        "text": "text",
        "large": "text",
        "digits": "text, though all values look like numbers; store them as numbers",
        "kinds": "categories",
        "day": "dates",
        "hour": "times",
        "bytes": "values of the type binary",
        "none": "all values missing",
        "gaps": "all values missing",
        "nan": "all values missing",
    }


def test_gaps_are_nan_and_conversions_are_said(save):
    table = read_table(
        save(
            {
                "whole": pa.array([1, None], pa.int8()),
                "truth": [True, None],
                "price": pa.array([Decimal("1.50"), None]),
                "real": [None, 0.5],
            }
        )
    )
    nan = np.nan
    assert np.array_equal(table.X, [[1, 1, 1.5, nan], [nan, nan, nan, 0.5]], equal_nan=True)
    assert table.notes == (
        "1 column of true and false became 1 and 0.",
        "1 column of decimal numbers became floating-point numbers.",
        "1 column of whole numbers became floating-point numbers, as values are missing.",
    )


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["x", "y"], ["x", "y"]),
        (pa.array(["x", "y"]).dictionary_encode(), ["x", "y"]),
        (pa.array([3, 1], pa.int8()).dictionary_encode(), [3, 1]),
        ([True, False], [True, False]),
        ([Decimal("1.5"), Decimal("2")], [1.5, 2.0]),
    ],
)
def test_labels_may_be_of_many_types(save, column, expected):
    assert read_table(save({"a": [1, 2], "y": column}, target="y")).y.tolist() == expected


@pytest.mark.parametrize(
    "column",
    [
        ["x", None],
        ["x", ""],
        [1, None],
        [0.5, np.nan],
        [True, None],
        pa.array(["x", None]).dictionary_encode(),
    ],
)
def test_missing_labels_are_an_error(save, column):
    with pytest.raises(DatasetError, match=r"1 of 2 labels is missing in 'y' .* \(of sample 2\)"):
        read_table(save({"a": [1, 2], "y": column}, target="y"))


def test_dates_are_no_labels(save):
    with pytest.raises(
        DatasetError, match=r"The target 'y' of .* has dates; labels are text, numbers"
    ):
        read_table(save({"a": [1], "y": [date(2020, 1, 1)]}, target="y"))


def test_names_with_dots_are_names(save):
    table = read_table(save({"a": [1], "a.b": [2], "a.b.c": [3]}, drop=("a",)))
    assert table.feature_names == ("a.b", "a.b.c")


def test_an_index_of_pandas_is_no_feature(save):
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=[7, 3, 5])
    table = read_table(save(pa.Table.from_pandas(frame)))
    assert table.feature_names == ("a",)
    assert table.ids == ("7", "3", "5")
    frame.index = [0, 1, 2]
    table = read_table(save(pa.Table.from_pandas(frame, preserve_index=True)))
    assert table.feature_names == ("a",)
    assert table.ids is None
    assert [one.why for one in table.left_out] == ["row numbers"]


def test_several_pieces_are_one_table(save):
    piece = pa.table({"a": [1, 2], "k": pa.array(["x", "y"]).dictionary_encode()})
    other = pa.table({"a": [3, 4], "k": pa.array(["z", "x"]).dictionary_encode()})
    table = read_table(save(pa.concat_tables([piece, other]).unify_dictionaries(), target="k"))
    assert table.X.tolist() == [[1], [2], [3], [4]]
    assert table.y.tolist() == ["x", "y", "z", "x"]


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.ipc"])
def test_tables_of_polars_are_read_and_reduced(tmp_path, name):
    frame = pl.DataFrame(
        {
            "a": [1, 2, 3],
            "town": ["Rome", "?", None],
            "kind": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
            "rank": pl.Series(["lo", "hi", "lo"], dtype=pl.Enum(["lo", "hi"])),
            "b": [1.5, None, 2.5],
        }
    )
    writers = {"t.parquet": frame.write_parquet, "t.arrow": frame.write_ipc_stream}
    writers.get(name, frame.write_ipc)(tmp_path / name)
    for target, labels in (("kind", ["u", "v", "u"]), ("rank", ["lo", "hi", "lo"])):
        request = TableRequest(tmp_path / name, target=target)
        assert read_table(request).y.tolist() == labels
        write_columns(request, ["b"], tmp_path / f"r_{name}")
        reduced = read_table(TableRequest(tmp_path / f"r_{name}", target=target))
        assert (reduced.feature_names, reduced.y.tolist()) == (("b",), labels)
    with pytest.raises(DatasetError, match="1 of 3 labels is missing in 'town'"):
        read_table(TableRequest(tmp_path / name, target="town"))
    table = read_table(TableRequest(tmp_path / name, id_column="rank"))
    assert table.ids == ("lo", "hi", "lo")
    assert [one.why for one in table.left_out] == ["text", "categories"]


def test_no_rows_are_an_error(save):
    with pytest.raises(DatasetError, match="has 1 column and no samples"):
        read_table(save({"a": pa.array([], pa.int64())}))


def test_names_that_are_there_twice_are_an_error(save):
    table = pa.table([[1], [2]], names=["a", "a"])
    with pytest.raises(DatasetError, match=r"columns of the same name: 'a' \(2 times\)"):
        read_table(save(table))


def test_a_file_that_was_cut_short_is_an_error(save):
    request = save({"a": list(range(1000))})
    request.path.write_bytes(request.path.read_bytes()[:-50])
    with pytest.raises(DatasetError, match=r"cannot be read as a .* file \(.*\)\. It may be damag"):
        read_table(request)


def test_the_oldest_feather_is_refused(text):
    with pytest.raises(DatasetError, match="Feather file of version 1, which is no longer read"):
        read_table(text(b"FEA1\0\0", "t.feather"))


def test_ids_that_are_no_text_are_an_error(save):
    request = save({"a": [1, 2], "id": [[1], [2]]}, id_column="id")
    with pytest.raises(
        DatasetError, match=r"'id' has values of the type list.*cannot name anything"
    ):
        read_table(request)


def test_a_table_without_columns_is_an_error(save):
    for is_transposed in (False, True):
        request = save(pa.table({}), transpose=is_transposed)
        with pytest.raises(DatasetError, match="has 0 columns and no samples"):
            read_table(request)


def test_dates_may_stand_beside_the_features(tmp_path):
    path = tmp_path / "t.parquet"
    days = pa.array([date(2024, 3, 1), date(2023, 1, 2)])
    pyarrow.parquet.write_table(pa.table({"a": [1.0, 2.0], "day": days, "y": ["u", "v"]}), path)
    table = read_table(TableRequest(path, target="y", beside=("day",)))
    assert table.feature_names == ("a",)
    assert table.beside["day"].astype("datetime64[D]").tolist() == days.to_pylist()
