"""Values straight from memory are those that pyarrow itself gives."""

import numpy as np
import pyarrow as pa
import pytest

from entryprune.encoding import arrow

COLUMNS = {
    "whole": pa.array(range(20), pa.int16()),
    "whole with gaps": pa.array([None if n % 3 == 0 else n for n in range(20)], pa.int64()),
    "fractions": pa.array(np.arange(20) / 7, pa.float32()),
    "fractions with gaps": pa.array([None if n % 5 == 0 else n / 7 for n in range(20)]),
    "half precision": pa.array(np.arange(20).astype(np.float16)),
    "truth": pa.array([n % 3 == 0 for n in range(20)]),
    "truth with gaps": pa.array([None if n % 4 == 0 else n % 3 == 0 for n in range(20)]),
    "nothing": pa.array([None] * 20, pa.float64()),
}


def parts(column):
    """Yield the column whole, cut at places that are no multiples of 8, in pieces, and empty."""
    yield column
    yield column.slice(3)
    yield column.slice(5, 11)
    yield pa.chunked_array([column.slice(0, 7), column.slice(7, 1), column.slice(9, 11)])
    yield column.slice(0, 0)
    yield pa.chunked_array([], column.type)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_numbers_are_those_of_pyarrow(column):
    for part in parts(column):
        expected = [np.nan if value is None else float(value) for value in part.to_pylist()]
        found = arrow.values_of(part)
        np.testing.assert_array_equal(found.astype(np.float64), expected)
        assert arrow.is_missing(part).tolist() == [v is None for v in part.to_pylist()]


def test_types_are_kept_where_nothing_is_missing():
    kinds = {name: arrow.values_of(column).dtype for name, column in COLUMNS.items()}
    assert kinds["whole"] == np.int16
    assert kinds["whole with gaps"] == np.float64
    assert kinds["fractions"] == np.float32
    assert kinds["half precision"] == np.float16
    assert kinds["truth"] == np.uint8


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", None, "b"]),
        pa.array([None, None]),
        pa.array(["a", None, "a"]).dictionary_encode(),
    ],
)
def test_gaps_are_found_in_columns_of_any_kind(column):
    assert arrow.is_missing(column).tolist() == [v is None for v in column.to_pylist()]


def test_what_is_returned_is_a_copy():
    column = pa.array([1.0, 2.0])
    arrow.values_of(column)[0] = 9
    assert column.to_pylist() == [1.0, 2.0]


def test_levels_are_numbered_as_they_appear():
    codes, texts = arrow.coded(pa.chunked_array([["b", None, "a"], ["a", "c"]]))
    assert codes.tolist() == [0, -1, 1, 1, 2]
    assert texts.to_pylist() == ["b", "a", "c"]


def test_categories_of_several_pieces_are_one_list():
    first = pa.DictionaryArray.from_arrays([0, 1, None], ["x", "y"])
    second = pa.DictionaryArray.from_arrays([0, 1, 1], ["y", "z"])
    codes, texts = arrow.coded(pa.chunked_array([first, second, second]))
    assert texts.to_pylist() == ["x", "y", "z"]
    assert codes.tolist() == [0, 1, -1, 1, 2, 2, 1, 2, 2]


def test_categories_may_be_there_twice_or_be_missing():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(["a", None, "a", "b"]))
    codes, texts = arrow.coded(pa.chunked_array([column]))
    assert codes.tolist() == [0, -1, 0, 1]
    assert texts.to_pylist() == ["a", "b"]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array([1, 2]), ["1", "2"]),
        (pa.array([1.0, 2.5]), ["1", "2.5"]),
        (pa.array(np.array([1.0, 2.5], np.float16)), ["1", "2.5"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array(["a", "b"], pa.string_view()), ["a", "b"]),
        (pa.array(["a", "b"], pa.large_string()), ["a", "b"]),
    ],
)
def test_values_of_many_kinds_have_texts(values, texts):
    assert arrow.coded(pa.chunked_array([values]))[1].to_pylist() == texts
    codes, found = arrow.coded(pa.chunked_array([pa.DictionaryArray.from_arrays([1, 0], values)]))
    assert (codes.tolist(), found.to_pylist()) == ([1, 0], texts)


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int8(), pa.string())])
def test_columns_without_values_have_no_levels(kind):
    for column in (pa.chunked_array([], kind), pa.chunked_array([pa.nulls(2, kind)])):
        codes, texts = arrow.coded(column)
        assert codes.tolist() == [-1] * len(column)
        assert len(texts) == 0


def test_texts_are_found_among_others():
    assert arrow.places_of(pa.array(["b", "ü", "?"]), ["ü", "", "b"]).tolist() == [2, 0, -1]
