"""Tables of many types, with gaps: what stands in the frame, and where there is none."""

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

from entryprune.data import DatasetError, TableRequest, read_table
from entryprune.data.tables.arrow_columns import WORDS, nullable

DAY = datetime.date(2024, 3, 1)
NOON = datetime.datetime(2024, 3, 1, 12)


@pytest.fixture
def save(tmp_path):
    """Write columns, and ask for a mixed table."""

    def save(columns, **details):
        path = tmp_path / "t.feather"
        pa.feather.write_feather(pa.table(columns), path)
        return TableRequest(path, mixed=True, **details)

    return save


def test_all_features_are_in_the_order_of_the_file(save):
    table = read_table(
        save(
            {
                "id": ["p", "q", "r"],
                "town": ["Rome", None, "Rome"],
                "x": [1.5, float("nan"), float("inf")],
                "n": pa.array([1, None, 3], pa.int8()),
                "day": [DAY, None, DAY],
                "when": [NOON, NOON, None],
                "smokes": [True, None, False],
                "kind": ["a", "b", "a"],
            },
            target="kind",
            id_column="id",
        )
    )
    assert table.X is None
    assert table.features is table.frame
    assert (table.n_samples, table.ids) == (3, ("p", "q", "r"))
    assert table.feature_names == ("town", "x", "n", "day", "when", "smokes")
    assert table.frame.column_names == list(table.feature_names)
    assert table.places == (2, 3, 4, 5, 6, 7)
    kinds = [WORDS, pa.float64(), pa.int64(), pa.date32(), pa.timestamp("us"), pa.bool_()]
    assert table.frame.schema.types == kinds
    assert table.frame.to_pydict() == {
        "town": ["Rome", None, "Rome"],
        "x": [1.5, None, float("inf")],
        "n": [1, None, 3],
        "day": [DAY, None, DAY],
        "when": [NOON, NOON, None],
        "smokes": [True, None, False],
    }
    assert table.left_out == ()
    assert "6 gaps in 6 columns." in table.notes


def test_only_what_can_be_no_feature_is_left_out(save):
    table = read_table(
        save(
            {
                "x": [1, 2],
                "none": pa.nulls(2),
                "gaps": pa.array([None, None], pa.string()),
                "nan": [np.nan, np.nan],
                "lists": [[1], [2]],
                "bytes": [b"a", b"b"],
            }
        )
    )
    assert table.feature_names == ("x",)
    assert (table.frame, table.X.tolist()) == (None, [[1], [2]])
    assert {one.column: one.why for one in table.left_out} == {
        "none": "all values missing",
        "gaps": "all values missing",
        "nan": "all values missing",
        "lists": "values of the type list<item: int64>",
        "bytes": "values of the type binary",
    }


def test_types_that_a_frame_does_not_have_are_converted(save):
    table = read_table(
        save(
            {
                "price": [Decimal("1.50"), Decimal("2.25")],
                "large": pa.array([2**63, 1], pa.uint64()),
                "small": pa.array([1, 2], pa.uint8()),
                "single": pa.array([0.5, 1.5], pa.float32()),
                "hour": [datetime.time(0, 1), None],
                "lasted": [datetime.timedelta(seconds=1.5), None],
                "level": pa.array([3, 7]).dictionary_encode(),
                "long": pa.array(["a", "b"], pa.large_string()),
                "view": pa.array(["a", "b"], pa.string_view()),
                "old": pa.array([0, 86_400_000], pa.date64()),
            }
        )
    )
    columns = table.frame.to_pydict()
    assert columns["price"] == [1.5, 2.25]
    assert columns["large"] == [2.0**63, 1.0]
    assert columns["small"] == [1, 2]
    assert columns["hour"] == [60.0, None]
    assert columns["lasted"] == [1.5, None]
    assert columns["level"] == ["3", "7"]
    assert columns["long"] == columns["view"] == ["a", "b"]
    assert columns["old"] == [datetime.date(1970, 1, 1), datetime.date(1970, 1, 2)]
    assert {str(kind) for kind in table.frame.schema.types} == {
        "double",
        "int64",
        "date32[day]",
        str(WORDS),
    }
    assert "2 columns of times became seconds." in table.notes
    assert "1 column of decimal numbers became floating-point numbers." in table.notes


