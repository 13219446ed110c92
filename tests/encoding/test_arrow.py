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
