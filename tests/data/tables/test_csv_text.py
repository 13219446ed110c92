"""Lines of text: where they are split, and what is guessed of them."""

from pathlib import Path

import numpy as np
import pytest

from entryprune.data.tables.columns import text_array
from entryprune.data.tables.csv import as_numbers
from entryprune.data.tables.csv_text import (
    _guess_delimiter,
    is_number,
    records,
    split,
    unquoted,
)


def test_a_line_is_split_except_inside_quotes():
    assert split(b'a;"b;""c";d', b";") == [b"a", b'"b;""c"', b"d"]
    assert split(b'a;"b', b";") is None
    assert (unquoted(b'"6"" long"'), unquoted(b"plain")) == (b'6" long', b"plain")


def test_a_quoted_value_may_go_over_lines_and_empty_ones_are_passed_over():
    lines = [b'a,"b, c"\n', b"\n", b'1,"two\n', b'lines"\r\n']
    assert [*records(Path("t.csv"), lines, b",")] == [
        (1, [b"a", b'"b, c"'], b"\n"),
        (3, [b"1", b'"two\nlines"'], b"\r\n"),
    ]


@pytest.mark.parametrize(
    ("lines", "delimiter"),
    [
        ([b"a;b;c", b"1,5;2,5;3,5"], b";"),
        ([b"a\tb", b"1\t2"], b"\t"),
        ([b"1.5 2.5", b"3.5 4.5"], b" "),
        ([b"one word", b"1"], b","),
    ],
)
def test_the_delimiter_splits_all_lines_alike(lines, delimiter):
    assert _guess_delimiter(lines) == delimiter


def test_numbers_are_told_from_words():
    assert [is_number(field) for field in (b"-1.5e3", b" 2", b"1,5", b"NA")] == [1, 1, 0, 0]
    assert as_numbers([b"1", b"2"]).dtype.kind == "i"
    np.testing.assert_array_equal(as_numbers([b'"1.5"', b"NA"]), [1.5, np.nan])
    assert as_numbers([b"a"]) is None


def test_one_long_text_does_not_make_all_places_as_wide():
    assert text_array(["a", "bc"]).dtype == "<U2"
    assert text_array(["a"] * 99 + ["long" * 99_999]).dtype == object
