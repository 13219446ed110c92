"""Features as rows."""

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.io

from entryprune.data import DatasetError, TableRequest, read_table, write_columns

GENES = "gene,s1,s2,s3\nTP53,1.5,2,3\nMYC,4,NA,6\nkind,a,b,a\nBRCA,1,2,3\n"


def test_rows_are_features_and_the_header_has_ids(text):
    table = read_table(text(GENES, transpose=True, target="kind"))
    assert table.feature_names == ("TP53", "MYC", "BRCA")
    assert table.ids == ("s1", "s2", "s3")
    assert table.y.tolist() == ["a", "b", "a"]
    expected = [[1.5, 4, 1], [2, np.nan, 2], [3, 6, 3]]
    assert np.array_equal(table.X, expected, equal_nan=True)


def test_rows_of_text_are_left_out(text):
    table = read_table(text(GENES, transpose=True))
    assert [(one.column, one.why) for one in table.left_out] == [("kind", "text")]


def test_a_row_of_numbers_may_be_the_target(text):
    table = read_table(text(GENES, transpose=True, target="BRCA"))
    assert table.y.tolist() == [1, 2, 3]
    assert table.feature_names == ("TP53", "MYC")


def test_whole_numbers_stay_whole(text):
    table = read_table(text('g,s1,s2\na,1,2\nb,"3", 4\n', transpose=True))
    assert table.X.tolist() == [[1, 3], [2, 4]]
    assert table.X.dtype == np.int64


def test_columns_that_describe_are_no_samples(text):
    content = "gene\tnote\ts1\ts2\na\tfirst\t1\t2\nkind\t-\tx\ty\nb\tsecond\t3\t4\n"
    table = read_table(text(content, "t.tsv", transpose=True, target="kind"))
    assert table.ids == ("s1", "s2")
    assert table.X.tolist() == [[1, 3], [2, 4]]
    assert [(one.column, one.why) for one in table.left_out] == [("note", "text")]


def test_samples_and_features_can_be_dropped(text):
    table = read_table(text(GENES, transpose=True, target="kind", drop=("s2", "MYC")))
    assert table.ids == ("s1", "s3")
    assert table.feature_names == ("TP53", "BRCA")
    assert table.y.tolist() == ["a", "a"]
    with pytest.raises(DatasetError, match=r"no row 'MYCC'.* Did you mean 'MYC'"):
        read_table(text(GENES, transpose=True, drop=("MYCC",)))


@pytest.mark.parametrize(
    ("content", "details", "message"),
    [
        ("g,s1\na,1\na,2\n", {}, r"rows of the same name: 'a' \(2 times\)"),
        ("g,s1,s2\na,1,2\nb,1\n", {}, r"line 3 has 2 values, but there are 3 columns"),
        ("g,s1\na,x\n", {}, "no column but the first has numbers, so there are no samples"),
        ("g,s1\n", {}, "no column but the first has numbers"),
        ("g\na\n", {}, "no column but the first has numbers"),
        ("g,s1\na,1\n", {"id_column": "g"}, r"the header has the samples' ids\. Leave out --id"),
        (b"g,s1,s2\na,1,2\nk,\xe9,y\n", {}, r"is not in the encoding UTF-8 \(line 3\)"),
        (b"g,s1\n\xe9,1\n", {}, r"is not in the encoding UTF-8 \(line 2\)"),
        ("g,s1\na,1\n", {"target": "b"}, "has no row 'b' for the target"),
    ],
)
def test_bad_rows_are_errors(text, content, details, message):
    with pytest.raises(DatasetError, match=message):
        read_table(text(content, transpose=True, **details))


def test_missing_labels_in_a_row_are_counted(text):
    content = "g,s1,s2\na,1,2\nkind,NA,x\n"
    with pytest.raises(DatasetError, match=r"1 of 2 labels is missing in 'kind'"):
        read_table(text(content, transpose=True, target="kind"))


