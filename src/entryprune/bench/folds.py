"""How samples are split: the folds of a cross-validation, and the benchmark's own protocols."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import _safe_indexing

from entryprune._text import counted
from entryprune.bench.store import N_FOLDS, N_TRUTH_FOLDS, PROTOCOLS, TRUTH, UNSCALED_FOLDS
from entryprune.data import Dataset
from entryprune.methods import CLASSIFICATION, REGRESSION
from entryprune.selectors._folds import (
    Fold,
    as_folds,
    deal_groups,
    number_groups,
    rank_order,
    windows,
)
from entryprune.selectors._tables import for_learner

Array = NDArray[Any]
Indices = NDArray[np.intp]

IN_ORDER = "time"
# More repetitions than anyone makes, and about as many different ones as seeds of numpy allow: a
# prime, or large seeds would soon come round to the same.
_MOST_REPEATS, _MOST_SPLITS = 1000, 2**29 - 3


@dataclass(frozen=True, eq=False)
class Folds:
    """Which samples each fold learns from and is tested on, and what is known of them besides."""

    places: Sequence[Fold]
    n_splits: int  # folds that make one round
    n_repeats: int = 1
    first_seed: int = 0  # the seed of the first fold; those of the others follow
    # How they were made, as it follows "cross-validation"; empty if by chance alone.
    how: str = ""
    # What they follow, by the names that selectors know it by.
    about: Mapping[str, Indices] = field(default_factory=dict, repr=False)

    @property
    def seeds(self) -> range:
        """The seed of each fold; those of another seed are others."""
        return range(self.first_seed, self.first_seed + len(self.places))

    @property
    def is_usual(self) -> bool:
        """Whether they follow from the target and the seed alone."""
        return not self.how and self.n_splits == N_FOLDS

    @property
    def test_ratio(self) -> float:
        """Samples that a fold is tested on for each that it learns from, on the average."""
        if not self.how:
            return 1 / max(self.n_splits - 1, 1)
        return float(np.mean([len(test) / len(learn) for learn, test in self.places]))

    def at(self, seed: int) -> Fold:
        """Return the fold of a seed."""
        return self.places[seed - self.first_seed]


def make_folds(
    y: Array,
    task: str,
    *,
    cv: Any = None,
    groups: Any = None,
    order: Any = None,
    n_repeats: int = 1,
    seed: int = 0,
) -> Folds:
    """Return folds of samples, with `cv` folds in each round.

    By chance each class is spread over them. With groups each of them is in one fold; in order
    (``cv="time"``, or an `order` is given) each fold is tested on what comes after all that it
    learns from, which can be done in one way only, so it is not repeated. `cv` may also be what
    scikit-learn calls a splitter.
    """
    n_samples = len(y)
    numbers = None if groups is None else number_groups(groups, n_samples)
    first = seed * _MOST_REPEATS % _MOST_SPLITS
    if hasattr(cv, "split") and not isinstance(cv, str):
        if order is not None:
            raise ValueError("order says how to split, and cv is a splitter. Give one of them.")
        return _of_splitter(cv, y, numbers)
    n_splits = _n_splits(cv, n_samples)
    if cv == IN_ORDER and order is None:
        order = np.arange(n_samples)
    if order is not None:
        ranks = rank_order(order, n_samples)
        places = windows(ranks, n_splits, numbers)
        how = "each fold is tested on samples that come after all that it learned from"
        if numbers is not None:
            how += ", and on no group that it learned from"
        how = f"in order of time ({how})"
        about = {"order": ranks} if numbers is None else {"order": ranks, "groups": numbers}
        found = Folds(places, n_splits, 1, N_FOLDS * first, how, about)
    elif numbers is not None:
        rounds = _of_groups(y, task, numbers, n_splits, range(first, first + n_repeats))
        n_groups = len(np.unique(numbers))
        how = f"by groups (none of the {n_groups:,} groups of samples is on both sides of a fold)"
        found = Folds(rounds, n_splits, n_repeats, N_FOLDS * first, how, {"groups": numbers})
    else:
        places = [
            fold
            for repetition in range(first, first + n_repeats)
            for fold in _by_chance(y, n_splits, repetition)
        ]
        return Folds(places, n_splits, n_repeats, N_FOLDS * first)
    _check_that_all_can_learn(found, y, task)
    return found


def fold_places(y: Array, repetition: int, fold: int) -> Fold:
    """Return the places of the training and test cases of one of five folds."""
    return _by_chance(y, N_FOLDS, repetition)[fold]


def is_quantity(y: Array) -> bool:
    """Say whether a target has fractions, so that no value of it is a class."""
    return bool(y.dtype.kind == "f" and (y != np.round(y)).any())


def _by_chance(y: Array, n_splits: int, repetition: int) -> list[Fold]:
    strata = _strata(y)
    # Quantities have no classes to keep together, and classes of one case cannot be spread.
    is_spread = (
        not is_quantity(strata) and np.unique(strata, return_counts=True)[1].max() >= n_splits
    )
    kind = StratifiedKFold if is_spread else KFold
    folds = kind(n_splits, shuffle=True, random_state=repetition)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(folds.split(strata, strata))


def _strata(y: Array) -> Array:
    """Return y or, of samples with several labels or times and events, a class for the same."""
    if y.ndim == 1:
        return y
    is_yes_or_no = [bool(np.isin(column, (0, 1)).all()) for column in y.T]
    if not any(is_yes_or_no):
        return y[:, 0]
    _, classes = np.unique(y[:, is_yes_or_no], axis=0, return_inverse=True)
    return classes.reshape(-1)


def _of_groups(
    y: Array, task: str, numbers: Indices, n_splits: int, repetitions: range
) -> list[Fold]:
    n_groups = len(np.unique(numbers))
    if n_groups < n_splits:
        remedy = (
            f"Take fewer folds (cv={n_groups}), or bring samples of more groups."
            if n_groups > 1
            else "Bring samples of more groups, or leave groups out."
        )
        raise ValueError(
            f"{counted(n_splits, 'fold')} take as many groups of samples or more, and there "
            f"{'is' if n_groups == 1 else 'are'} {n_groups}. {remedy}"
        )
    is_spread = task != REGRESSION
    classes = np.unique(_strata(y), return_inverse=True)[1].reshape(-1) if is_spread else None
    return [
        fold
        for repetition in repetitions
        for fold in as_folds(
            deal_groups(numbers, n_splits, classes, np.random.default_rng(repetition)), n_splits
        )
    ]


def _of_splitter(splitter: Any, y: Array, numbers: Indices | None) -> Folds:
    name = type(splitter).__name__
    try:
        with warnings.catch_warnings():
            # Whether it kept groups together is looked at below.
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
            # Splitters look at the number of samples only.
            found = list(splitter.split(np.zeros((len(y), 1)), y, numbers))
    except (TypeError, ValueError) as error:
        raise ValueError(f"cv={name} cannot split these samples: {error}") from error
    places = [(np.asarray(learn), np.asarray(test)) for learn, test in found]
    if len(places) < 2 or not all(len(part) for fold in places for part in fold):
        raise ValueError(
            f"cv={name} makes {counted(len(places), 'fold')}, and two or more are needed, each "
            f"with samples to learn from and samples to test on."
        )
    if numbers is not None and any(
        np.isin(numbers[test], numbers[learn]).any() for learn, test in places
    ):
        raise ValueError(
            f"cv={name} has samples of one group on both sides of a fold. Take a splitter for "
            f"groups, such as GroupKFold, or a number of folds, or leave out groups."
        )
    n_repeats = int(getattr(splitter, "n_repeats", 1))
    if n_repeats < 1 or len(places) % n_repeats:
        n_repeats = 1
    how = f"with the folds of {name}"
    about = {} if numbers is None else {"groups": numbers}
    return Folds(places, len(places) // n_repeats, n_repeats, 0, how, about)


def _n_splits(cv: Any, n_samples: int) -> int:
    if cv is None or (isinstance(cv, str) and cv == IN_ORDER):
        n_splits = N_FOLDS
    elif isinstance(cv, Integral) and int(cv) >= 2:  # which True is not
        n_splits = int(cv)
    else:
        raise ValueError(
            f"cv takes a number of folds from 2, {IN_ORDER!r} or a splitter of scikit-learn; got "
            f"{cv!r}."
        )
    if n_samples < n_splits:
        raise ValueError(
            f"A cross-validation in {n_splits} folds needs at least {n_splits} samples, and there "
            f"{'is' if n_samples == 1 else 'are'} {n_samples}. Bring more samples"
            f"{', or take fewer folds' if n_samples > 1 else ''}."
        )
    return n_splits


def _check_that_all_can_learn(folds: Folds, y: Array, task: str) -> None:
    """Refuse folds that would learn from nothing, or from one class."""
    least, strata = 2 if task == CLASSIFICATION else 1, _strata(y)
    n_poor = sum(len(np.unique(strata[learn])) < least for learn, _ in folds.places)
    if not n_poor:
        return
    what = "one class only" if task == CLASSIFICATION else "no samples"
    why = (
        "come before those that they are tested on"
        if "order" in folds.about
        else "are of other groups than those that they are tested on"
    )
    raise ValueError(
        f"{n_poor} of {len(folds.places)} folds would learn from {what}: that is all that the "
        f"samples have that {why}. Take fewer folds, or bring more samples."
    )


# -- the splits of the benchmark's protocols -------------------------------------------------------


_TEST_SHARE = 0.2
_PAPERS_SEED = 42
_SCALERS = {"minmax": MinMaxScaler, "standard": StandardScaler}


@dataclass(frozen=True)
class Split:
    """Scaled cases to learn from and to test on."""

    X_train: Array
    X_test: Array
    y_train: Array
    y_test: Array
    # The order in which a selector is to see the columns; None for theirs.
    order: NDArray[np.intp] | None = None
    # Training and test cases as they are, where a selector is to see those: arrays, sparse matrices
    # or frames.
    unscaled: tuple[Any, Any] | None = None
    # The feature that each scaled column is of; None where each is one.
    feature_of: NDArray[np.intp] | None = None

    @property
    def n_features(self) -> int:
        """How many features there are to select from."""
        return int((self.X_train if self.unscaled is None else self.unscaled[0]).shape[1])

    def columns_of(self, features: Sequence[int]) -> NDArray[np.intp]:
        """Return the scaled columns of some features."""
        chosen = np.sort(np.asarray(features, dtype=np.intp))
        if self.feature_of is None:
            return chosen
        return np.flatnonzero(np.isin(self.feature_of, chosen))


def split(dataset: Dataset, protocol: str, seed: int, folds: Folds | None = None) -> Split:
    """Split and scale a data set, by folds of its own if it has some."""
    if protocol == TRUTH:
        return _truth_fold(dataset, seed)
    if protocol == "paper":
        parts = _papers_parts(dataset)
        fitted_on = np.concatenate(parts[:2])
    elif protocol == "clean":
        parts = _stratified_parts(dataset, seed)
        fitted_on = parts[0]
    elif protocol == UNSCALED_FOLDS:
        return _unscaled_fold(dataset, seed, folds)
    elif protocol == "cv":
        parts = _fold(dataset, seed, folds)
        fitted_on = parts[0]
    else:
        raise ValueError(
            f"There is no protocol {protocol!r}. The protocols are: {', '.join(PROTOCOLS)}."
        )
    X_train, X_test, y_train, y_test = parts
    scaler = _SCALERS[dataset.scale]().fit(fitted_on.astype(np.float64))
    return Split(_scaled(scaler, X_train), _scaled(scaler, X_test), y_train, y_test)


def _unscaled_fold(dataset: Dataset, seed: int, folds: Folds | None) -> Split:
    """Return a fold of a user's table, of which all that is learned is of the training cases."""
    X_train, X_test, y_train, y_test = _fold(dataset, seed, folds)
    train, test, feature_of = for_learner(X_train, X_test)
    return Split(train, test, y_train, y_test, unscaled=(X_train, X_test), feature_of=feature_of)


