"""Excel files: sheets, cells of all kinds, and files that are none or would do harm."""

import datetime
import sys
import time
import zipfile

import numpy as np
import openpyxl
import pytest

from entryprune.data import DatasetError, TableRequest, read_table, write_columns
from entryprune.data.tables import excel

DAY = datetime.date(2024, 3, 1)
NOON = datetime.datetime(2024, 3, 1, 12)


@pytest.fixture
def sheet(tmp_path):
    """Write rows as the sheet of a workbook, and ask for it."""

    def sheet(*rows, change=None, **details):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        if change is not None:
            change(book)
        book.save(tmp_path / "t.xlsx")
        return TableRequest(tmp_path / "t.xlsx", **details)

    return sheet


def test_cells_of_all_kinds_are_read(sheet):
    table = read_table(
        sheet(
            ("n", "x", "town", "day", "when", "smokes", "late", "kind"),
            (1, 0.1, "Rome, IT", DAY, NOON, True, "13.01.2024", "a"),
            (2, "NA", 'the "city"', None, DAY, False, "14.01.2024", "b"),
            (None, "-", "two\nlines", DAY, NOON, None, "-", "a"),
            target="kind",
            mixed=True,
        )
    )
    midnight = datetime.datetime(2024, 3, 1)
    assert table.frame.to_pydict() == {
        "n": [1, 2, None],
        "x": [0.1, None, None],
        "town": ["Rome, IT", 'the "city"', "two\nlines"],
        "day": [DAY, None, DAY],
        "when": [NOON, midnight, NOON],
        "smokes": [True, False, None],
        "late": [datetime.date(2024, 1, 13), datetime.date(2024, 1, 14), None],
    }
    assert (table.format, table.y.tolist()) == ("xlsx", ["a", "b", "a"])
    assert "6 gaps in 5 columns ('NA' and '-' are read as gaps)." in table.notes


def test_numbers_are_a_matrix_as_in_other_formats(make, values, names, ids):
    table = read_table(make("t.xlsx"))
    assert table.X.tolist() == values.tolist()
    assert (table.feature_names, table.ids) == (names, ids)


def test_errors_are_gaps_wherever_they_stand(sheet):
    rows = (("x", "town"), (1.5, "Rome"), ("#DIV/0!", "#REF!"), ("#N/A", "Paris"))
    table = read_table(sheet(*rows, mixed=True))
    assert table.frame.to_pydict() == {"x": [1.5, None, None], "town": ["Rome", None, "Paris"]}


def test_formulas_have_the_values_that_were_saved(sheet):
    with pytest.raises(DatasetError, match="names of 1 column and no samples"):
        read_table(sheet(("a",), ("=1",), ("=2",)))
    request = sheet(("a", "b"), (1, "=A2*2"), (3, "=A3*2"))
    inside = {}
    with zipfile.ZipFile(request.path) as book:
        for name in book.namelist():
            inside[name] = book.read(name)
    part = "xl/worksheets/sheet1.xml"
    assert inside[part].count(b"<v></v>") + inside[part].count(b"<v />") == 2
    for empty in (b"<v></v>", b"<v />"):
        inside[part] = inside[part].replace(empty, b"<v>7</v>")
    with zipfile.ZipFile(request.path, "w") as book:
        for name, content in inside.items():
            book.writestr(name, content)
    assert read_table(request).X.tolist() == [[1, 7], [3, 7]]


def test_empty_rows_and_columns_around_are_nothing(sheet):
    def far(book):
        book.active["H20"] = " "

    rows = ((), (None, None, "a", "b"), (None, None, 1, 2), (), (None, None, 3, None))
    table = read_table(sheet(*rows, change=far))
    assert table.feature_names == ("a", "b")
    np.testing.assert_array_equal(table.X, [[1, 2], [3, np.nan]])
    assert "1 empty row is passed over." in table.notes


def test_merged_cells_have_their_value_once(sheet):
    def merge(book):
        book.active.merge_cells("A1:B1")
        book.active.merge_cells("C2:C3")

    table = read_table(sheet(("a", "b", "c"), (1, 2, 3), (4, 5, 6), change=merge))
    assert table.feature_names == ("a", "column_2", "c")
    np.testing.assert_array_equal(table.X, [[1, 2, 3], [4, 5, np.nan]])


