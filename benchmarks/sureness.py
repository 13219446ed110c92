"""How far `StabilitySelector` can be trusted, and what it costs.

    python benchmarks/sureness.py cost                        # 100 half samples of ARCENE's shape
    python benchmarks/sureness.py bound --store bound.jsonl   # goes on where it was stopped
    python benchmarks/sureness.py bound --store bound.jsonl --shapes 100x2000 --repeats 20
    python benchmarks/sureness.py bound --store bound.jsonl --methods boruta --repeats 5
    python benchmarks/sureness.py bound --store bound.jsonl --per-fit 45 --repeats 5
    python benchmarks/sureness.py bound --store bound.jsonl --show
    python benchmarks/sureness.py stable --data FOLDER --store stable.jsonl --pairs 25

- cost: time of 100 fits on half samples, with shadows, 50 features each.
- bound: tables whose truth is known, with columns that are alike in blocks of ten, and tables of
  noise: how many false features are confirmed beside how many are said to be expected at most, and
  how many true ones are found; with Stabl's rule on the same frequencies, Boruta, and a
  t-test of each feature.
- stable: how alike the selections of 50 features on several splits of a data set are, and how well
  they do: of one fit, of `StabilitySelector(50)`, of other rules on the same half samples, and of
  LassoNet.
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
from scipy.stats import ttest_ind
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from entryprune import EntryPruneClassifier, NothingLearnedWarning, StabilitySelector
from entryprune.baselines import make_selector
from entryprune.confidence.agreement import agreement
from entryprune.confidence.alike import correlations
from entryprune.confidence.verdicts import false_proportions
from entryprune.data import load_dataset

SHAPES = ("100x2000", "500x2000", "100x20000", "500x20000")
BLOCK, ALIKE = 10, 0.5  # columns of a block, and the correlation of two of them
N_TRUE, STRENGTH = 5, 2.0
CASE = ("n", "p", "kind", "method", "pairs", "asked", "repeat")
ALARMS = 0.01  # tables of noise in which anything may be taken
OFTEN = 0.3  # frequencies from here on are kept
# Where rules for exactly K features were decided on; other sets tell whether that holds.
DECIDED, K, MOST_SAMPLES = ("colon", "lymphoma", "yale", "glioma"), 50, 12_000


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
        f"100 half samples of 200 x 10,000 with shadows, 50 features each, "
        f"n_jobs={arguments.jobs}: {time.perf_counter() - start:.0f} s"
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


def by_stability(
    X: np.ndarray, y: np.ndarray, n_pairs: int, asked: str, seed: int
) -> dict[str, Any]:
    """Return what is confirmed, what is promised, and what Stabl's rule would take."""
    per_fit: int | str = asked if asked == "auto" else int(asked)
    selector = StabilitySelector(
        n_features_per_fit=per_fit, n_pairs=n_pairs, random_state=seed
    ).fit(X, y)
    frequencies, shadows = selector.frequencies_, selector.shadow_frequencies_
    thresholds, shares = false_proportions(frequencies, shadows)
    stabl = []
    if len(shares) and shares.min() <= 1:
        stabl = np.flatnonzero(frequencies >= thresholds[shares.argmin()]).tolist()
    return {
        "per_fit": selector.n_features_per_fit_,
        "bound": selector.expected_false_,
        "noise_limit": selector.noise_limit_,
        "confirmed": np.flatnonzero(selector.verdicts_ == "confirmed").tolist(),
        "tentative": np.flatnonzero(selector.verdicts_ == "tentative").tolist(),
        "stabl": stabl,
        "groups": [[one.features, one.verdict] for one in selector.groups_],
        "often": {int(i): frequencies[i] for i in np.flatnonzero(frequencies >= OFTEN)},
        "luckiest_shadow": shadows.max(),
        "agreement": selector.agreement_.stability,
    }


def by_boruta(X: np.ndarray, y: np.ndarray, n_pairs: int, asked: str, seed: int) -> dict[str, Any]:
    """Return what Boruta confirms."""
    del n_pairs, asked
    boruta = make_selector("boruta", 1, random_state=seed).fit(X, y)
    return {"confirmed": np.flatnonzero(boruta.confirmed_).tolist()}