def _papers_parts(dataset: Dataset) -> tuple[Array, Array, Array, Array]:
    if dataset.X_test is not None and dataset.y_test is not None:
        return dataset.X, dataset.X_test, dataset.y, dataset.y_test
    X_train, X_test, y_train, y_test = train_test_split(
        dataset.X, dataset.y, test_size=_TEST_SHARE, random_state=_PAPERS_SEED
    )
    return X_train, X_test, y_train, y_test


def _stratified_parts(dataset: Dataset, seed: int) -> tuple[Array, Array, Array, Array]:
    X, y = _pooled(dataset)
    train, test = _stratified_places(y, seed)
    return X[train], X[test], y[train], y[test]


def _stratified_places(y: Array, seed: int) -> tuple[Array, Array]:
    """Return the places of training and test cases; no class is only among the test cases."""
    places = np.arange(len(y))
    if is_quantity(y):
        train, test = train_test_split(places, test_size=_TEST_SHARE, random_state=seed)
        return train, test
    _, classes, counts = np.unique(y, return_inverse=True, return_counts=True)
    # A class of one case cannot be on both sides: it is one to learn from.
    is_kept = counts[classes] == 1
    if math.ceil(_TEST_SHARE * (~is_kept).sum()) >= (counts > 1).sum() > 0:
        labels = classes[~is_kept]
    else:
        # Too few test cases to have every class, so they are any; but one of each class is kept.
        shuffled = np.random.default_rng(seed).permutation(places)
        is_kept[shuffled[np.unique(classes[shuffled], return_index=True)[1]]] = True
        labels = None
    kept, rest = places[is_kept], places[~is_kept]
    if len(rest) == 0:
        raise ValueError(
            f"Each of the {len(y)} cases is a class of its own, so there is none to test on."
        )
    if len(rest) == 1:
        return kept, rest
    train, test = train_test_split(rest, test_size=_TEST_SHARE, random_state=seed, stratify=labels)
    return np.concatenate([train, kept]), test


