import re

import h5py
import numpy as np
import openpyxl
import pytest
import scipy.sparse

TABLE = "id,a,b,c,y\n" + "".join(f"s{i},{i % 2},{i},{i % 3},{i % 2}\n" for i in range(12))


@pytest.fixture
def model(entryprune, tmp_path):
    """A selector that takes the column a."""
    path, made = tmp_path / "table.csv", tmp_path / "model.safetensors"
    path.write_text(TABLE)
    code, _, err = entryprune(
        "select", path, "-t", "y", "-k", "1", "--id-column", "id", "--method", "fisher",
        "--model", made,
    )  # fmt: skip
    assert code == 0, err
    return made


def test_the_same_column_is_taken_wherever_it_stands(entryprune, model, tmp_path):
    new, out = tmp_path / "new.csv", tmp_path / "out.csv"
    new.write_text("y;c;name;a\n1;5;x;0.5\n0;6;y;0.25\n")
    code, _, err = entryprune(
        "apply", model, new, "-o", out, "--target", "y", "--id-column", "name"
    )
    assert code == 0, err
    assert "Read new.csv: 2 samples, 2 columns." in err
    assert out.read_text() == "y;name;a\n1;x;0.5\n0;y;0.25\n"


def test_features_may_be_rows(entryprune, model, tmp_path):
    new, out = tmp_path / "new.tab", tmp_path / "out.tsv"
    new.write_text("gene\tx\ty\nb\t5\t6\na\t0.5\t0.25\n")
    code, _, err = entryprune("apply", model, new, "-o", out, "--transpose", "--format", "tsv")
    assert code == 0, err
    assert out.read_text() == "gene\tx\ty\na\t0.5\t0.25\n"


def write_cells(path, kind):
    """Write twelve cells with three genes, of which a tells the classes apart."""
    X = np.array([[i % 2, i % 5, i % 3] for i in range(12)], dtype=np.float32)
    with h5py.File(path, "w") as file:
        matrix = getattr(scipy.sparse, f"{kind}_matrix")(X)
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = f"{kind}_matrix", matrix.shape
        for part in ("data", "indices", "indptr"):
            group[part] = getattr(matrix, part)
        file.create_group("obs")["_index"] = [f"cell{i}" for i in range(12)]
        file["obs"]["y"] = [i % 2 for i in range(12)]
        file["obs"]["batch"] = [b"u", b"v"] * 6
        file.create_group("var")["_index"] = ["a", "b", "c"]
        file["var"]["length"] = [10, 20, 30]


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_cells_stay_cells_and_sparse(entryprune, tmp_path, kind):
    path, made = tmp_path / "t.h5ad", tmp_path / "m.safetensors"
    write_cells(path, kind)
    reduced, out = tmp_path / "reduced.h5ad", tmp_path / "out.h5ad"
    code, _, err = entryprune(
        "select", path, "-t", "y", "-k", "1", "--method", "fisher", "--reduced", reduced,
        "--model", made,
    )  # fmt: skip
    assert code == 0, err
    code, _, err = entryprune("apply", made, path, "-o", out)
    assert code == 0, err
    for one in (reduced, out):
        with h5py.File(one) as new, h5py.File(path) as old:
            assert new["X"].attrs["encoding-type"] == f"{kind}_matrix"
            assert new["X"].attrs["shape"].tolist() == [12, 1]
            assert new["X/data"][:].tolist() == [1.0] * 6
            assert (new["var/_index"][:].tolist(), new["var/length"][:].tolist()) == ([b"a"], [10])
            for name in ("_index", "y", "batch"):
                assert new[f"obs/{name}"][:].tolist() == old[f"obs/{name}"][:].tolist()
    with h5py.File(reduced) as new:  # what of the genes the selection says
        assert new["var/selected"][:].tolist() == [True]
        assert new["var/rank"][:].tolist() == [1]
        assert new["var/score"][0] > 0


