import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

import entryprune as package

HEAVY = ("torch", "sklearn", "numpy", "scipy", "matplotlib", "jinja2", "pandas", "pyarrow")


def heavy_imports(*arguments):
    """Return which heavy packages a call of the command line imports."""
    code = (
        f"import sys; sys.argv = ['entryprune', *{arguments!r}]\n"
        "from entryprune.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('IMPORTED', *[m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()[1:]


def test_help_and_errors_import_nothing_heavy():
    assert heavy_imports("--help") == []
    assert heavy_imports("bench", "run", "--help") == []
    assert heavy_imports("bench", "run", "--datasets", "usps", "--methods", "nonsense") == []
    assert heavy_imports("select", "none.csv", "--target", "y", "-k", "3") == []
    assert heavy_imports("compare", "none.csv", "--target", "y") == []
    assert heavy_imports("compare", "none.csv", "--target", "y", "--methods", "nonsense") == []


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ("a,b\n1,2\n", ("--target", "c")),
        ("a,b\n1,2\n", ("--target", "b", "--id-column", "c")),
        ("a,b\n1,2\n", ("--target", "b", "--drop", "c")),
        ("a,b\n", ("--target", "b")),
        ("a,a\n1,2\n", ("--target", "a")),
        ("\n\n", ("--target", "a")),
    ],
)
def test_what_is_wrong_with_a_header_is_told_without_reading_the_rest(tmp_path, content, arguments):
    path = tmp_path / "table.csv"
    path.write_text(content)
    assert heavy_imports("select", str(path), *arguments, "-k", "1") == []


def test_what_is_wrong_in_a_file_is_told_without_torch(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n2,2\n")
    assert "torch" not in heavy_imports("select", str(path), "--target", "b", "-k", "1")


def test_the_arrays_of_a_matlab_file_are_told_without_scipy(tmp_path):
    path = tmp_path / "arrays.mat"
    savemat(path, {"A": np.eye(4), "B": np.eye(4)})
    assert heavy_imports("select", str(path), "--target", "y", "-k", "1") == ["numpy"]


def test_a_shell_can_complete_commands():
    # What a shell asks when the tab key is pressed after "entryprune se".
    asked = {
        "_ENTRYPRUNE_COMPLETE": "complete_bash",
        "COMP_WORDS": "entryprune se",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [Path(sys.executable).with_name("entryprune")],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["select"], done.stderr


@pytest.fixture
def unheard(tmp_path):
    """Return a function that runs the command line with a pipe that nobody reads."""

    def call(*arguments, errors_too=False):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            return subprocess.run(
                [sys.executable, "-m", "entryprune.cli", *map(str, arguments)],
                stdout=writing,
                stderr=subprocess.STDOUT if errors_too else subprocess.PIPE,
                text=True,
                cwd=tmp_path,
                check=False,
            )
        finally:
            os.close(writing)

    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(40, 3)), np.tile([0, 1], 20)])
    np.savetxt(tmp_path / "t.csv", table, delimiter=",", header="a,b,c,y", comments="")
    return call


@pytest.mark.parametrize(("options", "errors_too"), [((), False), (("--json",), True)])
def test_a_selection_is_written_though_nobody_reads_the_output(
    unheard, tmp_path, options, errors_too
):
    done = unheard(
        *("select", "t.csv", "--target", "y", "-k", "2", "--method", "fisher", *options),
        *("--report", "page.html", "-o", "list.json", "--reduced", "less.csv"),
        errors_too=errors_too,
    )
    assert done.returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "t.csv", "page.html", "list.json", "less.csv"
    }  # fmt: skip
    # With the cross-validation, which comes after the list is first written.
    assert json.loads((tmp_path / "list.json").read_text(encoding="utf-8"))["validation"]
    if not errors_too:
        assert "Wrote page.html." in done.stderr
        assert "Traceback" not in done.stderr


def test_a_comparison_is_written_though_nobody_reads_the_output(unheard, tmp_path):
    done = unheard(
        *("compare", "t.csv", "--target", "y", "-k", "2", "--methods", "fisher"),
        *("--repeats", "1", "--report", "page.html", "-o", "list.json"),
        errors_too=True,
    )
    assert done.returncode == 0
    assert {"page.html", "list.json"} < {path.name for path in tmp_path.iterdir()}


def test_the_benchmark_goes_on_though_nobody_reads_the_output(unheard):
    done = unheard("bench", "list")
    assert (done.returncode, done.stderr) == (0, "")


def test_files_come_before_a_screen_that_fails(entryprune, tmp_path, unheard, monkeypatch):
    def fail(report):
        raise OSError("No space left on device")

    monkeypatch.setattr("entryprune.report.base.Viewable.show", fail)
    monkeypatch.chdir(tmp_path)
    code, _, err = entryprune(
        *("select", "t.csv", "--target", "y", "-k", "2", "--method", "fisher"),
        *("--report", "page.html", "--repeats", "0"),
    )
    assert (code, "No space left on device" in err) == (2, True)
    assert (tmp_path / "page.html").exists()


def test_the_version_is_shown(entryprune):
    assert entryprune("--version") == (0, f"{package.__version__}\n", "")


def test_an_unknown_command_is_told(entryprune):
    code, _, err = entryprune("nonsense")
    assert code == 2
    assert "nonsense" in err


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), "There is not enough memory. Close other programs"),
        (MemoryError("Unable to allocate\n3 TiB"), "memory (Unable to allocate 3 TiB). Close"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: 9"), "There is not enough"),
    ],
)
def test_too_little_memory_is_one_line(entryprune, monkeypatch, tmp_path, error, expected):
    def fail(*_):
        raise error

    monkeypatch.setattr("entryprune.data.tables.read_table", fail)
    code, out, err = entryprune("compare", tmp_path / "table.csv", "--target", "y", "-k", "3")
    assert (code, out) == (2, "")
    assert err.startswith("entryprune: ")
    assert expected in err
    assert err.count("\n") == 1


def test_other_errors_of_ours_are_not_hidden(entryprune, monkeypatch, tmp_path):
    def fail(*_):
        raise RuntimeError("a bug")

    monkeypatch.setattr("entryprune.data.tables.read_table", fail)
    with pytest.raises(RuntimeError, match="a bug"):
        entryprune("select", tmp_path / "table.csv", "-t", "y", "-k", "3")


def test_an_error_shows_signs_that_steer_a_terminal_as_escapes(entryprune, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a\x1b[31m,b\u202e,y\n1,2,u\n2,1,v\n", encoding="utf-8")
    code, _, err = entryprune("select", path, "--target", "no\x1b[2Jne", "-k", "1")
    assert code == 2
    assert "\x1b" not in err
    assert r"no\x1b[2Jne" in err
