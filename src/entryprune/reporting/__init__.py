"""Reports as Python objects: of a fitted selector, and of several methods on one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from entryprune._text import listed
from entryprune.bench.environment import machine, versions
from entryprune.methods import METHODS, get_method
from entryprune.report.base import Provenance
from entryprune.report.comparison import ComparisonReport
from entryprune.report.selection import (
    Images,
    Samples,
    SelectionReport,
)
from entryprune.report.statistics import examples, guess_task, near_duplicates
from entryprune.reporting._facts import (
    Source,
    asked_for,
    contender,
    data_facts,
    frequencies,
    guessing_remarks,
    history_of,
    method_of,
    pairs,
    pairs_searched,
    seed_of,
    selected,
    settings_of,
    table_of,
    task_of,
    validation,
)
from entryprune.reporting._sureness import is_stability, sureness

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

# Compared where no methods are named.
DEFAULT_METHODS = ("entryprune-exchange", "fisher", "mrmr", "l1", "extra-trees")

__all__ = ["DEFAULT_METHODS", "Report", "compare", "method_of"]


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

    source: Source | None = field(default=None, repr=False)

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
        stability: Any = None,
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
        stability : StabilitySelector, optional
            Fitted on the same table: the report then tells how sure each feature is. By default
            `selector` if it is one itself.
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
        source = Source(selector, *table_of(X, y, feature_names, column_numbers, selector))
        n_features, n_fitted = source.X.shape[1], len(selector.support_)
        if n_features != n_fitted:
            raise ValueError(
                f"X has {n_features} columns, but {type(selector).__name__} was fitted on "
                f"{n_fitted}. Give the table that it was fitted on."
            )
        if stability is None and is_stability(selector):
            stability = selector
            if not len(selector.selected_indices_):
                raise ValueError(
                    f"There is nothing to report. {selector.statement_} Lower threshold, or ask "
                    "for so many features with n_features_to_select."
                )
        task = task_of(selector, source.y)
        chosen = np.asarray(selector.selected_indices_)
        report = cls(
            data=data_facts(source.X, source.y, target_name, task),
            k=asked_for(selector, n_features),
            method=METHODS[name].title if (name := method_of(selector)) in METHODS else name,
            selected=selected(source),
            provenance=Provenance(
                code=repr(selector),
                settings=settings_of(selector),
                seed=seed_of(selector),
                versions=versions(),
                machine={name: str(value) for name, value in machine().items()},
            ),
            history=history_of(selector),
            pairs=pairs(source),
            pairs_searched=pairs_searched(selector),
            sureness=None if stability is None else sureness(stability, source),
            samples=Samples(source.X[:, chosen], source.y),
            images=None
            if image_shape is None
            else Images(image_shape, selector.support_, examples(source.X, source.y)),
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
        warnings = (*self.selected.warnings, *guessing_remarks(outcomes, self.data, self.source.y))
        return replace(
            self,
            validation=[validation(one, self.data, n_repeats) for one in outcomes if one.known],
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
    values, labels, names, columns = table_of(X, y, feature_names, column_numbers)
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
    data = data_facts(values, labels, target_name, kind)
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
        contenders=[contender(one, data) for one in rest],
        references=[contender(reference, data, is_all=True)],
        frequencies=[frequencies(one, names, columns) for one in rest if one.selections],
        provenance=Provenance(
            settings={"repetitions of five folds": n_repeats},
            versions=versions(),
            machine={name: str(value) for name, value in machine().items()},
            # Each selection runs in a process with one thread.
            n_threads=1,
        ),
        warnings=[
            *guessing_remarks(outcomes, data, labels),
            *(f"{one.method}, K = {one.k}: {one.trouble}" for one in outcomes if one.trouble),
        ],
    )
