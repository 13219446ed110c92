"""Every format is read with its names, labels and ids; what is no table of it is refused."""

import numpy as np
import pytest

from entryprune.data import FORMATS, DatasetError, read_table

NAMED = ["t.csv", "t.txt", "t.tsv", "t.csv.gz", "t.parquet", "t.feather", "t.arrow", "t.npz"]
NAMED += ["t.mat", "t73.mat", "t.h5ad", "csr.h5ad", "csc.h5ad"]
FORMAT_OF = {"t.txt": "csv", "t.csv.gz": "csv", "t.arrow": "feather"}


@pytest.mark.parametrize("name", NAMED)
def test_names_and_values_are_read(name, make, values, names):
    table = read_table(make(name))
    assert table.feature_names == names
    assert np.allclose(table.X, values, rtol=1e-7)


@pytest.mark.parametrize("name", NAMED)
def test_labels_and_ids_are_read(name, make, labels, ids):
    table = read_table(make(name))
    assert table.y.tolist() == list(labels)
    assert table.ids == ids
    assert table.format == FORMAT_OF.get(name, name.rsplit(".", 1)[1])
    assert table.format in FORMATS


@pytest.mark.parametrize("name", NAMED)
def test_without_a_target_there_are_no_labels(name, make):
    table = read_table(make(name, target=None))
    assert table.y is None
    assert table.target_name is None


def test_the_values_of_text_are_exact(make, values):
    for name in ("t.csv", "t.tsv", "t.parquet", "t.npz", "t.mat"):
        assert np.array_equal(read_table(make(name)).X, values)


def test_npy_has_numbers_for_names(make, values):
    table = read_table(make("t.npy"))
    assert table.feature_names == ("column_1", "column_2", "column_3", "column_4", "column_5")
    assert np.array_equal(table.X, values)
    assert table.y.tolist() == [1, 0, 1, 0]
    assert any("no columns' names" in note for note in table.notes)


def test_arff_is_read(make, values, labels):
    table = read_table(make("t.arff"))
    assert table.feature_names == ("a.1", "a", "größe", "d e", "<script>")
    assert np.array_equal(table.X, values)
    assert table.y.tolist() == list(labels)


def test_libsvm_is_read_with_its_own_labels(make, values):
    table = read_table(make("t.svm"))
    assert table.feature_names == ("f1", "f2", "f3", "f4", "f5")
    assert np.array_equal(table.X, values)
    assert table.y.tolist() == [1, -1, 1, -1]
    assert (table.y.dtype.kind, table.target_name) == ("i", "label")


@pytest.mark.parametrize("name", NAMED)
def test_a_feature_may_be_the_target(name, make, values):
    table = read_table(make(name, target="größe"))
    assert np.allclose(table.y, values[:, 2])
    assert "größe" not in table.feature_names


@pytest.mark.parametrize("name", NAMED)
def test_columns_can_be_left_out(name, make, names):
    table = read_table(make(name, drop=("<script>",)))
    assert table.feature_names == names[:-1]
    assert ("<script>", "asked for") in [(one.column, one.why) for one in table.left_out]


@pytest.mark.parametrize("name", NAMED)
def test_an_unknown_column_is_an_error_that_names_the_nearest(name, make):
    with pytest.raises(ValueError, match=r"has no column 'Classs'.* Did you mean 'class'\?"):
        read_table(make(name, target="Classs"))
    with pytest.raises(ValueError, match=r"has no column 'gröse'.* Did you mean 'größe'\?"):
        read_table(make(name, drop=("gröse",)))


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.npz", "t.mat", "t.h5ad", "t.npy"])
def test_nothing_asks_for_more_memory_than_there_is(name, make, monkeypatch):
    monkeypatch.setattr("entryprune.data.tables.memory.available_bytes", lambda: 100)
    with pytest.raises(ValueError, match=r"values, which need .*GB of memory; 0\.0 GB are free"):
        read_table(make(name))
    monkeypatch.setattr("entryprune.data.tables.memory.available_bytes", lambda: None)
    assert read_table(make(name)).X.shape == (4, 5)


def test_libsvm_is_not_filled_up_beyond_the_memory(text, monkeypatch):
    monkeypatch.setattr("entryprune.data.tables.memory.available_bytes", lambda: 10**8)
    with pytest.raises(ValueError, match=r"2 x 9,000,000 values, which need 2\.1 GB"):
        read_table(text("1 9000000:1\n-1 3:1\n", "t.svm"))


# -- the file -------------------------------------------------------------------------------------