def by_t_test(X: np.ndarray, y: np.ndarray, n_pairs: int, asked: str, seed: int) -> dict[str, Any]:
    """Return what differs between the classes in one of a hundred tables of noise (Bonferroni)."""
    del n_pairs, asked, seed
    p_values = ttest_ind(X[y == 0], X[y == 1]).pvalue
    return {"confirmed": np.flatnonzero(p_values * X.shape[1] <= ALARMS).tolist()}


METHODS: dict[str, Callable[..., dict[str, Any]]] = {
    "stability": by_stability,
    "boruta": by_boruta,
    "t-test": by_t_test,
}


def bound(arguments: argparse.Namespace) -> None:
    """Run what is not in the store yet, and show what is."""
    if not arguments.show:
        known = {case_of(row) for row in rows(arguments.store)}
        cases = [
            (
                *map(int, shape.split("x")),
                *(kind, method, arguments.pairs, arguments.per_fit, repeat),
            )
            for repeat in range(arguments.first, arguments.first + arguments.repeats)
            for shape in arguments.shapes.split(",")
            for method in arguments.methods.split(",")
            for kind in arguments.kinds.split(",")
        ]
        cases = [case for case in cases if case not in known]
        run = Parallel(arguments.jobs, return_as="generator_unordered")
        for row in run(delayed(one_table)(*case) for case in cases):
            with arguments.store.open("a") as store:
                store.write(json.dumps(row) + "\n")
    show_bound(rows(arguments.store))


def case_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what makes a case of the study."""
    return tuple(row[name] for name in CASE)


def one_table(*case: Any) -> dict[str, Any]:
    """Run a method on a table."""
    warnings.simplefilter("ignore", NothingLearnedWarning)
    n, p, kind, method, pairs, asked, repeat = case
    X, y, true = make_table(n, p, kind, repeat)
    start = time.process_time()
    found = METHODS[method](X, y, pairs, asked, repeat)
    named = dict(zip(CASE, case, strict=True))
    return {**named, "true": true, **found, "cpu_seconds": time.process_time() - start}


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
            key = (row["n"], row["p"], row["pairs"], row["asked"], row["kind"], name)
            cells.setdefault(key, []).append(judged(row, rule))
    print("| samples x features | pairs | tables | rule | counted in each fit |", end="")
    print(" features | any in | true, of 5 | false | of other blocks | bound | CPU s |")
    print("| --- " * 12 + "|")
    for (n, p, pairs, asked, kind, name), ones in sorted(cells.items()):

        def mean(key: str, digits: int = 2, ones: list[dict[str, Any]] = ones) -> str:
            known = [one[key] for one in ones if one[key] is not None]
            return f"{np.mean(known):.{digits}f}" if known else ""

        size = mean("per_fit", 1)
        counted = f"auto ({size})" if size and asked == "auto" else size and asked
        print(
            f"| {n} x {p:,} | {pairs} | {len(ones)} of {kind} | {name} "
            f"| {counted} "
            f"| {mean('n')} "
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
        "per_fit": row.get("per_fit"), "cpu_seconds": cpu,
    }  # fmt: skip


# -- how stable ---------------------------------------------------------------------------------


def stable(arguments: argparse.Namespace) -> None:
    """Select on several splits of each data set, and show what the selections share."""
    done = {(row["data"], row["run"], row["pairs"], row["rule"]) for row in rows(arguments.store)}
    names = [] if arguments.show else arguments.sets.split(",")
    for run in range(arguments.first, arguments.first + arguments.runs):
        for name in names:
            for kind, rules in (("half samples", RULES), ("lassonet", ("lassonet",))):
                asked = [rule for rule in rules if rule in arguments.rules.split(",")]
                if all((name, run, arguments.pairs, rule) in done for rule in asked):
                    continue
                found = one_split(name, run, kind, asked, arguments)
                with arguments.store.open("a") as store:
                    store.writelines(json.dumps(row) + "\n" for row in found)
    show_stable(rows(arguments.store))


def one_split(
    name: str, run: int, kind: str, rules: list[str], arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Return what each rule selects from three quarters of the samples, and how well that does."""
    data = load_dataset(name, arguments.data)
    n_all = min(len(data.y), MOST_SAMPLES)
    split = 0 if arguments.same_samples else run
    kept = np.random.default_rng(split).permutation(len(data.y))[:n_all]
    X, X_test, y, y_test = train_test_split(
        data.X[kept], data.y[kept], test_size=0.25, random_state=split, stratify=data.y[kept]
    )
    if kind == "lassonet":
        chosen = {"lassonet": make_selector("lassonet", K, random_state=run).fit(X, y)}
        taken = {rule: one.selected_indices_ for rule, one in chosen.items()}
    else:
        selector = StabilitySelector(
            K, n_pairs=arguments.pairs, n_jobs=arguments.jobs, random_state=run
        ).fit(X, y)
        taken = {rule: RULES[rule](selector, X, y, run) for rule in rules}
    return [
        {
            "data": name,
            "run": run,
            "pairs": arguments.pairs,
            "rule": rule,
            "n_features": X.shape[1],
            "selected": sorted(map(int, columns)),
            "accuracy": accuracy(X, X_test, y, y_test, columns),
        }
        for rule, columns in taken.items()
    ]


