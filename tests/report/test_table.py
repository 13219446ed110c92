import csv
import io
import subprocess
import sys

import pytest

from entryprune.report import Table, to_csv, to_markdown
from entryprune.report.table import spreadsheet_csv


def table_of(*rows, columns=("method", "accuracy"), notes=()):
    return Table("Results", columns, rows, notes)


def lines_of_table(table):
    return [line for line in to_markdown(table).splitlines() if line.startswith("|")]


# -- the table itself ---------------------------------------------------------------------------


def test_a_row_of_the_wrong_length_is_named():
    with pytest.raises(ValueError, match=r"Row 2 .* has 1 cells, but there are 2 columns"):
        table_of(("STG", 1.0), ("RFS",))


def test_tables_and_their_texts_do_not_import_matplotlib():
    code = "import sys, entryprune.report.table; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- CSV ----------------------------------------------------------------------------------------


def test_csv_keeps_numbers_in_full_and_missing_values_empty():
    third = 1 / 3
    text = to_csv(table_of(("STG", third), ("RFS", None), ("QS", float("nan")), ("L1", 7)))
    rows = list(csv.reader(io.StringIO(text)))
    assert rows == [
        ["method", "accuracy"],
        ["STG", repr(third)],
        ["RFS", ""],
        ["QS", ""],
        ["L1", "7"],
    ]
    assert float(rows[1][1]) == third


def test_csv_survives_commas_quotes_and_newlines():
    awkward = 'a, "b"\nc'
    rows = list(csv.reader(io.StringIO(to_csv(table_of((awkward, 1))))))
    assert rows[1] == [awkward, "1"]


# -- Markdown -----------------------------------------------------------------------------------


def test_markdown_has_heading_table_and_notes_in_this_order():
    text = to_markdown(table_of(("STG", 1.0), notes=("five runs", "two\nlines")))
    blocks = text.split("\n\n")
    assert blocks[0] == "## Results"
    assert blocks[1].count("\n") == 2
    assert blocks[2] == "- five runs\n- two lines\n"


def test_markdown_aligns_numbers_right_and_text_left():
    rule = lines_of_table(table_of(("STG", 1.0), ("RFS", None)))[1]
    text_rule, number_rule = rule.strip("| ").split(" | ")
    assert text_rule == ":-----"
    assert number_rule == "-------:"


def test_markdown_columns_line_up():
    lines = lines_of_table(table_of(("a long name", 1234.5), ("b", None)))
    places = [[i for i, sign in enumerate(line) if sign == "|"] for line in lines]
    assert all(place == places[0] for place in places)


def test_markdown_rounds_floats_to_two_decimals_and_leaves_integers():
    lines = lines_of_table(table_of(("STG", 96.276), ("RFS", 5), ("QS", float("nan"))))
    values = [line.split("|")[2].strip() for line in lines[2:]]
    assert values == ["96.28", "5", ""]


def test_a_column_with_any_text_or_with_no_value_is_not_one_of_numbers():
    lines = lines_of_table(table_of((1.0, None), ("failed", None)))
    assert lines[1].count("-:") == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a|b", "a\\|b"), ("a\nb", "a<br>b"), ("a\r\nb", "a<br>b"), ("a\\|b", "a\\\\\\|b")],
)
def test_markdown_escapes_what_would_break_a_cell(text, expected):
    for line in (
        lines_of_table(table_of((text, 1)))[2],
        lines_of_table(table_of(("x", 1), columns=(text, "k")))[0],
    ):
        assert line.startswith(f"| {expected} ")
        assert line.replace("\\\\", "").replace("\\|", "").count("|") == 3


def test_a_table_without_rows_still_has_its_columns():
    assert lines_of_table(table_of()) == ["| method | accuracy |", "| :----- | :------- |"]


# -- spreadsheets -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("=cmd()", "'=cmd()"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@sum", "'@sum"),
        ("  =cmd()", "'  =cmd()"),
        ("\t=cmd()", "'\t=cmd()"),
        ("\uff1dcmd()", "'\uff1dcmd()"),
        # Where cells are separated by semicolons, this would be two.
        ("a;=cmd()", "a;'=cmd()"),
        ("a-b", "a-b"),
        ("3=3", "3=3"),
    ],
)
def test_what_begins_like_a_formula_gets_an_apostrophe(name, expected):
    text = spreadsheet_csv(Table("", (name, "n"), ((name, -1.5),)))
    assert text == f"\ufeff{expected},n\n{expected},-1.5\n"