def test_a_workbook_stays_a_workbook(entryprune, model, tmp_path):
    book = openpyxl.Workbook()
    for row in (("y", "name", "c", "a"), (1, "x", 5, 0.5), (0, "z", 6, 0.25)):
        book.active.append(row)
    book.save(tmp_path / "new.xlsx")
    out = tmp_path / "out.xlsx"
    code, _, err = entryprune(
        "apply", model, tmp_path / "new.xlsx", "-o", out, "--target", "y", "--id-column", "name"
    )
    assert code == 0, err
    rows = [*openpyxl.load_workbook(out).active.iter_rows(values_only=True)]
    assert rows == [("y", "name", "a"), (1, "x", 0.5), (0, "z", 0.25)]


def test_columns_that_new_data_lack_are_named(entryprune, model, tmp_path):
    new, out = tmp_path / "new.csv", tmp_path / "out.csv"
    new.write_text("b,c\n1,2\n3,4\n")
    code, _, err = entryprune("apply", model, new, "-o", out)
    assert code == 2
    assert re.search(r"new.csv lacks 1 of the 1 columns that model.safetensors selects: 'a'", err)
    assert not out.exists()


@pytest.mark.parametrize("option", ["--drop", "--target-file"])
def test_what_means_nothing_here_is_no_option(entryprune, model, tmp_path, option):
    code, _, err = entryprune("apply", model, model, "-o", tmp_path / "out.csv", option, "b")
    assert code == 2
    assert f"No such option: {option}" in err


# -- tables that are not all numbers ---------------------------------------------------------------

WORDS = ("red", "blue", "green")


def mixed_rows(n=60):
    return [
        f"s{i},{WORDS[i % 3]},{'' if i % 7 == 3 else i % 5},{i},{int(i % 3 == 0)}" for i in range(n)
    ]


@pytest.fixture
def mixed_model(entryprune, tmp_path):
    """Return what makes a selector that takes the category and a number with gaps."""

    def make(*options):
        path, made = tmp_path / "mixed.csv", tmp_path / "mixed.model"
        path.write_text("\n".join(["id,colour,size,other,y", *mixed_rows()]))
        code, _, err = entryprune(
            "select", path, "-t", "y", "-k", "2", "--id-column", "id", "--drop", "other",
            "--model", made, *options,
        )  # fmt: skip
        assert code == 0, err
        return made

    return make


def test_only_what_is_needed_is_asked_for_and_gaps_are_filled(entryprune, mixed_model, tmp_path):
    new, out, said = tmp_path / "new.csv", tmp_path / "out.csv", tmp_path / "said.csv"
    # Other columns in another order, one with junk; a level that is new, and gaps.
    new.write_text("size,junk,colour,id\n,inf,red,p\n2,,black,q\n3,x,,r\n1,y,blue,s\n")
    code, _, err = entryprune(
        "apply", mixed_model(), new, "-o", out, "--predictions", said, "--id-column", "id"
    )
    assert code == 0, err
    assert out.read_text().splitlines() == [
        "colour,size,id",  # as in the model
        "red,,p",
        "black,2,q",
        ",3,r",
        "blue,1,s",
    ]
    lines = said.read_text().splitlines()
    assert lines[0].startswith("id,prediction")
    assert lines[1].split(",")[:2] == ["p", "1"]
    assert len(lines) == 5
    assert err.count("levels that the model has not seen, in 1 column") == 1
    assert "'colour' (1)" in err
    assert f"Wrote the predictions to {said}." in err


def test_a_column_without_any_value_can_be_filled_in(entryprune, mixed_model, tmp_path):
    new, out, said = tmp_path / "new.csv", tmp_path / "out.csv", tmp_path / "said.csv"
    new.write_text("id,colour,size\np,red,\nq,blue,\n")
    asked = ("-o", out, "--predictions", said, "--id-column", "id")
    code, _, err = entryprune("apply", mixed_model(), new, *asked)
    assert code == 0, err
    assert [line.split(",")[1] for line in said.read_text().splitlines()] == [
        "prediction",
        "1",
        "0",
    ]


def test_a_column_that_is_not_there_is_told(entryprune, mixed_model, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("id,colour,wide\np,red,1\nq,blue,2\n")
    code, _, err = entryprune("apply", mixed_model(), new, "-o", tmp_path / "out.csv")
    assert code == 2
    assert "lacks 1 of the 2 columns that mixed.model selects: 'size'" in err
