"""Every format: what is written is read back with its names, labels and ids."""

import numpy as np
import pytest

from entryprune.data import FORMATS, read_table

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
