"""What people install works: the wheel, alone with its dependencies in an empty environment."""

import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")
# The paper's fits are shortened: whether code runs does not depend on how long it trains.
RUN_BLOCKS = """
import dataclasses, re, sys
from pathlib import Path
from entryprune.selectors import _presets

paper = _presets.PRESETS["paper"]

def short(*shape):
    return {**paper.fitted(*shape), "patience": 3, "batches_per_rotation": 5}

_presets.PRESETS["paper"] = dataclasses.replace(paper, fitted=short)
for page in sys.argv[1:]:
    namespace = {}
    for block in re.findall(r"```python\\n(.*?)```", Path(page).read_text("utf-8"), re.DOTALL):
        exec(compile(block, page, "exec"), namespace)
    print("end of page")
"""


def run(*command, cwd):
    """Run a program that sees nothing of this tree unless it is named."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**environment, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def pip(*arguments, cwd):
    """Run pip, and skip if it fails because there is nowhere to take packages from."""
    done = run(*PIP, *arguments, cwd=cwd)
    if done.returncode:
        asked = run(*PIP, "download", "--no-deps", "--dest", "probe", "setuptools", cwd=cwd)
        if asked.returncode:
            pytest.skip("pip has no access to packages")
        pytest.fail(f"pip {arguments[0]} failed:\n{done.stderr}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy: setuptools would take over what older builds left behind."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(
        ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
    )
    for name in ("LICENSE", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, source)
    pip("wheel", "--no-deps", "--wheel-dir", folder, source, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel, tmp_path_factory):
    """Where the programs of an environment lie that has the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("environment")
    made = run(sys.executable, "-m", "venv", "--without-pip", "core", cwd=folder)
    assert made.returncode == 0, made.stderr
    programs = folder / "core" / ("Scripts" if os.name == "nt" else "bin")
    try:
        # Only a part of it is imported: to compile all would take longer than the tests.
        pip(
            "--python", programs / "python", "install", "--no-compile",
            "--constraint", ROOT / "constraints.txt", wheel,
            cwd=folder,
        )  # fmt: skip
        yield programs
    finally:
        # More than a gigabyte, and pytest would keep the folders of three runs.
        remove(folder)


def remove(folder):
    """Remove a folder of very many files, for each of which some disks take their time."""
    files = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    with ThreadPoolExecutor(32) as threads:
        list(threads.map(os.unlink, files))
    shutil.rmtree(folder)


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(wheel):
    package = ROOT / "src" / "entryprune"
    files = {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"entryprune/bench/published.csv", "entryprune/report/page/templates/page.css"} < files
    with zipfile.ZipFile(wheel) as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == files


# One test, because the environment takes half a minute to install, and tests that share a fixture
# may run in several processes that would each install it. (The mark that keeps tests on one process
# does nothing with pytest 9.2 and pytest-xdist 3.8.)
def test_the_core_is_enough_for_the_readme_the_guide_and_the_command(programs, tmp_path):
    check_that_no_extras_are_installed(programs, tmp_path)
    pages = (ROOT / "README.md", ROOT / "docs" / "user_guide.md")
    printed, _, _ = check_that_code_runs(pages, programs, tmp_path).split("end of page\n")
    assert re.search(r"^0\.\d+ with 10 of 64 columns$", printed, re.MULTILINE)
    # EntryPrune's ten and mRMR's ten.
    assert len(re.findall(r"'pixel_\d_\d'", printed)) == 20
    check_that_the_command_selects_and_reports(programs, tmp_path)


def check_that_no_extras_are_installed(programs, folder):
    code = "from importlib.metadata import distributions as d; print(*(x.name for x in d()))"
    listed = run(programs / "python", "-I", "-c", code, cwd=folder).stdout
    installed = set(listed.lower().split())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        re.match(r"[\w-]+", requirement)[0].lower()
        for requirements in project["optional-dependencies"].values()
        for requirement in requirements
    }
    assert {"entryprune", "torch"} <= installed
    assert "pandas" in extras
    assert not extras & installed


def check_that_code_runs(pages, programs, folder):
    done = run(programs / "python", "-I", "-W", "error", "-c", RUN_BLOCKS, *pages, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_that_the_command_selects_and_reports(programs, folder):
    numbers = random.Random(0)
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["diagnosis", *(f"gene{i}" for i in range(8))])
        for case in range(60):
            values = [numbers.random() for _ in range(8)]
            # The others are noise between 0 and 1.
            values[2] += 2 * (case % 2)
            values[5] -= 2 * (case % 2)
            writer.writerow(["ill" if case % 2 else "well", *values])
    done = run(
        programs / "entryprune", "select", "table.csv", "--target", "diagnosis", "-k", "2",
        "--output", "genes.csv", "--report", "report.html",
        cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "60 samples, 8 features" in done.stderr
    with (folder / "genes.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["rank"] for row in rows] == ["1", "2"]
    assert {(row["feature"], row["column"]) for row in rows} == {("gene2", "4"), ("gene5", "7")}
    page = (folder / "report.html").read_text(encoding="utf-8")
    for resource in ("page.css", "page.js"):
        text = (ROOT / "src" / "entryprune" / "report" / "page" / "templates" / resource).read_text(
            "utf-8"
        )
        assert text.strip() in page
