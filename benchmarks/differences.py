"""Why some methods differ from their published accuracy: what was tried, and what came of it.

    python benchmarks/differences.py --data FOLDER [CIFE] [ICAP] [Fisher] [STG] [LassoNet] [NeuroFS]

An SVM on the selected features, the paper's protocol. Fisher, STG and NeuroFS take minutes, CIFE
and ICAP longer because of MNIST, LassoNet longest.
"""

from __future__ import annotations

import argparse
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator
from unittest import mock

import numpy as np
from sklearn.svm import SVC

from entryprune.baselines import make_selector
from entryprune.baselines._sparse import SparseLayer
from entryprune.bench.folds import Split, split
from entryprune.bench.standings import published
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


class Symbols:
    """The training cases' values as symbols, and entropies summed as scikit-feature sums them.

    With every distinct value a symbol of its own most features tell all of the class, so ties
    abound; rounding decides them, and the order of the sums decides the rounding.
    """

    def __init__(self, parts: Split) -> None:
        self.n_cases, self.n_features = parts.X_train.shape
        self.features = [np.unique(f, return_inverse=True)[1] for f in parts.X_train.T]
        self.classes = np.unique(parts.y_train, return_inverse=True)[1]
        shares = [count / self.n_cases for count in range(1, self.n_cases)]
        self._terms = [0.0, *(share * math.log(share) for share in shares), 0.0]
        self.of_classes = self.entropy(self.classes)
        self.of_features = [self.entropy(f) for f in self.features]
        self.with_classes = [self.entropy(self.joined(f, self.classes)) for f in self.features]

    def joined(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return one * (self.n_cases + 1) + other

    def entropy(self, symbols: np.ndarray) -> float:
        # A counter keeps the order of first occurrence.
        counts = Counter(symbols.tolist()).values()
        return -sum(self._terms[count] for count in counts) / math.log(2)

    def relevance(self, one: int) -> float:
        return -self.with_classes[one] + self.of_features[one] + self.of_classes

    def shared(self, one: int, other: int) -> tuple[float, float]:
        """Return the mutual information of two features, and the same given the class."""
        both = self.joined(self.features[one], self.features[other])
        given = self.entropy(self.joined(both, self.classes))
        return (
            -self.entropy(both) + self.of_features[one] + self.of_features[other],
            self.with_classes[other] + self.with_classes[one] - given - self.of_classes,
        )


def greedy_on_values(parts: Split, k: int, *, is_capped: bool) -> np.ndarray:
    """Select as the published figures seem to have been: CIFE, or ICAP with its largest penalty.

    ICAP is known with a sum of penalties over the selected features; scikit-feature takes the
    largest one.
    """
    symbols = Symbols(parts)
    everyone = range(symbols.n_features)
    relevance = np.array([symbols.relevance(one) for one in everyone])
    penalty, bonus = np.zeros(symbols.n_features), np.zeros(symbols.n_features)
    order = [int(relevance.argmax())]
    while len(order) < k:
        for one in set(everyone).difference(order):
            shared, given = symbols.shared(order[-1], one)
            if is_capped:
                penalty[one] = max(penalty[one], shared - given)
            else:
                penalty[one] += shared
                bonus[one] += given
        scores = relevance - penalty + bonus
        scores[order] = -np.inf
        order.append(int(scores.argmax()))
    return np.array(order)


def cife(load: Load) -> Iterator[Row]:
    yield from _by_symbols(load, "cife", (5, None), is_capped=False)


def icap(load: Load) -> Iterator[Row]:
    yield from _by_symbols(load, "icap", (2, 5, 10, None), is_capped=True)


def _by_symbols(
    load: Load, method: str, bins: tuple[int | None, ...], *, is_capped: bool
) -> Iterator[Row]:
    for dataset in ("prostate_ge", "arcene", "coil20", "usps"):
        parts = load(dataset)
        for n_bins in bins:
            order = selected(parts, method, KS[-1], n_bins=n_bins)
            yield dataset, f"{n_bins or 'as many as values'} bins", by_k(parts, order)
        order = greedy_on_values(parts, KS[-1], is_capped=is_capped)
        yield dataset, "as scikit-feature does it", by_k(parts, order)
    parts = load("mnist")
    order = greedy_on_values(parts, 50, is_capped=is_capped)
    found = [accuracy(parts, order[:k]) for k in (25, 50)]
    yield "mnist", "as scikit-feature does it, K=25 and 50", found


def fisher(load: Load) -> Iterator[Row]:
    """As it is, mirrored, and with another SVM.

    A fork of scikit-feature that is on PyPI (skfeature-chappers) returns by default what it calls
    ranks: of N features, it gives N - 1 - j where the next best is feature j. The SVM of
    scikit-learn before 0.22 had gamma="auto" by default, which is another width where the features
    are not standardised.
    """
    for dataset in ("arcene", "coil20", "usps", "basehock"):
        parts = load(dataset)
        order = selected(parts, "fisher", KS[-1])
        yield dataset, "as it is", by_k(parts, order)
        yield dataset, "N - 1 - j for j", by_k(parts, parts.X_train.shape[1] - 1 - order)
        yield dataset, 'an SVM with gamma="auto"', by_k(parts, order, "auto")
    parts = load("mnist")
    order = selected(parts, "fisher", 50)
    for gamma in ("scale", "auto"):
        yield "mnist", f'an SVM with gamma="{gamma}", K=50', [accuracy(parts, order, gamma)]


def stg(load: Load) -> Iterator[Row]:
    parts = load("basehock")
    tried: list[dict[str, object]] = [{"alpha": alpha} for alpha in ("auto", 0.1, 0.5, 1.0)]
    tried.append({"alpha": 0.5, "max_epochs": 1})
    tried += [
        {"alpha": 0.5, "learning_rate_init": rate, "gate_learning_rate_init": rate}
        for rate in (0.03, 0.05, 0.1)
    ]
    for settings in tried:
        found = [
            accuracy(parts, selected(parts, "stg", 50, scale=None, random_state=seed, **settings))
            for seed in (0, 1)
        ]
        yield "basehock", f"{settings}, K=50, two seeds", found


def lassonet(load: Load) -> Iterator[Row]:
    """All cases at once, as the package does unless told otherwise, or in batches."""
    parts = load("coil20")
    for batch_size in (None, 128):
        for seed in (0, 1):
            # One path gives all K: it ends where 25 features are left.
            selector = make_selector(
                "lassonet", KS[0], scale=None, batch_size=batch_size, random_state=seed
            ).fit(parts.X_train, parts.y_train)
            order = np.argsort(selector.ranking_)
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
