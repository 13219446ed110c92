import csv
import gzip
import io

import h5py
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse

from entryprune.data import TableRequest

# Names from strangers: other alphabets, quotes, delimiters, markup, dots as R makes them.
NAMES = ("a.1", "a", "größe", 'say "hi", now', "<script>")
IDS = ("s 1", "s 2", "s 3", "007")
LABELS = ("yes", "no", "yes", "no")
VALUES = np.array(
    [
        [1.5, -2.0, 0.0, 1e-7, 4.0],
        [0.25, 3.0, 0.0, 2.0, 5.0],
        [-1.0, 0.5, 7.0, 0.1, 6.0],
        [2.0, 1.0, 0.0, 0.0, 7.0],
    ]
)


@pytest.fixture
def names():
    return NAMES


@pytest.fixture
def ids():
    return IDS


@pytest.fixture
def labels():
    return LABELS


@pytest.fixture
def values():
    return VALUES


def as_text(delimiter):
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["id", *NAMES, "class"])
    for sample, row, label in zip(IDS, VALUES.tolist(), LABELS, strict=True):
        writer.writerow([sample, *row, label])
    return buffer.getvalue().encode()


def as_arrow():
    columns = {"id": pa.array(IDS)}
    columns |= {name: pa.array(VALUES[:, n]) for n, name in enumerate(NAMES)}
    return pa.table({**columns, "class": pa.array(LABELS).dictionary_encode()})


def cells(texts):
    """Return texts as MATLAB's cells."""
    found = np.empty((len(texts), 1), dtype=object)
    found[:, 0] = texts
    return found


def as_arff():
    lines = ["% made for a test", "@relation flowers", ""]
    lines += [f"@attribute {name} numeric" for name in ("a.1", "a", "größe", "'d e'", "<script>")]
    lines += ["@ATTRIBUTE class {yes, no}", "", "@data"]
    lines += [
        ",".join([*map(repr, row), label])
        for row, label in zip(VALUES.tolist(), LABELS, strict=True)
    ]
    return "\n".join(lines) + "\n"


def as_libsvm():
    lines = []
    for row, label in zip(VALUES, LABELS, strict=True):
        pairs = [f"{number}:{value}" for number, value in enumerate(row, 1) if value]
        lines.append(" ".join(["+1" if label == "yes" else "-1", *pairs]))
    return "\n".join(lines) + "\n"


def write_frame(group, index, columns):
    """Write a frame as anndata does."""
    group.attrs["encoding-type"] = "dataframe"
    group.attrs["_index"] = "names"
    group.attrs["column-order"] = np.array(list(columns), dtype=h5py.string_dtype())
    group.create_dataset("names", data=list(index), dtype=h5py.string_dtype())
    for name, column in columns.items():
        if isinstance(column, dict):
            part = group.create_group(name)
            part.attrs["encoding-type"] = "categorical"
            part.create_dataset("codes", data=np.array(column["codes"], dtype=np.int8))
            kind = h5py.string_dtype() if isinstance(column["categories"][0], str) else None
            part.create_dataset("categories", data=column["categories"], dtype=kind)
        else:
            kind = h5py.string_dtype() if isinstance(column[0], str) else None
            group.create_dataset(name, data=column, dtype=kind)


def write_sparse(parent, name, matrix, kind):
    matrix = (scipy.sparse.csr_matrix if kind == "csr" else scipy.sparse.csc_matrix)(matrix)
    group = parent.create_group(name)
    group.attrs["encoding-type"] = f"{kind}_matrix"
    group.attrs["shape"] = np.array(matrix.shape, dtype=np.int64)
    for part in ("data", "indices", "indptr"):
        group.create_dataset(part, data=getattr(matrix, part))


def write_h5ad(path, kind="dense"):
    with h5py.File(path, "w") as file:
        file.attrs["encoding-type"] = "anndata"
        matrix = VALUES.astype(np.float32)
        if kind == "dense":
            file.create_dataset("X", data=matrix)
        else:
            write_sparse(file, "X", matrix, kind)
        write_sparse(file.create_group("layers"), "counts", matrix * 10, "csr")
        codes = [("no", "yes").index(label) for label in LABELS]
        write_frame(
            file.create_group("obs"),
            IDS,
            {
                "class": {"codes": codes, "categories": ["no", "yes"]},
                "age": np.array([3, 1, 4, 1]),
                "town": ["A", "B", "", "D"],
            },
        )
        write_frame(file.create_group("var"), NAMES, {"length": np.arange(len(NAMES))})
        file.create_group("varm").create_dataset("loadings", data=np.ones((len(NAMES), 2)))
        file.create_group("varp").create_dataset("near", data=np.eye(len(NAMES)))
        file.create_group("uns").create_dataset("note", data="kept")


