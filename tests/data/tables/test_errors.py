"""Files that are not there, are something else, or lack what is asked for."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from entryprune.data import FORMATS, DatasetError, TableRequest, read_table, write_columns
from entryprune.data.tables import memory


def test_importing_tables_does_not_import_numpy():
    code = (
        "import sys, entryprune.data; sys.exit('numpy' in sys.modules or 'pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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


# -- memory ---------------------------------------------------------------------------------------


def test_the_memory_is_asked_of_the_system(monkeypatch, tmp_path):
    assert memory.available_bytes() > 10**6
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable: 7 kB\n")
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path / "none")
    monkeypatch.setattr(memory, "_PROCESS", tmp_path / "none")
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    assert memory.available_bytes() == 7 * 1024
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "none")
    assert memory.available_bytes() > 10**6

    def no_answer(name):
        raise ValueError(name)

    monkeypatch.setattr("os.sysconf", no_answer)
    assert memory.available_bytes() is None


def test_the_limit_of_a_container_counts(monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemAvailable: 7 kB\n")
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path)
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("4000\n")
    (tmp_path / "memory.stat").write_text("anon 10\ninactive_file 500\n")
    assert memory.available_bytes() == 1500
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available_bytes() == 7 * 1024


def test_the_error_has_both_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**9)
    path = tmp_path / "t.npy"
    np.lib.format.open_memmap(path, "w+", np.float32, shape=(20_000, 5_000))
    with pytest.raises(
        DatasetError, match=r"20,000 x 5,000 values, which need 1\.6 GB .*; 1\.0 GB"
    ):
        read_table(path)


def test_running_out_of_memory_is_an_error_too(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": [1]}), path)

    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("pyarrow.parquet.ParquetFile.read", full)
    with pytest.raises(DatasetError, match="does not fit into memory"):
        read_table(path)


# -- writing --------------------------------------------------------------------------------------


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
