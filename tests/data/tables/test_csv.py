"""CSV and TSV: what is guessed, kept and refused."""

import gzip
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from entryprune.data import DatasetError, TableRequest, read_table, write_columns

# An audit hook sees whatever opens a file, but can never be removed: so there is one for all.
hooks = []
sys.addaudithook(lambda event, arguments: [hook(event, arguments) for hook in hooks])

# -- what is between the values, and the header ---------------------------------------------------


@pytest.mark.parametrize(
    ("delimiter", "word"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")]
)
@pytest.mark.parametrize("name", ["t.csv", "t.txt"])
def test_the_delimiter_is_guessed_and_said(text, delimiter, word, name):
    table = read_table(text(f"a{delimiter}b\n1{delimiter}2\n", name))
    assert table.feature_names == ("a", "b")
    assert f"The values are separated by {word}." in table.notes


def test_a_comma_needs_no_words(text):
    assert read_table(text("a,b\n1,2\n")).notes == ()


def test_numbers_between_blanks_are_read(text):
    assert read_table(text("1.5 2.5\n3.5 4.5\n", "t.txt")).X.tolist() == [[1.5, 2.5], [3.5, 4.5]]


def test_a_first_line_of_numbers_is_a_case(text):
    table = read_table(text("1,2\n3,NA\n"))
    assert table.feature_names == ("column_1", "column_2")
    assert np.array_equal(table.X, [[1, 2], [3, np.nan]], equal_nan=True)
    assert any("There is no line of names" in note for note in table.notes)


def test_a_first_line_that_counts_is_pandas_numbering_the_columns(text):
    table = read_table(text("0,1,2,3\n5,6,7,8\n"))
    assert table.feature_names == ("0", "1", "2", "3")
    assert any("counts up from 0" in note for note in table.notes)


def test_names_that_are_partly_numbers_are_said(text):
    table = read_table(text("kind,1,2\nx,5,6\n", target="kind"))
    assert table.feature_names == ("1", "2")
    assert any("2 of 3 are numbers" in note for note in table.notes)


def test_the_header_can_be_said(text):
    assert read_table(text("1,2\n3,4\n", header=True)).feature_names == ("1", "2")
    table = read_table(text("a,2\nb,4\n", header=False, target="column_1"))
    assert table.y.tolist() == ["a", "b"]
    assert table.X.tolist() == [[2], [4]]


def test_line_ends_marks_and_empty_lines_do_no_harm(text):
    table = read_table(text(b"\xef\xbb\xbf\r\n\r\na,b\r\n\r\n1,2\r\n3,4"))
    assert table.feature_names == ("a", "b")
    assert table.X.tolist() == [[1, 2], [3, 4]]


def test_a_mark_before_the_first_name_is_no_part_of_it(text):
    assert read_table(text(b"\xef\xbb\xbfa,b\n1,2\n")).feature_names == ("a", "b")


def test_quoted_values_may_have_delimiters_and_line_ends(text):
    table = read_table(text('"a\nx","b,y",kind\n1,2,"red\nor, blue"\n', target="kind"))
    assert table.feature_names == ("a\nx", "b,y")
    assert table.y.tolist() == ["red\nor, blue"]


def test_columns_without_a_name_are_numbered(text):
    table = read_table(text("a,,c,\n1,2,3,4\n"))
    assert table.feature_names == ("a", "column_2", "c", "column_4")
    assert "2 columns have no name and are called 'column_2', 'column_4'." in table.notes


def test_a_compressed_file_is_known_by_its_content(text):
    assert read_table(text(gzip.compress(b"a,b\n1,2\n"), "t.csv")).X.tolist() == [[1, 2]]
    assert read_table(text(b"a,b\n1,2\n", "t.csv.gz")).X.tolist() == [[1, 2]]


def test_a_format_can_be_named(text):
    table = read_table(text("a\tb\n1\t2\n", "t.dat", format="tsv"))
    assert (table.X.tolist(), table.format) == ([[1, 2]], "tsv")


# -- types ----------------------------------------------------------------------------------------


def test_types_are_kept_and_conversions_said(text):
    table = read_table(text("a,b\n1,0\n2,1\n"))
    assert table.X.dtype == np.int64
    table = read_table(text("a,b,c\n1,true,\n,false,2.5\n3,true,1\n"))
    assert table.X.dtype == np.float64
    expected = [[1, 1, np.nan], [np.nan, 0, 2.5], [3, 1, 1]]
    assert np.array_equal(table.X, expected, equal_nan=True)
    assert table.notes == (
        "1 column of true and false became 1 and 0.",
        "1 column of whole numbers became floating-point numbers, as values are missing.",
    )


def test_what_is_no_number_is_left_out_with_a_reason(text):
    table = read_table(
        text(
            "x;town;day;none;price;big;marks\n"
            "1;Rome;2020-01-01;;1,5;1,234.5;3\n"
            "2;Paris;2020-01-02;NA;2,5;12;few\n"
            "3;Rome;2020-01-03;;3;1;4\n"
        )
    )
    assert table.feature_names == ("x",)
    why = {one.column: one.why for one in table.left_out}
    assert why["town"] == "text"
    assert why["day"] == "dates"
    assert why["none"] == "all values missing"
    commas = "text: numbers with commas; say --decimal , if these are decimal commas, else write"
    assert why["price"].startswith(commas)
    assert why["big"].startswith(commas)
    assert why["marks"] == "text: mostly numbers, but also 'few'; leave missing values empty"


def test_a_later_value_decides_the_type_too(text):
    rows = "\n".join(["0,0"] * 50_000)
    table = read_table(text(f"a,b\n{rows}\n0.5,x\n"))
    assert table.X.dtype == np.float64
    assert table.X[-1, 0] == 0.5
    assert [one.column for one in table.left_out] == ["b"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [(("x", "y"), "U"), (("1", "2"), "i"), (("0.5", "1"), "f"), (("true", "false"), "b")],
)
def test_labels_are_as_they_are(text, words, kind):
    table = read_table(text(f"a,y\n1,{words[0]}\n2,{words[1]}\n", target="y"))
    assert table.y.dtype.kind == kind
    assert table.target_name == "y"


def test_ids_stay_text(text):
    table = read_table(text("id,a\n007,1\n010,2\n", id_column="id"))
    assert (table.ids, table.id_name) == (("007", "010"), "id")
    assert table.feature_names == ("a",)


def test_row_numbers_are_no_feature(text):
    table = read_table(text(",a,y\n0,5,x\n1,6,y\n2,7,x\n", target="y"))
    assert table.feature_names == ("a",)
    assert [(one.column, one.why) for one in table.left_out] == [("column_1", "row numbers")]


def test_row_names_are_ids(text):
    table = read_table(text(',a\n"g 1",5\n"g 2",6\n'))
    assert table.ids == ("g 1", "g 2")
    assert any("ids are from the column 'column_1'" in note for note in table.notes)


def test_numbers_without_a_name_are_a_feature(text):
    assert read_table(text(",a\n0.5,5\n0.1,6\n")).feature_names == ("column_1", "a")


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n", r"has names of 2 columns and no samples\. .* say --no-header"),
        ("\n\n", "has no lines that are not empty"),
        ("a,b\n1,2\n\n3,4,5\n6,7\n", r"line 4 has 3 values, but there are 2 columns"),
        ("a,b\n1,2\n3\n", r"line 3 has 1 value, but there are 2 columns\. Mend the line"),
        ("a,b\nr1,1,2\nr2,3,4\n", r"line 2 has 3 values.* as R writes them: use col\.names = NA"),
        (
            "a,b,a\n1,2,3\n",
            r"columns of the same name: 'a' \(2 times\)\. Rename them.* --no-header",
        ),
        ("x,y\na,b\nc,d\n", r"has no column of numbers: 'x' \(text\); 'y' \(text\)\. Encode text"),
        ("a\rb\r", "has the line ends of old Macs. Convert it: tr"),
        ('a,b\n1,2\n3,"4\n5,6\n', r"a quote that begins in line 3 is never closed"),
        (b"a,\xe9\n1,2\n", r"is not in the encoding UTF-8 \(line 1\).* --encoding: latin-1"),
        (b"a,b\n1,x\xe9\n", r"is not in the encoding UTF-8 \(column 'b'\).* --encoding: latin-1"),
        (b"\xff\xfea\x00,", r"is not in the encoding utf-16 .*Name another with --encoding"),
        (b"a,b\n\0\1\2\n", r"is not a CSV file: it is not text"),
    ],
)
def test_bad_text_is_an_error_that_says_where(text, content, message):
    with pytest.raises(DatasetError, match=message):
        read_table(text(content))


