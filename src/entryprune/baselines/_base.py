"""What all baselines share: validate, rank once, keep exactly K."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import StandardScaler, minmax_scale, scale
from sklearn.utils.multiclass import type_of_target

from entryprune._survival import RiskSets
from entryprune.engine.bodies import ACTIVATIONS
from entryprune.engine.errors import EntryPruneError
from entryprune.engine.settings import COUNT, POSITIVE, WIDTHS, Allowed, one_of, setting
from entryprune.selectors._inputs import check_finite, check_table, number_classes
from entryprune.selectors._selector import (
    DEVICE,
    RANDOM_STATE,
    VERBOSE,
    About,
    Selector,
    estimator,
    make_rng,
    quantities,
)
from entryprune.selectors._survival import times_and_events


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


# What the docstring of every method has. The scores come last, so that it can go on with what they
# are there.
_SECTIONS = """Parameters
    ----------
    {parameters}

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    selected_indices_ : ndarray of int, shape (n_selected,)
        The selected features, best first.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature; features that the method gives no place share the last one. Of
        equally good features the first column comes first.
    k_curve_ : dict of ndarray
        With `n_features_to_select` "auto" or "best": how well each number of features does, see
        `EntryPruneClassifier`.
    task_ : str
        "classification" or "regression".
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any.
    scores_ : ndarray of shape (n_features,)
        The method's score of each feature, larger is better; NaN where it gives none."""

# Values that many parameters may have.
NOT_NEGATIVE = Allowed(float, low=0, closed="left")
SHARE = Allowed(float, low=0, high=1, closed="left")
COUNT_OR_AUTO = replace(COUNT, choices=("auto",))
JOBS = Allowed(int, or_none=True)
# Of parameters that several methods have: the values and the text.
ON_DEVICE = (DEVICE, 'Where to compute; "auto" takes a GPU if there is one.')
WITH_BAR = (VERBOSE, "Show a progress bar on the error stream.")
TREES_AT_ONCE = (
    JOBS,
    "Number of trees grown at the same time; None means 1, -1 as many as there are processors. The "
    "selection does not depend on it.",
)

# Ends the meaning of scores that are small or large only beside each other.
NO_SCALE = "Such scores have no scale of their own: they only tell features of one table apart."

Floats = NDArray[np.float64]

CLASSIFICATION, REGRESSION, SURVIVAL = "classification", "regression", "survival"
TASKS = (CLASSIFICATION, REGRESSION)


@dataclass(frozen=True)
class Data:
    """A validated table and its target."""

    # finite, in single or double precision; may be the caller's own: never write to it
    X: NDArray[Any]
    # class numbers 0, 1, ... (int64) or float64 values: quantities, or times and events
    y: NDArray[Any]
    # 0 if there are no classes
    n_classes: int
    is_survival: bool = False

    @property
    def task(self) -> str:
        """Either "classification", "regression" or "survival"."""
        if self.is_survival:
            return SURVIVAL
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

    scores: Floats
    order: NDArray[np.intp] | None = None

    def best_first(self) -> NDArray[np.intp]:
        """Return the features that were found, best first."""
        if self.order is not None:
            return self.order
        by_score: NDArray[np.intp] = np.argsort(-self.scores, kind="stable")
        return by_score[: np.count_nonzero(~np.isnan(self.scores))]


