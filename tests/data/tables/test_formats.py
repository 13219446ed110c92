"""Every format is read with its names, labels and ids, and a reduced table written in it."""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse

from entryprune.data import FORMATS, DatasetError, TableRequest, read_table, write_columns
from entryprune.data.tables.request import kept_columns

NAMED = ["t.csv", "t.txt", "t.tsv", "t.csv.gz", "t.parquet", "t.feather", "t.arrow", "t.npz"]
NAMED.append("t.xlsx")
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
    assert any("no names of features" in note for note in table.notes)


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
    monkeypatch.setattr("entryprune.data.tables.errors.available_bytes", lambda: 100)
    with pytest.raises(ValueError, match=r"values, which need .*GB of memory; 0\.0 GB are free"):
        read_table(make(name))
    monkeypatch.setattr("entryprune.data.tables.errors.available_bytes", lambda: None)
    assert read_table(make(name)).X.shape == (4, 5)


def test_libsvm_is_not_filled_up_beyond_the_memory(text, monkeypatch):
    monkeypatch.setattr("entryprune.data.tables.errors.available_bytes", lambda: 10**8)
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
    with pytest.raises(DatasetError, match=r"Save the sheet as \.xlsx or as CSV"):
        read_table(text("a", "t.ods"))


def test_an_unknown_format_is_an_error(text):
    with pytest.raises(
        DatasetError, match=r"no format 'parket'\. Did you mean 'parquet'\? The form"
    ):
        read_table(text("a", format="parket"))
    assert read_table(text("a\n1\n", format=".CSV")).format == "csv"


BINARY = ["t.xlsx", "t.parquet", "t.feather", "t.npy", "t.npz", "t.mat", "t.h5ad"]


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
        # Both are archives, of which the first bytes say no more.
        if not name.endswith(other) and (name, other) != ("t.xlsx", "npz")
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
        ({"array": "X"}, "--array is for xlsx, npz, mat, h5ad, not for csv"),
    ],
)
def test_what_is_not_there_is_an_error(text, details, message):
    request = text("id,a,b,kind\nx,1,2,u\ny,3,4,v\n", **details)
    with pytest.raises(DatasetError, match=message):
        read_table(request)


def test_a_header_is_for_text(make):
    with pytest.raises(DatasetError, match="--header is for csv, tsv, xlsx, not for npz"):
        read_table(make("t.npz", header=True))


def test_names_from_strangers_are_shown_on_one_line(text):
    content = 'a,"<b>\n\x1b[31m",y\n1,2,u\n'
    with pytest.raises(DatasetError) as caught:
        read_table(text(content, target="z"))
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


# -- reduced tables: with the values, types and names of the original, in the order asked for -----


@pytest.mark.parametrize("name", NAMED)
def test_a_reduced_table_is_read_back_as_it_was(make, name, tmp_path, labels, ids):
    request = make(name)
    full = read_table(request)
    destination = tmp_path / f"reduced_{name}"
    write_columns(request, ["<script>", 'say "hi", now', "a"], destination)
    details = {"target": request.target, "id_column": request.id_column}
    reduced = read_table(TableRequest(destination, **details))
    assert reduced.feature_names == ("<script>", 'say "hi", now', "a")
    assert np.array_equal(reduced.X, full.X[:, [4, 3, 1]])
    assert reduced.X.dtype == full.X.dtype
    assert reduced.y.tolist() == list(labels)
    assert reduced.y.dtype.kind == full.y.dtype.kind
    assert reduced.ids == ids
    assert reduced.left_out == full.left_out
    assert reduced.format == full.format
    assert not [path for path in tmp_path.iterdir() if "partial" in path.name]


@pytest.mark.parametrize("name", NAMED)
def test_the_same_columns_are_the_same_file(make, name, tmp_path):
    request = make(name)
    one, other = tmp_path / f"one_{name}", tmp_path / f"other_{name}"
    write_columns(request, ["a"], one)
    write_columns(request, ["a"], other)
    assert one.read_bytes() == other.read_bytes()


def test_arff_is_read_back(make, tmp_path, labels):
    request = make("t.arff")
    write_columns(request, ["d e", "größe"], tmp_path / "r.arff")
    reduced = read_table(TableRequest(tmp_path / "r.arff", target="class"))
    assert reduced.feature_names == ("d e", "größe")
    assert np.array_equal(reduced.X, read_table(request).X[:, [3, 2]])
    assert reduced.y.tolist() == list(labels)


