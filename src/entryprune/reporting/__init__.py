"""Reports as Python objects: of a fitted selector, and of several methods on one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from entryprune._late import late
from entryprune.bench.environment import machine, versions
from entryprune.methods import METHODS
from entryprune.report.base import Provenance
from entryprune.report.checks import suited_metric
from entryprune.report.selected import Images
from entryprune.report.selection import SelectionReport
from entryprune.report.statistics import examples, near_duplicates
from entryprune.reporting._facts import (
    Source,
    asked_for,
    asked_in_words,
    check_same_columns,
    class_order,
    data_facts,
    does_survival,
    history_of,
    is_stability,
    k_curve,
    method_of,
    own_names,
    pairs,
    pairs_searched,
    predictions,
    present,
    samples,
    seed_of,
    selected,
    settings_of,
    table_of,
    target_names,
    task_of,
    validation,
)
from entryprune.reporting._panel import panel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from entryprune.reporting._compare import DEFAULT_METHODS, compare
    from entryprune.reporting._suspects import find_suspects

__all__ = ["DEFAULT_METHODS", "Report", "compare", "find_suspects", "method_of"]

_UNKNOWN = "How well they predict is not known, for no fold came to its end."
# One report needs neither.
_HOMES = {"_compare": ("DEFAULT_METHODS", "compare"), "_suspects": ("find_suspects",)}

__getattr__, __dir__ = late(__name__, _HOMES, __all__)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
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
    >>> report
    <Report: Of 30 features, EntryPrune exchange selected these 5 to predict “diagnosis”. How...>
    >>> report.to_frame().columns.tolist()
    ['rank', 'feature', 'column', 'score', 'effect', 'highest_in', 'highest_mean', ...]
    >>> report.to_html().splitlines()[0]  # save("breast_cancer.html") writes it
    '<!doctype html>'
    """

    source: Source | None = field(default=None)

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
        column_numbers: Sequence[int] | None = None,
        target_name: str | Sequence[str] = "target",
        sample_weight: ArrayLike | None = None,
        cautions: Sequence[str] | None = None,
        image_shape: tuple[int, ...] | None = None,
        stability: Any = None,
        validate: bool = False,
        n_repeats: int = 1,
        n_jobs: int = 1,
        verbose: int = 0,
        metric: str | None = None,
        groups: ArrayLike | None = None,
        order: ArrayLike | None = None,
        cv: Any = None,
    ) -> Report:
        """Report what a fitted selector found.

        Parameters
        ----------
        selector : estimator
            Fitted; any selector of this package, or another with ``selected_indices_`` and
            ``support_``, and ``scores_`` if it has scores.
        X : array, sparse matrix or table of shape (n_samples, n_features)
            What it was fitted on. For a method that knows numbers only, the table that these were
            made of may be given: the report then tells of its categories, dates and gaps.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The target that it was fitted on. Of `EntryPruneSurvival`, times and events.
        feature_names : sequence of str, optional
            Names of the columns; by default those of a data frame, those that the selector knows,
            or ``x0``, ``x1`` and so on.
        column_numbers : sequence of int, optional
            The number of each column where the table came from; by default they count from 1.
        target_name : str or sequence of str, default="target"
            What is predicted; of several targets the name of each, by default those of a data
            frame.
        sample_weight : array-like of shape (n_samples,), optional
            The weights that it was fitted with. Samples of weight zero are left out, and the
            cross-validation gives the weights to the selection.
        cautions : sequence of str, optional
            What to tell of the table first; by default whether samples are few, and what
            `find_suspects` finds in it.
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
        metric : str, optional
            How its predictions are measured, as in `compare`.
        groups, order : array-like of shape (n_samples,), optional
            Which samples belong together, and when each was, as in `fit`. The cross-validation
            then keeps groups together, and is tested on what comes after what it learns from.
        cv : int, "time" or splitter, optional
            How the folds are made, as in `compare`.

        Returns
        -------
        report : Report
            With `show`, `save`, `to_frame` and `to_html`; notebooks display it.

        Raises
        ------
        ValueError
            If the selector is not fitted, or it or `stability` was fitted on another table, as far
            as the names of the columns, and for `stability` the samples and the means, tell.

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
        weights, (X, y, groups, order) = present(sample_weight, X, y, groups, order)
        if does_survival(selector):
            from entryprune.selectors._survival import times_and_events

            y = times_and_events(y)
            target, targets = target_names(y[:, 0], target_name)
        else:
            target, targets = target_names(y, target_name)
        source = Source(
            selector,
            *table_of(X, y, feature_names, column_numbers, selector),
            own_names(X, selector),
            groups,
            order,
            weights=weights,
            class_order=class_order(y),
        )
        check_same_columns(selector, source, len(selector.support_))
        n_features = len(source.names)
        if stability is None and is_stability(selector):
            stability = selector
            if not len(selector.selected_indices_):
                raise ValueError(
                    f"There is nothing to report. {selector.statement_} {selector._remedy} Or ask "
                    "for so many features with n_features_to_select."
                )
        task = task_of(selector, source.y)
        sure = None
        if stability is not None:
            from entryprune.reporting._sureness import sureness

            sure = sureness(stability, source)
        report = cls(
            data=data_facts(
                source.X,
                source.y,
                source.names,
                target,
                task,
                targets=targets,
                encoder=source.encoder,
                cautions=cautions,
            ),
            k=asked_for(selector, n_features),
            asked=asked_in_words(selector),
            method=METHODS[name].title if (name := method_of(selector)) in METHODS else name,
            method_name=name,
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
            k_curve=k_curve(selector),
            sureness=sure,
            panel=panel(source),
            samples=samples(source),
            images=None
            if image_shape is None
            else Images(
                image_shape,
                selector.support_,
                examples(source.numbers(range(n_features)), source.y),
            ),
            source=source,
        )
        return report.validate(n_repeats, n_jobs, verbose, metric, cv) if validate else report

    @cached_property
    def near_duplicates(self) -> Sequence[Sequence[tuple[str, float | None]]]:
        """For each selected feature those left out that are almost the same."""
        if self.source is None:
            return super().near_duplicates
        source = self.source
        chosen = source.selector.selected_indices_
        return near_duplicates(source.numbers, source.worded, chosen, source.names)

    def validate(
        self,
        n_repeats: int = 1,
        n_jobs: int = 1,
        verbose: int = 0,
        metric: str | None = None,
        cv: Any = None,
        *,
        groups: ArrayLike | None = None,
        order: ArrayLike | None = None,
    ) -> Report:
        """Return the same report with the scores of a cross-validation.

        The selection is repeated inside each fold, with the settings of the selector.

        Parameters
        ----------
        n_repeats, n_jobs : int, default=1
            Repetitions of the five folds, and folds at once.
        verbose : int, default=0
            Whether to show progress.
        metric : str, optional
            How predictions are measured, as in `compare`: by default accuracy, or explained
            variance; where classes are uneven the AUC of two, or balanced accuracy.
        cv : int, "time" or splitter, optional
            How the folds are made, as in `compare`.
        groups, order : array-like of shape (n_samples,), optional
            Which samples belong together, and when each was; by default as in `from_selector`.
        """
        if self.source is None:
            raise ValueError("This report was not made by from_selector, so nothing can be run.")
        from sklearn.base import clone

        from entryprune.bench.folds import make_folds
        from entryprune.bench.learners import judged_by
        from entryprune.bench.validation import cross_validate, guesses
        from entryprune.selectors._intake import by_number

        y, task = self.source.y, self.data.task
        suited = suited_metric(self.data) if metric is None else None
        judges = judged_by(task, metric or suited)
        folds = make_folds(
            y,
            task,
            cv=cv,
            groups=self.source.groups if groups is None else groups,
            order=self.source.order if order is None else order,
            n_repeats=n_repeats,
        )
        own = own_names(None, self.source.selector) or self.source.names
        selector = clone(self.source.selector)
        # The folds have arrays, whose features have no names and whose classes no order.
        for one in (selector, getattr(selector, "estimator", None)):
            if one is None:
                continue
            one.set_params(**by_number(one, own, len(self.source.names)))
            if getattr(one, "ordinal", False) is True:
                one.set_params(ordinal=self.source.class_order or True)
        # Neither is for to another process.
        quiet = {"callback": None, "verbose": 0}
        known = selector.get_params()
        selector.set_params(**{name: value for name, value in quiet.items() if name in known})
        outcomes = cross_validate(
            self.source.X,
            y,
            task,
            [(method_of(selector), self.k)],
            selector=selector,
            about=self.source.about,
            metric=judges[0].name,
            learner=judges[1].name,
            folds=folds,
            n_jobs=n_jobs,
            keeps_predictions=True,
            is_shown=bool(verbose),
        )
        chance = guesses(y, task, judges[0].name, folds)
        # Of groups, or with what a budget pays, each fold may select another number.
        asked = self.panel
        is_budgeted = asked is not None and (asked.budget is not None or asked.n_units is not None)
        is_k_open = self.k_curve is not None or is_budgeted
        failed = () if outcomes[-1].known else (f"{_UNKNOWN} {outcomes[-1].trouble}",)
        return replace(
            self,
            selected=replace(self.selected, warnings=(*self.selected.warnings, *failed)),
            validation=[
                validation(one, self.data, chance, folds, judges, is_k_open=is_k_open)
                for one in outcomes
                if one.known
            ],
            is_suited=suited is not None,
            predictions=predictions(outcomes[-1], y, task, folds.about.get("groups")),
        )
