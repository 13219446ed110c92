"""Does the published accuracy come back?

    python benchmarks/accuracy.py --data FOLDER [--methods entryprune flex] [--cases usps:50 ...]

FOLDER (or the variable ENTRYPRUNE_DATA) holds data sets as .npz files with X and y, and with X_test
and y_test where there is an official test part. The protocol is that of the paper: a fixed split
(80/20 with seed 42, or the official one), scaling fitted on training and test cases together (a
leak, kept only to compare with published figures), selection on the training cases, accuracy of an
SVM with scikit-learn's defaults on the test cases. Prints every run, then mean and SD beside the
published values.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from entryprune import EntryPruneClassifier

# Mean and SD of the accuracy in the paper's Appendix F, SVM.
PUBLISHED = {
    ("coil20", 50, "entryprune"): (99.58, 0.29),
    ("coil20", 50, "flex"): (99.51, 0.19),
    ("usps", 50, "entryprune"): (96.83, 0.17),
    ("usps", 50, "flex"): (97.06, 0.23),
    ("prostate_ge", 50, "entryprune"): (90.48, 0.0),
    ("prostate_ge", 50, "flex"): (89.52, 2.13),
    ("arcene", 50, "entryprune"): (72.50, 5.59),
    ("arcene", 50, "flex"): (76.00, 6.75),
    ("basehock", 50, "entryprune"): (86.47, 1.45),
    ("basehock", 50, "flex"): (84.56, 1.67),
    ("mnist", 25, "entryprune"): (93.04, 0.41),
    ("mnist", 25, "flex"): (93.10, 0.25),
}
DEFAULT_CASES = ["prostate_ge:50", "usps:50", "coil20:50"]


def load(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    with np.load(folder / f"{name}.npz") as file:
        if "X_test" in file:
            X_train, X_test = file["X"], file["X_test"]
            y_train, y_test = file["y"], file["y_test"]
        else:
            X_train, X_test, y_train, y_test = train_test_split(
                file["X"], file["y"], test_size=0.2, random_state=42
            )
    scaler = StandardScaler() if name == "basehock" else MinMaxScaler()
    scaler.fit(np.concatenate([X_train, X_test]).astype(np.float64))
    scaled = (scaler.transform(X.astype(np.float64)).astype(np.float32) for X in (X_train, X_test))
    return (*scaled, y_train, y_test)  # type: ignore[return-value]


def run(
    data: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], k: int, method: str, seed: int
) -> tuple[float, float, float, int]:
    """Return the SVM's and the network's accuracy in percent, the seconds and the rotations."""
    X_train, X_test, y_train, y_test = data
    selector = EntryPruneClassifier(k, flex=method == "flex", scale=None, random_state=seed)
    start = time.perf_counter()
    selector.fit(X_train, y_train)
    seconds = time.perf_counter() - start
    chosen = selector.support_
    svm = SVC().fit(X_train[:, chosen], y_train).score(X_test[:, chosen], y_test)
    return 100 * svm, 100 * selector.score(X_test, y_test), seconds, selector.n_rotations_


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("ENTRYPRUNE_DATA"))
    parser.add_argument("--cases", nargs="+", default=DEFAULT_CASES, metavar="SET:K")
    parser.add_argument("--methods", nargs="+", default=["entryprune", "flex"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    if options.data is None:
        parser.error("name the folder of the data sets with --data or ENTRYPRUNE_DATA")
    torch.set_num_threads(options.threads)
    for case in options.cases:
        name, k = case.split(":")[0], int(case.split(":")[1])
        data = load(Path(options.data), name)
        for method in options.methods:
            runs = [run(data, k, method, seed) for seed in range(options.seeds)]
            svm, network, seconds, rotations = (
                np.array(column) for column in zip(*runs, strict=True)
            )
            sd = svm.std(ddof=1) if len(svm) > 1 else float("nan")
            mean, published_sd = PUBLISHED.get((name, k, method), (float("nan"), float("nan")))
            print(f"{name} K={k} {method}: SVM {np.round(svm, 2).tolist()}")
            print(
                f"    mean {svm.mean():.2f} SD {sd:.2f}"
                f" | published {mean:.2f} SD {published_sd:.2f}"
                f" | own network {network.mean():.2f} | rotations {rotations.tolist()}"
                f" | seconds {seconds.mean():.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