def test_libsvm_is_read_back(make, tmp_path):
    request = make("t.svm")
    write_columns(request, ["f5", "f1"], tmp_path / "r.svm")
    reduced, full = read_table(tmp_path / "r.svm"), read_table(request)
    assert reduced.feature_names == full.feature_names
    assert np.array_equal(reduced.X, full.X * [1, 0, 0, 0, 1])
    assert np.array_equal(reduced.y, full.y)


def test_npy_is_numbered_anew(make, tmp_path):
    write_columns(make("t.npy"), ["column_2", "column_4"], tmp_path / "r.npy")
    reduced = read_table(TableRequest(tmp_path / "r.npy", target="column_3"))
    full = read_table(make("t.npy"))
    assert reduced.feature_names == ("column_1", "column_2")
    assert np.array_equal(reduced.X, full.X[:, [1, 3]])
    assert np.array_equal(reduced.y, full.y)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, ">i2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_keeps_type_and_order(tmp_path, dtype, order):
    values = np.asarray(np.arange(12).reshape(3, 4), dtype=dtype, order=order)
    np.save(tmp_path / "t.npy", values)
    write_columns(tmp_path / "t.npy", ["column_1", "column_3"], tmp_path / "r.npy")
    reduced = np.load(tmp_path / "r.npy")
    assert np.array_equal(reduced, values[:, [0, 2]])
    assert reduced.dtype == np.dtype(dtype)
    assert reduced.flags.f_contiguous == (order == "F")


def test_named_columns_of_npy_keep_names_and_types(tmp_path):
    rows = np.array([("x", 1, 0.5), ("y", 2, 1.5)], dtype=[("k", "U1"), ("a", "i4"), ("b", "f8")])
    np.save(tmp_path / "t.npy", rows)
    write_columns(TableRequest(tmp_path / "t.npy", target="k"), ["b"], tmp_path / "r.npy")
    reduced = np.load(tmp_path / "r.npy")
    assert reduced.dtype == np.dtype([("k", "U1"), ("b", "f8")])
    assert reduced.tolist() == [("x", 0.5), ("y", 1.5)]


