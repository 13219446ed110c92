"""Files that are damaged or made to do harm are refused in words, quickly, in little memory."""

import time

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse

from entryprune.data import DatasetError, TableRequest, read_table, write_columns

# -- Arrow ----------------------------------------------------------------------------------------


def text_column(letters):
    """Return a column of two texts of three letters, which need not be UTF-8."""
    buffers = [None, pa.py_buffer(packed(0, 3, 6)), pa.py_buffer(letters)]
    return pa.Array.from_buffers(pa.string(), 2, buffers)


def packed(*numbers):
    return b"".join(number.to_bytes(4, "little") for number in numbers)


@pytest.mark.parametrize("offsets", [(0, 3, 900_000), (0, 9, 6), (0, 2**31, 6)])
def test_wrong_offsets_of_arrow_text_are_refused(tmp_path, offsets):
    path = tmp_path / "t.arrow"
    table = pa.table({"a": [1, 2], "kind": text_column(b"abcdef")})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    content = path.read_bytes()
    assert content.count(packed(0, 3, 6)) == 1
    path.write_bytes(content.replace(packed(0, 3, 6), packed(*offsets)))
    request = TableRequest(path, target="kind")
    with pytest.raises(DatasetError, match="the column 'kind' is damaged"):
        read_table(request)
    with pytest.raises(DatasetError, match="the column 'kind' is damaged"):
        write_columns(request, ["a"], tmp_path / "r.arrow")


def test_wrong_codes_of_categories_are_refused(tmp_path):
    codes, kinds = pa.array([0, 7], pa.int8()), pa.array(["x", "y"])
    column = pa.DictionaryArray.from_arrays(codes, kinds, safe=False)
    path = tmp_path / "t.feather"
    pa.feather.write_feather(pa.table({"a": [1, 2], "kind": column}), path)
    with pytest.raises(DatasetError, match="the column 'kind' is damaged"):
        read_table(TableRequest(path, target="kind"))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_text_of_arrow_that_is_not_utf8_is_refused(tmp_path, ending):
    table = pa.table({"a": [1, 2], "kind": text_column(b"gr\xf6\xdfer")})
    path = tmp_path / f"t.{ending}"
    (pa.parquet.write_table if ending == "parquet" else pa.feather.write_feather)(table, path)
    with pytest.raises(DatasetError, match="'kind' has text that is not in the encoding UTF-8"):
        read_table(TableRequest(path, target="kind"))


# -- text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["a,b\n1,{}\n2,3\n", "a,{}\n1,2\n", "{}\n1\n"])
def test_many_digits_and_a_letter_take_no_time(text, content):
    request = text(content.format("7" * 200_000 + "x"))
    start = time.perf_counter()
    assert read_table(request).X.size > 0
    assert time.perf_counter() - start < 5  # it was hours


# -- sparse matrices ------------------------------------------------------------------------------

SPARSE = scipy.sparse.csc_matrix(np.array([[0, 1.5, 0], [2.5, 0, 0], [0, 0, 3.5], [1, 0, 0]]))


def damaged(what):
    """Return the values, indices and pointers of a matrix of 4 x 3 with one of them wrong."""
    data, indices, pointers = (part.copy() for part in (SPARSE.data, SPARSE.indices, SPARSE.indptr))
    if what == "an index too large":
        indices[1] = 4
    elif what == "an index far too large":
        indices[1] = 2**31 - 1
    elif what == "a negative index":
        indices[0] = -1
    elif what == "pointers go back":
        pointers[1:3] = pointers[1:3][::-1]
    elif what == "pointers do not begin at 0":
        pointers[0] = 1
    elif what == "pointers end beyond the values":
        pointers[-1] = 10**6
    elif what == "values are missing":
        data = data[:-1]
    elif what == "a column is missing":
        pointers = pointers[:-1]
    return data, indices, pointers


WRONG = [
    "an index too large",
    "an index far too large",
    "a negative index",
    "pointers go back",
    "pointers do not begin at 0",
    "pointers end beyond the values",
    "values are missing",
]


