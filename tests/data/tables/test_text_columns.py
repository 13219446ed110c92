"""What stands in text files: words for gaps, and dates."""

import datetime
import time

import numpy as np
import pyarrow as pa
import pytest

from entryprune.data import DatasetError, read_table
from entryprune.data.tables.arrow_columns import gaps_note
from entryprune.data.tables.text_columns import recognised

WORDS = (
    *("?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "-", "--", "."),
    *("#N/A", "#NULL!", "#DIV/0!", "", "  ", " NA ", '""', '"NA"'),
)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("mixed", [True, False])
def test_words_are_gaps_among_numbers_and_dates(text, word, mixed):
    content = f"n,x,day,kind\n1,0.5,2024-03-01,a\n{word},{word},{word},b\n3,1.5,2024-03-02,a\n"
    table = read_table(text(content, target="kind", mixed=mixed))
    if not mixed:
        expected = [[1, 0.5], [np.nan, np.nan], [3, 1.5]]
        np.testing.assert_array_equal(table.X, expected)
        assert [(one.column, one.why) for one in table.left_out] == [("day", "dates")]
        return
    first, last = datetime.date(2024, 3, 1), datetime.date(2024, 3, 2)
    assert table.frame.to_pydict() == {
        "n": [1, None, 3],
        "x": [0.5, None, 1.5],
        "day": [first, None, last],
    }
    assert table.frame.schema.types == [pa.int64(), pa.float64(), pa.date32()]
    shown = word.strip('" ')
    said = f" ({shown!r} is read as a gap)" if shown else ""
    assert f"3 gaps in 3 columns{said}." in table.notes


@pytest.mark.parametrize("word", ["", " ", "NA", "N/A", "NaN", "null", "None", "?", "#N/A"])
def test_clear_words_are_gaps_among_words(text, word):
    table = read_table(text(f"town,x\nRome,1\n{word},2\nParis,3\n", mixed=True))
    assert table.frame["town"].to_pylist() == ["Rome", None, "Paris"]
    assert table.frame["town"].combine_chunks().dictionary.to_pylist() == ["Rome", "Paris"]


@pytest.mark.parametrize("word", ["-", "--", ".", "none at all"])
def test_other_words_stay_words(text, word):
    table = read_table(text(f"town,x\nRome,1\n{word},2\nParis,3\n", mixed=True))
    assert table.frame["town"].to_pylist() == ["Rome", word, "Paris"]


def test_gaps_are_counted_once_with_all_their_words(text):
    content = "a,b,town,c\n1,?,Rome,1\nNA,2,NA,2\n-,3,Paris,3\n"
    table = read_table(text(content, mixed=True))
    assert "4 gaps in 3 columns ('NA', '-' and '?' are read as gaps)." in table.notes
    table = read_table(text(content))
    assert "3 gaps in 2 columns ('NA', '-' and '?' are read as gaps)." in table.notes
    assert gaps_note(2000, 1) == "2,000 gaps in 1 column."


def test_empty_fields_need_no_words(text):
    table = read_table(text("a,b\n1,\n,2\n", mixed=True))
    assert table.notes == ("2 gaps in 2 columns.",)


def test_a_class_may_be_called_none(text):
    table = read_table(text("x,y\n1,None\n2,mild\n3,-\n", target="y", mixed=True))
    assert table.y.tolist() == ["None", "mild", "-"]
    with pytest.raises(DatasetError, match="1 of 3 labels is missing"):
        read_table(text("x,y\n1,?\n2,mild\n3,-\n", target="y"))
    with pytest.raises(DatasetError, match="1 of 3 labels is missing"):
        read_table(text("x,y\n1,2.5\n2,1\n3,-\n", target="y"))


def test_ids_stay_as_they_are(text):
    table = read_table(text("id,x\n007,1\n-,2\nNone,3\n", id_column="id", mixed=True))
    assert table.ids == ("007", "-", "None")
    table = read_table(text(",x\n13.01.2024,1\n14.01.2024,2\n"))
    assert table.ids == ("13.01.2024", "14.01.2024")


def test_a_column_of_gaps_is_left_out(text):
    table = read_table(text("a,b\n1,-\n2,.\n", mixed=True))
    assert (table.feature_names, table.left_out[0].why) == (("a",), "all values missing")


def test_rows_have_gaps_too(text):
    table = read_table(text("g,s1,s2\na,1,-\nb,None,4\n", transpose=True))
    np.testing.assert_array_equal(table.X, [[1, np.nan], [np.nan, 4]])
    content = "g,s1,s2\na,1,-\nday,13.01.2024,?\nkind,None,x\n"
    table = read_table(text(content, transpose=True, mixed=True, target="kind"))
    assert table.frame.to_pydict() == {"a": [1, None], "day": [datetime.date(2024, 1, 13), None]}
    assert table.y.tolist() == ["None", "x"]


# -- dates ----------------------------------------------------------------------------------------

DAYS = [datetime.date(2024, 3, 1), datetime.date(2024, 3, 13)]


def column(*words):
    return recognised([pa.chunked_array([pa.array(words, pa.string())])])


@pytest.mark.parametrize(
    "words",
    [
        ("2024-03-01", "2024-03-13"),
        ("2024-3-1", "2024-3-13"),
        ("2024/03/01", "2024/03/13"),
        ("01.03.2024", "13.03.2024"),
        ("1.3.2024", " 13.3.2024 "),
        ("03/01/2024", "03/13/2024"),
        ("3/1/2024", "3/13/2024"),
        ("01/03/2024", "13/03/2024"),
        ("01-03-2024", "13-03-2024"),
    ],
)
def test_dates_in_one_order_are_dates(words):
    found = column(*words, "-", None).columns[0]
    assert found.type == pa.date32()
    assert found.to_pylist() == [*DAYS, None, None]


@pytest.mark.parametrize(
    ("words", "kind", "hour"),
    [
        (("2024-03-01T12:00:00Z", "-"), pa.timestamp("s", "UTC"), 12),
        (("2024-03-01T12:00:00+02:00", "."), pa.timestamp("s", "UTC"), 10),
        (("2024-03-01 12:00:00", "-"), pa.timestamp("s"), 12),
        (("2024-03-01 12:00", "2024-03-01"), pa.timestamp("s"), 12),
        (("2024-03-01 12:00:00.5", "-"), pa.timestamp("ns"), 12),
        (("1.3.2024 12:00", "13.3.2024 9:05:10"), pa.timestamp("s"), 12),
        (("3/1/2024 12:00", "3/13/2024"), pa.timestamp("s"), 12),
    ],
)
def test_times_are_kept(words, kind, hour):
    found = column(*words).columns[0]
    assert found.type == kind
    first = found.cast(pa.timestamp("s", kind.tz), safe=False)[0].as_py()
    assert (first.year, first.month, first.day, first.hour) == (2024, 3, 1, hour)


@pytest.mark.parametrize(
    "words",
    [
        ("13.01.2024", "01/13/2024"),
        ("13.01.2024", "01.13.2024"),
        ("13.01/2024", "14.01/2024"),
        ("30.02.2024", "13.01.2024"),
        ("2024-13-01", "2024-01-01"),
        ("13.01.24", "14.01.24"),
        ("13.01.2024", "soon"),
        ("2024-03-01", "March 1"),
        ("v1.2.2024", "13.1.2024"),
        ("2024-03-01T12:00:00Z", "2024-03-01T12:00:00"),
    ],
)
def test_what_is_no_date_throughout_stays_text(words):
    found = column(*words)
    assert found.columns[0].to_pylist() == list(words)
    assert found.ambiguous == {}


def test_dates_that_could_be_two_stay_text_and_are_told_of(text):
    table = read_table(text("day,x\n03/01/2024,1\n04/02/2024,2\n", mixed=True))
    assert table.frame["day"].to_pylist() == ["03/01/2024", "04/02/2024"]
    assert (
        "'day' is taken as text: '03/01/2024' may have the day or the month first. Write dates as "
        "2024-03-01." in table.notes
    )


def test_dates_are_no_labels_but_text_that_looks_like_them_is(text):
    table = read_table(text("x,y\n1,13.01.2024\n2,14.01.2024\n", target="y"))
    assert table.y.tolist() == ["13.01.2024", "14.01.2024"]


def test_long_and_many_words_take_no_time():
    started = time.perf_counter()
    for word in ("1" * 10**6, "2024-03-01 " + "1" * 10**6, "." * 10**6, "1." * 10**6):
        assert column(word, "13.01.2024").columns[0][0].as_py() == word
    column(*["13.01.2024", "-"] * 10**5)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("value", "decimal", "why"),
    [
        ("1,5", None, "numbers with commas; say --decimal ,"),
        ("1,234.5", None, "numbers with commas; say --decimal ,"),
        ("1.5", ",", "numbers with decimal points; leave out --decimal ,"),
    ],
)
def test_numbers_that_commas_make_text_are_no_levels(text, value, decimal, why):
    content = f"p;town;x\n{value};Rome;1\n7;Paris;\n"
    table = read_table(text(content, decimal=decimal, mixed=True))
    assert table.feature_names == ("town", "x")
    (one,) = table.left_out
    assert one.column == "p"
    assert one.why.startswith(f"text: {why}")