def test_labels_of_a_file_are_matched_with_the_header(text, tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("sample,kind\ns3,z\ns1,x\ns2,y\n")
    content = GENES.replace("kind,a,b,a\n", "")
    table = read_table(text(content, transpose=True, target_file=labels))
    assert table.y.tolist() == ["x", "y", "z"]
    labels.write_text("x\ny\nz\n")
    table = read_table(text(content, transpose=True, target_file=labels))
    assert table.y.tolist() == ["x", "y", "z"]


@pytest.mark.parametrize("ending", ["parquet", "feather"])
@pytest.mark.parametrize("is_index", [False, True])
def test_tables_with_types_are_transposed(tmp_path, ending, is_index):
    frame = pd.DataFrame({"gene": ["a", "b"], "note": ["x", "y"], "s1": [1, 2], "s2": [3, 4]})
    path = tmp_path / f"t.{ending}"
    if is_index:
        frame = frame.set_index("gene")
    table = pa.Table.from_pandas(frame)
    (pa.parquet.write_table if ending == "parquet" else pa.feather.write_feather)(table, path)
    request = TableRequest(path, transpose=True)
    found = read_table(request)
    assert found.feature_names == ("a", "b")
    assert found.ids == ("s1", "s2")
    assert found.X.tolist() == [[1, 2], [3, 4]]
    assert [one.column for one in found.left_out] == ["note"]
    write_columns(request, ["b"], tmp_path / f"r.{ending}")
    reduced = read_table(TableRequest(tmp_path / f"r.{ending}", transpose=True))
    assert reduced.feature_names == ("b",)
    assert reduced.X.tolist() == [[2], [4]]


def test_arrays_are_transposed(tmp_path):
    values = np.arange(6).reshape(2, 3)
    np.save(tmp_path / "t.npy", values)
    scipy.io.savemat(tmp_path / "t.mat", {"X": values, "y": [1, 2, 1]})
    with h5py.File(tmp_path / "new.mat", "w") as file:
        file["X"] = values.T
    for name in ("t.npy", "t.mat", "new.mat"):
        request = TableRequest(tmp_path / name, transpose=True)
        table = read_table(request)
        assert np.array_equal(table.X, values.T)
        assert table.feature_names == ("column_1", "column_2")
        reduced = tmp_path / f"r_{name}"
        write_columns(request, ["column_2"], reduced)
        found = read_table(TableRequest(reduced, transpose=True, array=_array(name)))
        assert np.array_equal(found.X, values.T[:, 1:])


def _array(name):
    return "X" if name.endswith(".mat") else None


def test_chosen_rows_are_written_as_they_are(text, tmp_path):
    request = text(GENES.replace("1.5", '"1.50"'), transpose=True, target="kind")
    write_columns(request, ["MYC", "TP53"], tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == (
        'gene,s1,s2,s3\nMYC,4,NA,6\nTP53,"1.50",2,3\nkind,a,b,a\n'
    )


@pytest.mark.parametrize("name", ["t.arff", "t.svm", "t.h5ad"])
def test_formats_that_say_what_a_sample_is_are_not_transposed(make, name):
    with pytest.raises(DatasetError, match=r"says itself what the samples are\. Leave out --tr"):
        read_table(make(name, transpose=True))


@pytest.mark.parametrize(
    ("content", "details", "message"),
    [
        (GENES, {"target": "kin"}, "has no row 'kin' for the target. Did you mean 'kind'?"),
        ("g,s1,s2\na,1,2\n", {"drop": ("a",)}, "has no row of numbers: 'a' \\(asked for\\)"),
    ],
)
def test_messages_call_rows_rows(text, content, details, message):
    with pytest.raises(DatasetError, match=message):
        read_table(text(content, transpose=True, **details))


def test_rows_without_a_name_are_numbered_as_rows_and_can_be_kept(text, tmp_path):
    request = text("g,s1,s2\na,1,2\n,3,4\n", transpose=True)
    table = read_table(request)
    assert table.feature_names == ("a", "row_2")
    assert "1 row has no name and is called 'row_2'." in table.notes
    write_columns(request, ["row_2"], tmp_path / "kept.csv")
    assert (tmp_path / "kept.csv").read_text() == "g,s1,s2\n,3,4\n"