def test_a_missing_file_is_an_error_that_names_the_nearest(tmp_path):
    with pytest.raises(
        DatasetError, match=r"There is no file .*cells\.csv\. The folder .* has no t"
    ):
        read_table(tmp_path / "cells.csv")
    (tmp_path / "cells.csv").write_text("a\n1\n")
    with pytest.raises(DatasetError, match=r"no file .*cels\.csv\. Did you mean 'cells\.csv'\?"):
        read_table(tmp_path / "cels.csv")
    with pytest.raises(DatasetError, match=r"no file .*x\.npy\. The folder .* has 'cells\.csv'"):
        read_table(tmp_path / "x.npy")
    with pytest.raises(DatasetError, match=r"there is no folder .*none"):
        read_table(tmp_path / "none" / "cells.csv")


def test_a_folder_is_an_error_that_lists_its_tables(tmp_path):
    (tmp_path / "cells.csv").write_text("a\n1\n")
    with pytest.raises(
        DatasetError, match=r"is a folder, not a file\. It has the tables 'cells\.csv"
    ):
        read_table(tmp_path)


def test_an_empty_file_is_an_error(text):
    for name in ("t.csv", "t.parquet", "t.npz", "t.svm"):
        with pytest.raises(DatasetError, match=r"is empty \(0 bytes\)"):
            read_table(text("", name))


def test_an_unknown_ending_is_an_error_that_lists_the_formats(text):
    with pytest.raises(DatasetError) as caught:
        read_table(text("{}", "t.json"))
    assert "the ending '.json' is not known" in str(caught.value)
    assert all(name in str(caught.value) for name in FORMATS)
    assert "--format" in str(caught.value)
    with pytest.raises(DatasetError, match="the name has no ending"):
        read_table(text("a", "table"))
    with pytest.raises(DatasetError, match="Save the sheet as CSV"):
        read_table(text("a", "t.xlsx"))


def test_an_unknown_format_is_an_error(text):
    with pytest.raises(
        DatasetError, match=r"no format 'parket'\. Did you mean 'parquet'\? The form"
    ):
        read_table(text("a", format="parket"))
    assert read_table(text("a\n1\n", format=".CSV")).format == "csv"


BINARY = ["t.parquet", "t.feather", "t.npy", "t.npz", "t.mat", "t.h5ad"]


@pytest.mark.parametrize("name", BINARY)
def test_text_under_another_name_is_an_error(text, name):
    with pytest.raises(
        DatasetError, match=r"is not .*: it looks like text\. .* name it with --form"
    ):
        read_table(text("a,b\n1,2\n", name))
    with pytest.raises(
        DatasetError, match=r"is not .*: it (does not begin like one|is compressed)"
    ):
        read_table(text(b"\x1f\x8b\0\0\1\2", name.replace(".mat", ".npy")))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        (name, other)
        for name in BINARY
        for other in ("csv", "arff", "npz", "parquet")
        if not name.endswith(other)
    ],
)
def test_other_files_under_a_name_are_errors(make, name, other):
    request = make(name)
    renamed = request.path.rename(request.path.with_name(f"renamed.{other}"))
    with pytest.raises(DatasetError, match=r"is not an? .*: it looks like an? .*say --format \w+"):
        read_table(renamed)


def test_a_column_may_be_called_as_a_file_begins(text):
    assert read_table(text("PAR1,PK\n1,2\n")).feature_names == ("PAR1", "PK")


# -- what is asked for ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("details", "message"),
    [
        (
            {"target": "Kind"},
            r"no column 'Kind' for the target\. Did you mean 'kind'\? It has 4 col",
        ),
        ({"target": "zzz"}, r"no column 'zzz' for the target\. It has 4 columns: 'id', 'a', 'b', "),
        ({"target": "id", "id_column": "id"}, "'id' is the column of ids, so it cannot be the tar"),
        ({"id_column": "ID"}, r"no column 'ID' for the ids\. Did you mean 'id'\?"),
        ({"drop": ("c",)}, r"no column 'c' for what is to be left out"),
        ({"target": "kind", "drop": ("kind",)}, "'kind' is the target and is to be left out too"),
        ({"id_column": "id", "drop": ("id",)}, "'id' is the column of ids and is to be left out"),
        ({"drop": ("a", "b")}, r"no column of numbers: 'a' \(asked for\); 'b' \(asked for\); 'id'"),
        ({"array": "X"}, "--array is for npz, mat, h5ad, not for csv"),
    ],
)
def test_what_is_not_there_is_an_error(text, details, message):
    request = text("id,a,b,kind\nx,1,2,u\ny,3,4,v\n", **details)
    with pytest.raises(DatasetError, match=message):
        read_table(request)


def test_a_header_is_for_text(make):
    with pytest.raises(DatasetError, match="--header is for csv, tsv, not for npz"):
        read_table(make("t.npz", header=True))


def test_names_from_strangers_are_shown_on_one_line(text):
    content = 'a,"<b>\n\x1b[31m",y\n1,2,u\n'
    with pytest.raises(DatasetError) as caught:
        read_table(text(content, target="z"))
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)
