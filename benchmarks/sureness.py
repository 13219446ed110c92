"""How far `StabilitySelector` can be trusted, and what it costs.

    python benchmarks/sureness.py cost                        # 100 half samples of ARCENE's shape
    python benchmarks/sureness.py bound --store bound.jsonl   # goes on where it was stopped
    python benchmarks/sureness.py bound --store bound.jsonl --shapes 100x2000 --repeats 20
    python benchmarks/sureness.py bound --store bound.jsonl --methods boruta --repeats 5
    python benchmarks/sureness.py bound --store bound.jsonl --show
    python benchmarks/sureness.py stable --data FOLDER --store stable.jsonl

- cost: time of 100 fits on half samples, with shadows, 50 features each.
- bound: tables whose truth is known, with columns that are alike in blocks of ten, and tables of
  noise: how many false features are confirmed beside how many are said to be expected at most, and
  how many true ones are found; with Stabl's rule on the same frequencies, and with Boruta.
- stable: how alike the selections of two disjoint halves of a data set are, and how well they do.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from entryprune import EntryPruneClassifier, NothingLearnedWarning, StabilitySelector
from entryprune.baselines import make_selector
from entryprune.confidence.bounds import false_proportions

SHAPES = ("100x2000", "500x2000", "100x20000", "500x20000")
BLOCK, ALIKE = 10, 0.5  # columns of a block, and the correlation of two of them
N_TRUE, STRENGTH = 5, 2.0
OFTEN = 0.3  # frequencies from here on are kept


# -- what it costs ------------------------------------------------------------------------------


def cost(arguments: argparse.Namespace) -> None:
    """Say how long 100 fits on half samples take, and how much of that the processors worked."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10_000)).astype(np.float32)
    y = (X[:, :5].sum(axis=1) + rng.normal(size=200) > 0).astype(int)
    selector = StabilitySelector(
        n_features_per_fit=50, n_pairs=50, n_jobs=arguments.jobs, random_state=0
    )
    start, before = time.perf_counter(), cpu_seconds()
    selector.fit(X, y)
    print(
        f"100 half samples of 200 x 10,000 with shadows, 50 features each, n_jobs={arguments.jobs}: "
        f"{time.perf_counter() - start:.0f} s"
    )
    # Workers are counted when they have ended.
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)
    print(f"CPU: {cpu_seconds() - before:.0f} s, with the start of the workers")


