"""How cases are split into those to learn from and those to test on, and how they are scaled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, train_test_split
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import _safe_indexing

from entryprune.bench.folds import Folds, fold_places, is_quantity
from entryprune.bench.store import N_FOLDS, N_TRUTH_FOLDS, PROTOCOLS, TRUTH, UNSCALED_FOLDS
from entryprune.data import Dataset
from entryprune.selectors._tables import for_learner

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
