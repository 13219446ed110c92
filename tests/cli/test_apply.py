import re

import pytest

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
    assert "Read new.csv: 2 samples, 2 columns of numbers." in err
    assert out.read_text() == "y;name;a\n1;x;0.5\n0;y;0.25\n"


def test_features_may_be_rows(entryprune, model, tmp_path):
    new, out = tmp_path / "new.tab", tmp_path / "out.tsv"
    new.write_text("gene\tx\ty\nb\t5\t6\na\t0.5\t0.25\n")
    code, _, err = entryprune("apply", model, new, "-o", out, "--transpose", "--format", "tsv")
    assert code == 0, err
    assert out.read_text() == "gene\tx\ty\na\t0.5\t0.25\n"


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
