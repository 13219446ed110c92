"""Reports as Python objects: of a fitted selector, and of several methods on one table."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from entryprune._text import listed
from entryprune.bench.environment import machine, versions
from entryprune.methods import CLASSIFICATION, METHODS, REGRESSION, get_method
from entryprune.report.comparison import ComparisonReport, Contender, Frequencies
from entryprune.report.provenance import DataFacts, Provenance
from entryprune.report.selection import (
    Images,
    Pair,
    Samples,
    Selected,
    SelectionReport,
    Validation,
)
from entryprune.report.statistics import guess_task, near_duplicates

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

    from entryprune.bench.validation import FoldResults
    from entryprune.report.provenance import Task

# Compared where no methods are named.
DEFAULT_METHODS = ("entryprune-exchange", "fisher", "mrmr", "l1", "extra-trees")

_N_RUNNERS_UP = 5
_N_EXAMPLES = 11
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
class _Source:
    """What a report was made from."""

    selector: Any
    X: NDArray[Any]
    y: NDArray[Any]
    names: tuple[str, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Report(SelectionReport):
    """What a fitted selector found, to be read, saved or worked with.

    Make one with `Report.from_selector`. Its attributes are what the page tells: `features`,
    `runners_up`, `pairs`, `validation`, `correlation` and others.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from entryprune import EntryPruneClassifier, Report
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = EntryPruneClassifier(n_features_to_select=5, random_state=0).fit(X, y)
    >>> report = Report.from_selector(selector, X, y, target_name="diagnosis")
    >>> report.answer
    'Of 30 features, EntryPrune exchange selected these 5 to predict “diagnosis”.'
    >>> report.to_frame().columns.tolist()
    ['rank', 'feature', 'column', 'score']
    >>> report.to_html().splitlines()[0]  # save("breast_cancer.html") writes it
    '<!doctype html>'
    """

    source: _Source | None = field(default=None, repr=False)

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
        column_numbers: Sequence[int] | None = None,
        target_name: str = "target",
        image_shape: tuple[int, ...] | None = None,
        validate: bool = False,
        n_repeats: int = 1,
        n_jobs: int = 1,
        verbose: int = 0,
    ) -> Report:
        """Report what a fitted selector found.

        Parameters
        ----------
        selector : estimator
            Fitted; any selector of this package, or another with ``selected_indices_`` and
            ``support_``, and ``scores_`` if it has scores.
        X : array-like of shape (n_samples, n_features)
            What it was fitted on.
        y : array-like of shape (n_samples,)
            The target that it was fitted on.
        feature_names : sequence of str, optional
            Names of the columns; by default those of a data frame, those that the selector knows,
            or ``x0``, ``x1`` and so on.
        column_numbers : sequence of int, optional
            The number of each column where the table came from; by default they count from 1.
        target_name : str, default="target"
            What is predicted.
        image_shape : (height, width) or (3, height, width), optional
            If features are pixels: the page shows where the selected ones lie.
        validate : bool, default=False
            Whether to check by five-fold cross-validation, with the selection inside the folds,
            how well such selections predict. It takes five more fits for each repetition, each in
            a process of its own with the selector's own settings.
        n_repeats, n_jobs : int, default=1
            Repetitions of the five folds, and folds at once.
        verbose : int, default=0
            Whether to show the progress of the cross-validation.

        Returns
        -------
        report : Report
            With `show`, `save`, `to_frame` and `to_html`; notebooks display it.

        Raises
        ------
        ValueError
            If the selector is not fitted, or was fitted on a table of another shape.

        Examples
        --------
        >>> import numpy as np
        >>> from entryprune import Report
        >>> from entryprune.baselines import FisherSelector
        >>> X, y = np.array([[1.0, 5.0], [2.0, 5.0], [8.0, 4.0], [9.0, 5.0]]), [0, 0, 1, 1]
        >>> selector = FisherSelector(n_features_to_select=1).fit(X, y)
        >>> report = Report.from_selector(selector, X, y, feature_names=["size", "age"])
        >>> [feature.name for feature in report.features]
        ['size']
        """
        if not hasattr(selector, "selected_indices_"):
            raise ValueError(
                f"{type(selector).__name__} has no selected_indices_. Call its fit first; a "
                "selector of another package needs selected_indices_ and support_ to be reported."
            )
        source = _Source(selector, *_table(X, y, feature_names, column_numbers, selector))
        n_features, n_fitted = source.X.shape[1], len(selector.support_)
        if n_features != n_fitted:
            raise ValueError(
                f"X has {n_features} columns, but {type(selector).__name__} was fitted on "
                f"{n_fitted}. Give the table that it was fitted on."
            )
        task = _task_of(selector, source.y)
        chosen = np.asarray(selector.selected_indices_)
        report = cls(
            data=_data(source.X, source.y, target_name, task),
            k=_asked_for(selector, n_features),
            method=METHODS[name].title if (name := method_of(selector)) in METHODS else name,
            selected=_selected(source),
            provenance=Provenance(
                code=repr(selector),
                settings=_settings(selector),
                seed=_seed(selector),
                versions=versions(),
                machine={name: str(value) for name, value in machine().items()},
            ),
            history=_history(selector),
            pairs=_pairs(source),
            pairs_searched=_pairs_searched(selector),
            samples=Samples(source.X[:, chosen], source.y),
            images=None
            if image_shape is None
            else Images(image_shape, selector.support_, _examples(source.X, source.y)),
            source=source,
        )
        return report.validate(n_repeats, n_jobs, verbose) if validate else report

    @cached_property
    def near_duplicates(self) -> Sequence[Sequence[tuple[str, float | None]]]:
        """For each selected feature those left out that are almost the same."""
        if self.source is None:
            return super().near_duplicates
        selector = self.source.selector
        return near_duplicates(self.source.X, selector.selected_indices_, self.source.names)

    def validate(self, n_repeats: int = 1, n_jobs: int = 1, verbose: int = 0) -> Report:
        """Return the same report with the scores of a cross-validation.

        The selection is repeated inside each fold, with the settings of the selector.

        Parameters
        ----------
        n_repeats, n_jobs : int, default=1
            Repetitions of the five folds, and folds at once.
        verbose : int, default=0
            Whether to show progress.
        """
        if self.source is None:
            raise ValueError("This report was not made by from_selector, so nothing can be run.")
        from sklearn.base import clone

        from entryprune.bench.validation import cross_validate

        selector = clone(self.source.selector)
        # Neither is for to another process.
        quiet = {"callback": None, "verbose": 0}
        known = selector.get_params()
        selector.set_params(**{name: value for name, value in quiet.items() if name in known})
        outcomes = cross_validate(
            self.source.X,
            self.source.y,
            self.data.task,
            [(method_of(selector), self.k)],
            selector=selector,
            n_repeats=n_repeats,
            n_jobs=n_jobs,
            is_shown=bool(verbose),
        )
        warnings = (*self.selected.warnings, *_guessing(outcomes, self.data, self.source.y))
        return replace(
            self,
            validation=[_validation(one, self.data, n_repeats) for one in outcomes if one.known],
            selected=replace(self.selected, warnings=warnings),
        )


def compare(
    X: ArrayLike,
    y: ArrayLike,
    methods: Sequence[str] = DEFAULT_METHODS,
    k: int | Sequence[int] = 10,
    *,
    feature_names: Sequence[str] | None = None,
    column_numbers: Sequence[int] | None = None,
    target_name: str = "target",
    task: Literal["auto", "classification", "regression"] = "auto",
    n_repeats: int = 2,
    n_jobs: int = 1,
    limit: float = 3600.0,
    store: str | os.PathLike[str] | None = None,
    name: str = "table",
    verbose: int = 0,
) -> ComparisonReport:
    """Find out which selector to use, by cross-validation with the selection inside the folds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The table, without missing values.
    y : array-like of shape (n_samples,)
        Classes or quantities.
    methods : sequence of str
        Names of `entryprune.baselines.METHODS`.
    k : int or sequence of int, default=10
        How many features to select; several are all tried.
    feature_names : sequence of str, optional
        Names of the columns; by default those of a data frame, or ``x0``, ``x1`` and so on.
    column_numbers : sequence of int, optional
        The number of each column where the table came from; by default they count from 1.
    target_name : str, default="target"
        What is predicted.
    task : {"auto", "classification", "regression"}, default="auto"
        What kind of target that is; by default as it looks.
    n_repeats : int, default=2
        Repetitions of the five folds.
    n_jobs : int, default=1
        Folds at once, each in a process of its own.
    limit : float, default=3600
        Seconds that a selection may take.
    store : path-like, optional
        A file that keeps what is done, so that an interrupted comparison goes on from there.
    name : str, default="table"
        What the store calls the table.
    verbose : int, default=0
        Whether to show progress.

    Returns
    -------
    report : ComparisonReport
        With `show`, `save`, `to_frame` and `to_html`; notebooks display it.

    Raises
    ------
    ValueError
        If a method is unknown, K is more than there are features, or values are missing.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from entryprune import compare
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> report = compare(X, y, methods=["fisher"], k=[1, 4], n_repeats=1)
    >>> report.judgements[0].statement
    'Use Fisher score with K = 4: accuracy (%) of support vector machine 9... ± ... folds).'
    """
    ks = [k] if isinstance(k, (int, np.integer)) else list(k)
    if not methods or not ks:
        raise ValueError("Name at least one method and one K.")
    for method in methods:
        get_method(method)
    values, labels, names, columns = _table(X, y, feature_names, column_numbers)
    if not 1 <= min(ks) <= max(ks) <= len(names):
        wrong = next(one for one in ks if not 1 <= one <= len(names))
        raise ValueError(f"k must be from 1 to the number of features, {len(names)}; got {wrong}.")
    if values.dtype.kind == "f" and not (is_known := np.isfinite(values)).all():
        bad = listed(names[i] for i in np.flatnonzero(~is_known.all(axis=0)))
        raise ValueError(
            f"X has {np.count_nonzero(~is_known):,} missing or infinite values, in {bad}. Fill "
            "them in, or leave out these samples or columns."
        )
    kind = guess_task(labels) if task == "auto" else task
    data = _data(values, labels, target_name, kind)
    from entryprune.bench.validation import cross_validate

    outcomes = cross_validate(
        values,
        labels,
        kind,
        [(method, one) for method in methods for one in ks],
        n_repeats=n_repeats,
        n_jobs=n_jobs,
        limit=limit,
        store=None if store is None else Path(store),
        name=name,
        is_shown=bool(verbose),
    )
    (reference, *rest) = outcomes
    return ComparisonReport(
        data=data,
        contenders=[_contender(one, data) for one in rest],
        references=[_contender(reference, data, is_all=True)],
        frequencies=[_frequencies(one, names, columns) for one in rest if one.selections],
        provenance=Provenance(
            settings={"repetitions of five folds": n_repeats},
            versions=versions(),
            machine={name: str(value) for name, value in machine().items()},
            # Each selection runs in a process with one thread.
            n_threads=1,
        ),
        warnings=[
            *_guessing(outcomes, data, labels),
            *(f"{one.method}, K = {one.k}: {one.trouble}" for one in outcomes if one.trouble),
        ],
    )


def method_of(selector: Any) -> str:
    """Return the name of the method that a selector is, or of its class if nobody registered it.

    Examples
    --------
    >>> from entryprune import EntryPruneRegressor
    >>> method_of(EntryPruneRegressor(preset="paper", flex=True))
    'entryprune-flex'
    """
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


def _table(
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


def _task_of(selector: Any, y: NDArray[Any]) -> Task:
    from sklearn.base import is_classifier, is_regressor

    task = getattr(selector, "task", None)
    if task in (CLASSIFICATION, REGRESSION):
        return "classification" if task == CLASSIFICATION else "regression"
    if is_classifier(selector):
        return "classification"
    return "regression" if is_regressor(selector) else guess_task(y)


def _data(X: NDArray[Any], y: NDArray[Any], target: str, task: Task) -> DataFacts:
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


def _examples(X: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Return some samples of different classes, with values from 0 to 1."""
    firsts = np.sort(np.unique(y, return_index=True)[1])[:_N_EXAMPLES]
    low, high = float(X.min()), float(X.max())
    scaled: NDArray[Any] = (X[firsts] - low) / ((high - low) or 1.0)
    return scaled


