"""A process that makes selections and scores them, one after the other."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from inspect import signature
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor

from entryprune.baselines._base import RefusalError
from entryprune.bench.environment import load, load_plugins, machine, versions
from entryprune.bench.folds import Folds, Split, split
from entryprune.bench.learners import get_learner
from entryprune.bench.models import PerOutput
from entryprune.bench.predictions import measured, predict
from entryprune.bench.store import (
    ALL_FEATURES,
    DONE,
    FAILED,
    N_TRUTH_FOLDS,
    REFUSED,
    REGROWTH_TOY,
    TRUTH,
    UNSCALED_FOLDS,
    Case,
    Record,
)
from entryprune.data import Dataset, load_dataset
from entryprune.encoding.views import dense, is_sparse
from entryprune.methods import METHODS, SURVIVAL, get_method, make_selector
from entryprune.selectors._tables import given_to, knows

# What a selector reports of each rotation that figures show.
_CURVES = ("phase", "validation_loss", "n_changed", "min_entry_score", "min_weight_sum")
_DIGITS = 5
# There a method that finds fewer columns than asked for is scored with those: a user has no more.
_SCORES_FEWER = ("clean", TRUTH)

# Sent when the selection begins and when it is made: between the two a time limit holds.
BEGUN, SELECTED = "begun", "selected"


@dataclass(frozen=True)
class Job:
    """What is to be done."""

    case: Case
    learners: tuple[str, ...]
    known: Record | None = None  # the selection, if it was made before
    selector: Any = None  # not fitted; used as it is, else the one that the case's method names
    keeps_predictions: bool = False  # of folds only


@dataclass(frozen=True)
class Circumstances:
    """What is the same for all cases of a run."""

    is_alone: bool = True
    n_threads: int = 1
    plugins: tuple[Path, ...] = ()
    data_folder: Path | None = None


def serve(connection: Connection, circumstances: Circumstances) -> None:
    """Answer jobs with records until the other side hangs up."""
    _end_with_the_parent()
    load_plugins(circumstances.plugins)
    try:
        receive_dataset(connection)
    except (EOFError, KeyboardInterrupt):
        return
    while True:
        try:
            job = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            connection.send(execute(job, circumstances, connection.send))
        except (KeyboardInterrupt, BrokenPipeError):
            return


# A data set that cases may name, given to this process by the one that started it, and its folds.
_given: dict[str, Dataset] = {}
_folds: dict[str, Folds] = {}


def send_dataset(
    connection: Connection, dataset: Dataset | None, folds: Folds | None = None
) -> None:
    """Give a data set in memory to the process at the other end, without a copy of numbers here."""
    if dataset is None:
        connection.send(None)
        return
    X: Any = dataset.X
    form: Any
    if is_sparse(X):
        form, arrays = X.shape, [X.data, X.indices, X.indptr]
    elif isinstance(X, np.ndarray):
        is_turned = not X.flags.c_contiguous and X.flags.f_contiguous
        form, arrays = is_turned, [np.ascontiguousarray(X.T if is_turned else X)]
    else:
        form, arrays = X, []  # a frame
    kept = ("name", "title", "y", "task", "about")
    about = {name: getattr(dataset, name) for name in kept}
    connection.send((about, folds, form, [(one.shape, one.dtype.str) for one in arrays]))
    for one in arrays:
        connection.send_bytes(_bytes_of(one))


def receive_dataset(connection: Connection) -> None:
    """Keep what `send_dataset` sends."""
    message = connection.recv()
    if message is None:
        return
    about, folds, form, kinds = message
    arrays = [np.empty(shape, dtype) for shape, dtype in kinds]
    for one in arrays:
        connection.recv_bytes_into(_bytes_of(one))
    match arrays:
        case [values]:
            X: Any = values.T if form else values
        case [_, _, _]:
            X = sparse.csr_array(tuple(arrays), shape=form)
        case _:
            X = form
    _given[about["name"]] = Dataset(X=X, **about)
    if folds is not None:
        _folds[about["name"]] = folds


def _bytes_of(values: NDArray[Any]) -> memoryview:
    return values.reshape(-1).view(np.uint8).data


def _tell_nobody(stage: str) -> None:
    del stage


def execute(
    job: Job, circumstances: Circumstances, tell: Callable[[str], object] = _tell_nobody
) -> Record:
    """Make the selection of a job unless it is known, and score it."""
    begun = Record(
        job.case,
        FAILED,
        is_alone=circumstances.is_alone,
        n_threads=circumstances.n_threads,
        load=load(),
        versions=versions(_package_of(job.case.method)),
        machine=machine(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    try:
        if job.case.kind == REGROWTH_TOY:
            from entryprune.bench.toy import measure_toy

            return replace(begun, status=DONE, measures=measure_toy(job.case.seed))
        return _select_and_score(job, begun, circumstances, tell)
    except RefusalError as refusal:
        return replace(begun, status=REFUSED, reason=f"{refusal.reason}: {refusal.message}")
    except Exception as error:  # whatever a method throws is a row, not the end of the run
        return replace(begun, reason=f"{type(error).__name__}: {error}")


def _select_and_score(
    job: Job, begun: Record, circumstances: Circumstances, tell: Callable[[str], object]
) -> Record:
    case = job.case
    name = _name_of_data(case)
    dataset = _dataset(name, circumstances.data_folder)
    parts = _parts(name, case.protocol, case.seed, circumstances.data_folder)
    record = job.known
    if record is None:
        tell(BEGUN)
        record = replace(
            _selection(job, parts, begun, dataset),
            title=dataset.title,
            subset=dataset.subset,
            shape={
                "n_features": parts.n_features,
                "n_train": len(parts.y_train),
                "n_test": len(parts.y_test),
            },
        )
        record = replace(record, measures={**record.measures, **_recall(record, dataset)})
        tell(SELECTED)
    accuracies, metrics, predictions = dict(record.accuracies), dict(record.metrics), {}
    for name in job.learners:
        model, X_test = _trained(name, parts, record.selected, case)
        accuracies[name] = 100.0 * float(model.score(X_test, parts.y_test))
        if case.protocol == UNSCALED_FOLDS:
            predictions[name] = predict(model, X_test, _folds[dataset.name].at(case.seed)[1])
            metrics[name] = measured(predictions[name], parts.y_test)
    return replace(
        record,
        accuracies=accuracies,
        metrics=metrics,
        predictions=predictions if job.keeps_predictions else {},
    )


def _made(case: Case, task: str, n_threads: int) -> Any:
    """Make the selector of a case's method."""
    settings = {"task": task, **case.settings}
    selector = make_selector(case.method, case.k, random_state=case.seed, **settings)
    # Other cases may be running on the other cores.
    fixed: dict[str, Any] = {"n_jobs": n_threads}
    is_scaled = case.protocol not in (TRUTH, UNSCALED_FOLDS)
    if is_scaled and not get_method(case.method).keeps_scale and "scale" not in case.settings:
        fixed["scale"] = None  # the protocol has scaled the data
    parameters = selector.get_params()
    return selector.set_params(
        **{name: value for name, value in fixed.items() if name in parameters}
    )