@pytest.mark.parametrize("what", [*WRONG, "a column is missing"])
def test_damaged_sparse_matrices_of_anndata_are_refused(make, what):
    request = make("csc.h5ad")
    data, indices, pointers = damaged(what)
    with h5py.File(request.path, "r+") as file:
        for frame, n in (("obs", 4), ("var", 3)):
            del file[frame]
            group = file.create_group(frame)
            group.create_dataset("_index", data=[f"n{i}" for i in range(n)])
        del file["X"]
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = "csc_matrix", np.array([4, 3])
        group["data"], group["indices"], group["indptr"] = data, indices, pointers
    with pytest.raises(DatasetError, match="the sparse matrix is damaged"):
        read_table(request.path)
    with pytest.raises(DatasetError, match="the sparse matrix is damaged"):
        write_columns(request.path, ["n1"], request.path.with_name("r.h5ad"))


# MATLAB 5 may keep room for more values than there are.
@pytest.mark.parametrize(
    ("version", "what"),
    [(version, what) for version in ("5", "7.3") for what in WRONG[: -1 if version == "5" else 7]],
)
def test_damaged_sparse_matrices_of_matlab_are_refused(tmp_path, version, what):
    data, indices, pointers = damaged(what)
    path = tmp_path / "t.mat"
    if version == "7.3":
        with h5py.File(path, "w", userblock_size=512) as file:
            group = file.create_group("X")
            group.attrs["MATLAB_sparse"] = np.uint64(4)
            group["data"], group["ir"], group["jc"] = data, indices, pointers
    else:
        scipy.io.savemat(path, {"X": SPARSE})
        content = path.read_bytes()
        for right, wrong in ((SPARSE.indices, indices), (SPARSE.indptr, pointers)):
            content = content.replace(*(part.astype("<i4").tobytes() for part in (right, wrong)))
        path.write_bytes(content)
    with pytest.raises(DatasetError, match="the sparse matrix is damaged"):
        read_table(path)


def test_a_nearly_empty_matrix_is_not_filled(tmp_path):
    path = tmp_path / "t.mat"
    scipy.io.savemat(path, {"X": scipy.sparse.csc_matrix(([1.0], ([5], [1])), shape=(10**8, 2))})
    with pytest.raises(DatasetError, match=r"100,000,000 x 2 values, (of which 1 are|which need)"):
        read_table(path)


# -- HDF5 -----------------------------------------------------------------------------------------


@pytest.fixture(params=["t.h5ad", "t73.mat"])
def hdf5(request, make):
    """Damage a file with a function, and ask for it."""

    def hdf5(damage, **details):
        table = make(request.param, **details)
        with h5py.File(table.path, "r+") as file:
            damage(file)
        return table

    return hdf5


def replace_x(make_new):
    def damage(file):
        del file["X"]
        make_new(file)

    return damage


def linked(link):
    return replace_x(lambda file: file.__setitem__("X", link))


def external_storage(file):
    file.create_dataset("X", (4, 5), "f8", external=[("/etc/hostname", 0, 160)])


def virtual(file):
    layout = h5py.VirtualLayout((4, 5), "f8")
    layout[...] = h5py.VirtualSource("other.h5", "X", (4, 5))
    file.create_virtual_dataset("X", layout)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (linked(h5py.ExternalLink("other.h5", "/X")), "is a link to the file other.h5, which is n"),
        (linked(h5py.SoftLink("/X")), "is a link that leads back to itself"),
        (linked(h5py.SoftLink("/none")), "has no 'X' in /"),
        (replace_x(external_storage), "has its values in the file .*hostname.*not followed"),
        (replace_x(virtual), "has its values in other files, which is not followed"),
        (linked(h5py.Empty("f8")), "is empty|no array of numbers"),
        (replace_x(lambda file: file.create_group("X")), "has the shape|no array of numbers"),
    ],
)
def test_odd_hdf5_is_refused(hdf5, damage, message):
    request = hdf5(damage)
    with pytest.raises(DatasetError, match=message):
        read_table(request)
    with pytest.raises(DatasetError):
        write_columns(request, ["a"], request.path.with_name(f"r{request.path.suffix}"))


