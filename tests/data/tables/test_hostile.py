"""Files that are damaged or made to do harm are refused in words, quickly, in little memory."""

import gzip
import os
import re
import subprocess
import sys
import time
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

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


def test_a_long_text_that_is_stored_once_is_read_once(tmp_path):
    path = tmp_path / "t.parquet"
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000 + [1]), ["x" * 10**6, "y"])
    columns = {"a": range(20_001), "long": long, "kind": ["u", "v", "w"] * 6667}
    pa.parquet.write_table(pa.table(columns), path, store_schema=False)
    assert path.stat().st_size < 10**6
    table = read_table(TableRequest(path, target="kind"))
    assert [one.column for one in table.left_out] == ["long"]
    assert table.y[:3].tolist() == ["u", "v", "w"]
    assert pa.total_allocated_bytes() < 10**8  # it was 20 GB
    with pytest.raises(DatasetError, match="A label has 1,000,000 letters"):
        read_table(TableRequest(path, target="long"))


def test_texts_of_a_large_parquet_file_stay_text(tmp_path):
    path = tmp_path / "t.parquet"
    words = [f"word number {n}" for n in range(40_000)]
    numbers = np.arange(40_000)
    pa.parquet.write_table(pa.table({"a": numbers, "w": words, "x": numbers / 7}), path)
    request = TableRequest(path, id_column="w")
    table = read_table(request)
    assert table.ids == tuple(words)
    assert read_table(path).left_out[0].why == "text"
    write_columns(request, ["x"], tmp_path / "r.parquet")
    assert pa.parquet.read_table(tmp_path / "r.parquet").schema.field("w").type == pa.string()


