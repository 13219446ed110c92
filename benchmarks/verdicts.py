"""Whether the verdicts of `entryprune.compare` hold on new samples.

    python benchmarks/verdicts.py --data FOLDER [--splits 1] [--output verdicts.md]

FOLDER has usps.npz, mnist.npz, isolet_3119.npz, coil20.npz and madelon.npz. Each table is cut in
two: a small part, which `compare` sees, and a large one, which it does not. The truth is how all
features and the selection that the verdict is about, learned from the small part, do on the large
one. A verdict is right if
- "keep all": all features are better there;
- "use": the selection is better, or loses no more than a twentieth of what all features gain over
  guessing;
- "nothing": neither gains more than a tenth of what there is to gain over guessing;
and "too close" says neither. Takes some minutes for one split of each table.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    make_classification,
    make_friedman1,
)
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from entryprune import compare
from entryprune.baselines import make_selector
from entryprune.bench.learners import judged_by
from entryprune.bench.predictions import guessed, measured, predict
from entryprune.data.folder import read_npz
from entryprune.methods import METHODS
from entryprune.report.comparison import ComparisonReport, Judgement
from entryprune.report.table import Table, to_markdown

CLASSES = ("entryprune-exchange", "mrmr", "l1")
QUANTITIES = ("entryprune-exchange", "mrmr-fcq", "l1")
# As in the rule, and what may be left of nothing.
SMALL, NOTHING = 0.05, 0.1


@dataclass(frozen=True)
class Set:
    """A table, how many samples are seen, and what is asked."""

    title: str
    load: Callable[[Path], tuple[Any, Any]]
    n_seen: int
    ks: tuple[int, ...]
    task: str = "classification"
    metric: str | None = None


def _npz(name: str) -> Callable[[Path], tuple[Any, Any]]:
    def load(folder: Path) -> tuple[Any, Any]:
        data = read_npz(folder / f"{name}.npz")
        # Thousands of samples to test on are enough.
        return data.X[:6000], data.y[:6000]

    return load


def _noise(folder: Path) -> tuple[Any, Any]:
    X, y = _npz("madelon")(folder)
    return X, np.random.default_rng(0).permutation(y)


def _friedman(folder: Path) -> tuple[Any, Any]:
    del folder
    X, y = make_friedman1(4000, 100, noise=1.0, random_state=0)
    return X, y


def _uneven(folder: Path) -> tuple[Any, Any]:
    del folder
    X, y = make_classification(
        5000, 60, n_informative=4, n_redundant=0, weights=[0.9], class_sep=1.5, random_state=0
    )
    return X, y


SETS = (
    Set("digits", lambda _: load_digits(return_X_y=True), 400, (4, 10)),
    Set("USPS", _npz("usps"), 400, (5, 15)),
    Set("MNIST, 6,000 of it", _npz("mnist"), 400, (5, 15)),
    Set("ISOLET, 3,119 of it", _npz("isolet_3119"), 500, (5, 15)),
    Set("COIL-20", _npz("coil20"), 400, (3, 8)),
    Set("Madelon", _npz("madelon"), 600, (10, 20)),
    Set("Madelon, target shuffled", _noise, 400, (5, 20)),
    Set("breast cancer", lambda _: load_breast_cancer(return_X_y=True), 200, (2, 5)),
    Set("Friedman 1 among 100 columns", _friedman, 300, (3, 5), "regression"),
    Set("uneven classes, 4 of 60 columns", _uneven, 600, (2, 4), metric="balanced-accuracy"),
)


def parts(one: Set, folder: Path, split: int) -> tuple[Any, Any, Any, Any]:
    """Return what is seen and what is not."""
    X, y = one.load(folder)
    labels = y if one.task == "classification" else None
    seen, new, y_seen, y_new = train_test_split(
        X, y, train_size=one.n_seen, random_state=split, stratify=labels
    )
    return seen, new, y_seen, y_new


def scores(one: Set, split: tuple[Any, Any, Any, Any], method: str | None, k: int) -> float:
    """Return the measure on the new samples of all features, or of a selection."""
    seen, new, y_seen, y_new = split
    columns = np.arange(seen.shape[1])
    if method is not None:
        selector = make_selector(method, k, task=one.task, random_state=0)
        columns = np.sort(selector.fit(seen, y_seen).selected_indices_)
    scaler = MinMaxScaler().fit(seen[:, columns].astype(float))
    metric, learner = judged_by(one.task, one.metric)
    model = learner.make(0).fit(scaler.transform(seen[:, columns].astype(float)), y_seen)
    found = predict(model, scaler.transform(new[:, columns].astype(float)), np.arange(len(y_new)))
    return measured(found, y_new)[metric.name]


def is_right(kind: str, of_all: float, of_selection: float, chance: float) -> bool:
    """Return whether a verdict holds, given what is true (larger is better)."""
    if kind == "keep all":
        return of_all > of_selection
    if kind == "use":
        return of_selection >= of_all - SMALL * max(0.0, of_all - chance)
    if kind == "nothing":
        return max(of_all, of_selection) - chance <= NOTHING * (100.0 - chance)
    return kind == "too close"


def rows(folder: Path, n_splits: int) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each table and split."""
    for one in SETS:
        for number in range(n_splits):
            split = parts(one, folder, number)
            report = _compared(one, split, number)
            (judgement,) = report.judgements
            named = judgement.named if judgement.named is not None else judgement.best
            assert named is not None
            result = judgement.results[named]
            method = next(name for name, m in METHODS.items() if m.title == result.method)
            metric, _ = judged_by(one.task, one.metric)
            chance = guessed(split[2], split[3], one.task)[metric.name]
            of_all, chosen = scores(one, split, None, 0), scores(one, split, method, result.k)
            yield (
                one.title,
                f"{one.n_seen} / {len(split[3]):,}",
                metric.title,
                judgement.kind,
                f"{result.method}, K = {result.k}",
                _seen_gain(judgement, named),
                of_all,
                chosen,
                chance,
                _verdict(judgement.kind, of_all, chosen, chance),
            )


def _compared(one: Set, split: tuple[Any, Any, Any, Any], seed: int) -> ComparisonReport:
    methods = CLASSES if one.task == "classification" else QUANTITIES
    return compare(split[0], split[2], methods, one.ks, task=one.task, metric=one.metric, seed=seed)


def _seen_gain(judgement: Judgement, named: int) -> str:
    result = judgement.results[named]
    return f"{result.gain:+.1f} ({result.gain_low:+.1f} to {result.gain_high:+.1f})"


def _verdict(kind: str, of_all: float, chosen: float, chance: float) -> str:
    if kind == "too close":
        return "says neither"
    return "right" if is_right(kind, of_all, chosen, chance) else "WRONG"


def main() -> None:
    """Show a line for each verdict as it comes, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    found = []
    for row in rows(asked.data, asked.splits):
        print(*(f"{cell:.1f}" if isinstance(cell, float) else cell for cell in row), sep=" | ")
        found.append(row)
    headings = (
        *("table", "seen / new", "measure", "verdict", "about", "gain on all, seen (95 %)"),
        *("all, new", "selection, new", "guessing, new", "on new samples"),
    )
    table = to_markdown(Table("Verdicts and what is true", headings, tuple(found)))
    print(table)
    if asked.output is not None:
        asked.output.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
