"""How well selections do on samples that they were not made from, in a table of the user's own."""

from __future__ import annotations

import hashlib
import math
import pickle
import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.bench.folds import Folds, make_folds
from entryprune.bench.learners import Learner, Metric, judged_by
from entryprune.bench.predictions import Prediction, guessed
from entryprune.bench.runner import Options, View, describe, outstanding, run
from entryprune.bench.store import (
    ALL_FEATURES,
    N_FOLDS,
    UNSCALED_FOLDS,
    Case,
    MemoryStore,
    Record,
    Store,
)
from entryprune.data import Dataset
from entryprune.encoding import arrow_columns
from entryprune.encoding.arrow import coded
from entryprune.encoding.views import encoder_of, is_sparse, numbers_and_codes
from entryprune.methods import METHODS


@dataclass(frozen=True)
class FoldResults:
    """A method with one K in all folds."""

    method: str
    k: int
    # By fold: the measure of what the learner says; None where there is no selection.
    scores: tuple[float | None, ...]
    seconds: float | None  # mean time of a selection
    selections: tuple[tuple[int, ...], ...]
    trouble: str  # why there are folds without a selection
    settings: Mapping[str, Any]
    # By fold: what the learner says of each test sample; None where there is no selection. Empty
    # unless asked for.
    predictions: tuple[Prediction | None, ...] = ()
    # Folds that the run was ended before.
    missing: frozenset[int] = frozenset()

    @property
    def n_finished(self) -> int:
        """Folds that came to an end, with a score or without."""
        return len(self.scores) - len(self.missing)

    @property
    def known(self) -> list[float]:
        """The scores of the folds that have one."""
        return [score for score in self.scores if score is not None]

    def within(self, folds: Sequence[int]) -> FoldResults:
        """Return the same with the scores of these folds alone; itself if it lacks one of them."""
        if self.missing.intersection(folds) or not folds:
            return self
        return replace(self, scores=tuple(self.scores[i] for i in folds), missing=frozenset())


def common_folds(results: Sequence[FoldResults], n_splits: int = N_FOLDS) -> list[int]:
    """Return the folds to compare by, of a run that may have been ended before its end.

    Those that all have who went through a whole round of folds. None where these are fewer than a
    round, which is the least to compare by.
    """
    whole = [one for one in results if one.n_finished >= n_splits]
    missing = frozenset().union(*(one.missing for one in whole))
    common = [i for i in range(len(results[0].scores)) if i not in missing]
    return common if whole and len(common) >= n_splits else []


def guesses(y: NDArray[Any], task: str, metric: str, folds: Folds) -> list[float]:
    """Return the measure of the best guess that looks at no feature, in the same folds."""
    y = _labels(y)
    return [guessed(y[train], y[test], task).get(metric, math.nan) for train, test in folds.places]


def _labels(y: NDArray[Any]) -> NDArray[Any]:
    return y.astype(str) if y.dtype.kind == "O" else y


