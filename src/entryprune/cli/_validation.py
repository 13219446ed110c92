"""How well selections do on cases that they were not made from."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from entryprune.bench.cases import Case
    from entryprune.bench.records import Record
    from entryprune.cli._reading import Question


@dataclass(frozen=True)
class Outcome:
    """A method with one K in all folds.

    Attributes
    ----------
    method : str
        Its name, "all" for no selection.
    k : int
        Number of features.
    scores : tuple of float or None
        What the learner reached in each fold, in percent; None where there is no selection.
    seconds : float or None
        Mean time of a selection.
    selections : tuple of tuple of int
        The columns that were selected, fold by fold.
    trouble : str
        Why there are folds without a selection.
    """

    method: str
    k: int
    scores: tuple[float | None, ...]
    seconds: float | None
    selections: tuple[tuple[int, ...], ...]
    trouble: str

    @property
    def known(self) -> list[float]:
        """The scores that there are."""
        return [score for score in self.scores if score is not None]


def learner_for(task: str) -> str:
    """Return the learner that scores selections: a support vector machine."""
    return "svm" if task == "classification" else "svr"


def cross_validate(
    question: Question,
    methods: Sequence[str],
    ks: Sequence[int],
    *,
    n_repeats: int,
    n_jobs: int,
    limit: float = 3600.0,
    store: Path | None = None,
    parameters: dict[str, Any] | None = None,
) -> list[Outcome]:
    """Select inside each fold of a repeated five-fold cross-validation, and score.

    The benchmark's runner does it: with progress, a limit on the time, and rows for what fails.
    The first outcome is that of all features.
    """
    from entryprune.bench.cases import ALL_FEATURES, N_FOLDS, Case, grid
    from entryprune.bench.runner import Options, run_all
    from entryprune.bench.store import Store
    from entryprune.bench.worker import Circumstances
    from entryprune.cli._bench_view import View

    learner = learner_for(question.task)
    seeds = range(n_repeats * N_FOLDS)
    settings = {**(parameters or {}), "task": question.task}
    with ExitStack() as stack:
        if store is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="entryprune-")))
            store = folder / "results.jsonl"
        data = _kept_table(question, store.parent)
        stack.callback(data.unlink, missing_ok=True)
        cases = [Case(str(data), ALL_FEATURES, 0, seed, "cv") for seed in seeds]
        cases += grid([str(data)], methods, ks, seeds, protocol="cv", settings=settings)
        results = Store(store)
        options = Options(n_jobs=n_jobs, limit=limit, circumstances=Circumstances())
        view = stack.enter_context(View(lambda case: _label(case, len(seeds))))
        run_all(lambda _: cases, [learner], results, options, view.expect)
        records = results.read()
    return [
        _outcome([records[case.key] for case in cases if (case.method, case.k) == pair], learner)
        for pair in dict.fromkeys((case.method, case.k) for case in cases)
    ]


def _label(case: Case, n_folds: int) -> str:
    from entryprune.baselines import get_method
    from entryprune.bench.cases import ALL_FEATURES

    if case.method == ALL_FEATURES:
        what = "all features"
    else:
        what = f"{get_method(case.method).title}, K = {case.k}"
    return f"fold {case.seed + 1} of {n_folds}, {what}"


def _kept_table(question: Question, folder: Path) -> Path:
    """Write the table for the processes that select in it, as long as they do.

    Its name follows from what it holds, so that results of another table are never taken for its.
    """
    import hashlib

    import numpy as np

    X = np.ascontiguousarray(question.table.X)
    y = question.y if question.y.dtype.kind != "O" else question.y.astype(str)
    content = hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest()[:12]
    path = folder.resolve() / f"{question.table.path.stem}-{content}.npz"
    if not path.exists():
        np.savez(path, X=X, y=y)
    return path


def _outcome(records: Sequence[Record], learner: str) -> Outcome:
    seconds = [record.seconds for record in records if record.seconds is not None]
    reasons = {f"{r.status}: {r.reason}" for r in records if not r.is_done}
    return Outcome(
        records[0].case.method,
        records[0].case.k,
        tuple(record.accuracies.get(learner) for record in records),
        statistics.fmean(seconds) if seconds else None,
        tuple(tuple(record.selected) for record in records if record.selected),
        "; ".join(sorted(reasons)),
    )
