"""Why some methods differ from their published accuracy: what was tried, and what came of it.

    python benchmarks/differences.py --data FOLDER [CIFE] [ICAP] [Fisher] [STG] [LassoNet] [NeuroFS]

An SVM on the selected features, the paper's protocol. LassoNet takes longest, NeuroFS
minutes, the others less.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from unittest import mock

import numpy as np
from sklearn.svm import SVC

from entryprune.baselines import make_selector
from entryprune.baselines._sparse_layer import SparseLayer
from entryprune.bench.protocols import Split, split
from entryprune.bench.published import published
from entryprune.data import load_dataset

KS = (25, 50, 75, 100)
Row = tuple[str, str, list[float]]
Load = Callable[[str], Split]


def accuracy(parts: Split, columns: np.ndarray, gamma: str = "scale") -> float:
    model = SVC(gamma=gamma).fit(parts.X_train[:, columns], parts.y_train)
    return round(100 * model.score(parts.X_test[:, columns], parts.y_test), 2)


def selected(parts: Split, method: str, k: int, **settings: object) -> np.ndarray:
    return make_selector(method, k, **settings).fit(parts.X_train, parts.y_train).selected_indices_


def by_k(parts: Split, order: np.ndarray, gamma: str = "scale") -> list[float]:
    """Greedy methods select the first K of the same order, whatever K is."""
    return [accuracy(parts, order[:k], gamma) for k in KS]


def cife(load: Load) -> Iterator[Row]:
    for dataset in ("arcene", "coil20"):
        for bins in (5, None):
            order = selected(load(dataset), "cife", KS[-1], n_bins=bins)
            yield dataset, f"{bins or 'as many as values'} bins", by_k(load(dataset), order)


def icap(load: Load) -> Iterator[Row]:
    for dataset in ("arcene", "prostate_ge"):
        for bins in (2, 3, 5, 10, 20, None):
            order = selected(load(dataset), "icap", KS[-1], n_bins=bins)
            yield dataset, f"{bins or 'as many as values'} bins", by_k(load(dataset), order)


def fisher(load: Load) -> Iterator[Row]:
    """By the sums of squares of the published formula, at several precisions; and mirrored.

    A fork of scikit-feature that is on PyPI (skfeature-chappers) returns by default what it calls
    ranks: of N features, it gives N - 1 - j where the next best is feature j. The SVM of
    scikit-learn before 0.22 had gamma="auto" by default, which is another width where the features
    are not standardised.
    """
    for dataset in ("arcene", "coil20", "usps", "basehock"):
        parts = load(dataset)
        classes = np.unique(parts.y_train, return_inverse=True)[1]
        for precision in (np.float64, np.float32, np.float16):
            X = parts.X_train.astype(precision)
            member = np.eye(classes.max() + 1, dtype=precision)[classes]
            square_of_sum = X.sum(axis=0) ** 2 / precision(len(X))
            within = (X * X).sum(axis=0) - square_of_sum
            between = ((member.T @ X) ** 2 / member.sum(axis=0)[:, np.newaxis]).sum(axis=0)
            with np.errstate(all="ignore"):
                ratio = (between - square_of_sum) / np.where(within < 1e-12, 1e4, within)
                order = np.argsort(1 / (1 - ratio) - 1)[::-1]
            yield dataset, precision.__name__, by_k(parts, order)
            if precision is np.float64:
                yield dataset, "N - 1 - j for j", by_k(parts, len(order) - 1 - order)
                yield dataset, 'an SVM with gamma="auto"', by_k(parts, order, "auto")


def stg(load: Load) -> Iterator[Row]:
    parts = load("basehock")
    for alpha in ("auto", 0.1, 0.5, 1.0):
        found = [
            accuracy(parts, selected(parts, "stg", 50, alpha=alpha, scale=None, random_state=seed))
            for seed in (0, 1)
        ]
        yield "basehock", f"alpha={alpha}, K=50, two seeds", found


def lassonet(load: Load) -> Iterator[Row]:
    """All cases at once, as the package does unless told otherwise, or in batches."""
    parts = load("coil20")
    for batch_size in (None, 128):
        for seed in (0, 1):
            # One path gives all K.
            order = selected(
                parts, "lassonet", KS[-1], scale=None, batch_size=batch_size,
                full_path=True, random_state=seed,
            )  # fmt: skip
            yield "coil20", f"batch_size={batch_size}, seed {seed}", by_k(parts, order)


def neurofs(load: Load) -> Iterator[Row]:
    parts = load("basehock")
    draw = SparseLayer.draw_weights
    for factor in (3.0, 1.0, 0.3, 0.1):

        def scaled(layer, count, generator, factor=factor):
            return draw(layer, count, generator).mul_(factor)

        with mock.patch.object(SparseLayer, "draw_weights", scaled):
            found = [
                accuracy(parts, selected(parts, "neurofs", 50, scale=None, random_state=seed))
                for seed in (0, 1)
            ]
        yield "basehock", f"starting weights x {factor}, K=50, two seeds", found


QUESTIONS = {
    "CIFE": cife,
    "ICAP": icap,
    "Fisher": fisher,
    "STG": stg,
    "LassoNet": lassonet,
    "NeuroFS": neurofs,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", nargs="*", metavar="METHOD", default=list(QUESTIONS))
    parser.add_argument("--data", default=os.environ.get("ENTRYPRUNE_DATA"))
    options = parser.parse_args()
    known: dict[str, Split] = {}

    def load(name: str) -> Split:
        if name not in known:
            known[name] = split(load_dataset(name, options.data), "paper", seed=0)
        return known[name]

    for name in options.questions:
        for dataset, what, found in QUESTIONS[name](load):
            wanted = [published(dataset, name.lower(), k) for k in KS]
            figures = [None if one is None else one.mean for one in wanted]
            print(f"{name}, {dataset}, {what}: {found} (published {figures})", flush=True)


if __name__ == "__main__":
    main()
