"""Labels in a file of their own."""

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from entryprune.data import DatasetError, TableRequest, read_table, write_columns

TABLE = "id,a,b\n01,5,1\n02,6,2\n03,7,3\n"


@pytest.fixture
def read(text, tmp_path):
    """Read a table with the labels of another file."""

    def read(labels, name="y.csv", table=TABLE, **details):
        path = tmp_path / name
        if callable(labels):
            labels(path)
        else:
            path.write_text(labels)
        details.setdefault("id_column", "id")
        return read_table(text(table, target_file=path, **details))

    return read


@pytest.mark.parametrize(
    ("labels", "name", "expected"),
    [
        ("x\ny\nx\n", "y.txt", ["x", "y", "x"]),
        ("kind\nx\ny\nx\n", "y.csv", ["x", "y", "x"]),
        ("1\n0\n1\n", "y.csv", [1, 0, 1]),
        ("kind\n1\n0\n1\n", "y.csv", [1, 0, 1]),
        ("0.5\n1.5\n2.5", "y.tsv", [0.5, 1.5, 2.5]),
        (lambda path: np.save(path, np.array(["x", "y", "x"])), "y.npy", ["x", "y", "x"]),
        (lambda path: np.save(path, np.array([[1], [0], [1]])), "y.npy", [1, 0, 1]),
        (lambda path: pa.parquet.write_table(pa.table({"k": list("xyx")}), path), "y.pq", "xyx"),
        (lambda path: pa.feather.write_feather(pa.table({"k": [1, 0, 1]}), path), "y.arrow", None),
    ],
)
def test_labels_alone_are_in_the_order_of_the_cases(read, labels, name, expected):
    table = read(labels, name)
    assert table.y.tolist() == list(expected or [1, 0, 1])
    assert any("in the order of the samples" in note for note in table.notes)
    assert table.feature_names == ("a", "b")


@pytest.mark.parametrize(
    "labels", ["sample,kind\n03,z\n01,x\n02,y\n", "03,z\n01,x\n02,y\n", "03,z\n01,x\n02,y\n04,w\n"]
)
def test_labels_with_ids_are_matched(read, labels):
    table = read(labels)
    assert table.y.tolist() == ["x", "y", "z"]
    assert any("matched with the samples by their ids" in note for note in table.notes)


def test_a_target_names_a_column_of_the_file(read):
    labels = "sample,age,kind\n03,30,z\n01,10,x\n02,20,y\n"
    assert read(labels, target="kind").y.tolist() == ["x", "y", "z"]
    table = read(labels, target="age")
    assert (table.y.tolist(), table.target_name) == ([10, 20, 30], "age")
    with pytest.raises(
        DatasetError, match=r"has 3 columns: .* Say which has the labels with --tar"
    ):
        read(labels)
    with pytest.raises(DatasetError, match=r"no column 'kin' for the target\. Did you mean 'kind'"):
        read(labels, target="kin")
    with pytest.raises(DatasetError, match="'id' is the column of ids"):
        read(labels.replace("sample", "id"), target="id")


def test_ids_are_found_under_the_name_that_the_labels_have(read):
    table = read("id,kind\n03,z\n01,x\n02,y\n", id_column=None)
    assert table.y.tolist() == ["x", "y", "z"]
    assert (table.ids, table.id_name) == (("01", "02", "03"), "id")
    assert table.feature_names == ("a", "b")


def test_row_numbers_are_no_ids(read):
    table = read(",kind\n0,x\n1,y\n2,z\n", id_column=None, table="a,b\n5,1\n6,2\n7,3\n")
    assert table.y.tolist() == ["x", "y", "z"]


def test_a_column_named_like_the_labels_is_no_feature(read):
    table = read("a\nx\ny\nx\n")
    assert table.feature_names == ("b",)
    assert [(one.column, one.why) for one in table.left_out] == [("a", "named like the labels")]