# -- the selection ------------------------------------------------------------------------------


def _is_by_evidence(selector: Any) -> bool:
    """Whether scores say what a feature brings beside the others, and not how it came in."""
    return getattr(selector, "preset", None) == "exchange"


def _selected(source: _Source) -> Selected:
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


def _pairs(source: _Source) -> list[Pair]:
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


def _pairs_searched(selector: Any) -> float | None:
    """Return which share of all pairs was looked at; None where pairs were not looked for."""
    used = getattr(selector, "settings_", {})
    return float(selector.pairs_searched_) if used.get("interactions") else None


def _asked_for(selector: Any, n_features: int) -> int:
    """Return how many features were asked for, as a number."""
    asked = getattr(selector, "n_features_to_select", None)
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
        return min(int(asked), n_features)
    return len(selector.selected_indices_)


def _settings(selector: Any) -> dict[str, Any]:
    """Return every parameter as it was used, without those of another EntryPrune."""
    used, given = getattr(selector, "settings_", None), selector.get_params()
    if used is None:
        return dict(given)
    from entryprune.selectors._presets import TUNABLES

    return {**{name: value for name, value in given.items() if name not in TUNABLES}, **used}


def _seed(selector: Any) -> int | None:
    seed = getattr(selector, "random_state", None)
    return int(seed) if isinstance(seed, (int, np.integer)) else None