def test_links_within_a_file_are_followed(hdf5, values):
    def move(file):
        file.move("X", "there")
        file["here"] = h5py.SoftLink("/there")
        file["X"] = h5py.SoftLink("here")

    assert np.allclose(read_table(hdf5(move, array="X")).X, values)


def test_a_link_of_a_link_to_another_file_is_refused(hdf5, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["X"] = np.eye(4)

    def damage(file):
        del file["X"]
        file["away"] = h5py.ExternalLink("other.h5", "/")
        file["X"] = h5py.SoftLink("/away/X")

    with pytest.raises(DatasetError, match=r"is a link to the file other\.h5"):
        read_table(hdf5(damage))


def test_missing_parts_of_a_sparse_matrix_are_named(tmp_path):
    path = tmp_path / "t.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_group("X").attrs["MATLAB_sparse"] = np.uint64(4)
    with pytest.raises(DatasetError, match="has no 'jc' in /X"):
        read_table(path)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.95])
def test_hdf5_that_was_cut_short_is_refused(hdf5, share):
    request = hdf5(lambda file: None)
    content = request.path.read_bytes()
    request.path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DatasetError):
        read_table(request)


def test_a_group_that_contains_itself_is_not_copied(make, tmp_path):
    request = make("t.h5ad")
    with h5py.File(request.path, "r+") as file:
        file["uns/again"] = file["uns"]
    assert read_table(request).X.shape == (4, 5)
    with pytest.raises(DatasetError, match="contains itself"):
        write_columns(request, ["a"], tmp_path / "r.h5ad")


def test_codes_without_a_category_are_refused(make):
    request = make("t.h5ad")
    with h5py.File(request.path, "r+") as file:
        file["obs/class/codes"][2] = 99
    with pytest.raises(DatasetError, match="'class' has codes for which there is no category"):
        read_table(request)


def test_frames_of_another_length_are_refused(make):
    request = make("t.h5ad")
    with h5py.File(request.path, "r+") as file:
        del file["obs/age"]
        file["obs/age"] = [1, 2]
    with pytest.raises(DatasetError, match=r"/obs/age has the shape \(2,\), but the matrix has 4"):
        read_table(TableRequest(request.path, target="age"))


# -- labels ---------------------------------------------------------------------------------------


def test_labels_in_latin1_are_refused_with_a_cure(tmp_path):
    words = np.array(["weiß", "rot"] * 2)
    latin = np.char.encode(words, "latin-1")
    np.savez(tmp_path / "t.npz", X=np.ones((4, 2)), y=latin)
    with pytest.raises(DatasetError, match=r"array 'y' has text that is not in the .*'latin-1'\)"):
        read_table(TableRequest(tmp_path / "t.npz", target="y"))
    np.savez(tmp_path / "t.npz", X=np.ones((4, 2)), y=np.char.encode(words, "utf-8"))
    assert read_table(TableRequest(tmp_path / "t.npz", target="y")).y.tolist() == words.tolist()


def test_names_as_bytes_are_text(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.ones((4, 2)), names=np.array([b"a", "ß".encode()]))
    assert read_table(tmp_path / "t.npz").feature_names == ("a", "ß")
    np.savez(tmp_path / "t.npz", X=np.ones((4, 2)), names=np.array([b"a", b"\xdf"]))
    with pytest.raises(DatasetError, match="array 'names' has text that is not in the encoding"):
        read_table(tmp_path / "t.npz")


def test_labels_of_several_types_become_text(tmp_path):
    cells = np.empty((4, 1), dtype=object)
    cells[:, 0] = ["a", 1.0, "b", 2.0]
    scipy.io.savemat(tmp_path / "t.mat", {"X": np.eye(4), "y": cells})
    table = read_table(TableRequest(tmp_path / "t.mat", target="y"))
    assert table.y.tolist() == ["a", "1.0", "b", "2.0"]
