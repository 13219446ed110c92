"""A small run of benchmarks/hostile.py: damaged files of every format do no harm."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "hostile.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="the benchmarks are not part of the wheel")
@pytest.mark.skipif(sys.platform == "win32", reason="it waits for pipes with select")
def test_damaged_files_are_refused_in_words(tmp_path):
    command = [sys.executable, SCRIPT, "--count", "300", "--seed", "7", "--keep", tmp_path / "kept"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "300 files in" in done.stdout
