"""Code and commands in the README and the guide run as they stand there."""

import dataclasses
import re
import shlex
from pathlib import Path

import pytest

from entryprune.selectors import _presets

ROOT = Path(__file__).parent.parent
# Commands of blocks called `shell` are run, on files that code before them has written; blocks
# without a name show commands on files that are only spoken of.
BLOCK = re.compile(r"```(python|shell)\n(.*?)```", re.DOTALL)
# What a line prints may stand below it.
PRINTED = re.compile(r"^print\(.*\)\n# (.*)$", re.MULTILINE)
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if BLOCK.search(page.read_text(encoding="utf-8"))
]


@pytest.fixture
def hurried(monkeypatch):
    """Shorten the paper's fits: whether code runs does not depend on how long it trains."""
    paper = _presets.PRESETS["paper"]

    def short(*shape):
        return {**paper.fitted(*shape), "patience": 3, "batches_per_rotation": 5}

    monkeypatch.setitem(_presets.PRESETS, "paper", dataclasses.replace(paper, fitted=short))


@pytest.fixture
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Let code write files."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.usefixtures("hurried", "in_a_folder_of_its_own")
def test_code_blocks_run_in_their_order(page, entryprune, capsys):
    namespace = {}
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(block, str(page), "exec"), namespace)
            printed = capsys.readouterr().out.splitlines()
            assert set(PRINTED.findall(block)) <= set(printed)
            continue
        for command in block.replace("\\\n", " ").splitlines():
            program, *arguments = shlex.split(command)
            assert program == "entryprune"
            code, _, errors = entryprune(*arguments)
            assert code == 0, f"{command}\n{errors}"


def test_the_readme_and_the_guides_have_code():
    with_code = {"README.md", "baselines.md", "tables_and_targets.md", "user_guide.md"}
    assert with_code <= {page.name for page in PAGES}
