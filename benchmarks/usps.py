"""Which USPS digits the published figures were made with.

    python benchmarks/usps.py --data FOLDER

FOLDER has a usps.npz with the digits as they were scanned, and orig_index if they are in another
order than the original one. Accuracy in the paper's protocol on these digits in the order of the
file, in the original order, and smoothed: learners on all features, the Fisher score, EntryPrune.
Takes some minutes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from entryprune.baselines import make_selector
from entryprune.bench.folds import Split, split
from entryprune.bench.learners import get_learner
from entryprune.bench.standings import published
from entryprune.data import Dataset, load_dataset
from entryprune.data.folder import read_npz

KS = (25, 50, 75, 100)
N_SEEDS = 3


def versions(folder: str) -> dict[str, Dataset]:
    path = Path(folder) / "usps.npz"
    scanned = read_npz(path)
    with np.load(path) as file:
        in_file = replace(scanned, X=file["X"], y=file["y"])
    return {
        "scanned, as in the file": in_file,
        "scanned, original order": scanned,
        "smoothed, original order": load_dataset("usps", folder),
    }


def accuracy(parts: Split, columns: np.ndarray | slice, learner: str) -> float:
    model = get_learner(learner).make(0).fit(parts.X_train[:, columns], parts.y_train)
    return 100 * model.score(parts.X_test[:, columns], parts.y_test)


def selected(parts: Split, method: str, k: int, seed: int = 0) -> np.ndarray:
    selector = make_selector(method, k, random_state=seed)
    if "scale" in selector.get_params():
        selector.set_params(scale=None)  # the protocol has scaled the data
    return selector.fit(parts.X_train, parts.y_train).selected_indices_


def figures(parts: Split) -> Iterator[str]:
    for learner in ("svm", "knn"):
        yield f"{accuracy(parts, slice(None), learner):.2f}"
    order = selected(parts, "fisher", KS[-1])
    for k in KS:
        yield f"{accuracy(parts, order[:k], 'svm'):.2f}"
    yield f"{accuracy(parts, order[:50], 'knn'):.2f}"
    found = [
        accuracy(parts, selected(parts, "entryprune", 25, seed), "svm") for seed in range(N_SEEDS)
    ]
    yield f"{np.mean(found):.2f} ± {np.std(found, ddof=1):.2f}"


def published_figures() -> Iterator[tuple[str, str]]:
    """What is measured, in the order of `figures`, and what the paper has."""
    for learner, title in (("svm", "SVM"), ("knn", "1-NN")):
        yield f"all features, {title}", str(published("usps", "all", 0, learner))
    for k in KS:
        yield f"Fisher score, K = {k}, SVM", str(published("usps", "fisher", k))
    yield "Fisher score, K = 50, 1-NN", str(published("usps", "fisher", 50, "knn"))
    known = published("usps", "entryprune", 25)
    yield f"EntryPrune, K = 25, SVM ({N_SEEDS} seeds)", str(known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("ENTRYPRUNE_DATA"))
    options = parser.parse_args()
    found = {
        name: list(figures(split(dataset, "paper", seed=0)))
        for name, dataset in versions(options.data).items()
    }
    table = Table("accuracy", *found, "published")
    for (title, known), *row in zip(published_figures(), *found.values(), strict=True):
        table.add_row(title, *row, known)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
