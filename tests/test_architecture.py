"""The picture and the page of the architecture are as the code is."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "docs" / "architecture.py"


def drawn(script, *options):
    command = [sys.executable, str(script), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_picture_and_the_page_are_as_the_code_is():
    done = drawn(SCRIPT, "--check")
    assert done.returncode == 0, done.stderr


def test_a_change_of_the_code_is_noticed(tmp_path):
    docs, package = tmp_path / "docs", tmp_path / "src" / "entryprune"
    docs.mkdir()
    script = docs / SCRIPT.name
    script.write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    (docs / "architecture.md").write_text(
        (SCRIPT.parent / "architecture.md").read_text(encoding="utf-8"), encoding="utf-8"
    )
    for name, text in {"low": "", "high": "from entryprune.low import x"}.items():
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text(f'"""{name.title()}."""\n{text}\n')
    (package / "__init__.py").touch()

    assert "is not as the code is" in drawn(script, "--check").stderr
    assert drawn(script).returncode == 0
    assert drawn(script, "--check").returncode == 0
    assert "| `high` | High. | 1 | `low` |" in (docs / "architecture.md").read_text()
    (package / "low" / "__init__.py").write_text("from entryprune.high import y")
    assert "in a circle" in drawn(script).stderr