def _fold(dataset: Dataset, seed: int, folds: Folds | None) -> tuple[Array, Array, Array, Array]:
    X, y = _pooled(dataset)
    train, test = fold_places(y, *divmod(seed, N_FOLDS)) if folds is None else folds.at(seed)
    return _safe_indexing(X, train), _safe_indexing(X, test), y[train], y[test]


def _truth_fold(dataset: Dataset, seed: int) -> Split:
    if dataset.relevant is None:
        raise ValueError(
            f"Nobody knows which columns of {dataset.title} matter, so the protocol {TRUTH!r} is "
            f"not for it. Take a data set that is made, such as xor-64, or another protocol."
        )
    train, test = list(KFold(N_TRUTH_FOLDS).split(dataset.X))[seed % N_TRUTH_FOLDS]
    X = dataset.X.astype(np.float32)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    return Split(X[train], X[test], dataset.y[train], dataset.y[test], order)


def _pooled(dataset: Dataset) -> tuple[Array, Array]:
    if dataset.X_test is None or dataset.y_test is None:
        return dataset.X, dataset.y
    return (
        np.concatenate([dataset.X, dataset.X_test]),
        np.concatenate([dataset.y, dataset.y_test]),
    )


def _scaled(scaler: Any, X: Array) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = scaler.transform(X.astype(np.float64)).astype(np.float32)
    return scaled