def cpu_seconds() -> float:
    """Return what this process and those that it started have worked so far."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    uses = [resource.getrusage(kind) for kind in kinds]
    return sum(one.ru_utime + one.ru_stime for one in uses)


# -- false and true ones ------------------------------------------------------------------------


def make_table(n: int, p: int, kind: str, repeat: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return a table with columns alike in blocks, two classes, and the columns that matter."""
    rng = np.random.default_rng([n, p, repeat])
    common = np.repeat(rng.normal(size=(n, p // BLOCK)), BLOCK, axis=1)
    X = np.sqrt(ALIKE) * common + np.sqrt(1 - ALIKE) * rng.normal(size=(n, p))
    if kind == "noise":
        return X.astype(np.float32), rng.permutation(np.arange(n) % 2), []
    # One of each of five blocks, with signs of their own.
    true = rng.choice(p // BLOCK, N_TRUE, replace=False) * BLOCK + rng.integers(BLOCK, size=N_TRUE)
    effect = X[:, true] @ rng.choice([-1.0, 1.0], size=N_TRUE)
    noise = rng.logistic(size=n)
    return X.astype(np.float32), (STRENGTH * effect + noise > 0).astype(int), sorted(true.tolist())


def by_stability(X: np.ndarray, y: np.ndarray, n_pairs: int, seed: int) -> dict[str, Any]:
    """Return what is confirmed, what is promised, and what Stabl's rule would take."""
    selector = StabilitySelector(n_pairs=n_pairs, random_state=seed).fit(X, y)
    frequencies, shadows = selector.frequencies_, selector.shadow_frequencies_
    thresholds, shares = false_proportions(frequencies, shadows)
    stabl = []
    if len(shares) and shares.min() <= 1:
        stabl = np.flatnonzero(frequencies >= thresholds[shares.argmin()]).tolist()
    return {
        "per_fit": selector.n_features_per_fit_,
        "bound": selector.expected_false_,
        "confirmed": np.flatnonzero(selector.verdicts_ == "confirmed").tolist(),
        "tentative": np.flatnonzero(selector.verdicts_ == "tentative").tolist(),
        "stabl": stabl,
        "groups": [[one.features, one.verdict] for one in selector.groups_],
        "often": {int(i): frequencies[i] for i in np.flatnonzero(frequencies >= OFTEN)},
        "luckiest_shadow": shadows.max(),
        "agreement": selector.agreement_.stability,
    }


def by_boruta(X: np.ndarray, y: np.ndarray, n_pairs: int, seed: int) -> dict[str, Any]:
    """Return what Boruta confirms."""
    del n_pairs
    boruta = make_selector("boruta", 1, random_state=seed).fit(X, y)
    return {"confirmed": np.flatnonzero(boruta.confirmed_).tolist()}


METHODS: dict[str, Callable[..., dict[str, Any]]] = {"stability": by_stability, "boruta": by_boruta}


def bound(arguments: argparse.Namespace) -> None:
    """Run what is not in the store yet, and show what is."""
    if not arguments.show:
        known = {case_of(row) for row in rows(arguments.store)}
        cases = [
            (*map(int, shape.split("x")), kind, method, arguments.pairs, repeat)
            for repeat in range(arguments.repeats)
            for shape in arguments.shapes.split(",")
            for method in arguments.methods.split(",")
            for kind in ("noise", "truth")
        ]
        cases = [case for case in cases if case not in known]
        run = Parallel(arguments.jobs, return_as="generator_unordered")
        for row in run(delayed(one_table)(*case) for case in cases):
            with arguments.store.open("a") as store:
                store.write(json.dumps(row) + "\n")
    show_bound(rows(arguments.store))


def case_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what makes a case of the study."""
    return tuple(row[name] for name in ("n", "p", "kind", "method", "pairs", "repeat"))


def one_table(n: int, p: int, kind: str, method: str, pairs: int, repeat: int) -> dict[str, Any]:
    """Run a method on a table."""
    warnings.simplefilter("ignore", NothingLearnedWarning)
    X, y, true = make_table(n, p, kind, repeat)
    start = time.process_time()
    found = METHODS[method](X, y, pairs, repeat)
    case = {"n": n, "p": p, "kind": kind, "method": method, "pairs": pairs, "repeat": repeat}
    return {**case, "true": true, **found, "cpu_seconds": time.process_time() - start}


def rows(store: Path) -> Iterator[dict[str, Any]]:
    """Yield what was measured."""
    if store.exists():
        yield from map(json.loads, store.read_text().splitlines())


def show_bound(found: Iterator[dict[str, Any]]) -> None:
    """Print a row for each kind of table and each rule."""
    cells: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in found:
        rules = [("confirmed", row["method"])]
        if row["method"] == "stability":
            rules = [("confirmed", "confirmed"), ("groups", "groups"), ("stabl", "Stabl's rule")]
        for rule, name in rules:
            key = (row["n"], row["p"], row["pairs"], row["kind"], name)
            cells.setdefault(key, []).append(judged(row, rule))
    print("| samples x features | pairs | tables | rule | features | any in | true, of 5 |", end="")
    print(" false | of other blocks | bound | CPU s |")
    print("| --- " * 11 + "|")
    for (n, p, pairs, kind, name), ones in sorted(cells.items()):

        def mean(key: str, digits: int = 2, ones: list[dict[str, Any]] = ones) -> str:
            known = [one[key] for one in ones if one[key] is not None]
            return f"{np.mean(known):.{digits}f}" if known else ""

        print(
            f"| {n} x {p:,} | {pairs} | {len(ones)} of {kind} | {name} | {mean('n')} "
            f"| {sum(one['n'] > 0 for one in ones)} | {mean('true') if kind == 'truth' else ''} "
            f"| {mean('false')} | {mean('far')} | {mean('bound')} | {mean('cpu_seconds', 0)} |"
        )


def judged(row: dict[str, Any], rule: str) -> dict[str, Any]:
    """Count what a rule took: true features, others, and others of blocks without a true one."""
    true, blocks = set(row["true"]), {column // BLOCK for column in row["true"]}
    if rule == "groups":  # as good as their members, if confirmed
        groups = [set(members) for members, verdict in row["groups"] if verdict == "confirmed"]
        hits = [bool(one & true) for one in groups]
        far = [not any(column // BLOCK in blocks for column in one) for one in groups]
        n, n_true, n_far = len(groups), sum(hits), sum(far)
    else:
        taken = set(row[rule])
        n, n_true = len(taken), len(taken & true)
        n_far = sum(column // BLOCK not in blocks for column in taken)
    promised = row.get("bound") if rule == "confirmed" else None
    cpu = row["cpu_seconds"] if rule == "confirmed" else None
    return {
        "n": n, "true": n_true, "false": n - n_true, "far": n_far, "bound": promised,
        "cpu_seconds": cpu,
    }  # fmt: skip


# -- how stable ---------------------------------------------------------------------------------


def stable(arguments: argparse.Namespace) -> None:
    """Not there yet."""
    del arguments, EntryPruneClassifier


def main() -> None:
    """Run the study that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", choices=("cost", "bound", "stable"))
    parser.add_argument("--jobs", type=int, default=2, help="at once")
    parser.add_argument("--store", type=Path, default=Path("sureness.jsonl"))
    parser.add_argument("--shapes", default=",".join(SHAPES), help="samples x features")
    parser.add_argument("--methods", default="stability", help="stability,boruta")
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--data", type=Path, help="folder of data sets")
    parser.add_argument("--show", action="store_true", help="only show what is in the store")
    arguments = parser.parse_args()
    {"cost": cost, "bound": bound, "stable": stable}[arguments.study](arguments)


if __name__ == "__main__":
    main()