def accuracy(X: Any, X_test: Any, y: Any, y_test: Any, columns: Any) -> float:
    """Return the mean accuracy of three learners, in percent."""
    scaler = MinMaxScaler().fit(X[:, columns])
    train, test = scaler.transform(X[:, columns]), scaler.transform(X_test[:, columns])
    learners = (SVC(), KNeighborsClassifier(1), LogisticRegression(max_iter=1000))
    return float(100 * np.mean([one.fit(train, y).score(test, y_test) for one in learners]))


def single(selector: StabilitySelector, X: Any, y: Any, seed: int) -> Any:
    """Return what one fit on all samples selects."""
    del selector
    return EntryPruneClassifier(K, random_state=seed)._choose(X, y)


def as_it_is(selector: StabilitySelector, X: Any, y: Any, seed: int) -> Any:
    """Return what `StabilitySelector` selects."""
    del X, y, seed
    return selector.selected_indices_


def most_frequent(selector: StabilitySelector, X: Any, y: Any, seed: int) -> Any:
    """Return the features that are selected most often."""
    del X, y, seed
    return np.argsort(-selector.frequencies_, kind="stable")[:K]


def grown_from(n_times: float) -> Callable[..., Any]:
    """Let one fit on all samples choose among the most frequent features, so many times K."""

    def rule(selector: StabilitySelector, X: Any, y: Any, seed: int) -> Any:
        often = np.argsort(-selector.frequencies_, kind="stable")[: int(n_times * K)]
        return often[EntryPruneClassifier(K, random_state=seed)._choose(X[:, often], y)]

    return rule


def covering(noise: float, power: float = 1.0) -> Callable[..., Any]:
    """Take the feature from which most of all that was selected can be told, again and again.

    Each counts as often as it was selected; `noise` is allowed for in each one's own variance.
    """

    def rule(selector: StabilitySelector, X: Any, y: Any, seed: int) -> Any:
        del y, seed
        often = np.argsort(-selector.frequencies_, kind="stable")[:2000]
        left, taken = correlations(X[:, often]), []
        for _ in range(K):
            variances = left.diagonal() + noise
            gains = selector.frequencies_[often] ** power @ left**2 / variances
            gains[taken] = -np.inf
            taken.append(int(gains.argmax()))
            best = left[taken[-1]].copy()
            left -= np.outer(best, best) / (best[taken[-1]] + noise)
        return often[taken]

    return rule


def distinct(noise: float) -> Callable[..., Any]:
    """Weigh how often a feature was selected by what those before leave unexplained of it."""

    def rule(selector: StabilitySelector, X: Any, y: Any, seed: int) -> Any:
        del y, seed
        often = np.argsort(-selector.frequencies_, kind="stable")[:2000]
        left, taken = correlations(X[:, often]), []
        for _ in range(K):
            gains = selector.frequencies_[often] * left.diagonal()
            gains[taken] = -np.inf
            taken.append(int(gains.argmax()))
            best = left[taken[-1]].copy()
            left -= np.outer(best, best) / (best[taken[-1]] + noise)
        return often[taken]

    return rule