def test_words_are_those_of_the_samples_in_the_order_of_their_first(save):
    kinds = pa.DictionaryArray.from_arrays([2, 0, None, 2], ["no", "never", "yes"])
    request = save({"a": pa.chunked_array([kinds[:1], kinds[1:]])})
    column = read_table(request).frame["a"].combine_chunks()
    assert column.dictionary.to_pylist() == ["yes", "no"]
    assert column.to_pylist() == ["yes", "no", None, "yes"]


def test_times_alone_are_features(save):
    table = read_table(save({"x": [1, 2], "hour": [datetime.time(1), datetime.time(2)]}))
    assert table.frame.to_pydict() == {"x": [1, 2], "hour": [3600.0, 7200.0]}


def test_text_that_looks_like_numbers_is_told_of(save):
    table = read_table(save({"a": ["1", "2"], "b": ["3", "x"], "c": ["u", "v"]}))
    assert table.feature_names == ("a", "b", "c")
    assert [note for note in table.notes if "taken as" in note] == [
        "'a' is taken as text, though all values look like numbers; store them as numbers.",
        "'b' is taken as text: mostly numbers, but also 'x'; leave missing values empty.",
    ]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.npy", "t.mat", "t.svm", "t.h5ad"])
def test_numbers_without_gaps_are_a_matrix_as_ever(make, name):
    table, plain = (read_table(make(name, mixed=mixed)) for mixed in (True, False))
    assert table.frame is None
    assert table.features is table.X
    assert table.X.dtype == plain.X.dtype
    np.testing.assert_array_equal(table.X, plain.X)
    assert (table.notes, table.left_out) == (plain.notes, plain.left_out)


def test_a_matrix_with_gaps_becomes_a_frame(tmp_path):
    X = np.array([[1, np.nan, 3], [np.inf, np.nan, 6], [7, np.nan, np.nan]], dtype=np.float32)
    np.save(tmp_path / "t.npy", X)
    table = read_table(TableRequest(tmp_path / "t.npy", mixed=True))
    assert table.frame.to_pydict() == {"column_1": [1, float("inf"), 7], "column_3": [3, 6, None]}
    assert table.notes[-1] == "1 gap in 1 column."
    assert [one.column for one in table.left_out] == ["column_2"]


def test_rows_of_text_are_features_too(text):
    content = "gene,s1,s2,s3\nTP53,1.5,2,3\ntown,u,,v\nMYC,4,NA,6\nkind,a,b,a\n"
    table = read_table(text(content, transpose=True, target="kind", mixed=True))
    assert table.frame.to_pydict() == {
        "TP53": [1.5, 2, 3],
        "town": ["u", None, "v"],
        "MYC": [4, None, 6],
    }
    assert (table.y.tolist(), table.ids) == (["a", "b", "a"], ("s1", "s2", "s3"))


def test_a_table_of_text_alone_is_a_table(text):
    table = read_table(text("town,kind\nRome,a\nParis,b\n", target="kind", mixed=True))
    assert table.frame.to_pydict() == {"town": ["Rome", "Paris"]}
    with pytest.raises(DatasetError, match=r"no column that can be a feature besides the target"):
        read_table(text("none,kind\n,a\n,b\n", target="kind", mixed=True))


def test_numbers_become_columns_of_arrow():
    for values in ([1.5, np.nan, 2], [1.5], [np.nan], []):
        expected = [None if np.isnan(value) else value for value in values]
        column = nullable(np.array(values, dtype=float))
        column.validate(full=True)
        assert column.to_pylist() == expected
    assert nullable(np.arange(3, dtype=np.int8)).to_pylist() == [0, 1, 2]