def test_text_is_copied_to_the_letter(text, tmp_path):
    content = (
        b'\xef\xbb\xbfid;x;"y;y";z\r\n\r\n'
        b"007;1.50;+2;\xc3\xa9\r\n"
        b'"a;""b""";NA;"3";"two\r\nlines"\r\n'
    )
    request = text(content, id_column="id")
    write_columns(request, ["y;y", "z"], tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_bytes() == (
        b'\xef\xbb\xbfid;"y;y";z\r\n007;+2;\xc3\xa9\r\n"a;""b""";"3";"two\r\nlines"\r\n'
    )


def test_text_without_names_is_copied(text, tmp_path):
    write_columns(text("1,2,3\n4,5,6\n"), ["column_3", "column_1"], tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "3,1\n6,4\n"


def test_columns_follow_each_other_as_they_are_named():
    def kept(known, names, others=()):
        return kept_columns(Path("t.csv"), known, names, others)

    assert kept("abcd", "db") == [3, 1]
    # Where the ids and the target were, they stay.
    assert kept("iabyc", "ca", "iy") == [0, 4, 3, 1]
    assert kept("abab", "ba") == [1, 3, 0, 2]


def test_row_names_are_kept(text, tmp_path):
    write_columns(text(",a,b\nx,1,2\n"), ["b"], tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == ",b\nx,2\n"


def test_the_name_says_whether_to_compress(text, tmp_path):
    request = text("a,b\n1,2\n")
    write_columns(request, ["a"], tmp_path / "r.csv.gz")
    assert gzip.decompress((tmp_path / "r.csv.gz").read_bytes()) == b"a\n1\n"
    write_columns(TableRequest(tmp_path / "r.csv.gz"), ["a"], tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == "a\n1\n"


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_types_and_metadata_of_columns_are_kept(tmp_path, ending):
    kinds = pa.array(["u", "v"]).dictionary_encode()
    table = pa.table(
        {"a": pa.array([1, None], pa.int8()), "b": [True, False], "k": kinds, "c": [b"x", b"y"]}
    ).replace_schema_metadata({"made": "by hand"})
    path, reduced = tmp_path / f"t.{ending}", tmp_path / f"r.{ending}"
    if ending == "parquet":
        pa.parquet.write_table(table, path, compression="gzip")
    else:
        pa.feather.write_feather(table, path)
    write_columns(TableRequest(path, target="k"), ["b", "a"], reduced)
    read = pa.parquet.read_table if ending == "parquet" else pa.feather.read_table
    found = read(reduced)
    assert found.equals(table.select(["b", "a", "k"]), check_metadata=True)
    if ending == "parquet":
        kept = pa.parquet.ParquetFile(reduced).metadata.row_group(0).column(0).compression
        assert kept == "GZIP"


def test_an_npz_keeps_its_other_arrays(make, tmp_path, values):
    write_columns(make("t.npz"), ["a"], tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz") as found:
        assert found["feature_names"].tolist() == ["a"]
        assert np.array_equal(found["X_test"], values[:2, 1:2])
        assert found["comment"] == "kept"


def test_a_mat_file_keeps_matlabs_types(tmp_path):
    names = np.array(["a", "long"])
    content = {"X": np.eye(2) > 0, "names": names, "y": np.array([[1], [2]], dtype=np.int16)}
    scipy.io.savemat(tmp_path / "t.mat", content)
    write_columns(TableRequest(tmp_path / "t.mat", target="y"), ["long"], tmp_path / "r.mat")
    kinds = {name: (shape, kind) for name, shape, kind in scipy.io.whosmat(tmp_path / "r.mat")}
    assert kinds == {"X": ((2, 1), "logical"), "names": ((1,), "char"), "y": ((2, 1), "int16")}
    table = read_table(TableRequest(tmp_path / "r.mat", target="y"))
    assert (table.feature_names, table.X.tolist()) == (("long",), [[0], [1]])


def test_a_mat_file_keeps_the_table_its_names_and_labels(make, tmp_path):
    write_columns(make("t.mat"), ["a", "größe"], tmp_path / "r.mat")
    names = [name for name, *_ in scipy.io.whosmat(tmp_path / "r.mat")]
    assert sorted(names) == ["X", "class", "feature_names", "id"]


# -- what cannot be written -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "destination", "message"),
    [
        (["a"], "t.csv", "is the table itself, which is never overwritten"),
        (
            ["a"],
            "r.parquet",
            r"the format of the original, csv; the name 'r\.parquet' says parquet",
        ),
        (["a"], "none/r.csv", "there is no folder"),
        (["a"], "sub", "it is a folder. Name a file in it"),
        ([], "r.csv", "No columns to keep were named"),
        (["A"], "r.csv", r"no column 'A' for the reduced table\. Did you mean 'a'\?"),
    ],
)
def test_bad_destinations_and_names_are_errors(text, tmp_path, names, destination, message):
    (tmp_path / "sub").mkdir()
    request = text("a,b\n1,2\n")
    with pytest.raises(DatasetError, match=message):
        write_columns(request, names, tmp_path / destination)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["t.csv"]
    assert request.path.read_text() == "a,b\n1,2\n"


def test_what_cannot_be_written_leaves_nothing(text, tmp_path):
    (tmp_path / "r.csv").write_text("before")
    with pytest.raises(DatasetError, match="line 3 has 1 value"):
        write_columns(text("a,b\n1,2\n3\n"), ["a"], tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "t.csv"]


def test_a_full_disk_is_an_error(text, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("entryprune.data.tables.csv.created", full)
    with pytest.raises(DatasetError, match=r"Cannot write .*r\.csv: No space left on device"):
        write_columns(TableRequest(text("a,b\n1,2\n").path), ["a"], tmp_path / "r.csv")


def test_importing_tables_does_not_import_numpy():
    code = (
        "import sys, entryprune.data; sys.exit('numpy' in sys.modules or 'pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_columns_are_dropped_by_their_names_or_between_commas(text):
    content = 'a,b,"a,b",c\n1,2,3,4\n5,6,7,8\n'
    assert read_table(text(content, drop=("a,b",))).feature_names == ("a", "b", "c")
    assert read_table(text(content, drop=("b, a",))).feature_names == ("a,b", "c")
    assert read_table(text(content, drop=("a,b", "c", "a"))).feature_names == ("b",)
    with pytest.raises(DatasetError, match="no column 'd' for what is to be left out"):
        read_table(text(content, drop=("c,d",)))
    with pytest.raises(DatasetError, match="no column '' for what is to be left out"):
        read_table(text(content, drop=("",)))
    with pytest.raises(DatasetError, match="'c' is the target and is to be left out too"):
        read_table(text(content, drop=("a,c",), target="c"))
    assert read_table(text("1 1:2 2:3 3:4\n", "t.svm", drop=("f1,f3",))).feature_names == ("f2",)
    rows = "g,s1,s2,s3\nA,1,2,3\nB,4,5,6\n"
    table = read_table(text(rows, transpose=True, drop=("s2,B",)))
    assert (table.ids, table.feature_names) == (("s1", "s3"), ("A",))