def test_a_target_that_two_columns_have_is_an_error(text):
    with pytest.raises(DatasetError, match=r"has 2 columns named 'y', the target: columns 2, 4\."):
        read_table(text("a,y,b,y\n1,2,3,4\n", target="y"))


def test_a_target_in_utf8_only(text):
    with pytest.raises(DatasetError, match="is not in the encoding UTF-8"):
        read_table(text(b"a,id\n1,x\xe9\n", id_column="id"))


def test_a_damaged_archive_is_an_error(text):
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 10_000)
    with pytest.raises(DatasetError, match=r"cannot be read as a .* file|cut short"):
        read_table(text(packed[:-30], "t.csv.gz"))


def test_missing_labels_are_counted(text):
    request = text("a,y\n1,x\n2,\n3,NA\n4,y\n", target="y")
    with pytest.raises(
        DatasetError, match=r"2 of 4 labels are missing in 'y' of .* \(of sample 2, 3\)\. Fill them"
    ):
        read_table(request)


# -- size -----------------------------------------------------------------------------------------


@pytest.fixture
def wide(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((40, 5000))
    path = tmp_path / "wide.csv"
    with path.open("w") as file:
        file.write(",".join(["id", *(f"gene_{n}" for n in range(5000)), "y"]) + "\n")
        for number, row in enumerate(values.tolist()):
            file.write(",".join([f"c{number}", *map(repr, row), "ab"[number % 2]]) + "\n")
    return path, values


def test_wide_tables_are_read_exactly_and_fast(wide):
    path, values = wide
    start = time.perf_counter()
    table = read_table(TableRequest(path, target="y", id_column="id"))
    assert time.perf_counter() - start < 10  # a fraction of a second, on a machine at rest
    assert table.feature_names == tuple(f"gene_{n}" for n in range(5000))
    assert np.array_equal(table.X, values)
    assert table.ids[:2] == ("c0", "c1")


def test_wide_tables_keep_whole_numbers_and_text_further_down(text):
    header = ",".join(f"g{n}" for n in range(1200))
    lines = [",".join(["1", "0.5", "0.5", *["7.25"] * 1197])] * 50
    lines += [",".join(["2", "x", "3", *["7"] * 1197])]
    table = read_table(text("\n".join([header, *lines])))
    assert [one.column for one in table.left_out] == ["g1"]
    assert table.X[-1, :3].tolist() == [2, 3, 7]
    lines = [",".join(str(n % 3) for n in range(1200))] * 2
    assert read_table(text("\n".join([header, *lines]))).X.dtype == np.int64


def test_lines_longer_than_a_block_are_read(wide, monkeypatch):
    path, values = wide
    monkeypatch.setattr("entryprune.data.tables.csv._BLOCK", 1000)
    monkeypatch.setattr("entryprune.data.tables.csv._LINES_OF_A_BLOCK", 0)
    table = read_table(TableRequest(path, target="y", id_column="id"))
    assert np.array_equal(table.X, values)


def test_the_size_of_compressed_text_is_estimated(text, monkeypatch):
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 100_000)
    monkeypatch.setattr("entryprune.data.tables.errors.available_bytes", lambda: 10**6)
    with pytest.raises(DatasetError, match=r"about 1\d\d,\d\d\d x 2 values, which need about 0\.0"):
        read_table(text(packed, "t.csv.gz"))


