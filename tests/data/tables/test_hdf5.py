"""AnnData's files, read without anndata."""

import h5py
import numpy as np
import pytest

from entryprune.data import DatasetError, TableRequest, read_table, write_columns


@pytest.mark.parametrize("name", ["t.h5ad", "csr.h5ad", "csc.h5ad"])
def test_the_type_of_the_values_is_kept(make, name):
    assert read_table(make(name)).X.dtype == np.float32


def test_layers_can_be_asked_for(make, values):
    table = read_table(make("csr.h5ad", array="counts"))
    assert np.allclose(table.X, values * 10)
    assert np.allclose(read_table(make("csr.h5ad", array="layers/counts")).X, values * 10)
    with pytest.raises(
        DatasetError, match=r"no layer 'count'\. Did you mean 'counts'\? It has the"
    ):
        read_table(make("csr.h5ad", array="count"))


def test_columns_of_many_kinds_are_labels(make, frame_writer, tmp_path):
    assert read_table(make("t.h5ad", target="age")).y.tolist() == [3, 1, 4, 1]
    with h5py.File(tmp_path / "t.h5ad", "r+") as file:
        del file["obs"]
        columns = {"k": {"codes": [1, 0, 1, 1], "categories": np.array([2.5, 3.5])}}
        frame_writer(file.create_group("obs"), "abcd", columns)
        nullable = file["obs"].create_group("n")
        nullable.attrs["encoding-type"] = "nullable-integer"
        nullable["values"], nullable["mask"] = np.arange(4), np.zeros(4, dtype=bool)
        file["obs"].create_dataset("old", data=np.array([0, 1, 0, 1], dtype=np.int8))
        old = file["obs"].create_group("__categories")
        old.create_dataset("old", data=["x", "y"], dtype=h5py.string_dtype())
    expected = {"k": [3.5, 2.5, 3.5, 3.5], "n": [0, 1, 2, 3], "old": ["x", "y", "x", "y"]}
    for name, values in expected.items():
        assert read_table(TableRequest(tmp_path / "t.h5ad", target=name)).y.tolist() == values


def test_ids_may_be_a_column(make):
    table = read_table(make("t.h5ad", id_column="age"))
    assert (table.ids, table.id_name) == (("3", "1", "4", "1"), "age")


def test_missing_labels_are_an_error(make):
    with pytest.raises(DatasetError, match=r"1 of 4 labels is missing in 'town' .*of sample 3"):
        read_table(make("t.h5ad", target="town"))
    request = make("t.h5ad")
    with h5py.File(request.path, "r+") as file:
        file["obs/class/codes"][1] = -1
    with pytest.raises(DatasetError, match=r"1 of 4 labels is missing in 'class' .*of sample 2"):
        read_table(request)


def test_a_column_that_obs_lacks_is_an_error_that_lists_them(make):
    with pytest.raises(
        DatasetError,
        match=r"no column 'clas' in obs\. Did you mean 'class'\? It has 'class', 'age', 'town'\.",
    ):
        read_table(make("t.h5ad", target="clas"))


def test_obs_without_columns_is_an_error(make, frame_writer):
    request = make("t.h5ad")
    with h5py.File(request.path, "r+") as file:
        del file["obs"]
        frame_writer(file.create_group("obs"), "abcd", {})
    with pytest.raises(DatasetError, match=r"obs has no columns.* with --target-file"):
        read_table(request)
    assert read_table(request.path).ids == ("a", "b", "c", "d")


def test_other_hdf5_files_are_errors(tmp_path):
    path = tmp_path / "t.h5ad"
    with h5py.File(path, "w") as file:
        file["X"] = np.eye(2)
    with pytest.raises(
        DatasetError, match=r"is not an \.h5ad file: it has no obs and no var; it h"
    ):
        read_table(path)
    with h5py.File(path, "w") as file:
        file["X"] = np.eye(2)
        for frame in ("obs", "var"):
            file[frame] = np.array([(b"a", 1), (b"b", 2)], dtype=[("index", "S1"), ("n", "i4")])
    with pytest.raises(DatasetError, match=r"is of a version of anndata before 0\.7"):
        read_table(path)


def test_a_reduced_file_keeps_what_is_said_of_cells_and_genes(make, tmp_path, values):
    for name in ("t.h5ad", "csr.h5ad", "csc.h5ad"):
        reduced = tmp_path / f"r_{name}"
        write_columns(make(name), ["größe", "a.1"], reduced)
        with h5py.File(reduced) as new, h5py.File(tmp_path / name) as old:
            assert sorted(new) == ["X", "layers", "obs", "uns", "var", "varm"]
            assert dict(new.attrs) == dict(old.attrs)
            assert new["var/length"][:].tolist() == [2, 0]
            assert new["varm/loadings"].shape == (2, 2)
            assert new["uns/note"][()] == b"kept"
            assert new["obs/class"].attrs["encoding-type"] == "categorical"
            assert new["layers/counts"].attrs["shape"].tolist() == [4, 2]
            is_group = isinstance(old["X"], h5py.Group)
            assert isinstance(new["X"], h5py.Group) == is_group
            if is_group:
                assert new["X"].attrs["encoding-type"] == old["X"].attrs["encoding-type"]
                assert new["X/data"].size == np.count_nonzero(values[:, [0, 2]])
            assert new["obs/names"][:].tolist() == old["obs/names"][:].tolist()
            assert new["obs/age"][:].tolist() == [3, 1, 4, 1]
        counts = read_table(TableRequest(reduced, array="counts"))
        assert np.allclose(counts.X, values[:, [2, 0]] * 10)


def test_a_reduced_file_tells_of_its_genes_in_var(make, tmp_path):
    reduced = tmp_path / "r.h5ad"
    about = {"selected": [True, True], "rank": [2, 1], "length": [0.5, 0.25]}
    write_columns(make("csr.h5ad"), ["größe", "a.1"], reduced, about)
    with h5py.File(reduced) as new:
        var = new["var"]
        assert var["selected"][:].tolist() == [True, True]
        assert var["rank"][:].tolist() == [2, 1]
        assert var["length"][:].tolist() == [0.5, 0.25]  # in place of what was there
        assert [*var.attrs["column-order"]][-2:] == ["selected", "rank"]
        assert var["rank"].attrs["encoding-type"] == "array"
    assert read_table(TableRequest(reduced)).X.shape[1] == 2
