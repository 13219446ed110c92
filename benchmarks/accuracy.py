"""Does the published accuracy come back, and how long does each method take?

    python benchmarks/accuracy.py run --data FOLDER --store FILE [--methods ...] [--sets ...]
    python benchmarks/accuracy.py table --store FILE

FOLDER (or the variable ENTRYPRUNE_DATA) holds data sets as .npz files with X and y, and with X_test
and y_test where there is an official test part. The protocol is that of the paper: a fixed split
(80/20 with seed 42, or the official one), scaling fitted on training and test cases together (a
leak, kept only to compare with published figures), selection on the training cases, accuracy of an
SVM with scikit-learn's defaults on the test cases.

`run` starts a process per case, so that a time limit holds and no case sees what another one left
behind, and adds a line to FILE (JSON lines) for each that ends; what FILE has is not run again.
With --jobs 1 nothing else runs beside a case, and only then its time counts. `table` prints
Markdown: mean and SD over the seeds beside the published ones (benchmarks/published.csv), and the
seconds of a selection.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import statistics
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from entryprune.baselines import METHODS, get_method

PUBLISHED = Path(__file__).with_name("published.csv")
DEFAULT_SETS = ["prostate_ge", "arcene", "coil20", "usps", "basehock"]
TITLES = {
    "prostate_ge": "Prostate-GE",
    "arcene": "ARCENE",
    "coil20": "COIL-20",
    "usps": "USPS",
    "basehock": "BASEHOCK",
    "mnist": "MNIST",
}


@dataclass(frozen=True)
class Case:
    """One selection to make and to score."""

    dataset: str
    method: str
    k: int
    seed: int


@dataclass(frozen=True)
class Row:
    """What came of a case: an accuracy in percent, or why there is none."""

    case: Case
    accuracy: float | None = None
    seconds: float | None = None
    alone: bool = False
    threads: int = 1
    reason: str | None = None
    selected: list[int] = field(default_factory=list)


def load(folder: Path, name: str):
    """Return the scaled training and test cases and their classes."""
    import numpy as np
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    with np.load(folder / f"{name}.npz") as file:
        if "X_test" in file:
            parts = file["X"], file["X_test"], file["y"], file["y_test"]
        else:
            parts = train_test_split(file["X"], file["y"], test_size=0.2, random_state=42)
    X_train, X_test, y_train, y_test = parts
    scaler = StandardScaler() if name == "basehock" else MinMaxScaler()
    scaler.fit(np.concatenate([X_train, X_test]).astype(np.float64))
    X_train, X_test = (
        scaler.transform(X.astype(np.float64)).astype(np.float32) for X in (X_train, X_test)
    )
    return X_train, X_test, y_train, y_test


def select_and_score(case: Case, folder: Path, threads: int, answers) -> None:
    """Run in a process of its own; sends the row's figures to `answers`."""
    import torch
    from sklearn.svm import SVC

    from entryprune.baselines import RefusalError, make_selector

    torch.set_num_threads(threads)
    X_train, X_test, y_train, y_test = load(folder, case.dataset)
    selector = make_selector(case.method, case.k, random_state=case.seed)
    parameters = selector.get_params()
    if "scale" in parameters:
        selector.set_params(scale=None)
    if "n_jobs" in parameters:
        selector.set_params(n_jobs=threads)
    start = time.perf_counter()
    try:
        selector.fit(X_train, y_train)
    except RefusalError as refusal:
        answers.send({"reason": f"refused ({refusal.reason}): {refusal.message}"})
        return
    except Exception as error:
        answers.send({"reason": f"failed: {error!r}"})
        return
    seconds = time.perf_counter() - start
    chosen = selector.support_
    accuracy = SVC().fit(X_train[:, chosen], y_train).score(X_test[:, chosen], y_test)
    answers.send(
        {
            "accuracy": 100 * accuracy,
            "seconds": seconds,
            "selected": selector.selected_indices_.tolist(),
        }
    )


