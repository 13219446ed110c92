"""The folds of a cross-validation: by chance, by groups of samples, in order, or the caller's."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from entryprune._text import counted
from entryprune.bench.store import N_FOLDS
from entryprune.methods import CLASSIFICATION
from entryprune.selectors._folds import (
    Fold,
    as_folds,
    deal_groups,
    number_groups,
    rank_order,
    windows,
)

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
    is_spread = task == CLASSIFICATION or y.ndim > 1
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
            f"{'is' if n_samples == 1 else 'are'} {n_samples}. Bring more samples."
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