# -- how often a file is read ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "name", "details"),
    [
        ("id,a,b,y\nu,1,2,x\nv,3,4,y\n", "t.csv", {"target": "y", "id_column": "id"}),
        ('id,a,y\nu,1,"x, z"\nv,3,y\n', "t.csv", {"target": "y", "drop": ("id",)}),
        ("a;y\n" + "1;x\n2;y\n" * 50_000, "t.csv", {"target": "y"}),
        ('a,y\n1,"6"" x"\n2,5" y\n', "t.csv", {"target": "y"}),
        (",".join("abc") + "\n" + "0.5,1,2\n" * 30 + "x,1,2\n", "t.csv", {}),
        (gzip.compress(b"a\ty\n" + b"1\tx\n2\ty\n" * 50_000), "t.tsv.gz", {"target": "y"}),
        ("gene,s1,s2\nTP53,1,2\nkind,a,b\n", "t.csv", {"target": "kind", "transpose": True}),
    ],
)
def test_a_file_is_opened_once_to_be_looked_at_and_once_to_be_read(text, content, name, details):
    request = text(content, name, **details)
    n_opened = 0

    def counting(event, arguments):
        nonlocal n_opened
        n_opened += event == "open" and str(arguments[0]) == str(request.path)

    hooks.append(counting)
    try:
        read_table(request)
    finally:
        hooks.remove(counting)
    assert n_opened <= 2


# -- decimal commas and encodings -----------------------------------------------------------------


def test_decimal_commas_are_read(text):
    content = "x;n;big;town\n1,5;1;1.234,5;Rome\n-2,25;2;1.234.567;1,5\n;3;-;Paris\n"
    table = read_table(text(content, decimal=",", mixed=True))
    assert table.frame.to_pydict() == {
        "x": [1.5, -2.25, None],
        "n": [1, 2, 3],
        "big": [1234.5, 1234567, None],
        "town": ["Rome", "1,5", "Paris"],
    }
    table = read_table(text(content, decimal=","))
    assert table.X[:2].tolist() == [[1.5, 1, 1234.5], [-2.25, 2, 1234567]]


