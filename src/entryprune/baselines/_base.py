"""What all baselines share: validate, rank once, keep exactly K."""

from __future__ import annotations

import importlib
from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.preprocessing import StandardScaler, minmax_scale
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from entryprune.engine.errors import EntryPruneError
from entryprune.selectors._documentation import fill_docstring
from entryprune.selectors._inputs import check_finite, check_table, number_classes
from entryprune.selectors._parameters import (
    N_FEATURES_TO_SELECT,
    all_or_nothing,
    make_rng,
    resolve_n_selected,
)


class RefusalError(EntryPruneError):
    """A method cannot do this task; a benchmark records the reason and goes on.

    Parameters
    ----------
    method : str
        The selector that refuses.
    reason : {"task", "too_few", "package", "data"}
        In one word: it cannot do this kind of task, it finds fewer features than asked for, the
        package behind it is not installed, or it cannot work with data of this kind.
    message : str
        What was got, what is allowed and what to do.
    found : sequence of int
        The features that it found, the best first, where they are too few.

    Examples
    --------
    >>> try:
    ...     raise RefusalError("Fisher score", "task", "It needs classes.")
    ... except ValueError as refusal:
    ...     print(refusal.reason, "|", refusal)
    task | Fisher score: It needs classes.
    """

    def __init__(self, method: str, reason: str, message: str, found: Sequence[int] = ()) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.reason = reason
        self.message = message
        self.found = tuple(found)

    def __reduce__(self) -> tuple[object, ...]:
        # An exception that came from another process is built anew from its parts.
        return type(self), (self.method, self.reason, self.message, self.found)


_FIRST = """n_features_to_select : int, float or None, default=None
        How many features to select: a number, a share of all features, or None for half of them."""

_TASK = """task : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" goes by y: fractions mean regression, all else classification."""

_SCALE = """scale : {"minmax", "standard"} or None, default="minmax"
        How each feature is scaled first: to [0, 1], to mean 0 and standard deviation 1, or not
        at all."""

_DEVICE = """device : str or torch.device, default="auto"
        Where to compute; "auto" takes a GPU if there is one."""

_STATE = """random_state : int, RandomState or None, default=None
        Seed. The same seed, data and number of threads give the same selection."""

_VERBOSE = """verbose : int, default=0
        Show a progress bar on the error stream."""

_ATTRIBUTES = """support_ : ndarray of bool, shape (n_features,)
        The selected features.
    selected_indices_ : ndarray of int, shape (n_selected,)
        The selected features, best first.
    scores_ : ndarray of shape (n_features,)
        The method's score of each feature, larger is better; NaN where it gives none.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature; features that the method gives no place share the last one. Of
        equally good features the first column comes first.
    task_ : str
        "classification" or "regression".
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any."""

documented = fill_docstring(
    n_features_to_select=_FIRST,
    task=_TASK,
    scale=_SCALE,
    device=_DEVICE,
    random_state=_STATE,
    verbose=_VERBOSE,
    attributes=_ATTRIBUTES,
)


CLASSIFICATION, REGRESSION = "classification", "regression"
TASKS = (CLASSIFICATION, REGRESSION)


