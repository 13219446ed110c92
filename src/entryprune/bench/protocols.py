"""How cases are split into those to learn from and those to test on, and how they are scaled."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from entryprune.bench.store import N_FOLDS, N_TRUTH_FOLDS, PROTOCOLS, TRUTH, UNSCALED_FOLDS
from entryprune.data import Dataset

_TEST_SHARE = 0.2
_PAPERS_SEED = 42
_SCALERS = {"minmax": MinMaxScaler, "standard": StandardScaler}

Array = NDArray[Any]


@dataclass(frozen=True)
class Split:
    """Scaled cases to learn from and to test on."""

    X_train: Array
    X_test: Array
    y_train: Array
    y_test: Array
    # The order in which a selector is to see the columns; None for theirs.
    order: NDArray[np.intp] | None = None
    # Training and test cases as they are, where a selector is to see those.
    unscaled: tuple[Array, Array] | None = None


def split(dataset: Dataset, protocol: str, seed: int) -> Split:
    """Split and scale a data set."""
    if protocol == TRUTH:
        return _truth_fold(dataset, seed)
    if protocol == "paper":
        parts = _papers_parts(dataset)
        fitted_on = np.concatenate(parts[:2])
    elif protocol == "clean":
        parts = _stratified_parts(dataset, seed)
        fitted_on = parts[0]
    elif protocol in ("cv", UNSCALED_FOLDS):
        parts = _fold(dataset, *divmod(seed, N_FOLDS))
        fitted_on = parts[0]
    else:
        raise ValueError(
            f"There is no protocol {protocol!r}. The protocols are: {', '.join(PROTOCOLS)}."
        )
    X_train, X_test, y_train, y_test = parts
    scaler = _SCALERS[dataset.scale]().fit(fitted_on.astype(np.float64))
    unscaled = (X_train, X_test) if protocol == UNSCALED_FOLDS else None
    return Split(
        _scaled(scaler, X_train), _scaled(scaler, X_test), y_train, y_test, unscaled=unscaled
    )


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
    if _is_quantity(y):
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


def _fold(dataset: Dataset, repetition: int, fold: int) -> tuple[Array, Array, Array, Array]:
    X, y = _pooled(dataset)
    train, test = fold_places(y, repetition, fold)
    return X[train], X[test], y[train], y[test]


def fold_places(y: Array, repetition: int, fold: int) -> tuple[Array, Array]:
    """Return the places of the training and test cases of one fold."""
    strata = _strata(y) if y.ndim > 1 else y
    # Quantities have no classes to keep together, and classes of one case cannot be spread.
    is_spread = (
        not _is_quantity(strata) and np.unique(strata, return_counts=True)[1].max() >= N_FOLDS
    )
    kind = StratifiedKFold if is_spread else KFold
    folds = kind(N_FOLDS, shuffle=True, random_state=repetition)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        train, test = list(folds.split(strata, strata))[fold]
    return train, test


def _strata(y: Array) -> Array:
    """Return classes of samples with the same labels, or, of times and events, the same events."""
    is_yes_or_no = [bool(np.isin(column, (0, 1)).all()) for column in y.T]
    if not any(is_yes_or_no):
        return y[:, 0]
    _, classes = np.unique(y[:, is_yes_or_no], axis=0, return_inverse=True)
    return classes.reshape(-1)


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


def _is_quantity(y: Array) -> bool:
    return bool(y.dtype.kind == "f" and (y != np.round(y)).any())


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