@pytest.mark.parametrize(
    ("labels", "details", "message"),
    [
        (
            "1\n0\n",
            {},
            r"y\.csv has 2 values, but .* has 3 samples\. But there are as many columns: ",
        ),
        ("1\n" * 9, {}, r"y\.csv has 9 values, but .* has 3 samples\. Each sample needs one"),
        (
            "sample,k\n01,x\n02,y\n",
            {},
            r"has no label for 1 of the 3 samples of .*: '03'\. Its ids",
        ),
        ("sample,k\na,x\nb,y\n", {}, r"for 3 of the 3 samples .* the samples, say --transpose"),
        (
            "sample,k\n01,1.5\n02,inf\n03,2\n",
            {},
            r"1 of 3 labels is infinite in 'k' .*sample 2\)\. R",
        ),
        ("sample,k\n01,x\n02,y\n03,y\n01,z\n", {}, r"has more than one label for 1 sample: '01'"),
        ("sample,k\ns1,x\ns2,y\ns3,y\n", {"id_column": None}, r"has none\. Say which .* with --id"),
        (
            "sample,k\n01,x\n02,\n03,y\n",
            {},
            r"1 of 3 labels is missing in 'k' of .* \(of sample 2\)",
        ),
        ("", {}, r"y\.csv is empty"),
    ],
)
def test_labels_that_do_not_fit_are_an_error(read, labels, details, message):
    with pytest.raises(DatasetError, match=message):
        read(labels, **details)


def test_a_file_that_cannot_hold_labels_is_an_error(read, tmp_path):
    with pytest.raises(
        DatasetError, match=r"labels are not read from a MATLAB file, but from \.csv"
    ):
        read("x", "y.mat")
    with pytest.raises(
        DatasetError, match=r"from a file with this ending, but from \.csv.* rename"
    ):
        read("x", "labels")
    with pytest.raises(DatasetError, match=r"has the shape \(2, 2\)"):
        read(lambda path: np.save(path, np.eye(2)), "y.npy")
    with pytest.raises(DatasetError, match=r"There is no file .*none\.csv"):
        read(lambda path: None, "none.csv")


@pytest.mark.parametrize(
    ("target", "targets", "features"),
    [("a", ("a",), ("b", "c,d")), ("a,b", ("a", "b"), ("c,d",)), ("c,d", ("c,d",), ("a", "b"))],
)
def test_columns_that_are_no_features_stand_beside_them(tmp_path, target, targets, features):
    path = tmp_path / "table.csv"
    path.write_text('a,b,"c,d",w,g\n1,2,3,1,u\n2,2.5,4,0,v\n3,4,1,2,u\n')
    request = TableRequest(path, target=target, beside=("w", "g"))
    table = read_table(request)
    assert (table.targets, table.feature_names) == (targets, features)
    beside = {name: values.tolist() for name, values in table.beside.items()}
    assert beside.pop("w") == [1, 0, 2]
    assert beside.pop("g") == ["u", "v", "u"]
    assert beside == ({"b": [2.0, 2.5, 4.0]} if target == "a,b" else {})
    write_columns(request, features[:1], tmp_path / "reduced.csv")
    reduced = read_table(tmp_path / "reduced.csv")
    left_out = {one.column for one in reduced.left_out}
    assert {*reduced.feature_names, *left_out} == {*targets, features[0], "w", "g"}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"target": "a,z"}, "has no column 'z' for the target"),
        (
            {"target": "a", "beside": ("z",)},
            "no column 'z' for the weights, groups, times or events",
        ),
        ({"target": "a", "beside": ("w",), "drop": ("w",)}, "asked for beside the features and"),
        ({"target": "a", "beside": ("w",), "id_column": "w"}, "'w' is the column of ids"),
    ],
)
def test_columns_beside_the_features_must_be_there_once(tmp_path, asked, message):
    path = tmp_path / "table.csv"
    path.write_text("a,b,w\n1,2,1\n2,3,0\n")
    with pytest.raises(DatasetError, match=message):
        read_table(TableRequest(path, **asked))
