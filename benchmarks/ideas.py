"""Every idea that was tried for the default algorithm, on the sets and splits that decided.

Each idea is a function that orders columns. All are scored in the same way: 25 % of the cases held
out, K = 10, 25 and 50, the mean accuracy of an SVM, 1-NN and logistic regression. Differences are
from the first idea that is named, with a standard error over splits.

    python benchmarks/ideas.py --data FOLDER mrmr default noise-6    # wide sets, 20 splits
    python benchmarks/ideas.py --data FOLDER --long --splits 3 growth reach-0.5
    python benchmarks/ideas.py --list
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from entryprune.baselines import make_selector
from entryprune.data import load_dataset
from entryprune.engine import ArrayColumns, ExchangeSettings, Problem, select

WIDE = (
    "allaml", "colon", "glioma", "lymphoma", "yale", "orlraws10p", "khan", "arcene", "relathe",
)  # fmt: skip
LONG = ("coil20", "isolet_3119", "madelon", "digits", "usps")
KS = (10, 25, 50)
MOST_CASES = 5000  # of a long set, so that an idea takes minutes

Order = Callable[[np.ndarray, np.ndarray, int, int], Any]


# -- ideas --------------------------------------------------------------------------------------


def ours(**settings: Any) -> Order:
    """Growth and exchange with other settings."""

    def order(X, y, k, seed):
        cases = np.random.default_rng(seed).permutation(len(y))
        source = ArrayColumns(torch.from_numpy(np.ascontiguousarray(X[cases].T)))
        problem = Problem(source, torch.from_numpy(y[cases]), int(y.max()) + 1, 0)
        chosen = ExchangeSettings(n_selected=k, **settings)
        return select(problem, chosen, seed=seed).chosen.features.numpy()

    return order


def method(name: str) -> Order:
    """A method of the registry."""

    def order(X, y, k, seed):
        return make_selector(name, k, random_state=seed).fit(X, y).selected_indices_

    return order


def prepared(X, y, clip=2.0):
    """Return standardised columns, cut back, and centred columns of ones and zeros."""
    deviation = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    Z = np.clip(Z, -clip, clip)
    Y = np.eye(y.max() + 1, dtype=np.float32)[y]
    return (Z - Z.mean(axis=0)).astype(np.float32), Y - Y.mean(axis=0)


def ridge_forward(penalty: float) -> Order:
    """Forward selection for ridge regression: growth without a hidden layer."""

    def order(X, y, k, seed):
        del seed
        Z, Y = prepared(X, y)
        n_cases = len(Z)
        inverse = np.eye(n_cases, dtype=np.float32)
        left = np.square(Z).sum(axis=0)
        chosen = []
        for _ in range(k):
            gain = np.square(Z.T @ (inverse @ Y)).sum(axis=1) / (penalty * n_cases + left)
            gain[chosen] = -1
            chosen.append(int(gain.argmax()))
            column = inverse @ Z[:, chosen[-1]]
            size = penalty * n_cases + Z[:, chosen[-1]] @ column
            left = left - np.square(Z.T @ column) / size
            inverse = inverse - np.outer(column, column) / size
        return chosen

    return order


def ridge_backward(penalty: float, share: float = 0.1) -> Order:
    """Recursive elimination for ridge regression, a tenth of the columns at a time."""

    def order(X, y, k, seed):
        del seed
        Z, Y = prepared(X, y)
        columns, gone = np.arange(Z.shape[1]), []
        while len(columns) > 1:
            part = Z[:, columns]
            strength = penalty * len(Z) * len(columns) / 50
            inverse = np.linalg.inv(np.eye(len(Z)) + part @ part.T / strength)
            cost = np.square(part.T @ (inverse @ Y)).sum(axis=1)
            cost /= np.maximum(strength - (inverse @ part * part).sum(axis=0), 1e-6 * strength)
            n_leaving = max(1, int(share * len(columns)))
            by_cost = cost.argsort()
            gone.append(columns[by_cost[:n_leaving]])
            columns = columns[np.sort(by_cost[n_leaving:])]
        return np.concatenate([*gone, columns])[::-1][:k]

    return order


def in_turn(*names: str) -> Order:
    """Take columns from several ideas in turn."""

    def order(X, y, k, seed):
        orders = [IDEAS[name](X, y, k, seed) for name in names]
        return list(dict.fromkeys(int(c) for turn in zip(*orders, strict=True) for c in turn))[:k]

    return order


def f_test(X, y, k, seed):
    """One column at a time."""
    from sklearn.feature_selection import f_classif

    del seed
    return np.argsort(-np.nan_to_num(f_classif(X, y)[0]), kind="stable")[:k]


IDEAS: dict[str, Order] = {
    "default": ours(),
    "growth": ours(interactions=False, max_exchanges=0),
    "no-pairs": ours(interactions=False),
    **{f"noise-{noise:g}": ours(noise=noise) for noise in (1.0, 6.0, 10.0)},
    "reach-2": ours(reach=2.0),
    "reach-0.5": ours(reach=0.5),
    "clip-1.5": ours(clip=1.5),
    "clip-3": ours(clip=3.0),
    "no-spread": ours(spread_share=0.0),
    "all-spread": ours(spread_share=1.0),
    "blocks-of-200": ours(cases_per_block=200, max_blocks=8),
    "one-block-of-600": ours(cases_per_block=600, max_blocks=1),
    "eight-blocks": ours(max_blocks=8),
    "ridge-forward-0.03": ridge_forward(0.03),
    "ridge-forward-0.3": ridge_forward(0.3),
    "ridge-forward-3": ridge_forward(3.0),
    "ridge-backward-1": ridge_backward(1.0),
    "ridge-backward-10": ridge_backward(10.0),
    "f-test": f_test,
    "default-and-mrmr": in_turn("default", "mrmr"),
    "default-and-extra-trees": in_turn("default", "extra-trees"),
    **{name: method(name) for name in ("mrmr", "mrmr-fcq", "l1", "extra-trees", "sand")},
}


# -- how they are scored ------------------------------------------------------------------------


def split(name: str, seed: int, folder: Path | None):
    dataset = load_dataset(name, folder=folder)
    X = np.asarray(dataset.X, dtype=np.float32)
    y = np.unique(dataset.y, return_inverse=True)[1].reshape(-1).astype(np.int64)
    counts = np.bincount(y)
    able, rare = np.flatnonzero(counts[y] >= 2), np.flatnonzero(counts[y] < 2)
    n_test = max(round(0.25 * len(able)), int((counts >= 2).sum()))
    train, test = train_test_split(
        able, test_size=n_test, random_state=2000 + seed, stratify=y[able]
    )
    train = np.concatenate([train, rare])[:MOST_CASES]
    scaler = MinMaxScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def score(X_train, y_train, X_test, y_test, columns) -> float:
    learners = (SVC(), KNeighborsClassifier(1), LogisticRegression(max_iter=300))
    columns = np.sort(np.asarray(columns))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 100 * float(
            np.mean(
                [
                    learner.fit(X_train[:, columns], y_train).score(X_test[:, columns], y_test)
                    for learner in learners
                ]
            )
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ideas", nargs="*", default=list(IDEAS))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--sets", nargs="*", help="these instead of all")
    parser.add_argument("-k", nargs="*", type=int, default=KS, help="numbers of columns")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print(*IDEAS, sep="\n")
        return
    sets = tuple(options.sets or (LONG if options.long else WIDE))
    torch.set_num_threads(1)
    print(
        f"{'idea':20s}",
        *(f"{name[:8]:>8s}" for name in sets),
        "    mean",
        *(f"K={k:<3d}" for k in options.k),
        " cpu s  difference",
    )
    first = None
    for idea in options.ideas:
        results = np.full((len(sets), len(options.k), options.splits), np.nan)
        selecting = 0.0
        for i, name in enumerate(sets):
            for seed in range(options.splits):
                parts = split(name, seed, options.data)
                for j, k in enumerate(options.k):
                    before = time.process_time()
                    columns = IDEAS[idea](parts[0], parts[1], k, seed)
                    selecting += time.process_time() - before
                    results[i, j, seed] = score(*parts, columns)
        first = results if first is None else first
        by_split = (results - first).mean(axis=1)
        error = np.sqrt(by_split.var(axis=1, ddof=1).sum() / options.splits) / len(sets)
        by_set = results.mean(axis=(1, 2))
        by_k = results.mean(axis=(0, 2))
        print(
            f"{idea:20s}",
            *(f"{value:8.1f}" for value in by_set),
            f"{by_set.mean():8.2f}",
            *(f"{value:5.1f}" for value in by_k),
            f"{selecting / results.size:6.2f}",
            f"{by_split.mean():+7.2f} +- {error:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
