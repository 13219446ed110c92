"""How much features differ with the target: in standard deviations, and in their own units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from entryprune.report.base import plain
from entryprune.report.statistics import column_sizes, correlations, samples_by_class

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.base import Task

    FloatArray = NDArray[np.float64]

# By the task: what an effect is, and from which size on it is called small, medium and large
# (Cohen's conventions).
EFFECT_NAMES = {"classification": "difference (SD)", "regression": "correlation"}
EFFECT_MEANINGS = {
    "classification": "The difference is that between the two classes whose means are furthest "
    "apart, in standard deviations (SD) within classes; 0.2 is called small, 0.5 medium and 0.8 "
    "large. The means are in the feature's own units.",
    "regression": "The correlation is that with the target; 0.1 is called small, 0.3 medium and "
    "0.5 large. The means, in the feature's own units, are those of the samples in the lowest and "
    "in the highest third of the target.",
}
EFFECT_CAUTION = (
    "Measured on the samples that the features were selected on, such effects look larger than "
    "they are; and a feature that matters only beside others may have a small one."
)
_ALL_CLASSES = 10**9


@dataclass(frozen=True, kw_only=True)
class Effect:
    """How much a feature differs between groups of samples: plain numbers, None if not known.

    `size` is in standard deviations within classes or, for a quantity, the correlation with it.
    """

    size: float | None
    high: str  # the group with the highest mean
    high_mean: float | None
    low: str
    low_mean: float | None


def effects(X: FloatArray, y: ArrayLike, task: Task) -> tuple[Effect, ...]:
    """Return the effect of each column; missing values are left out."""
    is_classes = task == "classification"
    groups = _classes(y) if is_classes else _thirds(np.asarray(y, dtype=np.float64))
    means = np.array([_mean(X[rows]) for rows in groups.values()])
    if is_classes:
        # To one size, for squares of huge values are infinite, and those of tiny ones 0.
        scale = column_sizes(np.where(np.isfinite(X), X, 0.0), least=0.0)
        spread = _spread_within(X / scale, means / scale, list(groups.values()))
        distance = _nan_range(means / scale)
        known = spread > 0
        sizes = np.where(known, distance / np.where(known, spread, 1.0), np.nan)
    else:
        sizes = correlations(np.asarray(y, dtype=np.float64)[:, None], X)[0]
    labels = list(groups)
    return tuple(_effect(size, column, labels) for size, column in zip(sizes, means.T, strict=True))


def _effect(size: float, means: FloatArray, labels: list[str]) -> Effect:
    if np.isnan(means).all():
        return Effect(size=None, high="", high_mean=None, low="", low_mean=None)
    # Of equal means the first is the lowest and the last the highest, so that they are two groups.
    high = len(means) - 1 - int(np.nanargmax(means[::-1]))
    low = int(np.nanargmin(means))
    return Effect(
        size=plain(size),
        high=labels[high],
        high_mean=plain(means[high]),
        low=labels[low],
        low_mean=plain(means[low]),
    )


def _classes(y: ArrayLike) -> dict[str, NDArray[np.intp]]:
    return {group.label: group.rows for group in samples_by_class(y, _ALL_CLASSES)}


def _thirds(y: FloatArray) -> dict[str, NDArray[np.intp]]:
    low, high = np.quantile(y, [1 / 3, 2 / 3])
    return {"lowest third": np.flatnonzero(y <= low), "highest third": np.flatnonzero(y >= high)}


def _mean(values: FloatArray) -> FloatArray:
    is_known = np.isfinite(values)
    n = is_known.sum(axis=0)
    sums = np.where(is_known, values, 0.0).sum(axis=0)
    means: FloatArray = np.where(n > 0, sums / np.maximum(n, 1), np.nan)
    return means


def _nan_range(means: FloatArray) -> FloatArray:
    known = np.isfinite(means)
    high = np.where(known, means, -np.inf).max(axis=0)
    low = np.where(known, means, np.inf).min(axis=0)
    both: FloatArray = np.where(known.any(axis=0), high - low, np.nan)
    return both


def _spread_within(X: FloatArray, means: FloatArray, groups: list[NDArray[np.intp]]) -> FloatArray:
    """Return the standard deviation around the class means, pooled over all classes."""
    squares, n = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for mean, rows in zip(means, groups, strict=True):
        is_known = np.isfinite(X[rows])
        squares += np.where(is_known, (X[rows] - mean) ** 2, 0.0).sum(axis=0)
        n += np.maximum(is_known.sum(axis=0) - 1, 0)
    pooled: FloatArray = np.sqrt(squares / np.maximum(n, 1))
    return pooled
