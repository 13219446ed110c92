"""The package's parts may only know of each other what the layout allows."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import entryprune

PACKAGE = "entryprune"
ROOT = Path(entryprune.__file__).parent
ANYTHING = frozenset(
    {
        "bench",
        "baselines",
        "confidence",
        "data",
        "encoding",
        "engine",
        "genes",
        "methods",
        "report",
        "saving",
        "selectors",
    }
)
# What everyone may import, and what imports nothing of ours.
LEAVES = frozenset({"_files", "_late", "_progress", "_survival", "_text"})
# What a study makes for tables and figures; what draws them is nothing to it.
ROWS = frozenset({"report.figures.rows", "report.statistics", "report.table"})


@dataclass(frozen=True)
class Rule:
    """What a part may import.

    Attributes
    ----------
    parts : frozenset of str
        Parts of the package, or single modules of them, besides its own.
    third_parties : frozenset of str or None
        Packages outside the standard library; None stands for all.
    """

    parts: frozenset[str]
    third_parties: frozenset[str] | None = None


RULES = {
    "engine": Rule(frozenset(), frozenset({"torch"})),
    # Mixed tables as numbers. pandas and polars are the caller's, never ours to import.
    "encoding": Rule(frozenset(), frozenset({"numpy", "pyarrow"})),
    "selectors": Rule(frozenset({"encoding", "engine"})),
    # Which methods there are and where; each is imported only when it is made.
    "methods": Rule(frozenset()),
    "baselines": Rule(frozenset({"selectors", "encoding", "engine", "methods"})),
    # How sure selections are: around any selector, so it knows of none but the default.
    "confidence": Rule(frozenset({"encoding", "engine", "selectors"})),
    "data": Rule(frozenset({"encoding"})),
    # Saved selectors of all kinds: a format that runs no code, and what a fit leaves behind.
    "saving": Rule(frozenset({"methods", "encoding", "engine", "confidence", "selectors"})),
    "report": Rule(frozenset()),
    "bench": Rule(frozenset({"selectors", "baselines", "data", "encoding", "methods"} | ROWS)),
    "genes": Rule(frozenset({"confidence", "selectors"})),
    # From a selector or a table to its report: the one place that joins methods, folds and report.
    "reporting": Rule(
        frozenset({"bench", "confidence", "encoding", "methods", "report", "selectors"})
    ),
    # The package itself as a name, as in `from entryprune import EntryPrune`, counts as a part.
    "cli": Rule(ANYTHING | {PACKAGE, "reporting"}),
    # The package's own __init__.
    PACKAGE: Rule(ANYTHING | {"reporting"}),
    "_files": Rule(frozenset(), frozenset()),
    "_late": Rule(frozenset(), frozenset()),
    "_text": Rule(frozenset(), frozenset()),
    "_progress": Rule(frozenset(), frozenset({"rich"})),
    "_survival": Rule(frozenset(), frozenset({"numpy"})),
}


def part_of(module):
    """Return the part that a dotted name of the package belongs to."""
    names = module.split(".")
    return names[1] if len(names) > 1 else PACKAGE


def imported_modules(tree, module, is_package):
    """Yield the line and the dotted name of all that a module imports, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                # `from . import x` is relative to the package that the module lies in.
                names = module.split(".")
                names = names[: len(names) - node.level + is_package]
                base = ".".join([*names, base] if base else names)
            if base == PACKAGE:
                # `from entryprune import engine` names a part, not something in __init__.
                for alias in node.names:
                    is_part = alias.name in RULES
                    yield node.lineno, f"{PACKAGE}.{alias.name}" if is_part else PACKAGE
            else:
                yield node.lineno, base
        elif isinstance(node, ast.Call) and _called_name(node) in {"import_module", "__import__"}:
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield node.lineno, argument.value


def _called_name(call):
    return getattr(call.func, "id", getattr(call.func, "attr", None))


def violations(source, module, is_package=False):
    """Return what in a module's source breaks the layout, one line of text each."""
    tree = ast.parse(source)
    part = part_of(module)
    rule = RULES.get(part)
    if rule is None:
        return [f"{module}: no rule says what {part!r} may import"]
    found = []
    for line, imported in imported_modules(tree, module, is_package):
        top = imported.split(".")[0]
        if top == PACKAGE:
            other = part_of(imported)
            allowed = {part} | rule.parts | LEAVES
            if not {other, imported.removeprefix(f"{PACKAGE}.")} & allowed:
                found.append(f"{module}:{line}: {part} imports {imported}")
        elif top in sys.stdlib_module_names or rule.third_parties is None:
            continue
        elif top not in rule.third_parties:
            found.append(f"{module}:{line}: {part} imports {imported}")
    if part != "cli":
        found += [
            f"{module}:{node.lineno}: print() outside cli"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
        ]
    return found


