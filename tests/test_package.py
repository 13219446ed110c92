import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import entryprune
from entryprune import data


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
    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    assert project["version"] == entryprune.__version__
    assert f"\nversion: {entryprune.__version__}\n" in citation
