"""What is claimed of single tables, measured again.

    python benchmarks/claims.py                      # all that needs no data
    python benchmarks/claims.py --data FOLDER madelon predictions
    python benchmarks/claims.py --seeds 3 noise      # quicker

- noise: tables without anything to find; in how many a pair is reported, and in how many the fit
  warns that nothing was learned.
- many: ten columns that matter among 200 x 50,000; how many are found.
- friedman: the first problem of Friedman (1991) with 100 columns of noise; how many of the five
  that matter are found.
- madelon: accuracy at K = 20, beside the columns that a random forest finds most important.
- predictions: accuracy of the selector's own network on clean splits, beside that of the published
  algorithm.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from entryprune import EntryPruneClassifier, EntryPruneRegressor, NothingLearnedWarning
from entryprune.data import load_dataset

PREDICTED = ("breast_cancer", "wine", "digits", "colon", "allaml", "arcene", "usps")
SMALL = 200
SHAPES = ((40, 1000), (100, 1000), (300, 300), (1000, 100))
# Columns and targets that have nothing to do with each other.
NOISE = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "heavy tails": lambda rng, n, p: np.exp(1.5 * rng.normal(size=(n, p))),
    "20 factors": lambda rng, n, p: (
        rng.normal(size=(n, 20)) @ rng.normal(size=(20, p)) + rng.normal(size=(n, p))
    ),
}
TARGETS = {
    "two classes": lambda rng, n: rng.integers(2, size=n),
    "a class of a fifth": lambda rng, n: (rng.random(n) < 0.2).astype(int),
    "a quantity": lambda rng, n: rng.normal(size=n),
}


def noise(n_seeds: int, _: Path | None) -> None:
    """Say in how many tables of noise a pair is reported or a fit warns."""
    for n_cases, n_features in SHAPES:
        for columns, make in NOISE.items():
            for target, draw in TARGETS.items():
                n_with_pair = n_warned = 0
                for seed in range(n_seeds):
                    rng = np.random.default_rng(seed)
                    X, y = make(rng, n_cases, n_features), draw(rng, n_cases)
                    kind = EntryPruneRegressor if y.dtype.kind == "f" else EntryPruneClassifier
                    with warnings.catch_warnings(record=True) as caught:
                        warnings.simplefilter("always")
                        selector = kind(10, random_state=seed).fit(X, y)
                    n_with_pair += len(selector.interactions_["first"]) > 0
                    told = [issubclass(one.category, NothingLearnedWarning) for one in caught]
                    n_warned += any(told)
                print(
                    f"noise, {n_cases} x {n_features}, {columns}, {target}: a pair in "
                    f"{n_with_pair} of {n_seeds} tables, 'nothing learned' in {n_warned}",
                    flush=True,
                )


def many(n_seeds: int, _: Path | None) -> None:
    """Say how many of ten columns among 50,000 are found."""
    for kind, make in (("linear", EntryPruneRegressor), ("logistic", EntryPruneClassifier)):
        found = []
        for seed in range(n_seeds):
            made = load_dataset(f"{kind}-50000-seed{seed}")
            selector = make(len(made.relevant), random_state=seed).fit(made.X, made.y)
            found.append(len(set(selector.selected_indices_.tolist()) & set(made.relevant)))
        print(f"{kind}, {made.X.shape[0]} x 50,000: {statistics.fmean(found):.1f} of 10 ({found})")


def friedman(n_seeds: int, _: Path | None) -> None:
    """Say how many of Friedman's five columns are found."""
    found = []
    for seed in range(n_seeds):
        X, y = make_friedman1(500, n_features=105, noise=1.0, random_state=seed)
        selector = EntryPruneRegressor(5, random_state=seed).fit(X, y)
        found.append(int((selector.selected_indices_ < 5).sum()))
    print(f"Friedman 1, 500 x 105: {statistics.fmean(found):.1f} of 5 ({found})")


def madelon(n_seeds: int, folder: Path | None) -> None:
    """Compare the columns of Madelon with those of a random forest."""
    rows: dict[str, list[float]] = {}
    for seed, parts in enumerate(splits("madelon", folder, n_seeds)):
        X_train, X_test, y_train, y_test = parts
        forest = RandomForestClassifier(500, random_state=seed, n_jobs=-1).fit(X_train, y_train)
        columns = {
            "EntryPrune": EntryPruneClassifier(20, random_state=seed)
            .fit(X_train, y_train)
            .selected_indices_,
            "random forest": np.argsort(-forest.feature_importances_)[:20],
        }
        rows.setdefault("random forest on all 500", []).append(forest.score(X_test, y_test))
        for name, chosen in columns.items():
            scaler = StandardScaler().fit(X_train[:, chosen])
            train, test = (scaler.transform(some[:, chosen]) for some in (X_train, X_test))
            for learner in (SVC(), KNeighborsClassifier(5), RandomForestClassifier(500, n_jobs=-1)):
                score = learner.fit(train, y_train).score(test, y_test)
                rows.setdefault(f"columns of {name}, {type(learner).__name__}", []).append(score)
    for name, scores in rows.items():
        print(f"Madelon, K = 20, {name}: {100 * statistics.fmean(scores):.1f} %")


def predictions(n_seeds: int, folder: Path | None) -> None:
    """Compare the accuracy of `predict` with that of the published algorithm's network."""
    for name in PREDICTED:
        # A split of a small set leaves a dozen samples to test with.
        is_small = len(load_dataset(name, folder=folder).y) < SMALL
        n_splits = n_seeds * (5 if is_small else 1)
        scores: dict[str, list[float]] = {"exchange": [], "paper": []}
        for seed, (X_train, X_test, y_train, y_test) in enumerate(splits(name, folder, n_splits)):
            k = min(25, X_train.shape[1] // 3)
            for preset, found in scores.items():
                selector = EntryPruneClassifier(k, preset=preset, random_state=seed)
                found.append(100 * selector.fit(X_train, y_train).score(X_test, y_test))
        means = ", ".join(f"{preset} {statistics.fmean(x):.1f}" for preset, x in scores.items())
        print(f"predictions, {name}, K = {k}, {n_splits} splits: {means} %")


def splits(name: str, folder: Path | None, n_seeds: int):
    """Yield stratified splits of a data set, 20 % held out."""
    dataset = load_dataset(name, folder=folder)
    for seed in range(n_seeds):
        yield train_test_split(
            dataset.X, dataset.y, test_size=0.2, random_state=seed, stratify=dataset.y
        )


CLAIMS: dict[str, tuple[Callable[[int, Path | None], None], int]] = {
    "noise": (noise, 100),
    "many": (many, 10),
    "friedman": (friedman, 10),
    "madelon": (madelon, 3),
    "predictions": (predictions, 5),
}
NEED_DATA = ("madelon", "predictions")


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("claims", nargs="*", choices=[[], *CLAIMS], help="all if none is named")
    parser.add_argument("--data", type=Path, help="folder of data sets")
    parser.add_argument("--seeds", type=int, help="tables or splits; else as many as was claimed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", NothingLearnedWarning)
    for name in arguments.claims or CLAIMS:
        if name in NEED_DATA and arguments.data is None:
            print(f"{name}: left out; --data FOLDER names the folder of data sets")
            continue
        measure, n_seeds = CLAIMS[name]
        measure(arguments.seeds or n_seeds, arguments.data)


if __name__ == "__main__":
    main()