def _selection(job: Job, parts: Split, begun: Record, dataset: Dataset) -> Record:
    case = job.case
    if case.method == ALL_FEATURES:
        return replace(begun, status=DONE)
    selector = job.selector
    if selector is None:
        selector = _made(case, dataset.task, begun.n_threads)
    X_train, X_test = parts.unscaled or (parts.X_train, parts.X_test)
    if parts.order is not None:
        X_train, X_test = X_train[:, parts.order], X_test[:, parts.order]
    given = given_to(selector, X_train)
    X_train, X_test = given(X_train), given(X_test)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            selector.fit(X_train, parts.y_train, **_about(selector, dataset, case))
    except RefusalError as refusal:
        if refusal.reason != "too_few" or case.protocol not in _SCORES_FEWER:
            raise
        return replace(
            begun,
            status=DONE,
            reason=refusal.message,
            seconds=round(time.perf_counter() - start, 4),
            selected=refusal.found,
            settings=_plain(selector.get_params()),
        )
    seconds = time.perf_counter() - start
    measures, curves = _history(selector)
    if hasattr(selector, "predict"):
        measures["own_accuracy"] = 100.0 * selector.score(X_test, parts.y_test)
    selected = np.asarray(selector.selected_indices_)
    if parts.order is not None:
        selected = parts.order[selected]
    return replace(
        begun,
        status=DONE,
        reason="; ".join(sorted({str(warning.message) for warning in caught})),
        seconds=round(seconds, 4),
        selected=selected.tolist(),
        measures=measures,
        curves=curves,
        settings=_plain(selector.get_params()),
    )