def write_text_cells(file, name, texts):
    """Write texts as MATLAB 7.3 does: pointers to letters."""
    pointers = np.empty((1, len(texts)), dtype=h5py.ref_dtype)
    for number, text in enumerate(texts):
        codes = np.frombuffer(text.encode("utf-16-le"), dtype=np.uint16).reshape(-1, 1)
        cell = file.require_group("#refs#").create_dataset(f"{name}{number}", data=codes)
        cell.attrs["MATLAB_class"] = np.bytes_("char")
        pointers[0, number] = cell.ref
    file.create_dataset(name, data=pointers, dtype=h5py.ref_dtype)
    file[name].attrs["MATLAB_class"] = np.bytes_("cell")


def write_mat73(path):
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset("X", data=VALUES.T)
        file["X"].attrs["MATLAB_class"] = np.bytes_("double")
        write_text_cells(file, "class", LABELS)
        write_text_cells(file, "feature_names", NAMES)
        write_text_cells(file, "id", IDS)
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: TEST".ljust(124) + b"\x00\x02IM")


def write_stream(path):
    with pa.ipc.new_stream(path, as_arrow().schema) as writer:
        writer.write_table(as_arrow())


def write_npz(path):
    arrays = {"class": np.array(LABELS), "feature_names": np.array(NAMES), "id": np.array(IDS)}
    np.savez(path, X=VALUES, **arrays, X_test=VALUES[:2], comment=np.array("kept"))


def write_mat(path):
    content = {"X": VALUES, "class": cells(LABELS), "feature_names": cells(NAMES)}
    scipy.io.savemat(path, {**content, "id": cells(IDS), "other": np.eye(1)})


def write_xlsx(path):
    book = openpyxl.Workbook()
    book.active.append(["id", *NAMES, "class"])
    for sample, row, label in zip(IDS, VALUES.tolist(), LABELS, strict=True):
        book.active.append([sample, *row, label])
    book.save(path)


WRITERS = {
    "t.xlsx": write_xlsx,
    "t.csv": lambda path: path.write_bytes(as_text(",")),
    "t.txt": lambda path: path.write_bytes(as_text(";")),
    "t.tsv": lambda path: path.write_bytes(as_text("\t")),
    "t.csv.gz": lambda path: path.write_bytes(gzip.compress(as_text(","))),
    "t.parquet": lambda path: pa.parquet.write_table(as_arrow(), path),
    "t.feather": lambda path: pa.feather.write_feather(as_arrow(), path),
    "t.arrow": write_stream,
    "t.npy": lambda path: np.save(path, np.column_stack([VALUES, [1, 0, 1, 0]])),
    "t.npz": write_npz,
    "t.mat": write_mat,
    "t73.mat": write_mat73,
    "t.arff": lambda path: path.write_text(as_arff(), encoding="utf-8"),
    "t.svm": lambda path: path.write_text(as_libsvm()),
    "t.h5ad": write_h5ad,
    "csr.h5ad": lambda path: write_h5ad(path, "csr"),
    "csc.h5ad": lambda path: write_h5ad(path, "csc"),
}


@pytest.fixture
def make(tmp_path):
    """Write the same small table in a format, and ask for its labels and ids."""

    def make(name, **details):
        path = tmp_path / name
        WRITERS[name](path)
        if "id_column" not in details and not name.endswith((".npy", ".arff", ".svm", ".h5ad")):
            details["id_column"] = "id"
        targets = {"t.npy": "column_6", "t.svm": None}
        details.setdefault("target", targets.get(name, "class"))
        return TableRequest(path, **details)

    return make


@pytest.fixture
def text(tmp_path):
    """Write a file of text, and ask for it."""

    def text(content, name="t.csv", **details):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return TableRequest(path, **details)

    return text


@pytest.fixture
def frame_writer():
    return write_frame
