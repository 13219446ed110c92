"""What a report computes from the values of features and the target."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from entryprune.report.text import MISSING, label_text, number_text, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.base import Task

    FloatArray = NDArray[np.float64]

# What is left of a column of size one that does not vary.
_ROUNDING = 1e-12
# Values of a block of columns that is compared at once.
_BLOCK = 2**22
# A feature that was left out says nearly the same as a selected one from this correlation on, and
# so many are named at most.
NEAR, _MOST_NEAR = 0.9, 5
# Classes that a sentence can name.
_MOST_NAMED = 4
# More distinct whole numbers than this in a target look like a quantity, not like classes.
_MOST_CLASSES = 50
# Samples that are shown as images, each of another class.
_N_EXAMPLES = 11


def guess_task(y: NDArray[Any]) -> Task:
    """Return whether a target looks like classes or like a quantity."""
    if y.dtype.kind not in "iuf":
        return "classification"
    if y.dtype.kind == "f" and (y != y.round()).any():
        return "regression"
    return "regression" if len(np.unique(y)) > _MOST_CLASSES else "classification"


def examples(X: NDArray[Any], y: NDArray[Any]) -> FloatArray:
    """Return the first samples of some classes, with values from 0 to 1."""
    firsts = np.sort(np.unique(y, return_index=True)[1])[:_N_EXAMPLES]
    low, high = float(X.min()), float(X.max())
    scaled: FloatArray = (np.asarray(X[firsts], dtype=np.float64) - low) / ((high - low) or 1.0)
    return scaled


# -- how columns go together --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Columns:
    """Columns of one size around zero, 0 where a value is missing."""

    values: FloatArray
    known: FloatArray
    is_whole: bool


def correlations(X: ArrayLike, others: ArrayLike | None = None) -> FloatArray:
    """Return Pearson's correlation of each two columns, over the samples that have both values.

    NaN where a column does not vary. By default X's columns are compared with each other.
    """
    one = _prepared(X)
    return _correlations(one, one if others is None else _prepared(others))


def _prepared(X: ArrayLike) -> _Columns:
    values = np.asarray(X, dtype=np.float64)
    is_known = np.isfinite(values)
    known = is_known.astype(np.float64)
    filled = np.where(is_known, values, 0.0)
    # To one size, to a centre of zero, and to one size again: sums of squares of large values lose
    # what little they differ by.
    filled = filled / column_sizes(filled, least=0.0)
    centre = filled.sum(axis=0) / np.maximum(1.0, known.sum(axis=0))
    filled = np.where(is_known, filled - centre, 0.0)
    return _Columns(filled / column_sizes(filled, least=_ROUNDING), known, bool(is_known.all()))


def _correlations(one: _Columns, other: _Columns) -> FloatArray:
    products = one.values.T @ other.values
    if one.is_whole and other.is_whole:
        n: Any = max(1, len(one.values))
        sums, other_sums = one.values.sum(axis=0)[:, None], other.values.sum(axis=0)[None, :]
        squares = (one.values**2).sum(axis=0)[:, None]
        other_squares = (other.values**2).sum(axis=0)[None, :]
    else:
        n = np.maximum(1.0, one.known.T @ other.known)
        sums, other_sums = one.values.T @ other.known, one.known.T @ other.values
        squares = (one.values**2).T @ other.known
        other_squares = one.known.T @ other.values**2
    products = products - sums * other_sums / n
    spread = np.sqrt(
        np.clip(squares - sums**2 / n, 0.0, None)
        * np.clip(other_squares - other_sums**2 / n, 0.0, None)
    )
    varies = spread > _ROUNDING
    return np.clip(np.where(varies, products / np.where(varies, spread, 1.0), np.nan), -1.0, 1.0)


def column_sizes(values: FloatArray, least: float) -> FloatArray:
    """Return the largest absolute value of each column; 1 where it is not above the least."""
    sizes = np.abs(values).max(axis=0, initial=0.0)
    return np.where(sizes > least, sizes, 1.0)


def strongest_pairs(table: FloatArray, least: float, most: int) -> list[tuple[int, int, float]]:
    """Return the pairs of different columns with the largest correlations, the largest first."""
    rows, columns = np.triu_indices(len(table), k=1)
    values = table[rows, columns]
    sizes = np.nan_to_num(np.abs(values), nan=-1.0)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] >= least][:most]
    return [(int(rows[i]), int(columns[i]), float(values[i])) for i in order]


def near_duplicates(
    X: NDArray[Any], chosen: Sequence[int] | NDArray[Any], names: Sequence[str]
) -> list[list[tuple[str, float]]]:
    """Return for each selected feature those left out that are almost the same."""
    chosen = np.asarray(chosen)
    selected = _prepared(X[:, chosen])
    # In blocks, so that there is never a second table of the size of X.
    n_columns = max(1, _BLOCK // max(1, len(X)))
    table = np.concatenate(
        [
            _correlations(selected, _prepared(X[:, start : start + n_columns]))
            for start in range(0, X.shape[1], n_columns)
        ],
        axis=1,
    )
    table[:, chosen] = 0.0
    sizes = np.nan_to_num(np.abs(table))
    order = np.argsort(-sizes, axis=1, kind="stable")[:, :_MOST_NEAR]
    return [
        [(names[j], float(table[i, j])) for j in found if sizes[i, j] >= NEAR]
        for i, found in enumerate(order)
    ]


# -- how single features go with the target -----------------------------------------------------


@dataclass(frozen=True, eq=False)
class ClassSamples:
    """A class and its samples."""

    label: str
    rows: NDArray[np.intp]


def samples_by_class(y: ArrayLike, most: int) -> list[ClassSamples]:
    """Return the most frequent classes, in the order of their labels."""
    labels = np.asarray(y).tolist()
    texts = np.array([label_text(label) for label in labels], dtype=object)
    frequent = [label for label, _ in Counter(labels).most_common(most)]
    try:
        frequent.sort()
    except TypeError:  # numbers and texts in one column
        frequent.sort(key=label_text)
    in_order = dict.fromkeys(label_text(label) for label in frequent)
    return [ClassSamples(label, np.flatnonzero(texts == label)) for label in in_order]


def two_values(values: FloatArray) -> tuple[float, float] | None:
    """Return the smaller and the larger value of a feature that has only two, else None."""
    distinct = np.unique(values[np.isfinite(values)])
    return (float(distinct[0]), float(distinct[1])) if len(distinct) == 2 else None


def describe_feature(values: FloatArray, y: ArrayLike, task: Task) -> str:
    """Say how a feature goes with the target; nothing where that takes too many words."""
    if task == "regression":
        both = np.column_stack([values, np.asarray(y, dtype=np.float64)])
        return f"Correlation with the target: {_rounded(correlations(both)[0, 1])}."
    groups = samples_by_class(y, _MOST_NAMED + 1)
    if len(groups) > _MOST_NAMED:
        return ""
    pair = two_values(values)
    parts = []
    for group in groups:
        known = values[group.rows]
        known = known[np.isfinite(known)]
        if not len(known):
            figure = MISSING
        elif pair:
            figure = f"{100 * np.mean(known == pair[1]):.0f} %"
        else:
            figure = number_text(float(np.median(known)))
        parts.append(f"{figure} for {shorten(group.label)}")
    what = f"Share of samples with the value {number_text(pair[1])}" if pair else "Median"
    return f"{what}: {', '.join(parts)}."


def _rounded(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else MISSING
