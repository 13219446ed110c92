"""Does n_features_to_select="auto" find a good number of features, and what does it cost?

    python benchmarks/how_many.py --data FOLDER            # ten sets that were not looked at
    python benchmarks/how_many.py --splits 2 digits colon  # others

Each set is split into a part to select from and a part to test on. On the first, "auto" chooses K; on
the second, every K that it tried is scored by what an SVM, a nearest neighbour and logistic regression
reach with the selected features. Printed are, as means over the splits, the best K with its accuracy
and the standard error of that (of one test part), the chosen K with its accuracy, whether it lies
within one standard error, and the CPU seconds of "auto" relative to a fit at the largest K.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from entryprune import EntryPruneClassifier
from entryprune.data import load_dataset

# Not used while the rule was chosen.
SETS = (
    "prostate_ge", "shipp", "nakayama", "gordon", "orlraws10p", "warpar10p", "coil20", "har_735",
    "isolet_3119", "usps",
)  # fmt: skip
# Long sets are tested on half, and learned from so many at the most.
SMALL, MOST = 400, 3000


def accuracy(mine, y_mine, theirs, y_theirs) -> float:
    scaler = MinMaxScaler().fit(mine)
    mine, theirs = scaler.transform(mine), scaler.transform(theirs)
    learners = (SVC(), KNeighborsClassifier(1), LogisticRegression(max_iter=300))
    return float(np.mean([one.fit(mine, y_mine).score(theirs, y_theirs) for one in learners]))


def one_split(X, y, seed: int):
    size = 0.3 if len(y) < SMALL else 0.5
    parts = train_test_split(X, y, test_size=size, random_state=seed, stratify=y)
    mine, theirs, y_mine, y_theirs = parts
    mine, y_mine = mine[:MOST], y_mine[:MOST]
    seconds = []
    fitted = []
    for n_features in (min(100, X.shape[1]), "auto"):
        start = time.process_time()
        fitted.append(EntryPruneClassifier(n_features, random_state=seed).fit(mine, y_mine))
        seconds.append(time.process_time() - start)
    largest, auto = fitted
    ks = auto.k_curve_["k"]
    order = largest.selected_indices_
    by_k = [accuracy(mine[:, order[:k]], y_mine, theirs[:, order[:k]], y_theirs) for k in ks]
    chosen = auto.selected_indices_
    reached = accuracy(mine[:, chosen], y_mine, theirs[:, chosen], y_theirs)
    return ks, by_k, len(chosen), reached, seconds[1] / seconds[0], len(y_theirs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--splits", type=int, default=5)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    print("| data set | best K | its accuracy | auto K | its accuracy | within | cost |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    n_within, costs = 0, []
    for name in asked.sets:
        data = load_dataset(name, folder=asked.data)
        rows = [one_split(data.X, data.y, 500 + seed) for seed in range(asked.splits)]
        ks, curves, chosen, reached, cost, n_test = zip(*rows, strict=True)
        mean = np.mean(curves, axis=0)
        best = float(mean.max())
        error = np.sqrt(best * (1 - best) / n_test[0])
        is_within = np.mean(reached) >= best - error
        n_within += bool(is_within)
        costs.append(np.mean(cost))
        print(
            f"| {data.title} | {ks[0][mean.argmax()]} | {100 * best:.1f} ± {100 * error:.1f} | "
            f"{', '.join(map(str, sorted(chosen)))} | {100 * np.mean(reached):.1f} | "
            f"{'yes' if is_within else 'no'} | {costs[-1]:.2f} |",
            flush=True,
        )
    print(
        f"\nwithin one standard error: {n_within} of {len(asked.sets)}; cost at most {max(costs):.2f}"
    )


if __name__ == "__main__":
    main()
