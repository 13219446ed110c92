"""How fast methods are on wide tables, and how far filters and RFS from their bare arithmetic.

    python benchmarks/baselines.py [--data FOLDER]

CIFE, ICAP and mRMR take 100 features of a table of ARCENE's shape, RFS 50 of one of GLA-BRA-180's,
and mRMR FCQ, the permuted forest, SAND and Sequential Attention 50 of 20,000 with 100 cases. Each
is to take less than a minute. The tables are made up, for only the shape matters; with a folder of
data sets ARCENE itself is timed too.

A pass of CIFE, ICAP or mRMR over all features, once for each selected one, is compared with the
least that contingency tables need when they are counted as matrix products of indicators; an
iteration of RFS with the product X diag(w) X' that it cannot do without. The two are measured in
turns, and the median of the rounds' ratios is taken.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

import numpy as np
from machine import announce
from rich.console import Console
from rich.table import Table

from entryprune.baselines import make_selector
from entryprune.baselines.information import Information, discretise
from entryprune.baselines.linear import minimise
from entryprune.data import load_dataset

LIMIT = 60.0
RECENT = ("mrmr-fcq", "forest-permutation", "sand", "sequential-attention")
N_BINS = 5


def make_table(n_cases: int, n_features: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Make features that go together in groups, as genes do, some of which tell the class."""
    rng = np.random.default_rng(0)
    y = np.arange(n_cases) % n_classes
    factors = rng.normal(size=(n_cases, 20)) + np.eye(n_classes)[y] @ rng.normal(
        size=(n_classes, 20)
    )
    X = factors @ rng.normal(size=(20, n_features)) + 4.0 * rng.normal(size=(n_cases, n_features))
    return X.astype(np.float32), y


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def selection_seconds(name: str, k: int, X: np.ndarray, y: np.ndarray) -> float:
    selector = make_selector(name, k)
    return seconds(lambda: selector.fit(X, y))


def compare(ours: Callable[[], object], bare: Callable[[], object], n_rounds: int) -> list[float]:
    """Return the medians of both in seconds, and of their ratio."""
    rounds = [(seconds(ours), seconds(bare)) for _ in range(n_rounds + 1)][1:]
    medians = [statistics.median(times) for times in zip(*rounds, strict=True)]
    return [*medians, statistics.median(one / other for one, other in rounds)]


def compare_pass(X: np.ndarray, y: np.ndarray, n_rounds: int) -> list[float]:
    symbols = discretise(X, N_BINS)
    information = Information(symbols, y)
    indicators = (symbols[:, np.newaxis] == np.arange(N_BINS)[:, np.newaxis]).astype(np.float32)
    indicators = indicators.reshape(-1, symbols.shape[1])
    joint = symbols[0].astype(np.intp) * (y.max() + 1) + y
    selected = np.eye(N_BINS * (y.max() + 1), dtype=np.float32)[joint]
    counts = np.empty((len(indicators), selected.shape[1]), dtype=np.float32)
    return compare(
        lambda: information.shared_with(0),
        lambda: np.matmul(indicators, selected, out=counts),
        n_rounds,
    )


def compare_iteration(X: np.ndarray, y: np.ndarray, n_rounds: int) -> list[float]:
    X = X.astype(np.float64)
    Y = np.eye(y.max() + 1)[y]
    gram = np.empty((len(X), len(X)))
    n_iterations = 5

    def bare() -> None:
        for _ in range(n_iterations):
            np.matmul(X, X.T, out=gram)

    return compare(lambda: minimise(X, Y, 10.0, max_iter=n_iterations, tol=0.0), bare, n_rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("ENTRYPRUNE_DATA"))
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    console = Console(width=110)
    announce(console, f"{os.cpu_count()} cores", f"numpy {np.__version__}")
    wide, wider = make_table(200, 10_000, 2), make_table(144, 49_151, 4)
    tables = {"200 x 10,000": wide}
    if options.data:
        arcene = load_dataset("arcene", options.data)
        tables["ARCENE"] = (arcene.X, arcene.y)
    whole = Table("method", "table", "K", "seconds", title="A whole selection")
    jobs = [(n, t, 100, *tables[t]) for t in tables for n in ("cife", "icap", "mrmr")]
    jobs.append(("rfs", "144 x 49,151", 50, *wider))
    jobs += [(name, "100 x 20,000", 50, *make_table(100, 20_000, 2)) for name in RECENT]
    for name, title, k, X, y in jobs:
        took = selection_seconds(name, k, X, y)
        kept = "kept" if took < LIMIT else "MISSED"
        whole.add_row(name, title, str(k), f"{took:.1f} (under {LIMIT:.0f}: {kept})")
    console.print(whole)

    parts = Table("part", "ours, ms", "bare products, ms", "ratio", title="Against bare products")
    for title, found in (
        ("CIFE, ICAP, mRMR: a pass", compare_pass(*wide, options.rounds)),
        ("RFS: five iterations", compare_iteration(*wider, options.rounds)),
    ):
        ours, bare, ratio = found
        parts.add_row(title, f"{1e3 * ours:.1f}", f"{1e3 * bare:.1f}", f"{ratio:.1f}")
    console.print(parts)


if __name__ == "__main__":
    main()