@estimator()
class BaselineSelector(Selector):
    """A feature selection method behind scikit-learn's interface.

    A subclass is one method: its fields are its parameters (see `estimator`), `_rank` does the
    work.
    """

    # What the method is called in messages, and which tasks it can do.
    _title: ClassVar[str]
    _tasks: ClassVar[tuple[str, ...]] = TASKS
    # Whether it knows targets of several columns.
    _takes_several: ClassVar[bool] = False
    # What a report says of the scores: what they are and, where they have a scale, what is large.
    _score_meaning: ClassVar[str]
    # Whether they alone rank the features, those that are not selected too.
    _ranks_by_score: ClassVar[bool] = True
    _texts: ClassVar[dict[str, str]] = {"parameters and attributes": _SECTIONS}

    task: str = setting(
        "auto",
        one_of(("auto", *TASKS, SURVIVAL)),
        'What y holds. "auto" goes by y: fractions mean regression, all else classification. '
        '"survival" are times and events, as `EntryPruneSurvival` takes them.',
    )
    random_state: int | np.random.RandomState | None = setting(None, *RANDOM_STATE)

    @abstractmethod
    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        """Rank the features; all that is random comes from `rng`."""

    def _check(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        if self.task == SURVIVAL:
            y = times_and_events(y)
        shape = np.asarray(y).shape
        is_several = len(shape) == 2 and shape[1] > 1
        table, target = check_table(
            self, X, y, reset=True, ensure_min_samples=2,
            multi_output=is_several and (self._takes_several or self.task == SURVIVAL),
        )  # fmt: skip
        return table, target

    def _has_classes(self, y: NDArray[Any]) -> bool:
        return y.ndim == 1 and resolve_task(self.task, y) == CLASSIFICATION

    def _target_values(self, y: NDArray[Any], about: About) -> NDArray[np.float32]:
        if self.task != SURVIVAL:
            return super()._target_values(y, about)
        # Martingale residuals: events seen less those expected of samples all alike.
        _, slope = RiskSets(y[:, 0], y[:, 1] > 0).loss(np.zeros(len(y)))
        return quantities(-slope)

    def _fit(self, X: ArrayLike, y: ArrayLike, about: About) -> None:
        del about  # which only EntryPrune takes
        table, target = self._check(X, y)
        check_finite(table, getattr(self, "feature_names_in_", None))
        n_selected = self._n_selected(table.shape[1])
        if table.dtype not in (np.float32, np.float64):
            table = table.astype(np.float64)
        data = self._prepare(table, target)
        ranking = self._rank(data, n_selected, make_rng(self.random_state))
        self.task_ = data.task
        self._keep(ranking, n_selected)

    def _prepare(self, X: NDArray[Any], y: NDArray[Any]) -> Data:
        if y.ndim > 1 and (self.task != SURVIVAL or SURVIVAL in self._tasks):
            return Data(X, y.astype(np.float64), 0, self.task == SURVIVAL)
        task = self.task if self.task == SURVIVAL else resolve_task(self.task, y)
        if task not in self._tasks:
            raise RefusalError(
                self._title,
                "task",
                f"it does {' and '.join(self._tasks)} only, and this is {task} (y is "
                f"{type_of_target(y)}). If y holds classes, say task='classification'; if it is "
                f"a quantity, bin it first (for example with scikit-learn's KBinsDiscretizer) or "
                f"take another method."
                if SURVIVAL not in {task, *self._tasks}
                else f"it does {' and '.join(self._tasks)} only, and this is {task}. Take another "
                f"method.",
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


@estimator()
class ScaledSelector(BaselineSelector):
    """A method whose answer depends on the scale of the features, which it therefore sets."""

    scale: str | None = setting(
        "minmax",
        one_of(("minmax", "standard"), or_none=True),
        "How each feature is scaled first: to [0, 1], to mean 0 and standard deviation 1, or not "
        "at all.",
    )

    def _prepare(self, X: NDArray[Any], y: NDArray[Any]) -> Data:
        data = super()._prepare(X, y)
        if self.scale is None:
            return data
        # Unlike scikit-learn's `scale`, the class takes constants in single precision for what they
        # are, without a warning.
        scaled = minmax_scale(X) if self.scale == "minmax" else StandardScaler().fit_transform(X)
        return replace(data, X=scaled)


@estimator()
class NetworkSelector(ScaledSelector):
    """A method that reads the features' worth off a network while or after it trains."""

    hidden_layer_sizes: int | tuple[int, ...] = setting(100, WIDTHS, "Widths of the hidden layers.")
    activation: str = setting("relu", one_of(ACTIVATIONS), "Follows each hidden layer.")
    learning_rate_init: float = setting(0.001, POSITIVE, "Step size of the optimiser, Adam.")
    weight_decay: float = setting(0.0, NOT_NEGATIVE, "L2 penalty on the weights.")
    batch_size: int | str = setting(100, COUNT, "Most samples in a mini-batch.")
    device: str | torch.device = setting("auto", *ON_DEVICE)
    verbose: int = setting(0, *WITH_BAR)

    def _widths(self, n_inputs: int, n_outputs: int) -> tuple[int, ...]:
        """Return the number of units in each layer."""
        asked: Any = self.hidden_layer_sizes
        sizes = (asked,) if isinstance(asked, Integral) else tuple(asked)
        if not sizes or not all(isinstance(size, Integral) and int(size) >= 1 for size in sizes):
            raise ValueError(
                f"hidden_layer_sizes must be one or more positive integers, got {asked!r}."
            )
        return (n_inputs, *map(int, sizes), n_outputs)


def standardised(y: Floats) -> NDArray[np.float32]:
    """Return a target of mean 0 and standard deviation 1; a constant one becomes 0."""
    scaled: NDArray[np.float32] = scale(y).astype(np.float32)
    return scaled


def resolve_task(task: str, y: NDArray[Any]) -> str:
    """Return the task: as asked for, or as the target looks."""
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
