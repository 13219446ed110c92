"""What a table becomes: what a selector can be fitted on, and what a learner can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
from sklearn.utils import get_tags

from entryprune.encoding import Encoder, is_frame
from entryprune.encoding.views import dense, has_gaps, is_sparse
from entryprune.selectors._intake import is_mixed

Array = NDArray[Any]


def as_table(X: Any) -> Any:
    """Return a table as an array, unless it is sparse or a frame that holds more than numbers."""
    if is_sparse(X):
        return X.tocsr()
    if is_mixed(X):
        return X
    values = np.asarray(X)
    # Numbers of pandas that know gaps of their own.
    return X if is_frame(X) and values.dtype.kind == "O" else values


# What those are told who take a method that knows of numbers only.
ONE_NUMBER = (
    "each feature is given as one number: levels are numbered by how frequent they are, dates are "
    "days, gaps are filled with the median or the most frequent level."
)


def learned_encoder(selector: Any) -> Encoder | None:
    """Return how a fitted selector reads tables, if it has learned that."""
    found: Encoder | None = getattr(getattr(selector, "_intake", None), "encoder", None)
    return found


def takes(selector: Any, X: Any) -> bool:
    """Whether a selector can be fitted on a table as it is, by what it says of itself."""
    if is_sparse(X):
        return knows(selector, "sparse")
    if is_frame(X):
        return knows(selector, "categorical")
    return not has_gaps(X) or knows(selector, "allow_nan")


def given_to(selector: Any, X: Any) -> Callable[[Any], Any]:
    """Return what makes of a table, and then of others like it, what a selector can be given.

    That is the table itself where the selector takes such tables, else one number for each feature.
    """
    if takes(selector, X):
        return _as_it_is
    return dense if is_sparse(X) else Encoder.fit(X, missing="impute").one_column_each


def for_learner(train: Any, test: Any) -> tuple[Array, Array, NDArray[np.intp] | None]:
    """Return two tables as numbers from 0 to 1, all that is learned being learned from the first.

    The last is the feature that each column is of; None where each is one.
    """
    feature_of = None
    if is_frame(train) or (not is_sparse(train) and has_gaps(train)):
        encoder = Encoder.fit(train, missing="impute")
        encoded = encoder.encode(train)
        train, test = encoded.values, encoder.encode(test).values
        feature_of = encoded.feature_of
    # What is sparse stays sparse: its zeros stay zeros.
    scaler = (MaxAbsScaler if is_sparse(train) else MinMaxScaler)()
    scaler.fit(train.astype(np.float64))
    train, test = (scaler.transform(part.astype(np.float64)) for part in (train, test))
    return train.astype(np.float32), test.astype(np.float32), feature_of


def _as_it_is(X: Any) -> Any:
    return X


def knows(selector: Any, what: str) -> bool:
    """Whether an estimator says of itself that it takes input of some kind."""
    # Those of other people may say nothing of themselves.
    is_told = hasattr(selector, "__sklearn_tags__")
    return is_told and bool(getattr(get_tags(selector).input_tags, what))
