"""Code in the README and the guide runs as it stands there."""

import re
from pathlib import Path

import pytest

from entryprune.selectors import _presets

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture
def hurried(monkeypatch):
    """Shorten every fit: whether the code runs does not depend on how long it trains."""

    def short(*shape):
        return {**_presets.paper(*shape), "patience": 3, "batches_per_rotation": 5}

    monkeypatch.setitem(_presets.PRESETS, "paper", short)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_blocks_run_in_their_order(page, hurried):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    namespace = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), namespace)
