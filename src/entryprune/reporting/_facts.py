"""What a report tells, worked out from a selector, a table or folds."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from entryprune.methods import CLASSIFICATION, METHODS, REGRESSION, get_method
from entryprune.report.base import DataFacts
from entryprune.report.comparison import Contender, Frequencies
from entryprune.report.selection import (
    Pair,
    Selected,
    Validation,
)
from entryprune.report.statistics import guess_task
from entryprune.reporting._sureness import is_stability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from entryprune.bench.validation import FoldResults
    from entryprune.report.base import Task

_N_RUNNERS_UP = 5
# By the task: what predicts from the selected features, and how that is judged.
_LEARNERS = {CLASSIFICATION: "support vector machine", REGRESSION: "support vector regression"}
_METRICS = {CLASSIFICATION: "accuracy (%)", REGRESSION: "explained variance (%)"}
_EVIDENCE = "log evidence per sample"
_RUNNERS_UP_NOTE = (
    "The numbers of features that are not selected say what each would bring beside all selected "
    "ones."
)
# Why a run was over, as a selector says it.
_INTERRUPTED, _CUT_OFF = "callback", ("max_rotations", "max_epochs")


@dataclass(frozen=True, eq=False)
class Source:
    """What a report was made from."""

    selector: Any
    X: NDArray[Any]
    y: NDArray[Any]
    names: tuple[str, ...]
    columns: tuple[int, ...]


def method_of(selector: Any) -> str:
    """Return the name of the method that a selector is, or of its class if nobody registered it."""
    name, parameters = type(selector).__name__, selector.get_params()
    fitting = [
        method
        for method in METHODS.values()
        if name in (method.class_name, method.regressor)
        and all(parameters.get(key) == value for key, value in method.settings.items())
    ]
    # The one that says most.
    best = max(fitting, key=lambda method: len(method.settings), default=None)
    return name if best is None else best.name


# -- the table ----------------------------------------------------------------------------------


def table_of(
    X: Any,
    y: ArrayLike,
    feature_names: Sequence[str] | None,
    column_numbers: Sequence[int] | None,
    selector: Any = None,
) -> tuple[NDArray[Any], NDArray[Any], tuple[str, ...], tuple[int, ...]]:
    """Return values, target, names and numbers of the columns, of any kind of table."""
    found = feature_names
    if found is None:
        found = getattr(X, "columns", getattr(selector, "feature_names_in_", None))
    values = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels.ravel()
    if values.ndim != 2 or labels.shape != (len(values),):
        raise ValueError(
            "X must be a table and y have a value for each of its rows; their shapes are "
            f"{values.shape} and {labels.shape}."
        )
    n_columns = values.shape[1]
    names = tuple(f"x{i}" for i in range(n_columns)) if found is None else tuple(map(str, found))
    columns = tuple(range(1, n_columns + 1) if column_numbers is None else column_numbers)
    for what, ones in (("feature_names", names), ("column_numbers", columns)):
        if len(ones) != n_columns:
            raise ValueError(f"{what} has {len(ones)} entries for {n_columns} columns of X.")
    return values, labels, names, columns


def task_of(selector: Any, y: NDArray[Any]) -> Task:
    from sklearn.base import is_classifier, is_regressor

    task = getattr(selector, "task", None)
    if task in (CLASSIFICATION, REGRESSION):
        return "classification" if task == CLASSIFICATION else "regression"
    if is_classifier(selector):
        return "classification"
    return "regression" if is_regressor(selector) else guess_task(y)


def data_facts(X: NDArray[Any], y: NDArray[Any], target: str, task: Task) -> DataFacts:
    is_classes = task == "classification"
    labels, counts = np.unique(y, return_counts=True)
    return DataFacts(
        file_name="",
        n_samples=len(y),
        n_features=X.shape[1],
        target=target,
        task=task,
        class_counts=list(zip(map(str, labels), map(int, counts), strict=True))
        if is_classes
        else (),
        target_range=None if is_classes else (float(labels[0]), float(labels[-1])),
    )


# -- the selection ------------------------------------------------------------------------------


def _is_by_evidence(selector: Any) -> bool:
    """Whether scores say what a feature brings beside the others, and not how it came in."""
    return getattr(selector, "preset", None) == "exchange"


def selected(source: Source) -> Selected:
    selector, names, columns = source.selector, source.names, source.columns
    chosen = [int(i) for i in selector.selected_indices_]
    is_by_evidence = _is_by_evidence(selector)
    scores = [_score(selector, i) for i in chosen]
    score_name = "entry score" if hasattr(selector, "entry_scores_") else "score"
    reason = getattr(selector, "stop_reason_", "")
    return Selected(
        names=[names[i] for i in chosen],
        columns=[columns[i] for i in chosen],
        scores=scores,
        score_name="what it brings" if is_by_evidence else score_name,
        score_unit=_EVIDENCE if is_by_evidence else "",
        score_meaning=_meaning(scores) if is_by_evidence else "",
        runners_up=[(names[i], columns[i], _score(selector, i)) for i in _runners_up(selector)],
        runners_up_note=_RUNNERS_UP_NOTE if is_by_evidence else "",
        ended="interrupted"
        if reason == _INTERRUPTED
        else "cut off"
        if reason in _CUT_OFF
        else "finished",
    )


def _runners_up(selector: Any) -> list[int]:
    """Return the columns of the next best features, where the method ranks them all."""
    ranking = np.asarray(getattr(selector, "ranking_", ()))
    n_selected = len(selector.selected_indices_)
    # Features that share a rank are not ranked.
    next_ranks = range(n_selected + 1, n_selected + 1 + _N_RUNNERS_UP)
    found = [np.flatnonzero(ranking == rank) for rank in next_ranks]
    return [int(columns[0]) for columns in found if len(columns) == 1]


def _score(selector: Any, column: int) -> float | None:
    """Return the score of a feature; None where the method gives none."""
    if is_stability(selector):
        return None  # how often it was selected stands beside it
    scores = getattr(selector, "entry_scores_", None)
    if scores is None or _is_by_evidence(selector):
        scores = getattr(selector, "scores_", None)
    value = math.nan if scores is None else float(scores[column])
    return None if math.isnan(value) else value + 0.0  # -0 would puzzle people


def _meaning(scores: Sequence[float | None]) -> str:
    """Say how to read scores that are not what a feature had to reach."""
    n_idle = sum(score is not None and score <= 0 for score in scores)
    idle = f" By this measure {n_idle} of the {len(scores)} bring nothing." if n_idle else ""
    return (
        f"What a feature brings is the {_EVIDENCE} that would be lost without it, beside all the "
        f"other selected features. The order of the list is another: each feature is the best to "
        f"add to those above it. So one that stands high may bring little if those below can stand "
        f"in for it.{idle}"
    )


def pairs(source: Source) -> list[Pair]:
    """Return the features that matter only together, the strongest first."""
    found = getattr(source.selector, "interactions_", None)
    if not found:
        return []
    columns = [found[name] for name in ("first", "second", "strength", "p_value")]
    rows = sorted(zip(*columns, strict=True), key=lambda row: -row[2])
    return [
        Pair(
            names=(source.names[first], source.names[second]),
            columns=(source.columns[first], source.columns[second]),
            strength=float(strength),
            p_value=float(p_value),
            # One is drawn.
            values=source.X[:, [first, second]] if i == 0 else None,
        )
        for i, (first, second, strength, p_value) in enumerate(rows)
    ]


def pairs_searched(selector: Any) -> float | None:
    """Return which share of all pairs was looked at; None where pairs were not looked for."""
    used = getattr(selector, "settings_", {})
    return float(selector.pairs_searched_) if used.get("interactions") else None


def asked_for(selector: Any, n_features: int) -> int:
    """Return how many features were asked for, as a number."""
    asked = getattr(selector, "n_features_to_select", None)
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
        return min(int(asked), n_features)
    return len(selector.selected_indices_)


def settings_of(selector: Any) -> dict[str, Any]:
    """Return every parameter as it was used, without those of another EntryPrune."""
    used, given = getattr(selector, "settings_", None), selector.get_params()
    if used is None:
        return dict(given)
    from entryprune.selectors._presets import TUNABLES

    return {**{name: value for name, value in given.items() if name not in TUNABLES}, **used}


def seed_of(selector: Any) -> int | None:
    seed = getattr(selector, "random_state", None)
    return int(seed) if isinstance(seed, (int, np.integer)) else None


def history_of(selector: Any) -> Any:
    """Return what a selector reports of its way; None if there was none, as in constant columns."""
    history = getattr(selector, "history_", None)
    return history if history is not None and len(history["phase"]) else None


# -- the folds ----------------------------------------------------------------------------------


def contender(one: FoldResults, data: DataFacts, *, is_all: bool = False) -> Contender:
    method = METHODS.get(one.method)
    return Contender(
        method="all features" if is_all else method.title if method else one.method,
        k=data.n_features if is_all else one.k,
        learner=_LEARNERS[data.task],
        metric=_METRICS[data.task],
        mean=statistics.fmean(one.known) if one.known else None,
        sd=statistics.stdev(one.known) if len(one.known) > 1 else None,
        # Folds can be compared one by one only if none is missing.
        fold_scores=one.known if len(one.known) == len(one.scores) else (),
        seconds=None if is_all else one.seconds,
        note=one.trouble,
    )


def validation(one: FoldResults, data: DataFacts, n_repeats: int) -> Validation:
    from entryprune.bench.cases import ALL_FEATURES, N_FOLDS

    is_all = one.method == ALL_FEATURES
    scored = contender(one, data, is_all=is_all)
    return Validation(
        what=f"all {data.n_features:,} features" if is_all else f"the selected {one.k}",
        learner=scored.learner,
        metric=scored.metric,
        mean=scored.mean,
        sd=scored.sd,
        n_splits=N_FOLDS,
        n_repeats=n_repeats,
    )


def frequencies(one: FoldResults, names: Sequence[str], columns: Sequence[int]) -> Frequencies:
    counts = Counter(column for chosen in one.selections for column in chosen)
    return Frequencies(
        method=get_method(one.method).title,
        k=one.k,
        n_times=len(one.selections),
        counts=[(names[column], columns[column], count) for column, count in counts.most_common()],
    )


def guessing_remarks(
    outcomes: Sequence[FoldResults], data: DataFacts, y: NDArray[Any]
) -> list[str]:
    """Say so if no selection predicts better than a guess that looks at no feature."""
    from entryprune.bench.cases import ALL_FEATURES

    means = [
        statistics.fmean(one.known) for one in outcomes if one.known and one.method != ALL_FEATURES
    ]
    if not means:
        return []
    if data.task == "classification":
        chance = 100.0 * max(count for _, count in data.class_counts) / len(y)
        guess = f"always guessing the most frequent class ({chance:.1f} %)"
    else:
        chance, guess = 0.0, "always guessing the mean"
    if max(means) > chance:
        return []
    return [
        f"No selection predicts better than {guess}: these features, or this many samples, tell "
        f"nothing that can be relied on."
    ]
