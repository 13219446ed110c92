"""Code in the README and the guide runs as it stands there."""

import dataclasses
import re
from pathlib import Path

import pytest

from entryprune.selectors import _presets

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_blocks_run_in_their_order(page, hurried):
    namespace = {}
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec"), namespace)


def test_the_readme_and_the_guides_have_code():
    assert {"README.md", "user_guide.md", "baselines.md"} <= {page.name for page in PAGES}