def test_a_sheet_is_chosen_by_its_name(sheet):
    def more(book):
        for title in ("Second", "Third"):
            book.create_sheet(title).append(["x"])
            book[title].append([9])

    table = read_table(sheet(("a",), (1,), change=more))
    assert table.feature_names == ("a",)
    assert "The table is the sheet 'Sheet', not 'Second', 'Third' (--array)." in table.notes
    table = read_table(sheet(("a",), (1,), change=more, array="Third"))
    assert (table.X.tolist(), table.notes) == ([[9]], ())
    with pytest.raises(DatasetError, match=r"no sheet 'second'\. Did you mean 'Second'.*--array"):
        read_table(sheet(("a",), (1,), change=more, array="second"))


def test_names_ids_and_directions_are_found_as_in_text(sheet, tmp_path):
    table = read_table(sheet((None, "x"), ("p", 1), ("q", 2)))
    assert (table.ids, table.feature_names) == (("p", "q"), ("x",))
    assert read_table(sheet((1, 2), (3, 4))).X.tolist() == [[1, 2], [3, 4]]
    assert read_table(sheet((1, 2), (3, 4), header=True)).feature_names == ("1", "2")
    rows = (("gene", "s1", "s2"), ("TP53", 1.5, 2), ("kind", "a", "b"))
    table = read_table(sheet(*rows, transpose=True, target="kind"))
    assert (table.X.tolist(), table.y.tolist()) == ([[1.5], [2]], ["a", "b"])
    assert table.ids == ("s1", "s2")
    (tmp_path / "l.csv").write_text("id,y\n08,u\n007,v\n")
    table = read_table(sheet(("id", "x"), ("007", 1), ("08", 2), target_file=tmp_path / "l.csv"))
    assert (table.ids, table.y.tolist()) == (("007", "08"), ["v", "u"])


@pytest.mark.parametrize(
    ("rows", "details", "message"),
    [
        ((), {}, "the sheet 'Sheet' is empty"),
        ((("a", "b"),), {}, "names of 2 columns and no samples"),
        ((("a", "a"), (1, 2)), {}, r"columns of the same name: 'a' \(2 times\)"),
        ((("a", "b"), (1, 2)), {"target": "c"}, "no column 'c' for the target"),
        ((("a", "b"), (1, 2)), {"drop": ("c",)}, "no column 'c' for what is to be left out"),
        ((("a", "b"), (1, 2)), {"decimal": ","}, "--decimal is for csv, tsv, not for xlsx"),
        ((("a", "b"), ("u", "v")), {}, "no column of numbers"),
    ],
)
def test_what_is_wrong_is_said(sheet, rows, details, message):
    with pytest.raises(DatasetError, match=message):
        read_table(sheet(*rows, **details))


# -- writing --------------------------------------------------------------------------------------


def test_a_reduced_workbook_has_the_same_values(sheet, tmp_path):
    rows = (
        ("id", "x", "day", "town", "kind"),
        ("007", 0.1, DAY, "=1+1", "a"),
        ("08", None, NOON, "Rome", "b"),
    )

    def as_text(book):
        book.active["D2"].data_type = "s"

    request = sheet(*rows, change=as_text, target="kind", id_column="id", mixed=True)
    new = tmp_path / "r.xlsx"
    write_columns(request, ["day", "town"], new)
    cells = [*openpyxl.load_workbook(new).active.iter_rows()]
    midnight = datetime.datetime(2024, 3, 1)
    assert [[cell.value for cell in row] for row in cells] == [
        ["id", "day", "town", "kind"],
        ["007", midnight, "=1+1", "a"],
        ["08", NOON, "Rome", "b"],
    ]
    assert cells[1][2].data_type == "s"
    read = [read_table(TableRequest(path, mixed=True)) for path in (request.path, new)]
    assert read[0].frame.select(["day", "town"]).equals(read[1].frame.select(["day", "town"]))


def test_the_same_table_is_the_same_file(make, tmp_path, monkeypatch):
    request, contents = make("t.xlsx"), []
    for number in range(2):
        write_columns(request, ["a"], tmp_path / f"r{number}.xlsx")
        contents.append((tmp_path / f"r{number}.xlsx").read_bytes())
        time.sleep(1.1 * (1 - number))
    assert contents[0] == contents[1]


