"""How fast a training step is, as ratios measured in one run.

    python benchmarks/speed.py              (or: make bench)

For three shapes of the paper's data sets (made-up values: only the shape matters), the cost of a
step of EntryPrune, rotations and validation included, is compared with

- a plain PyTorch loop of the same width: nn.Sequential, Adam, cross entropy, mini-batches by
  random index;
- the two bare matrix products of the first layer, batch after batch, which no implementation can
  do without.

The three are measured in turns, and the median of the rounds' ratios is taken, so that a machine
that slows down for a moment does not favour one of them. Then: whether the cost of a step depends
on the number of features, and how much memory a run takes on top of its data.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from machine import announce
from rich.console import Console
from rich.table import Table

from entryprune.engine import ArrayColumns, Problem, Scaling, Settings
from entryprune.engine.rules import FixedSize, Rotations, count_candidates
from entryprune.engine.training import Training

N_HIDDEN = 100
N_SELECTED = 50


@dataclass(frozen=True)
class Shape:
    """A data set's shape with the paper's settings, and the ratios that we mean to keep."""

    name: str
    n_cases: int
    n_features: int
    n_classes: int
    ratio: float
    batches: int
    dtype: torch.dtype
    most_of_plain: float
    most_of_products: float

    @property
    def n_inputs(self) -> int:
        return N_SELECTED + count_candidates(self.ratio, self.n_features, N_SELECTED)

    @property
    def n_validation(self) -> int:
        return round(0.2 * self.n_cases)


SHAPES = [
    Shape("MNIST", 60_000, 784, 10, 0.2, 100, torch.uint8, 0.65, 2.0),
    Shape("ARCENE", 160, 10_000, 2, 0.5, 5, torch.int16, 0.9, 1.6),
    Shape("BASEHOCK", 1594, 4862, 2, 0.5, 5, torch.uint8, 1.0, 1.6),
]


def make_problem(shape: Shape) -> Problem:
    generator = torch.Generator().manual_seed(0)
    values = torch.empty(shape.n_features, shape.n_cases, dtype=shape.dtype)
    values.random_(0, 100, generator=generator)
    targets = torch.randint(shape.n_classes, (shape.n_cases,), generator=generator)
    source = ArrayColumns(values, Scaling.fit(values, "minmax"))
    return Problem(source, targets, shape.n_classes, shape.n_validation)


def make_training(problem: Problem, shape: Shape, n_rotations: int) -> Training:
    settings = Settings(
        n_selected=N_SELECTED, batches_per_rotation=shape.batches, candidate_ratio=shape.ratio
    )
    return Training(
        problem,
        settings,
        n_validation=problem.n_validation,
        size_rule=FixedSize(shape.n_inputs - N_SELECTED),
        stopping_rule=Rotations(n_rotations),
        seed=0,
        phase="search",
    )


class OurSteps:
    """Rotations of a real training: batches, validation, selection, new candidates."""

    def __init__(self, shape: Shape) -> None:
        self.problem, self.shape = make_problem(shape), shape

    def run(self, n_rotations: int) -> float:
        training = make_training(self.problem, self.shape, n_rotations)
        start = time.perf_counter()
        training.run()
        return (time.perf_counter() - start) / (n_rotations * self.shape.batches)


class PlainSteps:
    """The same network the ordinary way."""

    def __init__(self, shape: Shape) -> None:
        n_training = shape.n_cases - shape.n_validation
        self.inputs = torch.rand(n_training, shape.n_inputs)
        self.targets = torch.randint(shape.n_classes, (n_training,))
        self.batch_size = min(1024, n_training)
        self.network = torch.nn.Sequential(
            torch.nn.Linear(shape.n_inputs, N_HIDDEN),
            torch.nn.ReLU(),
            torch.nn.Linear(N_HIDDEN, shape.n_classes),
        )
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.shape = shape

    def run(self, n_rotations: int) -> float:
        n_steps = n_rotations * self.shape.batches
        start = time.perf_counter()
        for _ in range(n_steps):
            batch = torch.randint(len(self.inputs), (self.batch_size,))
            self.optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(
                self.network(self.inputs[batch]), self.targets[batch]
            )
            loss.backward()
            self.optimizer.step()
        return (time.perf_counter() - start) / n_steps


class BareProducts:
    """Forward and backward product of the first layer, batch after batch, and nothing else."""

    def __init__(self, shape: Shape) -> None:
        n_training = shape.n_cases - shape.n_validation
        self.batch_size = min(1024, n_training)
        values = torch.rand(shape.n_inputs, n_training)
        starts = range(0, n_training - self.batch_size + 1, self.batch_size)
        self.batches = [values[:, start : start + self.batch_size] for start in starts]
        self.weights = torch.rand(shape.n_inputs, N_HIDDEN)
        self.gradient = torch.empty_like(self.weights)
        self.hidden = torch.empty(self.batch_size, N_HIDDEN)
        self.delta = torch.rand(self.batch_size, N_HIDDEN)
        self.shape = shape

    def run(self, n_rotations: int) -> float:
        n_steps = n_rotations * self.shape.batches
        start = time.perf_counter()
        for step in range(n_steps):
            batch = self.batches[step % len(self.batches)]
            torch.mm(batch.t(), self.weights, out=self.hidden)
            torch.mm(batch, self.delta, out=self.gradient)
        return (time.perf_counter() - start) / n_steps


def compare(shape: Shape, n_rounds: int) -> list[tuple[float, float, float]]:
    """Return the seconds of a step of ours, plain and bare, round by round."""
    rivals = [OurSteps(shape), PlainSteps(shape), BareProducts(shape)]
    n_rotations = max(4, 250 // shape.batches)
    rounds = [tuple(rival.run(n_rotations) for rival in rivals) for _ in range(n_rounds + 1)]
    return rounds[1:]  # type: ignore[return-value]


def median_ratio(rounds: list[tuple[float, float, float]], above: int, below: int) -> float:
    """Return the median of the rounds' ratios: within a round the machine is the same for all."""
    return statistics.median(times[above] / times[below] for times in rounds)