def test_decimal_commas_separate_no_values(text):
    table = read_table(text("1,5;2,5\n3,5;4,5\n", decimal=","))
    assert table.X.tolist() == [[1.5, 2.5], [3.5, 4.5]]
    table = read_table(text("1,5 2,5\n3,5 4,5\n", decimal=","))
    assert table.X.tolist() == [[1.5, 2.5], [3.5, 4.5]]
    assert read_table(text('a,b\n"1,5",2\n', decimal=",", format="csv")).X.tolist() == [[1.5, 2]]


def test_decimal_commas_of_wide_tables_and_of_rows(text):
    n = 1200
    content = ";".join(f"c{i}" for i in range(n)) + "\n" + ";".join(["1,5"] * n) + "\n"
    table = read_table(text(content + ";".join(["1.000"] * n) + "\n", decimal=","))
    assert table.X[:, 7].tolist() == [1.5, 1000]
    content = "g;s1;s2\na;1,5;1.000,25\nb;1;-\nc;1.5;2.5\n"
    table = read_table(text(content, decimal=",", transpose=True))
    np.testing.assert_array_equal(table.X, [[1.5, 1], [1000.25, np.nan]])
    assert table.feature_names == ("a", "b")


def test_points_are_no_decimal_commas(text):
    table = read_table(text("a;b\n1.5;1\n2.5;2\n", decimal=","))
    assert table.left_out[0].why == "text: numbers with decimal points; leave out --decimal ,"


@pytest.mark.parametrize("decimal", ["x", "", "::"])
def test_other_signs_are_refused(text, decimal):
    with pytest.raises(DatasetError, match=r"--decimal takes .* '\.' or ','; got"):
        read_table(text("a\n1\n", decimal=decimal))


def test_options_of_text_are_for_text(make):
    with pytest.raises(DatasetError, match="--decimal is for csv, tsv, not for npy"):
        read_table(make("t.npy", decimal=","))
    with pytest.raises(DatasetError, match="--encoding is for csv, tsv, arff, not for parquet"):
        read_table(make("t.parquet", encoding="latin-1"))


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "UTF8", None])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings_are_read_and_written_as_they_are(text, tmp_path, encoding, packed):
    content = "Größe,größer,y\n1.50,2,süß\n2.50,3,faß\n".encode(encoding or "utf-16")
    name = "t.csv.gz" if packed else "t.csv"
    request = text(
        gzip.compress(content) if packed else content, name, target="y", encoding=encoding
    )
    table = read_table(request)
    assert table.feature_names == ("Größe", "größer")
    assert table.y.tolist() == ["süß", "faß"]
    assert table.X.tolist() == [[1.5, 2], [2.5, 3]]
    write_columns(request, ["Größe"], tmp_path / f"r_{name}")
    written = (tmp_path / f"r_{name}").read_bytes()
    written = gzip.decompress(written) if packed else written
    assert written.decode(encoding or "utf-16") == "Größe,y\n1.50,süß\n2.50,faß\n"


def test_an_encoding_with_a_mark_keeps_it(text, tmp_path):
    content = b"\xff\xfe" + "ä,y\n1,2\n".encode("utf-16-le")
    request = text(content, encoding="utf-16-le")
    assert read_table(request).feature_names == ("ä", "y")
    write_columns(request, ["ä"], tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_bytes() == b"\xff\xfe" + "ä\n1\n".encode("utf-16-le")


def test_long_texts_in_other_encodings_are_read_whole(text):
    lines = "".join(f"{number},é{number}\n" for number in range(50_000))
    table = read_table(text(f"é,y\n{lines}".encode("cp1252"), encoding="cp1252", target="y"))
    assert table.X.ravel().tolist() == list(range(50_000))
    assert table.y[-1] == "é49999"


@pytest.mark.parametrize("encoding", ["latin-99", "base64", "rot13", "undefined", "a\0b", ""])
def test_unknown_encodings_are_refused_in_a_line(text, encoding):
    with pytest.raises(DatasetError, match=r"there is no encoding .* --encoding takes names such"):
        read_table(text("a,b\n1,2\n", encoding=encoding))


@pytest.mark.parametrize("encoding", ["ascii", "utf-16-le", "utf-32", "shift_jis"])
def test_wrong_encodings_are_refused_in_a_line(text, encoding):
    content = "a,b\n1,é\xff\n".encode("latin-1")
    with pytest.raises(DatasetError, match=r"is not in the encoding .* --encoding|it is not text"):
        read_table(text(content, encoding=encoding))


def test_labels_may_be_in_the_same_encoding(text, tmp_path):
    (tmp_path / "l.csv").write_bytes("süß\nherb\n".encode("latin-1"))
    request = text("ä\n1\n2\n".encode("latin-1"), encoding="latin-1")
    table = read_table(replace(request, target_file=tmp_path / "l.csv"))
    assert table.y.tolist() == ["süß", "herb"]