def _about(selector: Any, dataset: Dataset, case: Case) -> dict[str, NDArray[Any]]:
    """Return what is known of the training samples of a fold, as far as a selector takes it."""
    if not dataset.about:
        return {}
    train, _ = _folds[dataset.name].at(case.seed)
    taken = signature(selector.fit).parameters
    return {name: values[train] for name, values in dataset.about.items() if name in taken}


def _recall(record: Record, dataset: Dataset) -> dict[str, float]:
    """Return which share of the columns that are known to matter was found."""
    if not record.selected or not dataset.relevant:
        return {}
    found = set(record.selected) & set(dataset.relevant)
    return {"recall": len(found) / len(dataset.relevant)}


def _history(selector: Any) -> tuple[dict[str, float], dict[str, list[Any]]]:
    """Return how long a selector trained, and what it reports by rotation."""
    history = getattr(selector, "history_", None)
    if history is None:
        n_epochs = getattr(selector, "n_epochs_", None)
        return ({} if n_epochs is None else {"epochs": float(n_epochs)}), {}
    ends = np.flatnonzero(np.append(history["phase"][1:] != history["phase"][:-1], True))
    measures = {
        "epochs": round(float(history["epoch"][ends].sum()), 2),
        "rotations": float(len(history["phase"])),
        "rotations_kept": float(selector.n_rotations_),
    }
    return measures, {name: _rounded(history[name]) for name in _CURVES}


def _rounded(values: Any) -> list[Any]:
    if values.dtype.kind != "f":
        return [str(value) if values.dtype.kind == "U" else int(value) for value in values]
    return [float(f"{value:.{_DIGITS}g}") for value in values]


def _trained(
    name: str, parts: Split, selected: Sequence[int], case: Case
) -> tuple[Any, NDArray[Any]]:
    """Return a learner that was trained on the selected features, and the test cases for it."""
    learner, y = get_learner(name), parts.y_train
    has_none = case.method != ALL_FEATURES and not len(selected)

    def make() -> Any:
        model = learner.make(case.seed)
        if not has_none or learner.task == SURVIVAL:
            return model
        # Nothing to learn from: guess.
        return DummyClassifier() if is_classifier(model) else DummyRegressor()

    model = PerOutput(make) if y.ndim > 1 and learner.task != SURVIVAL else make()
    X_train, X_test = parts.X_train, parts.X_test
    if case.method != ALL_FEATURES:
        columns = parts.columns_of(selected)
        X_train, X_test = dense(X_train[:, columns]), dense(X_test[:, columns])
    elif not knows(make(), "sparse"):
        X_train, X_test = dense(X_train), dense(X_test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a learner that has not converged still has an accuracy
        model.fit(X_train, y)
    return model, X_test


# Cases of one data set follow each other, so the latest is worth keeping.
@lru_cache(maxsize=1)
def _dataset(name: str, folder: Path | None) -> Dataset:
    return _given[name] if name in _given else load_dataset(name, folder=folder)


@lru_cache(maxsize=1)
def _parts(name: str, protocol: str, seed: int, folder: Path | None) -> Split:
    dataset = _dataset(name, folder)
    return split(dataset, protocol, 0 if protocol == "paper" else seed, _folds.get(name))


def _name_of_data(case: Case) -> str:
    """Return what to load: where the truth is known, data are made anew after every six folds."""
    repetition = case.seed // N_TRUTH_FOLDS if case.protocol == TRUTH else 0
    return f"{case.dataset}-seed{repetition}" if repetition else case.dataset


def _package_of(method: str) -> str | None:
    # A selector of the user's own has no entry.
    return METHODS[method].package if method in METHODS else None


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)
        for name, value in parameters.items()
    }


def _end_with_the_parent() -> None:
    """Make sure that this process does not outlive the run, even one that was killed."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