def test_rows_are_reduced_where_features_are_rows(sheet, tmp_path):
    rows = (("gene", "s1"), ("a", 1), ("b", 2), ("kind", "u"))
    request = sheet(*rows, transpose=True, target="kind")
    write_columns(request, ["b"], tmp_path / "r.xlsx")
    found = openpyxl.load_workbook(tmp_path / "r.xlsx").active.iter_rows(values_only=True)
    assert [*found] == [("gene", "s1"), ("b", 2), ("kind", "u")]
    with pytest.raises(DatasetError, match="no column 'c' for the reduced table"):
        write_columns(request, ["c"], tmp_path / "r.xlsx")


# -- files that are none, or would do harm --------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.xlsx", b"a,b\n1,2\n", r"is not an Excel file: it looks like text.*--format"),
        ("t.xlsx", b"\x93NUMPY\x01\x00", "is not an Excel file: it looks like an .npy file"),
        ("t.xlsx", b"PK\x03\x04" + b"x" * 99, "cannot be read as an Excel file"),
        ("t.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", r"before 2007 \(.xls\), or one with a"),
        (
            "t.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old",
            r"before 2007 \(.xls\).* Save it as .xl",
        ),
        ("t.xls", b"a\tb\n", r"the ending '.xls' is not known.* Save the sheet as .xlsx or as CSV"),
        ("t.ods", b"PK\x03\x04", "the ending '.ods' is not known.* Save the sheet as .xlsx or as"),
    ],
)
def test_other_files_are_told_from_workbooks(text, name, content, message):
    with pytest.raises(DatasetError, match=message):
        read_table(text(content, name))


def test_an_archive_without_a_workbook_is_none(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(2))
    path = (tmp_path / "t.npz").rename(tmp_path / "t.xlsx")
    with pytest.raises(DatasetError, match=r"is not an Excel file: it has no xl/workbook.xml"):
        read_table(path)


def changed(request, name, change):
    """Change a part of a workbook."""
    with zipfile.ZipFile(request.path) as book:
        inside = {one: book.read(one) for one in book.namelist()}
    inside[name] = change(inside[name])
    with zipfile.ZipFile(request.path, "w", zipfile.ZIP_DEFLATED) as book:
        for one, content in inside.items():
            book.writestr(one, content)


SHEET = "xl/worksheets/sheet1.xml"


def test_a_bomb_is_refused_at_once(sheet):
    request = sheet(("a",), (1,))
    changed(request, SHEET, lambda content: content + b" " * (2**28 + 1))
    started = time.perf_counter()
    with pytest.raises(DatasetError, match=r"would become 0.3 GB, [\d,]+ times what it is"):
        read_table(request)
    assert time.perf_counter() - started < 5


def test_more_than_the_memory_is_refused(sheet, monkeypatch):
    monkeypatch.setattr("entryprune.data.tables.errors.available_bytes", lambda: 1000)
    with pytest.raises(DatasetError, match=r"of memory; 0\.0 GB are free"):
        read_table(sheet(("a",), (1,)))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.replace(b'r="2"', b'r="999999999"'),
        lambda content: content.replace(b'r="A2"', b'r="ZZZZZ2"'),
        lambda content: content[: len(content) // 2],
        lambda content: b"",
        lambda content: b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>' + content,
        lambda content: content.replace(b"<v>1</v>", b"<v>one</v>"),
    ],
)
def test_damaged_sheets_are_refused_in_words(sheet, change):
    request = sheet(("a",), (1,))
    changed(request, SHEET, change)
    started = time.perf_counter()
    with pytest.raises(DatasetError):
        read_table(request)
    assert time.perf_counter() - started < 5


def test_cells_far_away_do_not_fill_the_memory(sheet, monkeypatch):
    monkeypatch.setattr(excel, "_MANY_CELLS", 10**5)
    rows = b"".join(
        b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (row, row) for row in range(3, 100)
    )
    request = sheet(("a",), (1,))
    changed(
        request, SHEET, lambda content: content.replace(b"</sheetData>", rows + b"</sheetData>")
    )
    with pytest.raises(DatasetError, match=r"cells and more, but values in \d+ of them"):
        read_table(request)


def test_without_openpyxl_it_is_said_what_to_install(make, monkeypatch):
    request = make("t.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(
        DatasetError, match=r"openpyxl is needed: pip install 'entryprune\[excel\]'"
    ):
        read_table(request)
