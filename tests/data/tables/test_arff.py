"""ARFF: attributes of all kinds, quotes, and what is refused."""

import gzip

import numpy as np
import pytest

from entryprune.data import DatasetError, read_table, write_columns

ARFF = """@RELATION t
@attribute 'a b' REAL
@attribute n integer
@attribute "day" date "yyyy-MM-dd"
@attribute town {Rome, 'New York'}
@attribute kind {x, y}
@data
% a remark
1.5, 2, 2020-01-01, Rome, x
?, 3, 2020-01-02, 'New York', y
"""


def test_attributes_of_all_kinds_are_read(text):
    table = read_table(text(ARFF, "t.arff", target="kind"))
    assert table.feature_names == ("a b", "n")
    assert np.array_equal(table.X, [[1.5, 2], [np.nan, 3]], equal_nan=True)
    assert table.y.tolist() == ["x", "y"]
    assert [(one.column, one.why) for one in table.left_out] == [("day", "text"), ("town", "text")]
    assert read_table(text(ARFF, "t.arff", target="town")).y.tolist() == ["Rome", "New York"]


def test_quotes_commas_and_other_alphabets_are_read(text):
    content = (
        "@attribute 'it\\'s {a}' numeric\n@attribute \"größe, m\"{'ä, b', \"ö\"}\n"
        "@attribute note string\n@DATA\n1,'ä, b','a \\'b\\''\n2,\"ö\",\n"
    )
    table = read_table(text(content, "t.arff", target="größe, m"))
    assert table.feature_names == ("it's {a}",)
    assert table.y.tolist() == ["ä, b", "ö"]


def test_whole_numbers_stay_whole_until_others_are_met(text, monkeypatch):
    content = "@attribute a integer\n@attribute b integer\n@data\n1,2\n3,4\n"
    assert read_table(text(content, "t.arff")).X.dtype == np.int64
    monkeypatch.setattr("entryprune.data.tables.arff._MOST_VALUES", 2)  # a piece a line
    assert read_table(text(content + "5.5,6\n", "t.arff")).X.tolist() == [[1, 2], [3, 4], [5.5, 6]]


def test_a_compressed_file_is_read(text):
    request = text(gzip.compress(ARFF.encode()), "t.arff.gz", target="kind")
    assert read_table(request).y.tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "a,b\n1,2\n",
            r"is not an ARFF file: it has no line that begins with @data\. If it is CSV",
        ),
        ("@relation t\n@data\n1\n", "has no lines that begin with @attribute"),
        ("@relation t\n@attribute kind real\n@data\n", "has 1 attribute and no samples"),
        (
            ARFF.replace("1.5, 2,", "1.5,"),
            r"line 9 has 4 values, but there are 5 attributes\. Mend",
        ),
        (ARFF.replace("1.5,", "abc,"), "the attribute 'a b' is numeric, but not all of its values"),
        (ARFF.replace("1.5, 2, ", "{0 1.5, 1 2, "), "is a sparse ARFF file, which is not read"),
        (
            ARFF.replace("n integer", "'a b' integer"),
            r"columns of the same name: 'a b' \(2 times\)",
        ),
        (ARFF.replace("y}", "?}").replace(", y\n", ", ?\n"), r"1 of 2 labels is missing in 'kind'"),
        (ARFF.replace("town", "Größe").encode("latin-1"), r"not in the encoding UTF-8 \(line 5\)"),
    ],
)
def test_bad_arff_is_an_error(text, content, message):
    with pytest.raises(DatasetError, match=message):
        read_table(text(content, "t.arff", target="kind"))


def test_chosen_attributes_are_written_as_they_are(text, tmp_path):
    write_columns(text(ARFF, "t.arff", target="kind"), ["a b"], tmp_path / "r.arff")
    assert (tmp_path / "r.arff").read_text() == (
        "@RELATION t\n@attribute 'a b' REAL\n@attribute kind {x, y}\n@data\n% a remark\n"
        "1.5, x\n?, y\n"
    )


def test_other_encodings_are_read_and_written(text, tmp_path):
    request = text(ARFF.replace("town", "Größe").encode("latin-1"), "t.arff", encoding="latin-1")
    assert "Größe" in [one.column for one in read_table(request).left_out]
    write_columns(request, read_table(request).feature_names[:1], tmp_path / "r.arff")
    assert (tmp_path / "r.arff").read_bytes().decode("latin-1")
