import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import entryprune
from entryprune import data

ROOT = Path(__file__).parent.parent
# Distributions that go by another name than what is imported.
DISTRIBUTIONS = {"sklearn": "scikit-learn"}
# Used only with objects of theirs, which nobody has without them, or with a message that says so.
NEVER_NEEDED = {"IPython", "pandas"}


def test_importing_the_package_does_not_import_torch():
    code = "import sys, entryprune; sys.exit('torch' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("package", [entryprune, data], ids=["entryprune", "entryprune.data"])
def test_public_names_are_there_and_others_are_not(package):
    assert set(dir(package)) == set(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        package.nonsense  # noqa: B018


def test_versions_agree():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    project = the_project()
    assert project["version"] == entryprune.__version__
    assert f"\nversion: {entryprune.__version__}\n" in citation


def the_project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def packages(requirements):
    return {re.match(r"[\w-]+", one)[0].lower() for one in requirements}


def imported_packages(nodes):
    """Return what comes from outside, by the names under which it is installed."""
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module)
    tops = {name.split(".")[0] for name in names} - sys.stdlib_module_names
    return {DISTRIBUTIONS.get(top, top) for top in tops - {"entryprune"} - NEVER_NEEDED}


def test_what_is_imported_is_asked_for_and_not_left_to_others_to_bring():
    project = the_project()
    core = packages(project["dependencies"])
    extras = {one for some in project["optional-dependencies"].values() for one in packages(some)}
    at_once, ever = set(), set()
    for path in Path(entryprune.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        at_once |= imported_packages(tree.body)
        ever |= imported_packages(ast.walk(tree))
    assert {"joblib", "numpy", "scikit-learn"} <= at_once
    assert at_once - core == set()
    assert ever - core - extras == set()
