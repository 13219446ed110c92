"""Selection over many half samples, with what can be said of how sure it is."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import MetaEstimatorMixin, _fit_context, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _num_samples, validate_data

from entryprune._progress import progress_bar
from entryprune.confidence.agreement import size_agreed_on
from entryprune.confidence.alike import find_stand_ins, representatives
from entryprune.confidence.findings import Findings
from entryprune.confidence.subsamples import (
    Task,
    choose_among_frequent,
    class_numbers,
    complementary_pairs,
    pairs_of_groups,
    select_on_each,
    shuffled,
    with_shadows,
)
from entryprune.confidence.verdicts import usual_size
from entryprune.encoding import Encoder, is_frame
from entryprune.encoding.views import has_gaps
from entryprune.engine.settings import COUNT, YES_OR_NO, Allowed, setting
from entryprune.selectors import (
    EntryPruneClassifier,
    EntryPruneRegressor,
    EntryPruneSurvival,
    NothingLearnedWarning,
)
from entryprune.selectors._base import BaseEntryPrune
from entryprune.selectors._selector import (
    N_FEATURES,
    RANDOM_STATE,
    VERBOSE,
    About,
    Selector,
    Special,
    estimator,
    make_rng,
)

# Means of one table differ by this share of its values at most, in single precision or double.
_SAME_MEAN = 1e-4
# Or groups of them, that make halves.
_FEWEST_SAMPLES = 4


@estimator()
class StabilitySelector(MetaEstimatorMixin, Findings):
    """Select on many half samples, and say how sure each feature is.

    The samples are split into two halves again and again, and a selector is fitted on each half.
    How often a feature is selected says how sure it is. Beside every feature stands its shadow, the
    same column with the samples in another order: shadows cannot matter, so what is selected no
    more often than the luckiest of them is rejected, and what is not more than chance is not
    confirmed.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    frequencies_ : ndarray of float of shape (n_features_in_,)
        In which share of the half samples each feature was selected.
    frequency_intervals_ : ndarray of float of shape (n_features_in_, 2)
        95 % intervals (Wilson) of what more half samples of this table would show.
    shadow_frequencies_ : ndarray of float of shape (n_features_in_,)
        The same for each feature's shadow; empty without shadows.
    verdicts_ : ndarray of str of shape (n_features_in_,)
        "confirmed": selected as often as the threshold asks, as `noise_limit_`, and more often than
        any shadow. "tentative": more often than any shadow (without shadows: in half of the fits),
        but not as often as asked. "rejected": all others.
    noise_limit_ : float
        How often the luckiest of as many columns that cannot matter is selected in one of a hundred
        tables, as told from the shadows; 0 without shadows.
    support_ : ndarray of bool of shape (n_features_in_,)
        Which features are selected: the confirmed ones or, with `n_features_to_select`, so many.
    selected_indices_ : ndarray of int of shape (n_selected,)
        The selected features, best first.
    ranking_ : ndarray of int of shape (n_features_in_,)
        Ranks of the selected features, then of the others by how often they were selected.
    expected_false_ : float
        How many features that matter no more than chance are to be expected at most among the
        confirmed ones (Shah and Samworth 2013).
    false_proportion_ : float
        Share of the features selected as often as that which is false, as estimated from the
        shadows (Stabl's FDP+); above 1 if there are more shadows than features; NaN without any.
    groups_ : list of Group
        Features that stand in for each other: alike, and hardly ever selected together. Each has
        `features`, the `frequency` with which at least one of them was selected, and a `verdict`.
    agreement_ : Agreement
        How much the selections have in common: `stability` (Nogueira and others 2018) with its 95 %
        interval `low` and `high`, `jaccard` and `kuncheva`.
    selections_ : list of ndarray
        The features that were selected on each half sample.
    statement_ : str
        What came out, in words.
    n_features_per_fit_ : int
        How many features of each fit count.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of str of shape (n_features_in_,)
        Names of the features, if X had names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from entryprune import StabilitySelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = StabilitySelector(n_pairs=10, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['worst radius', 'worst texture', 'worst concave points']
    >>> selector.set_params(threshold=0.95).expected_false_ < 0.5
    True
    """

    _none_means: ClassVar[str] = "all that are confirmed"
    _or_named: ClassVar[str] = ""

    n_features_to_select: float | None = field(
        default=None,
        kw_only=False,
        metadata={
            "allowed": N_FEATURES,
            "text": "How many features to select in the end: None takes all that are confirmed. A "
            "number, or a share of all features, takes exactly so many: those that stand best for "
            "all that was selected or, unless there are more samples than features, those that the "
            "selector chooses on all samples among twice as many that were selected most often.",
        },
    )
    estimator: Any = setting(
        None,
        Special("selector or None", (HasMethods(["fit", "get_support"]), None)),
        "What selects on each half sample: any with a parameter `n_features_to_select`. None takes "
        "`EntryPruneClassifier`, or `EntryPruneRegressor` if y holds fractions.",
    )
    threshold: float = setting(
        0.75,
        Allowed(float, low=0, high=1, closed="right"),
        "How often a feature must be selected to be confirmed. It can be changed after the fit.",
    )
    n_features_per_fit: int | str = setting(
        "auto",
        Allowed(int, low=1, closed="left", choices=("auto",)),
        'How many features each fit selects. "auto" is the number to select in the end or, where '
        "it is not given, as many as leave half a false one to be expected above a threshold of "
        "0.75, but no more than 50; where the fits agree well on their first few, and clearly less "
        "on more, only these count and as many again, ten at least.",
    )
    n_pairs: int = setting(50, COUNT, "Splits into halves; each has two fits.")
    shadows: bool = setting(True, YES_OR_NO, "Whether columns that cannot matter take part.")
    n_jobs: int | None = setting(
        None,
        Allowed(int, or_none=True),
        "Fits at once, through joblib; None is 1, -1 all cores. The result does not depend on it.",
    )
    random_state: int | np.random.RandomState | None = setting(None, *RANDOM_STATE)
    verbose: int = setting(0, VERBOSE, "1 shows a bar with the progress.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(EntryPruneClassifier() if self.estimator is None else self.estimator)
        for what in ("sparse", "categorical", "allow_nan"):
            setattr(tags.input_tags, what, getattr(inner.input_tags, what))
        return tags

    # -- fit ------------------------------------------------------------------------------------

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Select on half samples.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n_samples, n_features)
            The features, of any kind that `estimator` takes. Never written.
        y : array of shape (n_samples,)
            The target, of any kind that `estimator` takes.
        sample_weight : array of shape (n_samples,), optional
            How often each sample counts, for EntryPrune only.
        groups : array of shape (n_samples,), optional
            Samples of one group (of one patient, say) are always in the same half.

        Returns
        -------
        self : object
            The fitted selector. If the fit fails or is interrupted, it is left as it was.
        """
        return self._fit_all(X, y, About.known(_num_samples(X), sample_weight, groups))

    def _has_classes(self, y: NDArray[Any]) -> bool:
        """Say so as the selector sees it or, where it says nothing, as the target looks."""
        if isinstance(self.estimator, BaseEntryPrune):
            return self.estimator._has_classes(y)
        task = getattr(self.estimator, "task", "auto")
        if task == "auto" and self.estimator is not None:
            task = get_tags(self.estimator).estimator_type or "auto"
        return super()._has_classes(y) if task == "auto" else task.startswith("class")

    def _fit(self, X: ArrayLike, y: ArrayLike, about: About) -> None:
        self._select_on_half_samples(X, y, about)
        if not self.support_.any():
            warnings.warn(
                f"{self.statement_} {self._remedy}",
                NothingLearnedWarning,
                stacklevel=5,  # behind `fit` and scikit-learn's wrapper of it
            )

    def _select_on_half_samples(self, X: ArrayLike, y: ArrayLike, about: About) -> None:
        selector = self._selector(y)
        reader = selector if isinstance(selector, Selector) else self
        table, target, n_units, about = reader._look_at(X, y, about)
        validate_data(self, X, reset=True, skip_check_array=True)
        n_samples, n_features = len(target), self.n_features_in_
        self._check_request(selector, n_samples, about)
        numbers = _numbers_of(table, selector)
        self._n_samples, self._means = n_samples, _means(numbers)
        classes = self._strata(reader, target, about.groups)
        rng = make_rng(self.random_state)
        self.n_features_per_fit_ = self._n_per_fit(n_units)
        selector.set_params(n_features_to_select=self.n_features_per_fit_)
        if about.groups is None:
            pairs = complementary_pairs(self.n_pairs, n_samples, classes, rng)
        else:
            pairs = pairs_of_groups(self.n_pairs, about.groups, classes, rng)
        halves = [half for pair in pairs for half in pair]
        tasks = [Task(half, int(rng.integers(2**31))) for half in halves]
        shadow_order, beside = None, selector
        if self.shadows:
            shadow_order = shuffled(about.groups, n_samples, rng)
            beside = with_shadows(selector, n_features)
        found = self._select(beside, table, target, tasks, about, shadow_order)
        n_columns = n_features * (1 + self.shadows)
        if self._may_count_fewer(selector):
            self.n_features_per_fit_ = size_agreed_on(found, n_columns)
            found = [one[: self.n_features_per_fit_] for one in found]
        found = [np.sort(one) for one in found]
        counts = np.bincount(np.concatenate(found), minlength=n_columns)
        frequencies = counts / len(tasks)
        self.frequencies_ = frequencies[:n_features]
        self.shadow_frequencies_ = frequencies[n_features:]
        self.selections_ = [one[one < n_features] for one in found]
        self._mean_size = float(np.mean([len(one) for one in found]))
        self._stand_ins = find_stand_ins(self.selections_, numbers)
        shadows = [one[one >= n_features] - n_features for one in found]
        lucky = find_stand_ins(shadows, numbers)
        self._luckiest_group = max((one[1] for one in lucky), default=0.0)
        self._chosen = np.empty(0, dtype=np.intp)
        n_selected = self.n_features_to_select
        if n_selected is not None and n_samples > n_features:
            self._chosen = representatives(self.frequencies_, numbers, self._n_selected(n_features))
        elif n_selected is not None:
            # On few samples which of many features are alike is a matter of chance.
            selector.set_params(n_features_to_select=self._n_selected(n_features))
            everyone = Task(np.arange(n_samples), int(rng.integers(2**31)))
            self._chosen = choose_among_frequent(
                self.frequencies_, selector, table, target, everyone, about
            )

    def _check_request(self, selector: Any, n_samples: int, about: About) -> None:
        """Refuse what cannot be done with these samples, or with this selector."""
        if n_samples < _FEWEST_SAMPLES:
            raise ValueError(
                f"Found array with {n_samples} sample(s), while halves take a minimum of "
                f"{_FEWEST_SAMPLES}. Bring more samples."
            )
        if about.groups is not None and (n_groups := int(about.groups.max()) + 1) < _FEWEST_SAMPLES:
            raise ValueError(
                f"Halves of whole groups take at least {_FEWEST_SAMPLES} groups of samples, and "
                f"groups has {n_groups}. Bring samples of more groups, or leave groups out."
            )
        if about.weights is not None and not isinstance(selector, BaseEntryPrune):
            raise ValueError(
                f"{type(selector).__name__} takes no sample_weight. Leave it out, or take a "
                f"selector of EntryPrune as estimator."
            )
        told = selector.get_params(deep=False)
        if self.n_features_to_select is not None:
            for name in ("feature_groups", "keep", "bar", "costs", "budget"):
                if told.get(name) is not None:
                    raise ValueError(
                        f"n_features_to_select chooses among all features whatever {name} of the "
                        f"estimator says. Leave it out: then all that are confirmed are selected."
                    )

    def _strata(
        self, reader: Any, target: NDArray[Any], groups: NDArray[np.intp] | None
    ) -> NDArray[np.intp] | None:
        """Return classes, or whether an event was seen, which both halves are to have."""
        if target.ndim == 1:
            return class_numbers(target, groups) if self._has_classes(target) else None
        is_of_times = isinstance(reader, EntryPruneSurvival)
        if not is_of_times and getattr(reader, "task", "") != "survival":
            return None
        events: NDArray[np.intp] = target[:, 1].astype(np.intp)
        if events.sum() < 2:
            raise ValueError("Both halves of the samples must have an event, and y has one only.")
        return events

    def _n_per_fit(self, n_units: int) -> int:
        if not isinstance(self.n_features_per_fit, str):
            if self.n_features_per_fit > n_units:
                raise ValueError(
                    f"n_features_per_fit must be at most {n_units}, the number of features in "
                    f"X, or 'auto'; got {self.n_features_per_fit}."
                )
            return self.n_features_per_fit
        if self.n_features_to_select is not None:
            return self._n_selected(n_units)
        usual = usual_size(n_units * (1 + self.shadows))
        # No fewer than are kept in any case, and room for others beside them.
        kept = getattr(self.estimator, "keep", None)
        return min(n_units, usual + (0 if kept is None else np.size(kept)))

    def _may_count_fewer(self, selector: Any) -> bool:
        """Whether the first features of a fit are the best, and their number was left to us."""
        is_free = isinstance(self.n_features_per_fit, str) and self.n_features_to_select is None
        # All of a group are selected at once, and those that are kept always.
        told = (getattr(selector, name, None) for name in ("feature_groups", "keep"))
        return is_free and isinstance(selector, Selector) and all(one is None for one in told)

    def _selector(self, y: Any) -> Any:
        if self.estimator is None:
            try:
                kind = type_of_target(np.asarray(y))
            except (TypeError, ValueError):
                kind = ""  # which the classifier says more of
            is_quantity = kind.startswith("continuous") or kind == "multiclass-multioutput"
            return EntryPruneRegressor() if is_quantity else EntryPruneClassifier()
        selector = clone(self.estimator)
        if "n_features_to_select" not in selector.get_params(deep=False):
            raise ValueError(
                f"estimator must have a parameter n_features_to_select, and "
                f"{type(self.estimator).__name__} has none. Take a selector of entryprune or "
                f"entryprune.baselines."
            )
        return selector

    def _select(  # noqa: PLR0917 - all that a selection is made from
        self,
        selector: Any,
        table: Any,
        target: NDArray[Any],
        tasks: list[Task],
        about: About,
        shadow_order: NDArray[np.intp] | None,
    ) -> list[NDArray[np.intp]]:
        found: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)] * len(tasks)
        with ExitStack() as stack:
            bar = stack.enter_context(progress_bar()) if self.verbose else None
            step = None if bar is None else bar.add_task("Half samples", total=len(tasks))
            done = select_on_each(
                selector,
                table,
                target,
                tasks,
                about=about,
                shadow_order=shadow_order,
                n_jobs=self.n_jobs,
            )
            for number, selected in done:
                found[number] = selected
                if bar is not None and step is not None:
                    bar.advance(step)
        return found

    def _was_fitted_on(self, table: Any) -> bool:
        """Whether a table may be that of the fit, by its samples and means; not by its types."""
        if table.shape != (self._n_samples, len(self._means)):
            return False
        values = _numbers_of(table, self.estimator)
        values = values.astype(np.float64) if values.dtype.kind == "O" else values
        means = _means(values)
        if sparse.issparse(values):
            squares = _means(values.astype(np.float64).power(2))
            spread = np.sqrt(np.maximum(squares - means**2, 0.0))
        else:
            spread = values.std(axis=0, dtype=np.float64)
        off = np.abs(means - self._means)
        return bool((off <= _SAME_MEAN * (spread + np.abs(self._means))).all())


def _numbers_of(table: Any, selector: Any) -> Any:
    """Return a number for each feature and sample, gaps filled, to compare features by."""
    if sparse.issparse(table) or not (is_frame(table) or has_gaps(table)):
        return table
    encoder = Encoder.fit(table, missing="impute", max_levels=getattr(selector, "max_levels", 20))
    return encoder.one_column_each(table)


def _means(numbers: Any) -> NDArray[np.float64]:
    return np.asarray(numbers.mean(axis=0, dtype=np.float64)).reshape(-1)