RULES: dict[str, Callable[..., Any]] = {
    "single": single,
    "stability": as_it_is,
    "most-frequent": most_frequent,
    "grown-1.5": grown_from(1.5),
    "grown-2": grown_from(2),
    "grown-4": grown_from(4),
    "covering-0.1": covering(0.1),
    "covering-0.3": covering(0.3),
    "covering-1": covering(1.0),
    "covering-3": covering(3.0),
    "covering-10": covering(10.0),
    "covering-squared": covering(0.3, 2.0),
    **{f"distinct-{noise:g}": distinct(noise) for noise in (0.3, 1.0, 3.0)},
}


def show_stable(found: Iterator[dict[str, Any]]) -> None:
    """Print what the selections of each rule share, and how well they do."""
    cells: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in found:
        cells.setdefault((row["data"], row["pairs"], row["rule"]), []).append(row)
    print("| data | pairs | rule | runs | Nogueira | Jaccard | accuracy | SE |")
    print("| --- " * 8 + "|")
    for (name, pairs, rule), ones in sorted(cells.items()):
        shared = agreement([np.array(one["selected"]) for one in ones], ones[0]["n_features"])
        scores = [one["accuracy"] for one in ones]
        error = np.std(scores, ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else np.nan
        stability, jaccard = shared.stability or np.nan, shared.jaccard or np.nan
        print(
            f"| {name} | {pairs} | {rule} | {len(ones)} | {stability:.2f} | {jaccard:.2f} "
            f"| {np.mean(scores):.1f} | {error:.1f} |"
        )
    means: dict[str, list[tuple[float, float]]] = {}
    for (name, pairs, rule), ones in cells.items():
        base = {one["run"]: one["accuracy"] for one in cells.get((name, pairs, "single"), [])}
        shared = agreement([np.array(one["selected"]) for one in ones], ones[0]["n_features"])
        gains = [one["accuracy"] - base[one["run"]] for one in ones if one["run"] in base]
        if gains and shared.jaccard is not None:
            means.setdefault(rule, []).append((float(np.mean(gains)), shared.jaccard))
    print("\n| rule | sets | accuracy less that of one fit | SE over sets | Jaccard |")
    print("| --- " * 5 + "|")
    for rule, values in means.items():
        gains, shared_ = np.array(values).T
        error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.nan
        print(
            f"| {rule} | {len(gains)} | {gains.mean():+.1f} | {error:.1f} | {shared_.mean():.2f} |"
        )


def main() -> None:
    """Run the study that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", choices=("cost", "bound", "stable"))
    parser.add_argument("--jobs", type=int, default=2, help="at once")
    parser.add_argument("--store", type=Path, default=Path("sureness.jsonl"))
    parser.add_argument("--shapes", default=",".join(SHAPES), help="samples x features")
    parser.add_argument("--methods", default="stability", help="stability,boruta,t-test")
    parser.add_argument("--kinds", default="noise,truth", help="tables of 'bound'")
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--per-fit", default="auto", help="features that count in each fit")
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--data", type=Path, help="folder of data sets")
    parser.add_argument("--sets", default=",".join(DECIDED), help="data sets of 'stable'")
    parser.add_argument("--rules", default=",".join((*RULES, "lassonet")))
    parser.add_argument(
        "--first", type=int, default=0, help="the first table, or split of 'stable'"
    )
    parser.add_argument("--runs", type=int, default=4, help="splits of 'stable'")
    parser.add_argument(
        "--same-samples", action="store_true", help="runs of 'stable' differ by their seed only"
    )
    parser.add_argument("--show", action="store_true", help="only show what is in the store")
    arguments = parser.parse_args()
    {"cost": cost, "bound": bound, "stable": stable}[arguments.study](arguments)


if __name__ == "__main__":
    main()
