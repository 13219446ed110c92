"""How any table reads as one number for each feature, for people and for methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entryprune.encoding.arrow import coded
from entryprune.encoding.encoder import Encoder
from entryprune.encoding.frames import is_frame
from entryprune.encoding.kinds import CATEGORIES, YES_NO
from entryprune.encoding.table import Table

Array = NDArray[Any]


def is_sparse(X: Any) -> bool:
    """Tell whether a table is a sparse matrix or array of scipy."""
    return hasattr(X, "tocsr") and hasattr(X, "toarray")


def dense(values: Any) -> Array:
    """Return an array, also of a sparse table."""
    return np.asarray(values.toarray() if is_sparse(values) else values)


def has_gaps(X: Any) -> bool:
    """Tell whether an array or a sparse matrix lacks values."""
    values = X.data if is_sparse(X) else X
    return values.dtype.kind == "f" and bool(np.isnan(values).any())


def encoder_of(X: Any, learned: Encoder | None = None) -> Encoder | None:
    """Return how a table reads as numbers: as was learned already, or as the table itself says.

    None where each of its features is a number already, and none lacks a value.
    """
    if learned is not None or is_sparse(X):
        return learned
    return Encoder.fit(X, missing="impute") if is_frame(X) or has_gaps(X) else None


def numbers_of(X: Any, encoder: Encoder | None, features: ArrayLike) -> Array:
    """Return one number for each of some features, in any order; NaN where a value is missing."""
    wanted = np.asarray(features, dtype=np.intp)
    if encoder is None:
        is_all = np.array_equal(wanted, np.arange(X.shape[1]))
        return dense(X if is_all else X[:, wanted])
    ascending, places = np.unique(wanted, return_inverse=True)
    return encoder.one_column_each(X, ascending, shows_gaps=True)[:, places]


def numbers_and_codes(X: Any, encoder: Encoder | None) -> tuple[Any, dict[int, Array]]:
    """Return all features that are numbers or dates as numbers, and for the others codes of levels.

    NaN where a value is missing, and throughout for features with levels; for these -1. Each level
    has a code of its own, be there ever so many.
    """
    if encoder is None:
        return X, {}
    table = Table.of(X)
    worded = [f for f, kind in enumerate(encoder.kinds) if kind in (YES_NO, CATEGORIES)]
    numbers = np.full(table.shape, np.nan)
    others = np.setdiff1d(np.arange(encoder.n_features), worded)
    numbers[:, others] = encoder.one_column_each(X, others, shows_gaps=True)
    columns = table.columns(worded) if worded else []
    return numbers, {f: coded(column)[0] for f, column in zip(worded, columns, strict=True)}
