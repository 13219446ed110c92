"""Runs cases in processes beside each other; each is stored and shown as soon as it is finished."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any, Self

from rich.console import Console
from rich.progress import TaskID

from entryprune._progress import Display, progress_bar
from entryprune._text import printable
from entryprune.bench.environment import load, machine, versions
from entryprune.bench.folds import Folds
from entryprune.bench.store import ALL_FEATURES, FAILED, OVERDUE, Case, MemoryStore, Record, Store
from entryprune.bench.worker import BEGUN, Circumstances, Job, send_dataset, serve
from entryprune.data import Dataset

# The variables that BLAS and OpenMP libraries read when they are loaded.
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_TICK = 0.5
# Seconds that an idle process may take to end.
_FAREWELL = 5.0

# Called with the record of each case that ends, or with the case and nothing when it begins.
Watcher = Callable[[Case, Record | None], None]


@dataclass(frozen=True)
class Options:
    """How to run."""

    n_jobs: int = 1  # times count only with 1
    limit: float = 3600.0  # seconds that a selection may take
    retry: bool = False  # what failed or was overdue
    is_timed: bool = False  # times are wanted: what did not run alone is run again
    circumstances: Circumstances = field(default_factory=Circumstances)
    # One in memory that cases may name; each process has a copy of it.
    dataset: Dataset | None = field(default=None, repr=False)
    folds: Folds | None = field(default=None, repr=False)  # of that one
    # Whether the processes need what the user's script defines, and so run it.
    needs_main: bool = False
    # Called twice a second or more with how many jobs are done; anything true ends the run.
    callback: Callable[[int], object] | None = field(default=None, repr=False)


def outstanding(
    cases: Iterable[Case],
    learners: Sequence[str],
    records: Mapping[str, Record],
    *,
    retry: bool = False,
    is_timed: bool = False,
) -> list[Job]:
    """Return what is left to do, given what the store has.

    A case whose selection is known but that a learner has not scored is scored, not run again.
    """
    jobs: dict[str, Job] = {}
    for case in cases:
        known = records.get(case.key)
        is_wanted_again = known is not None and (
            (retry and known.status in (FAILED, OVERDUE))
            or (is_timed and known.is_done and not known.is_alone)
        )
        if known is None or is_wanted_again:
            jobs[case.key] = Job(case, tuple(learners))
        elif known.is_done and (known.selected or case.method == ALL_FEATURES):
            missing = tuple(name for name in learners if name not in known.accuracies)
            if missing:
                jobs[case.key] = Job(case, missing, known)
    return list(jobs.values())


def run_all(
    plan: Callable[[Mapping[str, Record]], list[Case]],
    learners: Sequence[str],
    store: Store,
    options: Options,
    watcher: Callable[[int], Watcher],
) -> None:
    """Run what a plan asks for, until it asks for nothing new."""

    def left(*, retry: bool) -> list[Job]:
        records = store.read()
        return outstanding(plan(records), learners, records, retry=retry, is_timed=options.is_timed)

    if not left(retry=options.retry):
        return
    with store.held():
        retry = options.retry
        # Anew: another run may have ended since.
        while jobs := left(retry=retry):
            run(jobs, store, options, watcher(len(jobs)))
            retry = False  # once: what fails again has its reasons


def run(
    jobs: Sequence[Job], store: Store | MemoryStore, options: Options, watcher: Watcher
) -> None:
    """Do all jobs; each record is in the store before the watcher hears of it.

    What runs when the callback ends the run is ended, too, and leaves no record.
    """
    # Jobs of one data set follow each other, so that a process loads it once.
    queue = deque(sorted(jobs, key=lambda job: (job.case.dataset, job.case.protocol)))
    n_jobs = max(1, min(options.n_jobs, len(queue)))
    circumstances = replace(options.circumstances, is_alone=options.n_jobs == 1)
    workers = [_Worker(circumstances, options) for _ in range(n_jobs)]
    try:
        # All are started before the first is given anything, so that they start beside each other.
        for worker in workers:
            worker.start()
        n_done = 0
        while queue or any(worker.job for worker in workers):
            if options.callback is not None and options.callback(n_done):
                break
            for worker in workers:
                if worker.job is None and queue:
                    worker.begin(queue.popleft())
                    watcher(worker.current.case, None)
            for worker, record in _finished(workers):
                case = worker.current.case
                worker.job = None
                store.append(record)
                n_done += 1
                watcher(case, record)
    finally:
        # All are told before any is waited for, so that they end beside each other.
        for worker in workers:
            worker.hang_up()
        for worker in workers:
            worker.end()


def _finished(workers: list[_Worker]) -> Iterator[tuple[_Worker, Record]]:
    """Wait a moment and yield what has ended by then."""
    busy = {worker.connection: worker for worker in workers if worker.job}
    wait(list(busy), timeout=_TICK)
    for worker in busy.values():
        record = worker.poll()
        if record is not None:
            yield worker, record


class _Worker:
    """A process and what it is doing; a new process takes the place of one that had to be ended."""

    def __init__(self, circumstances: Circumstances, options: Options) -> None:
        self._circumstances = circumstances
        self._dataset, self._folds = options.dataset, options.folds
        self._needs_main = options.needs_main
        self._limit = options.limit
        self._has_dataset = False
        self._deadline = math.inf
        self._process: Any = None
        self.connection: Connection
        self.job: Job | None = None

    @property
    def current(self) -> Job:
        if self.job is None:
            raise RuntimeError("This process has nothing to do.")
        return self.job

    def begin(self, job: Job) -> None:
        if self._process is None or not self._process.is_alive():
            self.start()
        self.job = job
        self._deadline = math.inf
        # A process that has died is noticed when its answer is waited for.
        with suppress(OSError):
            if not self._has_dataset:
                send_dataset(self.connection, self._dataset, self._folds)
                self._has_dataset = True
            self.connection.send(job)

    def poll(self) -> Record | None:
        """Return the record if the job has ended, one way or another."""
        try:
            while self.connection.poll():
                answer = self.connection.recv()
                if isinstance(answer, Record):
                    return answer
                # The limit is for the selection, not for loading data or for the learners.
                self._deadline = time.monotonic() + self._limit if answer == BEGUN else math.inf
        except (EOFError, OSError):
            self.end()
            return self._failure(FAILED, "the process died; it may have run out of memory")
        if time.monotonic() > self._deadline:
            self.end()
            return self._failure(OVERDUE, f"not finished after {self._limit:.0f} s")
        return None

    def hang_up(self) -> None:
        """Let the process know that there is nothing more to do."""
        if self._process is not None:
            self.connection.close()

    def end(self) -> None:
        if self._process is None:
            return
        self.hang_up()
        if self.job is None:
            # With nothing to do it ends by itself when nobody is there any more, and tidies up.
            self._process.join(_FAREWELL)
        self._process.kill()
        self._process.join()
        self._process = None

    def start(self) -> None:
        """Start a process, and do not wait until it is ready."""
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(
            target=serve, args=(theirs, self._circumstances), daemon=True
        )
        threads, main = _threads(self._circumstances.n_threads), _main(is_seen=self._needs_main)
        with threads, main, _interrupts_blocked():
            self._process.start()
        theirs.close()
        self._has_dataset = False

    def _failure(self, status: str, reason: str) -> Record:
        return Record(
            self.current.case,
            status,
            reason=reason,
            is_alone=self._circumstances.is_alone,
            n_threads=self._circumstances.n_threads,
            load=load(),
            versions=versions(),
            machine=machine(),
        )


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let processes that start now not hear of Ctrl-C: the one that started them ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # When multiprocessing starts its resource tracker, it would let them through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _main(*, is_seen: bool) -> Iterator[None]:
    """Let processes that start now run the user's script first, or not."""
    main = sys.modules["__main__"]
    if not is_seen:
        # A script without `if __name__ == "__main__":` would start processes that start processes.
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let processes that start now use so many threads."""
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(count)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


# -- what is seen of a run -------------------------------------------------------------------------


class View(Display):
    """A bar over all cases and a line for each that runs; in a file, a line for each that ended."""

    def __init__(
        self,
        label: Callable[[Case], str] | None = None,
        console: Console | None = None,
        what: str = "cases",
        outcome: Callable[[Record], str] | None = None,
    ) -> None:
        self._label = label or (lambda case: case.key)
        self._outcome = outcome or describe
        self._console = console or Console(stderr=True)
        super().__init__(progress_bar(console=self._console, is_kept=True))
        self._tasks: dict[str, TaskID] = {}
        self._total = self._bar.add_task(what, total=0)

    def expect(self, n_jobs: int) -> Self:
        """Say that so many more cases are to come."""
        task = self._bar.tasks[0]
        self._bar.update(self._total, total=(task.total or 0) + n_jobs)
        return self

    def __call__(self, case: Case, record: Record | None) -> None:
        """Show that a case began, or what came of it."""
        if record is None:
            label = printable(self._label(case))
            self._tasks[case.key] = self._bar.add_task(f"  {label}", total=None)
            return
        task = self._tasks.pop(case.key, None)
        if task is not None:
            self._bar.remove_task(task)
        self._bar.advance(self._total)
        line = printable(f"{self._label(case)}: {self._outcome(record)}")
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def describe(record: Record) -> str:
    """Put what came of a case into one line."""
    if not record.is_done:
        return f"{record.status}, {record.reason}"
    parts = [f"{name} {value:.2f} %" for name, value in record.accuracies.items()]
    if "recall" in record.measures:
        parts.append(f"recall {record.measures['recall']:.2f}")
    if record.seconds is not None:
        parts.append(f"{record.seconds:.1f} s")
    return " | ".join(parts) or record.status