def cross_validate(
    X: Any,
    y: NDArray[Any],
    task: str,
    candidates: Sequence[tuple[str, int]],
    *,
    selector: Any = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    about: Mapping[str, NDArray[Any]] | None = None,
    metric: str | None = None,
    learner: str | None = None,
    folds: Folds | None = None,
    n_jobs: int = 1,
    limit: float = 3600.0,
    store: Path | None = None,
    name: str = "table",
    keeps_predictions: bool = False,
    is_shown: bool = False,
    callback: Callable[[int], object] | None = None,
) -> list[FoldResults]:
    """Select inside each fold of a cross-validation, by default one of five folds, and score.

    Each selection runs in a process of its own with one thread, from the table in memory: an array,
    a sparse matrix or a frame. Selectors get it as it is, those that know numbers only one for each
    feature; the learner gets the columns that categories, dates and gaps become, scaled to [0, 1].
    What is filled in, encoded and scaled is learned from the training samples. A selector that
    is given is used exactly as it is; else methods are looked up by name, have `settings` by their
    names, and the number of the fold as their seed. What is known `about` the samples (see
    `Dataset.about`) is for the selectors that take it. The first result is that of all features.

    A store keeps every measure, so that another one can be asked for later. Predictions are kept in
    memory only, and not together with a store; labels that are no numbers are text in them.

    Anything true from `callback` (see `Options`) ends it with what is finished.
    """
    if keeps_predictions and store is not None:
        raise ValueError("A store keeps no predictions. Leave out the store, or keep none.")
    measure, judge = judged_by(task, metric, learner)
    y = _labels(y)
    folds = folds or make_folds(y, task)
    # The name follows from the content, so that results of another table are never taken for its.
    about = {**(about or {}), **folds.about}
    # More repetitions begin with the same round.
    special = () if folds.is_usual else folds.places[: folds.n_splits]
    parts = [*about.values(), *(part for fold in special for part in fold)]
    title = name if store is None else f"{name}-{_fingerprint(X, y, *parts)}"
    cases = [
        Case(title, method, k, one, UNSCALED_FOLDS, dict((settings or {}).get(method, {})))
        # Fold by fold: a process keeps the latest.
        for one in folds.seeds
        for method, k in ((ALL_FEATURES, 0), *candidates)
    ]
    results = MemoryStore() if store is None else Store(store)
    jobs = outstanding(cases, [judge.name], _with_metrics(results.read()))
    if selector is not None:
        _check_that_it_travels(selector)
    jobs = [replace(job, selector=selector, keeps_predictions=keeps_predictions) for job in jobs]
    options = Options(
        n_jobs=n_jobs,
        limit=limit,
        dataset=Dataset(title, name, X, y, task=task, about=about),
        folds=folds,
        needs_main=type(selector).__module__ == "__main__",
        callback=callback,
    )
    # A selector may decide in each fold how many to select.
    is_k_open = isinstance(getattr(selector, "n_features_to_select", None), str)
    with ExitStack() as stack:
        watcher = _ignore
        if is_shown and jobs:
            view = stack.enter_context(
                View(
                    lambda case: _label(case, folds.seeds, is_k_open=is_k_open),
                    what="folds",
                    outcome=lambda record: _described(record, measure, judge),
                )
            )
            watcher = view.expect(len(jobs))
        if jobs:
            if isinstance(results, Store):
                stack.enter_context(results.held())
            run(jobs, results, options, watcher)
    records = results.read()
    return [
        _outcome(
            pair,
            [records.get(case.key) for case in cases if (case.method, case.k) == pair],
            measure,
            judge,
        )
        for pair in dict.fromkeys((case.method, case.k) for case in cases)
    ]


def _with_metrics(records: Mapping[str, Record]) -> dict[str, Record]:
    """Return records whose selections are to be scored again where measures are missing."""
    return {
        key: replace(
            record,
            accuracies={
                name: score for name, score in record.accuracies.items() if name in record.metrics
            },
        )
        for key, record in records.items()
    }


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


def _label(case: Case, seeds: range, *, is_k_open: bool) -> str:
    if case.method == ALL_FEATURES:
        what = "all features"
    else:
        method = METHODS.get(case.method)
        k = "" if is_k_open else f", K = {case.k}"
        what = f"{method.title if method else case.method}{k}"
    return f"fold {case.seed - seeds.start + 1} of {len(seeds)}, {what}"


def _described(record: Record, metric: Metric, learner: Learner) -> str:
    """Put what came of a fold into one line that names the measure."""
    score = record.metrics.get(learner.name, {}).get(metric.name)
    if not record.is_done or score is None:
        return describe(record)
    time = "" if record.seconds is None else f" | {record.seconds:.1f} s"
    return f"{metric.title} of {learner.in_words} {score:.4g}{time}"


def _fingerprint(X: Any, *arrays: NDArray[Any]) -> str:
    digest = hashlib.sha256()
    for values in (*_parts_of(X), *arrays):
        digest.update(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()[:12]


def _parts_of(X: Any) -> list[NDArray[Any]]:
    """Return arrays that are the same for the same table, and for no other."""
    if isinstance(X, np.ndarray):
        return [X]
    if is_sparse(X):
        return [X.data, X.indices, X.indptr]
    names, columns = arrow_columns(X)
    numbers, codes = numbers_and_codes(X, encoder_of(X))
    # Codes number words in the order in which they come.
    words = [str(coded(columns[i])[1].to_pylist()) for i in codes]
    texts = [*names, *(str(column.type) for column in columns), *words]
    return [numbers, *codes.values(), np.frombuffer("\n".join(texts).encode(), np.uint8)]


def _outcome(
    pair: tuple[str, int], by_fold: Sequence[Record | None], metric: Metric, learner: Learner
) -> FoldResults:
    records = [record for record in by_fold if record is not None]
    seconds = [record.seconds for record in records if record.seconds is not None]
    reasons = {f"{r.status}: {r.reason}" for r in records if not r.is_done}
    return FoldResults(
        *pair,
        tuple(
            None if record is None else record.metrics.get(learner.name, {}).get(metric.name)
            for record in by_fold
        ),
        statistics.fmean(seconds) if seconds else None,
        tuple(tuple(record.selected) for record in records if record.selected),
        "; ".join(sorted(reasons)),
        next((record.settings for record in records if record.settings), {}),
        tuple(
            None if record is None else record.predictions.get(learner.name) for record in by_fold
        )
        if any(record.predictions for record in records)
        else (),
        frozenset(i for i, record in enumerate(by_fold) if record is None),
    )