def test_damaged_metadata_of_parquet_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": [1.5, 2.5], "b": [1, 2]}), path)
    content = path.read_bytes()
    for place in range(content.rindex(b"a", 0, len(content) // 2), len(content) - 8):
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        with suppress(DatasetError):  # anything else, above all the end of the process, fails
            write_columns(path, ["a"], tmp_path / "r.parquet")


# -- text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["a,b\n1,{}\n2,3\n", "a,{}\n1,2\n", "{}\n1\n"])
def test_many_digits_and_a_letter_take_no_time(text, content):
    request = text(content.format("7" * 200_000 + "x"))
    start = time.perf_counter()
    with suppress(DatasetError):  # as a name, it is too long
        assert read_table(request).X.size > 0
    assert time.perf_counter() - start < 5  # it was hours


@pytest.mark.parametrize("name", ["t.csv.gz", "t.arff.gz", "t.svm.gz"])
@pytest.mark.parametrize("damage", ["cut", "checksum", "bit", "header"])
def test_damaged_archives_are_refused(text, tmp_path, name, damage):
    lines = {
        "t.csv.gz": "a,b\n" + "1,2\n" * 100_000,
        "t.arff.gz": "@attribute a real\n@data\n" + "1\n" * 100_000,
        "t.svm.gz": "1 1:1 2:3\n" * 50_000,
    }
    packed = bytearray(gzip.compress(lines[name].encode()))
    if damage == "cut":
        del packed[-40:]
    elif damage == "header":
        packed[2] = 99
    else:
        packed[-6 if damage == "checksum" else len(packed) // 2] ^= 1
    request = text(bytes(packed), name)
    with pytest.raises(DatasetError, match="is compressed, but damaged or cut short"):
        read_table(request)
    with pytest.raises(DatasetError, match="is compressed, but damaged or cut short"):
        write_columns(request, ["a" if name != "t.svm.gz" else "f1"], tmp_path / f"r_{name}")


def test_damage_far_from_the_beginning_is_told_of_too(text):
    lines = np.arange(2 * 10**6).reshape(-1, 2).astype(str)
    content = "a,b\n" + "\n".join(map(",".join, lines))
    packed = bytearray(gzip.compress(content.encode(), 1))
    packed[-6] ^= 1
    with pytest.raises(DatasetError, match="is compressed, but damaged or cut short"):
        read_table(text(bytes(packed), "t.csv.gz"))


def test_one_long_label_does_not_widen_all(text):
    lines = [f"1,{label}" for label in ["b"] * 20_000 + ["x" * 10_000]]
    request = text(gzip.compress("\n".join(["a,y", *lines]).encode()), "t.csv.gz", target="y")
    tracemalloc.start()
    table = read_table(request)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * 10**7  # it was 0.8 GB
    assert (table.y[0], len(table.y[-1])) == ("b", 10_000)
    assert len(np.unique(table.y)) == 2
    lines[0] += "b" * 10_000
    with pytest.raises(
        DatasetError, match=r"A label has 10,001 letters .* in 'y' of .* at most 10"
    ):
        read_table(text("\n".join(["a,y", *lines]), target="y"))


def test_a_long_name_is_refused(text):
    with pytest.raises(DatasetError, match="the name of column 2 has 10,001 letters"):
        read_table(text(f"a,{'7' * 10_000}x\n1,2\n"))


def test_one_long_label_among_categories_does_not_widen_all(tmp_path):
    kinds = pa.array(["b"] * 20_000 + ["x" * 200_000]).dictionary_encode()
    pa.feather.write_feather(pa.table({"a": range(20_001), "y": kinds}), tmp_path / "t.feather")
    with pytest.raises(DatasetError, match="A label has 200,000 letters"):
        read_table(TableRequest(tmp_path / "t.feather", target="y"))
    table = read_table(TableRequest(tmp_path / "t.feather", id_column="y"))
    assert (table.ids[0], len(table.ids[-1])) == ("b", 200_000)


def test_an_endless_line_is_refused_before_it_fills_the_memory(text, monkeypatch):
    monkeypatch.setattr("entryprune.data.tables.csv_text._LONGEST_LINE", 10**6)
    starts = {"t.csv.gz": "a,b\n", "t.svm.gz": "1 1:1\n", "t.arff.gz": "@attribute a real\n"}
    for name, start in starts.items():
        for content in (start + "1" * 10**7, "a" * 10**7):
            with pytest.raises(DatasetError, match=r"line [12] is longer than 1 MB"):
                read_table(text(gzip.compress(content.encode()), name))


def test_a_huge_number_of_a_column_is_refused(text, monkeypatch):
    monkeypatch.setattr("entryprune.data.tables.errors.available_bytes", lambda: 10**13)
    with pytest.raises(DatasetError, match=r"1 x 400,000,000 values, of which 1 are not zero"):
        read_table(text("1 400000000:1\n", "t.svm"))
    with pytest.raises(DatasetError, match="cannot be read as a LIBSVM file"):
        read_table(text("1 99999999999999999999:1\n", "t.svm"))


@pytest.mark.parametrize("quotes", ['""', '", "', '"""'])
def test_a_quote_that_is_opened_again_and_again_takes_no_time(text, quotes):
    request = text('a,b\n1,"' + (quotes + "x" * 5_000 + "\n") * 2001)
    start = time.perf_counter()
    with pytest.raises(DatasetError, match=r"is never closed|has \d value"):
        read_table(request)
    assert time.perf_counter() - start < 10


# -- files that are none --------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_pipes_and_devices_are_refused_at_once(tmp_path, text):
    os.mkfifo(tmp_path / "t.csv")
    (tmp_path / "link.npy").symlink_to("/dev/zero")
    (tmp_path / "again.csv").symlink_to(tmp_path / "t.csv")
    for name in ("t.csv", "link.npy", "again.csv"):
        with pytest.raises(DatasetError, match="is not a regular file"):
            read_table(tmp_path / name)
        with pytest.raises(DatasetError, match="is not a regular file"):
            write_columns(tmp_path / name, ["a"], tmp_path / "r.csv")
        labels = TableRequest(text("a\n1\n", "real.csv").path, target_file=tmp_path / name)
        with pytest.raises(DatasetError, match="is not a regular file"):
            read_table(labels)


# -- memory ---------------------------------------------------------------------------------------

LIMITED = """
import resource, sys
import numpy, pyarrow.csv, scipy.sparse, h5py
from entryprune.data import DatasetError, read_table
from entryprune.data.tables import arrow_columns, assemble, csv, errors, hdf5, matlab, parquet
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2 * 10**8,) * 2)
if sys.argv[2] == "unknown":
    errors.available_bytes = lambda: None
try:
    read_table(sys.argv[1])
except DatasetError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only here is the limit of a process known")
@pytest.mark.parametrize("name", ["t.npy", "t.parquet", "t.csv", "t.mat"])
@pytest.mark.parametrize("free", ["known", "unknown"])
def test_the_limit_of_a_process_is_told_of(tmp_path, name, free):
    values = np.zeros((3_000_000, 10))
    path = tmp_path / name
    if name == "t.npy":
        np.save(path, values)
    elif name == "t.mat":
        scipy.io.savemat(path, {"X": values}, do_compression=True)
    elif name == "t.parquet":
        pa.parquet.write_table(pa.table({str(n): values[:, n] for n in range(10)}), path)
    else:
        path.write_text("a,b,c,d,e,f,g,h,i,j\n" + "0,1,2,3,4,5,6,7,8,9\n" * 3_000_000)
    command = [sys.executable, "-c", LIMITED, path, free]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    expected = r"GB of memory; 0\.\d GB are free" if free == "known" else "does not fit into memory"
    assert re.search(expected, done.stdout), done.stdout + done.stderr[-2000:]


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
    for sparse in (False, True):
        with pytest.raises(DatasetError, match="the sparse matrix is damaged"):
            read_table(TableRequest(request.path, sparse=sparse))
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
    for sparse in (False, True):
        with pytest.raises(DatasetError, match="the sparse matrix is damaged"):
            read_table(TableRequest(path, sparse=sparse))


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


@pytest.mark.parametrize("length", [5, 9, 3])
def test_lengths_of_texts_are_checked(make, length):
    request = make("t.h5ad")
    assert read_table(request).X.shape == (4, 5)
    content = request.path.read_bytes()
    heap = content.index(b"GCOL").to_bytes(8, "little")
    # 'names' and 'class' are attributes, 'dataframe' is one, 's 1' is an id.
    right, wrong = (number.to_bytes(4, "little") + heap for number in (length, 2**31 - 1))
    assert right in content
    request.path.write_bytes(content.replace(right, wrong))
    tracemalloc.start()
    with pytest.raises(DatasetError, match=r"length of a text is wrong|longer than the file"):
        read_table(request)
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()


def test_attributes_of_lists_are_not_read(make):
    request = make("t.h5ad")
    content = request.path.read_bytes()
    text_type = b"\x19\x01\x01\0\x10\0\0\0"
    assert text_type in content
    request.path.write_bytes(content.replace(text_type, b"\x19\x7f\x01\0\x10\0\0\0"))
    with pytest.raises(DatasetError, match="is neither numbers nor text"):
        read_table(request)
    with pytest.raises(DatasetError):
        write_columns(request, ["a"], request.path.with_name("r.h5ad"))


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


# -- numpy ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["(4, 99999999999)", "(-1, 2)", "(4,)", "(2, 2, 2)", "()"])
def test_a_shape_that_the_values_do_not_have_is_refused(tmp_path, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    content = b"\x93NUMPY\x01\x00\x76\x00" + header.encode() + bytes(64)
    (tmp_path / "t.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("X.npy", content)
    for name in ("t.npy", "t.npz"):
        with pytest.raises(DatasetError):
            read_table(tmp_path / name)
        with pytest.raises(DatasetError):
            write_columns(tmp_path / name, ["column_1"], tmp_path / f"r_{name}")


def test_letters_that_there_are_not_are_refused(tmp_path):
    words = np.array(["ab", "cd"])
    words.view(np.uint32)[1] = 2**31
    np.savez(tmp_path / "t.npz", X=np.eye(2), y=words)
    with pytest.raises(DatasetError, match="'y' has text with letters that there are not"):
        read_table(TableRequest(tmp_path / "t.npz", target="y"))


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


# -- a small run of benchmarks/hostile.py ---------------------------------------------------------


SCRIPT = Path(__file__).parents[3] / "benchmarks" / "hostile.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="the benchmarks are not part of the wheel")
@pytest.mark.skipif(sys.platform == "win32", reason="it waits for pipes with select")
def test_damaged_files_are_refused_in_words(tmp_path):
    command = [sys.executable, SCRIPT, "--count", "300", "--seed", "7", "--keep", tmp_path / "kept"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "300 files in" in done.stdout