@dataclass(frozen=True)
class Data:
    """A validated table and its target.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite values, single or double precision. May be the caller's own: never write to it.
    y : ndarray of shape (n_samples,)
        Class numbers 0, 1, ... (int64) or, in regression, float64 values.
    n_classes : int
        Number of classes; 0 in regression.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    n_classes: int

    @property
    def task(self) -> str:
        """Either "classification" or "regression"."""
        return CLASSIFICATION if self.n_classes else REGRESSION


@dataclass(frozen=True)
class Ranking:
    """What a method found.

    Attributes
    ----------
    scores : ndarray of shape (n_features,)
        Larger is better; NaN for features that the method gives no score.
    order : ndarray of int, optional
        Features, best first; as many as the method found, and no feature twice. By default the
        scored features by falling score, of equal ones the first column first.
    """

    scores: NDArray[np.float64]
    order: NDArray[np.intp] | None = None

    def best_first(self) -> NDArray[np.intp]:
        """Return the features that were found, best first."""
        if self.order is not None:
            return self.order
        by_score: NDArray[np.intp] = np.argsort(-self.scores, kind="stable")
        return by_score[: np.count_nonzero(~np.isnan(self.scores))]


class BaselineSelector(SelectorMixin, BaseEstimator, metaclass=ABCMeta):
    """A feature selection method behind scikit-learn's interface.

    A subclass is one method: its `__init__` assigns parameters, `_rank` does the work.
    """

    # What the method is called in messages, and which tasks it can do.
    _title: ClassVar[str]
    _tasks: ClassVar[tuple[str, ...]] = TASKS

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": N_FEATURES_TO_SELECT,
        "task": [StrOptions({"auto", *TASKS})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        task: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.task = task
        self.random_state = random_state

    @abstractmethod
    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        """Rank the features; all that is random comes from `rng`."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = False
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Select features.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            The features: numbers without missing values. Never written.
        y : array of shape (n_samples,)
            The target.

        Returns
        -------
        self : object
            The fitted selector. If the fit fails or is interrupted, it is left as it was.
        """
        with all_or_nothing(self):
            table, target = check_table(self, X, y, reset=True, ensure_min_samples=2)
            check_finite(table, getattr(self, "feature_names_in_", None))
            n_selected = resolve_n_selected(self.n_features_to_select, table.shape[1])
            data = self._prepare(_as_floats(table), target)
            ranking = self._rank(data, n_selected, make_rng(self.random_state))
            self.task_ = data.task
            self._keep(ranking, n_selected)
        return self

    def _prepare(self, X: NDArray[Any], y: NDArray[Any]) -> Data:
        task = resolve_task(self.task, y)
        if task not in self._tasks:
            raise RefusalError(
                self._title,
                "task",
                f"it does {' and '.join(self._tasks)} only, and this is {task} (y is "
                f"{type_of_target(y)}). If y holds classes, say task='classification'; if it is "
                f"a quantity, bin it first (for example with scikit-learn's KBinsDiscretizer) or "
                f"take another method.",
            )
        if task == REGRESSION:
            return Data(X, y.astype(np.float64), 0)
        classes, numbers = number_classes(y)
        return Data(X, numbers, len(classes))

    def _keep(self, ranking: Ranking, n_selected: int) -> None:
        order = ranking.best_first()
        if len(order) < n_selected:
            raise RefusalError(
                self._title,
                "too_few",
                f"it found {len(order)} feature(s) and {n_selected} were asked for. "
                f"Ask for at most {len(order)}, or take another method."
                if len(order)
                else "it found no feature that helps. Take another method.",
                found=order.tolist(),
            )
        n_features = len(ranking.scores)
        self.scores_ = ranking.scores
        self.selected_indices_ = order[:n_selected]
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[self.selected_indices_] = True
        # Features that the method found no place for share the last one.
        self.ranking_ = np.full(n_features, len(order) + 1)
        self.ranking_[order] = np.arange(1, len(order) + 1)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_


class ScaledSelector(BaselineSelector):
    """A method whose answer depends on the scale of the features, which it therefore sets."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaselineSelector._parameter_constraints,
        "scale": [StrOptions({"minmax", "standard"}), None],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        task: str = "auto",
        scale: str | None = "minmax",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_features_to_select, task=task, random_state=random_state)
        self.scale = scale

    def _prepare(self, X: NDArray[Any], y: NDArray[Any]) -> Data:
        data = super()._prepare(X, y)
        if self.scale is None:
            return data
        # Unlike scikit-learn's `scale`, the class takes constants in single precision for what they
        # are, without a warning.
        scaled = minmax_scale(X) if self.scale == "minmax" else StandardScaler().fit_transform(X)
        return replace(data, X=scaled)


def resolve_task(task: str, y: NDArray[Any]) -> str:
    """Return the task: as asked for, or as the target looks.

    Examples
    --------
    >>> import numpy as np
    >>> resolve_task("auto", np.array(["a", "b"])), resolve_task("auto", np.array([0.5, 1.2]))
    ('classification', 'regression')
    """
    kind = type_of_target(y, input_name="y")
    if kind not in ("binary", "multiclass", "continuous"):
        raise ValueError(
            f"Unknown label type: y must be one column of classes or numbers, got a target of type "
            f"{kind!r}. Give a one-dimensional array of one kind of values."
        )
    if task == "auto":
        return REGRESSION if kind == "continuous" else CLASSIFICATION
    if task == CLASSIFICATION and kind == "continuous":
        raise ValueError(
            "Unknown label type: task='classification', but y holds fractions. Bin y into "
            "classes, or say task='regression'."
        )
    if task == REGRESSION and y.dtype.kind not in "biuf":
        raise ValueError(
            f"task='regression' needs numbers in y, got values of type {y.dtype}. Convert y, or "
            f"say task='classification'."
        )
    return task


def _as_floats(table: NDArray[Any]) -> NDArray[Any]:
    return table if table.dtype in (np.float32, np.float64) else table.astype(np.float64)


def import_peer(package: str, title: str) -> ModuleType:
    """Import a package or say how to get it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise RefusalError(
            title,
            "package",
            f"it needs the package {package!r}, which cannot be imported ({error}). Install it "
            f"with: pip install 'entryprune[peers]'",
        ) from error