def run_case(case: Case, options: argparse.Namespace) -> Row:
    """Run a case in a process that is ended when its time is up."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=select_and_score, args=(case, options.data, options.threads, sender)
    )
    process.start()
    sender.close()
    try:
        if receiver.poll(options.limit):
            answer = receiver.recv()
        else:
            answer = {"reason": f"not finished after {options.limit:.0f} s"}
    except EOFError:
        answer = {"reason": "failed: the process died"}
    finally:
        process.kill()
        process.join()
    return Row(case, alone=options.jobs == 1, threads=options.threads, **answer)


def read(store: Path) -> list[Row]:
    if not store.exists():
        return []
    lines = [json.loads(line) for line in store.read_text().splitlines()]
    return [Row(**{**line, "case": Case(**line["case"])}) for line in lines]


def run(options: argparse.Namespace) -> None:
    done = {row.case for row in read(options.store)}
    cases = [
        Case(dataset, method, k, seed)
        for seed in range(options.first_seed, options.first_seed + options.seeds)
        for dataset in options.sets
        for method in options.methods
        for k in options.k
        # A method without randomness needs one run.
        if seed == 0 or get_method(method).is_random
    ]
    cases = [case for case in cases if case not in done]
    with ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda case: run_case(case, options), cases):
            with options.store.open("a") as file:
                file.write(json.dumps(asdict(row)) + "\n")
            case = row.case
            outcome = row.reason or f"{row.accuracy:.2f} % in {row.seconds:.1f} s"
            print(f"{case.dataset} K={case.k} {case.method} {case.seed}: {outcome}", flush=True)


def published() -> dict[tuple[str, str, int], tuple[float, float]]:
    """Return the published mean and SD of the SVM's accuracy."""
    with PUBLISHED.open(newline="") as file:
        return {
            (row["dataset"], row["method"], int(row["k"])): (
                float(row["mean"]),
                float(row["sd"] or "nan"),
            )
            for row in csv.DictReader(file)
            if row["learner"] == "SVM" and row["k"] != "all"
        }


def figures(rows: list[Row]) -> str:
    accuracies = [row.accuracy for row in rows if row.accuracy is not None]
    if not accuracies:
        return (rows[0].reason or "").split(":")[0]
    mean = statistics.fmean(accuracies)
    if len(accuracies) == 1:
        return f"{mean:.2f}"
    return f"{mean:.2f} ± {statistics.stdev(accuracies):.2f} ({len(accuracies)})"


def difference(rows: list[Row], known: tuple[float, float] | None) -> str:
    accuracies = [row.accuracy for row in rows if row.accuracy is not None]
    if known is None or not accuracies:
        return ""
    mean, sd = known
    gap = statistics.fmean(accuracies) - mean
    kept = abs(gap) <= max(2.0, 2 * sd)
    return f"{gap:+.2f}" if kept else f"**{gap:+.2f}**"


def duration(rows: list[Row]) -> str:
    alone = [row.seconds for row in rows if row.alone and row.seconds is not None]
    return f"{statistics.median(alone):.1f}" if alone else ""


def table(options: argparse.Namespace) -> None:
    known = published()
    groups: dict[tuple[str, int], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in read(options.store):
        groups[row.case.dataset, row.case.k][row.case.method].append(row)
    for dataset, title in TITLES.items():
        for (name, k), by_method in sorted(groups.items()):
            if name != dataset:
                continue
            print(f"\n### {title}, K = {k}\n")
            print("| method | ours | published | difference | seconds |")
            print("| --- | --- | --- | --- | --- |")
            for method in (method for method in METHODS if method in by_method):
                rows = by_method[method]
                value = known.get((name, method, k))
                text = f"{value[0]:.2f} ± {value[1]:.2f}" if value else ""
                print(
                    f"| {get_method(method).title} | {figures(rows)} | {text} "
                    f"| {difference(rows, value)} | {duration(rows)} |"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run")
    runner.set_defaults(action=run)
    runner.add_argument("--data", type=Path, default=os.environ.get("ENTRYPRUNE_DATA"))
    runner.add_argument("--sets", nargs="+", default=DEFAULT_SETS)
    runner.add_argument("--methods", nargs="+", default=list(METHODS))
    runner.add_argument("-k", nargs="+", type=int, default=[50])
    runner.add_argument("--seeds", type=int, default=5)
    runner.add_argument("--first-seed", type=int, default=0)
    runner.add_argument("--jobs", type=int, default=1)
    runner.add_argument("--threads", type=int, default=1)
    runner.add_argument("--limit", type=float, default=3600.0, help="seconds for a case")
    shower = commands.add_parser("table")
    shower.set_defaults(action=table)
    for command in (runner, shower):
        command.add_argument("--store", type=Path, default=Path("accuracy.jsonl"))
    options = parser.parse_args()
    if options.action is run and options.data is None:
        parser.error("name the folder of the data sets with --data or ENTRYPRUNE_DATA")
    options.action(options)


if __name__ == "__main__":
    main()
