"""LIBSVM: columns without names, labels at a place of their own."""

import pytest

from entryprune.data import DatasetError, TableRequest, read_table, write_columns

SVM = "# made up\n+1 qid:1 1:0.50 4:2 # first\n-1 qid:2 2:1e-3\n"


def test_columns_are_called_by_their_numbers(text):
    table = read_table(text(SVM, "t.libsvm"))
    assert table.feature_names == ("f1", "f2", "f3", "f4")
    assert table.X.tolist() == [[0.5, 0, 0, 2], [0, 0.001, 0, 0]]
    table = read_table(text("0.5 0:1 2:3\n1.5 1:1\n", "t.svm"))
    assert table.feature_names == ("f0", "f1", "f2")
    assert table.y.tolist() == [0.5, 1.5]
    assert any("numbered from 0" in note for note in table.notes)


def test_the_labels_have_one_name(text):
    assert read_table(text(SVM, "t.svm", target="label")).y.tolist() == [1, -1]
    with pytest.raises(DatasetError, match=r"has no column 'y': .* labels are called 'label'"):
        read_table(text(SVM, "t.svm", target="y"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "cannot be read as a LIBSVM file"),
        ("1 1:x\n", "cannot be read as a LIBSVM file"),
        ("1\n-1\n", "has no values but labels"),
        ("1,2 1:1\n", "cannot be read as a LIBSVM file"),
    ],
)
def test_bad_libsvm_is_an_error(text, content, message):
    with pytest.raises(DatasetError, match=message):
        read_table(text(content, "t.svm"))


def test_chosen_columns_keep_their_numbers(text, tmp_path):
    write_columns(text(SVM, "t.svm"), ["f4", "f2"], tmp_path / "r.svm")
    assert (tmp_path / "r.svm").read_text() == (
        "# made up\n+1 qid:1 4:2 # first\n-1 qid:2 2:1e-3\n"
    )
    table = read_table(TableRequest(tmp_path / "r.svm"))
    assert table.X.tolist() == [[0, 0, 0, 2], [0, 0.001, 0, 0]]
    assert table.y.tolist() == [1, -1]