def modules():
    """Return the path, the dotted name and whether it is a package of every module."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        names = [PACKAGE, *path.relative_to(ROOT).with_suffix("").parts]
        is_package = names[-1] == "__init__"
        found.append((path, ".".join(names[:-1] if is_package else names), is_package))
    return found


@pytest.mark.parametrize(
    ("path", "module", "is_package"), [pytest.param(*m, id=m[1]) for m in modules()]
)
def test_a_module_keeps_to_the_layout(path, module, is_package):
    assert violations(path.read_text(encoding="utf-8"), module, is_package) == []


def test_the_modules_are_found():
    names = {module for _, module, _ in modules()}
    assert {"entryprune", "entryprune.engine", "entryprune.engine.training"} <= names


# -- the check itself ---------------------------------------------------------------------------

BAD = [
    ("entryprune.engine.x", "import numpy"),
    ("entryprune.engine.x", "from sklearn.base import BaseEstimator"),
    ("entryprune.engine.x", "import entryprune.selectors"),
    ("entryprune.engine.x", "import entryprune.selectors as s"),
    ("entryprune.engine.x", "from entryprune.selectors import base"),
    ("entryprune.engine.x", "from entryprune import selectors"),
    ("entryprune.engine.x", "from entryprune import EntryPrune"),
    ("entryprune.engine.x", "from ..selectors import base"),
    ("entryprune.engine.x", "from .. import selectors"),
    ("entryprune.engine.x", "def f():\n    import numpy"),
    ("entryprune.engine.x", "class A:\n    def f(self):\n        from entryprune import bench"),
    ("entryprune.engine.x", "if TYPE_CHECKING:\n    import numpy as np"),
    ("entryprune.engine.x", "import importlib\nimportlib.import_module('entryprune.data')"),
    ("entryprune.selectors.x", "from entryprune.baselines import lasso"),
    ("entryprune.selectors.x", "from entryprune.report import table"),
    ("entryprune.baselines.x", "import entryprune.bench"),
    ("entryprune.baselines.x", "import entryprune.data"),
    ("entryprune.data.x", "import entryprune.engine"),
    ("entryprune.encoding.x", "import entryprune.data"),
    ("entryprune.encoding.x", "from entryprune.selectors import base"),
    ("entryprune.encoding.x", "def f():\n    import pandas"),
    ("entryprune.encoding.x", "import polars as pl"),
    ("entryprune.bench.x", "import entryprune.engine"),
    ("entryprune.bench.x", "import entryprune.report"),
    ("entryprune.bench.x", "from entryprune.report.figures.algorithm import draw_masks"),
    ("entryprune.report.x", "import entryprune.bench"),
    ("entryprune.report.x", "import entryprune.selectors"),
    ("entryprune.report.x", "from entryprune.reporting import Report"),
    ("entryprune.bench.x", "from entryprune.reporting import compare"),
    ("entryprune.reporting", "import entryprune.data"),
    ("entryprune.surprise.x", "import torch"),
    ("entryprune._files", "import entryprune.data"),
    ("entryprune._text", "import numpy"),
    *[
        (f"entryprune.{part}.x", "from entryprune.cli import main")
        for part in RULES
        if part not in {"cli", PACKAGE}
    ],
    ("entryprune", "import entryprune.cli"),
    ("entryprune.engine.x", "print('hello')"),
    ("entryprune.report.x", "def f():\n    print('hello')"),
]

GOOD = [
    ("entryprune.engine.x", "import math\nimport torch\nfrom torch import nn"),
    ("entryprune.engine.x", "from entryprune.engine.window import Window"),
    ("entryprune.engine.x", "from .window import Window\nfrom . import candidates"),
    ("entryprune.engine.x", "pprint(1)\nself.print(2)"),
    ("entryprune.selectors.x", "import numpy, sklearn\nfrom entryprune.engine import select"),
    ("entryprune.selectors.x", "from entryprune import engine"),
    ("entryprune.baselines.x", "from entryprune.selectors import a\nimport entryprune.engine"),
    ("entryprune.data.x", "import pandas\nfrom entryprune.data.cache import fetch"),
    ("entryprune.encoding.x", "import pyarrow as pa\nfrom entryprune._text import listed"),
    ("entryprune.bench.x", "from entryprune import selectors, baselines, data"),
    ("entryprune.bench.x", "from entryprune.report.figures.rows import Point"),
    ("entryprune.report.x", "import json\nfrom entryprune.report import tables"),
    ("entryprune.cli.x", "import entryprune\nfrom entryprune import bench\nprint('hello')"),
    ("entryprune.cli", "from entryprune.engine import select"),
    ("entryprune.data.x", "from entryprune._files import write_text"),
    ("entryprune._progress", "from rich.console import Console"),
]


@pytest.mark.parametrize(("module", "source"), BAD)
def test_the_check_flags_what_the_layout_forbids(module, source):
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(("module", "source"), GOOD)
def test_the_check_passes_what_the_layout_allows(module, source):
    assert violations(source, module) == []


def test_the_check_knows_where_a_package_itself_lies():
    # In a package's __init__ one dot is the package, in a module it is the folder around it.
    assert violations("from . import selectors, engine", "entryprune", is_package=True) == []
    assert violations("from .cli import main", "entryprune", is_package=True)
    assert violations("from .. import selectors", "entryprune.engine", is_package=True)
    assert violations("from .window import Window", "entryprune.engine", is_package=True) == []