class CountedColumns:
    """A million columns that need no memory: each is a shifted view of the same values."""

    def __init__(self, n_columns: int, n_cases: int) -> None:
        self.n_columns, self.n_cases = n_columns, n_cases
        self._values = torch.rand(1024, n_cases, generator=torch.Generator().manual_seed(0))

    def read(self, columns: torch.Tensor, out: torch.Tensor) -> None:
        torch.index_select(self._values, 0, columns % 1024, out=out)


def time_by_width(n_rounds: int) -> dict[int, float]:
    """Return the time of a step for growing N with the number of candidates held fixed."""
    n_cases, n_candidates = 1000, 200
    settings = Settings(n_selected=N_SELECTED, batches_per_rotation=100)
    times: dict[int, list[float]] = {n: [] for n in (10**3, 10**4, 10**5, 10**6)}
    for _ in range(n_rounds + 1):
        for n_columns, seen in times.items():
            targets = torch.arange(n_cases) % 2
            training = Training(
                Problem(CountedColumns(n_columns, n_cases), targets, 2, 200),
                settings,
                n_validation=200,
                size_rule=FixedSize(n_candidates),
                stopping_rule=Rotations(10),
                seed=0,
                phase="search",
            )
            start = time.perf_counter()
            training.run()
            seen.append((time.perf_counter() - start) / 1000)
    return {n: statistics.median(seen[1:]) for n, seen in times.items()}


def resident_megabytes(field: str) -> float:
    """Return this process's resident memory now (VmRSS) or at its peak (VmHWM); Linux only."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def measure_memory(name: str) -> None:
    """Print the window's size and the peak above the data, in MB; runs in a process of its own."""
    shape = next(shape for shape in SHAPES if shape.name == name)
    # What any use of torch costs once (thread pools, code pages) is paid before.
    small = Shape("small", 400, 200, 2, 0.5, 5, torch.uint8, 1, 1)
    make_training(make_problem(small), small, 3).run()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before = resident_megabytes("VmRSS")
    make_training(make_problem(shape), shape, 3).run()
    data = shape.n_features * shape.n_cases * shape.dtype.itemsize / 2**20
    window = shape.n_inputs * shape.n_cases * 4 / 2**20
    sys.stdout.write(f"{window} {resident_megabytes('VmHWM') - before - data}\n")


def memory(shape: Shape) -> tuple[float, float]:
    """Return the window's size and the median peak of three processes above the data, in MB."""
    command = [sys.executable, __file__, "--memory", shape.name]
    outputs = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        for _ in range(3)
    ]
    return float(outputs[0][0]), statistics.median(float(peak) for _, peak in outputs)


def verdict(value: float, most: float) -> str:
    return f"{value:.2f} (at most {most:.2f}: {'kept' if value <= most else 'MISSED'})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--memory", metavar="SHAPE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.memory:
        measure_memory(options.memory)
        return
    console = Console(width=130)
    announce(console, f"{options.threads} threads", f"torch {torch.__version__}")
    table = Table(title="Cost of a step, rotations and validation included")
    for column in (
        "shape",
        "window",
        "ours ms",
        "plain ms",
        "bare ms",
        "ours / plain",
        "ours / bare",
    ):
        table.add_column(column)
    for shape in SHAPES:
        rounds = compare(shape, options.rounds)
        table.add_row(
            shape.name,
            f"{shape.n_inputs} x {shape.n_cases}",
            *(f"{1e3 * statistics.median(times):.2f}" for times in zip(*rounds, strict=True)),
            verdict(median_ratio(rounds, 0, 1), shape.most_of_plain),
            verdict(median_ratio(rounds, 0, 2), shape.most_of_products),
        )
    console.print(table)
    widths = time_by_width(options.rounds)
    console.print("Step by number of features, 200 candidates, 100 batches a rotation:")
    for n_columns, seconds in widths.items():
        console.print(f"  N = {n_columns:>9,}: {1e3 * seconds:.3f} ms")
    change = max(widths.values()) / min(widths.values()) - 1
    console.print(f"  largest over smallest, minus one: {verdict(change, 0.20)}")
    console.print("Peak memory above the data, in windows (the input layer's columns as floats):")
    for shape in SHAPES:
        window, peak = memory(shape)
        console.print(
            f"  {shape.name}: {peak:.1f} MB, window {window:.1f} MB: {verdict(peak / window, 3.0)}"
        )


if __name__ == "__main__":
    main()
