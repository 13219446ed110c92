"""How well selections do on samples that they were not made from, in a table of the user's own."""

from __future__ import annotations

import hashlib
import pickle
import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.bench.cases import ALL_FEATURES, N_FOLDS, UNSCALED_FOLDS, Case
from entryprune.bench.predictions import Prediction
from entryprune.bench.records import Record
from entryprune.bench.runner import Options, outstanding, run
from entryprune.bench.store import MemoryStore, Store
from entryprune.bench.view import View
from entryprune.data import Dataset
from entryprune.methods import METHODS


@dataclass(frozen=True)
class FoldResults:
    """A method with one K in all folds."""

    method: str
    k: int
    # By fold: what the learner reached in percent, None where there is no selection.
    scores: tuple[float | None, ...]
    seconds: float | None  # mean time of a selection
    selections: tuple[tuple[int, ...], ...]
    trouble: str  # why there are folds without a selection
    settings: Mapping[str, Any]
    # By fold: what the learner says of each test sample; None where there is no selection. Empty
    # unless asked for.
    predictions: tuple[Prediction | None, ...] = ()

    @property
    def known(self) -> list[float]:
        """The scores of the folds that have one."""
        return [score for score in self.scores if score is not None]


def learner_for(task: str) -> str:
    """Return the learner that scores selections: a support vector machine."""
    return "svm" if task == "classification" else "svr"


def cross_validate(
    X: NDArray[Any],
    y: NDArray[Any],
    task: str,
    candidates: Sequence[tuple[str, int]],
    *,
    selector: Any = None,
    n_repeats: int = 1,
    n_jobs: int = 1,
    limit: float = 3600.0,
    store: Path | None = None,
    name: str = "table",
    keeps_predictions: bool = False,
    is_shown: bool = False,
) -> list[FoldResults]:
    """Select inside each fold of a repeated five-fold cross-validation, and score.

    Each selection runs in a process of its own with one thread, from the table in memory. Selectors
    get it as it is, the learner gets it scaled to [0, 1] by the training samples. A selector that
    is given is used exactly as it is; else methods are looked up by name and have the number of the
    fold as their seed. The first result is that of all features. Predictions are kept in memory
    only, not together with a store; labels that are no numbers are text in them.
    """
    if keeps_predictions and store is not None:
        raise ValueError("A store keeps no predictions. Leave out the store, or keep none.")
    if len(y) < N_FOLDS:
        raise ValueError(
            f"A cross-validation in {N_FOLDS} folds needs at least {N_FOLDS} samples, and there "
            f"{'is' if len(y) == 1 else 'are'} {len(y)}. Bring more samples."
        )
    seeds = range(n_repeats * N_FOLDS)
    if y.dtype.kind == "O":
        y = y.astype(str)
    # The name follows from the content, so that results of another table are never taken for its.
    title = name if store is None else f"{name}-{_fingerprint(X, y)}"
    cases = [
        Case(title, method, k, seed, UNSCALED_FOLDS)
        # Fold by fold: a process keeps the latest.
        for seed in seeds
        for method, k in ((ALL_FEATURES, 0), *candidates)
    ]
    learner = learner_for(task)
    results = MemoryStore() if store is None else Store(store)
    jobs = outstanding(cases, [learner], results.read())
    if selector is not None:
        _check_that_it_travels(selector)
    jobs = [replace(job, selector=selector, keeps_predictions=keeps_predictions) for job in jobs]
    options = Options(
        n_jobs=n_jobs,
        limit=limit,
        dataset=Dataset(title, name, X, y, task=task),
        needs_main=type(selector).__module__ == "__main__",
    )
    with ExitStack() as stack:
        watcher = _ignore
        if is_shown and jobs:
            view = stack.enter_context(View(lambda case: _label(case, len(seeds)), what="folds"))
            watcher = view.expect(len(jobs))
        if jobs:
            if isinstance(results, Store):
                stack.enter_context(results.held())
            run(jobs, results, options, watcher)
    records = results.read()
    return [
        _outcome([records[case.key] for case in cases if (case.method, case.k) == pair], learner)
        for pair in dict.fromkeys((case.method, case.k) for case in cases)
    ]


def _ignore(case: Case, record: Record | None) -> None:
    del case, record


def _check_that_it_travels(selector: Any) -> None:
    """Refuse a selector that no other process can be given."""
    try:
        pickle.dumps(selector)
    except Exception as error:
        raise ValueError(
            f"{type(selector).__name__} cannot be cross-validated, because it cannot be given to "
            f"another process ({error}). Define its class, and all that it holds, in a module."
        ) from error


def _label(case: Case, n_folds: int) -> str:
    if case.method == ALL_FEATURES:
        what = "all features"
    else:
        method = METHODS.get(case.method)
        what = f"{method.title if method else case.method}, K = {case.k}"
    return f"fold {case.seed + 1} of {n_folds}, {what}"


def _fingerprint(X: NDArray[Any], y: NDArray[Any]) -> str:
    digest = hashlib.sha256()
    for values in (X, y):
        digest.update(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()[:12]


def _outcome(records: Sequence[Record], learner: str) -> FoldResults:
    seconds = [record.seconds for record in records if record.seconds is not None]
    reasons = {f"{r.status}: {r.reason}" for r in records if not r.is_done}
    return FoldResults(
        records[0].case.method,
        records[0].case.k,
        tuple(record.accuracies.get(learner) for record in records),
        statistics.fmean(seconds) if seconds else None,
        tuple(tuple(record.selected) for record in records if record.selected),
        "; ".join(sorted(reasons)),
        next((record.settings for record in records if record.settings), {}),
        tuple(record.predictions.get(learner) for record in records)
        if any(record.predictions for record in records)
        else (),
    )
