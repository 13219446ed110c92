"""Reports to build, and a reader of their pages."""

import base64
import csv
import io
from html.parser import HTMLParser

import numpy as np
import pytest

from entryprune.report import (
    ComparisonReport,
    Contender,
    DataFacts,
    Frequencies,
    Provenance,
    Samples,
    Selected,
    SelectionReport,
    Validation,
)

KINDS = {".csv": "text/csv", ".tsv": "text/tab-separated-values", "json": "application/json"}
# What column names, labels and settings from strangers' files may look like.
NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</script></style></title><h1>",
    "$x$",
    r"$\frac{1}$",
    "=cmd()",
    "-1+1",
    "_hidden",
    "名前 Ünïcödé 🧬",
    "\u202egnihtemos",
    "it's & <b> &amp; &lt;",
    "line\nbreak",
    "  two  spaces  ",
    "",
    "a\x00\x1b\ud800b",
    "%s {0} \\n",
    "x" * 300,
)


def a_history(n_search=20, n_final=5):
    n = n_search + n_final
    losses = 0.2 + np.exp(-np.arange(n) / 5)
    return {
        "phase": np.array(["search"] * n_search + ["final"] * n_final),
        "rotation": np.r_[1 : n_search + 1, 1 : n_final + 1],
        "training_loss": losses,
        "validation_loss": np.where(np.arange(n) == 0, np.nan, losses + 0.1),
        "n_changed": np.r_[np.arange(n_search)[::-1], np.zeros(n_final, int)],
        "min_entry_score": np.linspace(0.1, 0.4, n),
        "input_size": np.full(n, 40),
    }


def a_growth(losses=(-0.1, -0.3, -0.35, -0.34), pairs=(), exchanges=()):
    """Return the history of features that took seats, and of later changes with their losses."""
    n, m = len(losses), len(pairs) + len(exchanges)
    nothing = np.full(n + m, np.nan)
    return {
        "phase": np.array(["growth"] * n + ["pairs"] * len(pairs) + ["exchange"] * len(exchanges)),
        "rotation": np.arange(1, n + m + 1),
        "training_loss": np.array([*losses, *pairs, *exchanges]),
        "validation_loss": nothing,
        "n_changed": np.array([1] * n + [2] * m),
        "min_entry_score": nothing,
        "input_size": np.array([*range(1, n + 1), *[n] * m]),
    }


def a_validation(**changes):
    facts = {"learner": "k-nearest neighbours", "metric": "accuracy", "n_splits": 5, "sd": 0.0123}
    return [
        Validation(
            **{**facts, "what": "all 30 features", "mean": 0.9512, "n_repeats": 2, **changes}
        ),
        Validation(**{**facts, "what": "the selected", "mean": 0.9433, "n_repeats": 2, **changes}),
    ]


def the_data(**changes):
    facts = {
        "file_name": "wdbc.csv",
        "n_samples": 60,
        "n_features": 10_000,
        "target": "diagnosis",
        "task": "classification",
        "class_counts": [("benign", 40), ("malignant", 20)],
    }
    return DataFacts(**{**facts, **changes})


def a_selection(names=("radius", "texture", "area"), **changes):
    """Return a report that tells as little as possible."""
    n = len(names)
    facts = {
        "data": the_data(),
        "k": n,
        "method": "EntryPrune",
        "selected": Selected(
            names=names, columns=range(2, n + 2), scores=np.linspace(1, 0.1, n).tolist()
        ),
        "provenance": Provenance(command="entryprune select wdbc.csv -k 3"),
    }
    return SelectionReport(**{**facts, **changes})


def some_samples(n_selected, n_samples=60, labels=("benign", "malignant")):
    rng = np.random.default_rng(0)
    y = np.array(labels, dtype=object)[np.arange(n_samples) % len(labels)]
    return Samples(rng.normal(size=(n_samples, n_selected)), y)


def a_full_selection(names=("radius", "texture", "area"), **changes):
    """Return a report that has all but images."""
    selected = Selected(
        names=names,
        columns=range(2, len(names) + 2),
        scores=np.linspace(1, 0.1, len(names)).tolist(),
        near_duplicates=[[(f"twin of {name}", 0.97)] for name in names],
        seconds=12.7,
    )
    facts = {
        "selected": selected,
        "history": a_history(),
        "validation": a_validation(),
        "samples": some_samples(len(names)),
    }
    return a_selection(names, **{**facts, **changes})


