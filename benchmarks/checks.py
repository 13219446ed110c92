"""How often the checks before the work raise a false alarm, and how often they find what is there.

    python benchmarks/checks.py --data FOLDER

False alarms: on every data set of the folder's .npz files (arrays X and y), and on 200 tables made
of noise, counts, skewed quantities, sparse words, blocks of correlated columns and good markers, in
random order or sorted by the target, with few samples and with many. Hits: on the same tables, with
one column planted.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from entryprune import find_suspects

KINDS = ("copy", "separator", "running number", "id", "order")
N_TABLES = 200
SHAPES = ((12, 5000), (20, 200), (60, 2000), (200, 500), (1000, 50))
TIMED = ((200, 20_000), (50_000, 800))


def made(seed: int) -> tuple[np.ndarray, np.ndarray, str]:
    """Return a table without anything planted, its target, and the task."""
    rng = np.random.default_rng(seed)
    n_samples, n_features = SHAPES[seed % len(SHAPES)]
    shape = (n_samples, n_features)
    task = "regression" if seed % 4 == 3 else "classification"
    y = np.arange(n_samples) % (2 + seed % 3)
    if task == "regression":
        y = rng.normal(size=n_samples)
    if seed % 2:
        y = np.sort(y)
    else:
        rng.shuffle(y)
    X = [
        lambda: rng.normal(size=shape),
        lambda: rng.poisson(rng.gamma(1.0, 50.0, n_features), shape),
        lambda: np.exp(rng.normal(size=shape)).round(2),
        lambda: (rng.random(shape) < 0.02).astype(np.uint8),
        lambda: rng.normal(size=(n_samples, 5)) @ rng.normal(size=(5, n_features)),
        lambda: rng.integers(0, 256, shape, dtype=np.uint8),
    ][seed % 6]()
    if seed % 5 == 0:  # good markers: classes two standard deviations apart
        markers = rng.choice(n_features, 10, replace=False)
        X = X.astype(np.float64)
        X[:, markers] += 2.0 * X[:, markers].std(axis=0) * y[:, None]
    return X, y, task


def shifted_classes(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a column in which each class has a range of its own."""
    numbers = np.unique(y, return_inverse=True)[1]
    return numbers + 0.9 * rng.random(len(y))


PLANTED: dict[str, tuple[str, str, Callable[[np.ndarray, np.random.Generator], np.ndarray]]] = {
    "one value a class, or the quantity on another scale": (
        "copy", "x", lambda y, _: 7.0 - 3.0 * y,
    ),
    "a range of values a class": ("separator", "x", shifted_classes),
    "1, 2, 3, ...": ("running number", "x", lambda y, _: np.arange(1, len(y) + 1)),
    "a random whole number, called sample_id": (
        "id", "sample_id", lambda y, rng: rng.choice(10**6, len(y), replace=False),
    ),
    "1, 2, 3, ... in random order": ("id", "x", lambda y, rng: 1 + rng.permutation(len(y))),
    "every third of 1, 2, 3, ... in random order, called lot_number": (
        "id", "lot_number", lambda y, rng: 1 + 3 * rng.permutation(len(y)),
    ),
    "a count of 150,000 to 400,000, called platelet_number": (
        "none", "platelet_number", lambda y, rng: rng.integers(150_000, 400_001, len(y)),
    ),
    "times in the order of the file": ("order", "x", lambda y, rng: rng.random(len(y)).cumsum()),
}  # fmt: skip


def names_of(X: np.ndarray) -> list[str]:
    return [f"g{i}" for i in range(X.shape[1])]


def alarms(tables: list[tuple[Any, Any, str]], title: str) -> None:
    n_tables: Counter[str] = Counter()
    n_columns: Counter[str] = Counter()
    for X, y, task in tables:
        suspects = find_suspects(X, y, feature_names=names_of(X), task=task)
        found = Counter(one.kind for one in suspects)
        n_tables.update(found.keys())
        n_columns.update(found)
    for kind in KINDS:
        print(f"| {title} | {kind} | {n_tables[kind]} of {len(tables)} | {n_columns[kind]:,} |")


def hits() -> None:
    for title, (kind, name, make) in PLANTED.items():
        n_found = n_tables = most_samples = 0
        for seed in range(N_TABLES):
            X, y, task = made(seed)
            if task == "regression" and kind == "separator":
                continue
            column = make(y, np.random.default_rng(seed))
            found = find_suspects(
                np.column_stack([column, X]), y, feature_names=[name, *names_of(X)], task=task
            )
            n_tables += 1
            is_found = any(one.column == 0 for one in found)
            n_found += is_found
            most_samples = max(most_samples, 0 if is_found else len(y))
        missed = f"up to {most_samples}" if most_samples else ""
        print(f"| {title} | {kind} | {n_found} of {n_tables} | {missed} |")


def times() -> None:
    for shape in TIMED:
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=shape), rng.integers(0, 3, shape[0])
        start = time.perf_counter()
        find_suspects(X, y)
        print(f"{shape[0]:,} x {shape[1]:,}: {time.perf_counter() - start:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="a folder with .npz files")
    folder = parser.parse_args().data
    print("| tables | look | tables with an alarm | columns named |\n| --- | --- | --- | --- |")
    if folder is not None:
        stored = [np.load(path) for path in sorted(folder.glob("*.npz"))]
        alarms([(one["X"], one["y"], "classification") for one in stored], "data sets")
    alarms([made(seed) for seed in range(N_TABLES)], "made")
    print("\n| planted | look | found | samples of those missed |\n| --- | --- | --- | --- |")
    hits()
    print()
    times()


if __name__ == "__main__":
    main()