def _history(selector: Any) -> Any:
    """Return what a selector reports of its way; None if there was none, as in constant columns."""
    history = getattr(selector, "history_", None)
    return history if history is not None and len(history["phase"]) else None


# -- the folds ----------------------------------------------------------------------------------


def _contender(one: FoldResults, data: DataFacts, *, is_all: bool = False) -> Contender:
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


def _validation(one: FoldResults, data: DataFacts, n_repeats: int) -> Validation:
    from entryprune.bench.cases import ALL_FEATURES, N_FOLDS

    is_all = one.method == ALL_FEATURES
    contender = _contender(one, data, is_all=is_all)
    return Validation(
        what=f"all {data.n_features:,} features" if is_all else f"the selected {one.k}",
        learner=contender.learner,
        metric=contender.metric,
        mean=contender.mean,
        sd=contender.sd,
        n_splits=N_FOLDS,
        n_repeats=n_repeats,
    )


def _frequencies(one: FoldResults, names: Sequence[str], columns: Sequence[int]) -> Frequencies:
    counts = Counter(column for chosen in one.selections for column in chosen)
    return Frequencies(
        method=get_method(one.method).title,
        k=one.k,
        n_times=len(one.selections),
        counts=[(names[column], columns[column], count) for column, count in counts.most_common()],
    )


def _guessing(outcomes: Sequence[FoldResults], data: DataFacts, y: NDArray[Any]) -> list[str]:
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