def a_contender(method="EntryPrune", k=10, scores=(0.8, 0.9, 0.85), **changes):
    facts = {
        "method": method,
        "k": k,
        "learner": "ridge",
        "metric": "accuracy",
        "mean": float(np.mean(scores)),
        "sd": float(np.std(scores, ddof=1)),
        "fold_scores": list(scores),
        "seconds": 3.0,
    }
    return Contender(**{**facts, **changes})


def a_comparison(**changes):
    facts = {
        "data": the_data(),
        "contenders": [
            a_contender("EntryPrune", 5, (0.90, 0.93, 0.91), stability=1.0),
            a_contender("EntryPrune", 20, (0.92, 0.92, 0.91)),
            a_contender("STG", 5, (0.70, 0.73, 0.71)),
        ],
        "references": [a_contender("all features", 10_000, (0.9, 0.9, 0.95))],
        "controls": [a_contender("random features", 5, (0.6, 0.6, 0.65))],
        "guesses": [a_contender("guessing", 0, (0.63, 0.63, 0.62), note="always the same class")],
        "frequencies": [
            Frequencies(method="STG", k=2, n_times=3, counts=[("area", 4, 3), ("radius", 2, 3)]),
            Frequencies(
                method="EntryPrune", k=5, n_times=3, counts=[(f"f{i}", i, 3) for i in range(5)]
            ),
        ],
        "provenance": Provenance(command="entryprune compare wdbc.csv"),
    }
    return ComparisonReport(**{**facts, **changes})


class Page(HTMLParser):
    """What a page holds, as a browser would read it."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.tables = {}
        self.headings = {}
        self.sections = []
        self.scripts = []
        self.styles = []
        self.texts = []
        self._open = []
        self._table = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag not in {"img", "meta"}:
            self._open.append(tag)
        if tag == "section":
            self.sections.append(attributes["id"])
        elif tag == "table":
            self._table = attributes["aria-label"]
            self.tables[self._table], self.headings[self._table] = [], []
        elif tag == "tr":
            self.tables[self._table].append([])
        elif tag in {"td", "th"}:
            self.tables[self._table][-1].append("")
        elif tag in {"script", "style"}:
            {"script": self.scripts, "style": self.styles}[tag].append("")

    def handle_endtag(self, tag):
        assert self._open.pop() == tag, "elements must be closed in their order"
        if tag == "thead":
            self.headings[self._table] = self.tables[self._table].pop()

    def handle_data(self, data):
        inside = self._open[-1] if self._open else None
        if inside in {"script", "style"}:
            {"script": self.scripts, "style": self.styles}[inside][-1] += data
            return
        self.texts.append(data)
        if {"td", "th"} & set(self._open):
            self.tables[self._table][-1][-1] += data

    @property
    def text(self):
        return "".join(self.texts)

    def attributes(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    def downloads(self):
        """Return the files by name: a list of rows for a table, else the text."""
        files = {}
        for link in self.attributes("a"):
            if "download" in link:
                kind, content = link["href"].split(",", 1)
                name, text = link["download"], base64.b64decode(content).decode("utf-8-sig")
                assert kind == f"data:{KINDS[name[-4:]]};charset=utf-8;base64"
                is_table = not name.endswith(".json")
                separator = "," if name.endswith(".csv") else "\t"
                rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
                files[name] = list(rows) if is_table else text
        return files

    def pictures(self):
        """Return kind, bytes and alternative text of each."""
        found = []
        for image in self.attributes("img"):
            kind, content = image["src"].split(",", 1)
            found.append((kind, base64.b64decode(content), image["alt"]))
        return found


class Build:
    """What tests make reports from."""

    nasty = NASTY
    history = staticmethod(a_history)
    growth = staticmethod(a_growth)
    validation = staticmethod(a_validation)
    data = staticmethod(the_data)
    samples = staticmethod(some_samples)
    selection = staticmethod(a_selection)
    full_selection = staticmethod(a_full_selection)
    contender = staticmethod(a_contender)
    comparison = staticmethod(a_comparison)
    read = Page


@pytest.fixture(scope="session")
def build():
    return Build
