"""What a report computes from values and scores: correlations, effects, differences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from entryprune._survival import concordance, log_hazard
from entryprune.report.base import plain
from entryprune.report.text import MISSING, label_text, number_text, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.base import Task

    FloatArray = NDArray[np.float64]
    Columns = Sequence[int] | NDArray[np.intp]
    from numpy.typing import NDArray


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
    if y.ndim > 1:
        return "classification" if np.isin(y, (0, 1)).all() else "regression"
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


def associations(X: FloatArray, worded: Sequence[int]) -> FloatArray:
    """Return how strongly each two columns go together, those that are codes of levels too.

    Pearson's correlation, between -1 and 1, of two numbers. Of levels and a number the correlation
    ratio, of levels and levels Cramer's V; both have no sign. A missing value is a level.
    """
    table = correlations(_without(X, worded))
    of_levels = _of_levels(X, worded, X, worded)
    for i in worded:
        table[i], table[:, i] = of_levels[i], of_levels[i]
    return table


def _of_levels(
    X: FloatArray, chosen: Columns, others: FloatArray, worded: Columns
) -> dict[int, FloatArray]:
    """Return how strongly some columns of levels go with all columns of another table."""
    if not len(chosen) and not len(worded):
        return {}
    numbers = _prepared(_without(others, worded)).values
    total = (numbers**2).sum(axis=0) - numbers.sum(axis=0) ** 2 / len(numbers)
    blocks = {j: _indicators(others[:, j]) for j in worded}
    found = {}
    for i in chosen:
        mine = _indicators(X[:, i])
        sums, counts = mine.T @ numbers, mine.sum(axis=0)
        between = (sums**2 / counts[:, None]).sum(axis=0) - numbers.sum(axis=0) ** 2 / len(numbers)
        varies = total > _ROUNDING
        strengths = np.sqrt(
            np.clip(np.where(varies, between, np.nan) / np.where(varies, total, 1), 0, 1)
        )
        for j, block in blocks.items():
            strengths[j] = _cramers_v(mine, block)
        found[i] = strengths
    return found


def _cramers_v(one: FloatArray, other: FloatArray) -> float:
    least = min(one.shape[1], other.shape[1]) - 1
    if least < 1:
        return math.nan
    expected = np.outer(one.sum(axis=0), other.sum(axis=0)) / len(one)
    squares = ((one.T @ other - expected) ** 2 / expected).sum()
    return math.sqrt(min(1.0, squares / (len(one) * least)))


def _indicators(codes: FloatArray) -> FloatArray:
    """Return a column of 0 and 1 for each level that is there, a gap being one."""
    numbers = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return np.eye(numbers.max() + 1)[numbers]


def _without(X: FloatArray, worded: Columns) -> FloatArray:
    """Return numbers alone: levels as if all were missing."""
    if not len(worded):
        return X
    X = np.array(X, dtype=np.float64)
    X[:, list(worded)] = np.nan
    return X


def near_duplicates(
    read: Callable[[Any], Any],
    worded: Sequence[int],
    chosen: Sequence[int] | NDArray[Any],
    names: Sequence[str],
) -> list[list[tuple[str, float]]]:
    """Return for each selected feature those left out that are almost the same.

    `read` returns one number for each of some features; of those that are `worded`, codes.
    """
    chosen = np.asarray(chosen)
    mine = np.asarray(read(chosen), dtype=np.float64)
    is_worded = np.zeros(len(names), dtype=bool)
    is_worded[list(worded)] = True
    my_worded = np.flatnonzero(is_worded[chosen])
    selected = _prepared(_without(mine, my_worded))
    # In blocks, so that there is never a second table of the size of X.
    n_columns = max(1, _BLOCK // max(1, len(mine)))
    table = np.empty((len(chosen), len(names)))
    for start in range(0, len(names), n_columns):
        part = np.arange(start, min(start + n_columns, len(names)))
        others = np.asarray(read(part), dtype=np.float64)
        their_worded = np.flatnonzero(is_worded[part])
        table[:, part] = _correlations(selected, _prepared(_without(others, their_worded)))
        for i, row in _of_levels(mine, my_worded, others, their_worded).items():
            table[i, part] = row
        for j, row in _of_levels(others, their_worded, mine, my_worded).items():
            table[:, part[j]] = row
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
    if task == "survival":
        times, events = np.asarray(y, dtype=np.float64).T
        known = np.isfinite(values)
        found = concordance(times[known], events[known] > 0, values[known])
        return (
            f"Hazard ratio per SD: {_rounded(_hazard_ratio(values, y))}; concordance of the "
            f"feature alone, in its better direction: {_rounded(max(found, 1 - found))}."
        )
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


# By the task: what an effect is, and from which size on it is called small, medium and large
# (Cohen's conventions).
EFFECT_NAMES = {
    "classification": "difference (SD)",
    "regression": "correlation",
    "survival": "hazard ratio per SD",
}
EFFECT_MEANINGS = {
    "classification": "The difference is that between the two classes whose means are furthest "
    "apart, in standard deviations (SD) within classes; 0.2 is called small, 0.5 medium and 0.8 "
    "large. The means are in the feature's own units, each with its class in brackets.",
    "regression": "The correlation is that with the target; 0.1 is called small, 0.3 medium and "
    "0.5 large. The means, in the feature's own units, are those of the samples in the lowest and "
    "in the highest third of the target, as the brackets say.",
    "survival": "The hazard ratio is that of a Cox model with this feature alone: how many times "
    "as frequent the event is, at any time, with one standard deviation (SD) more of the feature; "
    "above 1 it comes sooner with more, below 1 later. The means, in the feature's own units, are "
    "those of the samples with an event by the time in brackets, and of those seen to be without "
    "one then.",
}
# The same of categories, where there are any.
LEVELS_MEANINGS = {
    "classification": " Of categories the levels with the highest and the lowest share of the "
    "rarer class are named, each with that share; for the difference each level counts as its "
    "share.",
    "regression": " Of categories the levels with the highest and the lowest mean of the target "
    "are named, each with that mean; for the correlation each level counts as its mean.",
    "survival": " Of categories the levels with the highest and the lowest share of samples whose "
    "event was seen are named, each with that share; for the hazard ratio each level counts as its "
    "events less those that are expected of samples all alike, watched for as long.",
}
EFFECT_CAUTION = (
    "Measured on the samples that the features were selected on, such effects look larger than "
    "they are; and a feature that matters only beside others may have a small one."
)
_ALL_CLASSES = 10**9


@dataclass(frozen=True, kw_only=True)
class Effect:
    """How much a feature differs between groups of samples: plain numbers, None if not known.

    `size` is in standard deviations within classes, for a quantity the correlation with it, and
    for times until an event the hazard ratio of a standard deviation.
    """

    size: float | None
    high: str  # the group with the highest mean
    high_mean: float | None
    low: str
    low_mean: float | None
    # Whether high and low are levels of the feature, and the means those of the target in them.
    is_of_levels: bool = False


def effects(X: FloatArray, y: ArrayLike, task: Task) -> tuple[Effect, ...]:
    """Return the effect of each column; missing values are left out."""
    is_classes = task == "classification"
    groups = groups_of(y, task)
    means = np.array([_mean(X[rows]) for rows in groups.values()])
    if is_classes:
        # To one size, for squares of huge values are infinite, and those of tiny ones 0.
        scale = column_sizes(np.where(np.isfinite(X), X, 0.0), least=0.0)
        spread = _spread_within(X / scale, means / scale, list(groups.values()))
        distance = _nan_range(means / scale)
        known = spread > 0
        sizes = np.where(known, distance / np.where(known, spread, 1.0), np.nan)
    elif task == "survival":
        sizes = np.array([_hazard_ratio(column, y) for column in X.T])
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


def _hazard_ratio(values: FloatArray, y: ArrayLike) -> float:
    times, events = np.asarray(y, dtype=np.float64).T
    return float(np.exp(log_hazard(values, times, events > 0)))


def groups_of(y: ArrayLike, task: Task) -> dict[str, NDArray[np.intp]]:
    """Return groups of samples in whom a feature may differ."""
    if task == "classification":
        return _classes(y)
    numbers = np.asarray(y, dtype=np.float64)
    return _thirds(numbers) if task == "regression" else early_and_late(numbers)


def early_and_late(y: FloatArray) -> dict[str, NDArray[np.intp]]:
    """Return who had the event while half of all events came, and who is known not to have."""
    times, events = y.T
    middle = float(np.median(times[events > 0])) if events.any() else 0.0
    is_early = (times <= middle) & (events > 0)
    when = number_text(middle)
    return {
        f"event by {when}": np.flatnonzero(is_early),
        f"none by {when}": np.flatnonzero(times > middle),
    }


def high_and_low(values: FloatArray) -> dict[str, NDArray[np.intp]]:
    """Return the samples with a feature above its median and the others, or with each of two."""
    known = values[np.isfinite(values)]
    pair = two_values(values)
    if pair is not None:
        return {number_text(one): np.flatnonzero(values == one) for one in pair}
    if not len(known):
        return {}
    middle = float(np.median(known))
    # Where half have the smallest value, these are the low ones.
    middle = middle if (known > middle).any() else float(np.nextafter(known.max(), -np.inf))
    return {
        f"up to {number_text(middle)}": np.flatnonzero(values <= middle),
        f"above {number_text(middle)}": np.flatnonzero(values > middle),
    }


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


# How sure an interval is.
LEVEL = 0.95
_SMALL_SHARE = 0.05


@dataclass(frozen=True)
class Difference:
    """How much better one is than another, with a standard error and an interval."""

    mean: float
    standard_error: float
    low: float
    high: float

    # Where all folds differ by the same, rounding must not make a difference of nothing.

    @property
    def is_gain(self) -> bool:
        """Whether one is clearly better."""
        return self.low > 1e-9

    @property
    def is_loss(self) -> bool:
        """Whether one is clearly worse."""
        return self.high < -1e-9

    def is_as_good(self, gain_of_other: float) -> bool:
        """Whether one loses next to nothing of what the other gains over guessing."""
        return self.is_gain or self.low >= -next_to_nothing(gain_of_other)


def next_to_nothing(gain: float) -> float:
    """Return what may be lost of a gain over guessing by who still does as well."""
    return _SMALL_SHARE * max(0.0, gain)


def difference(
    ours: Sequence[float],
    others: Sequence[float],
    test_ratio: float,
    *,
    higher_is_better: bool = True,
    level: float = LEVEL,
) -> Difference | None:
    """Return how much better some scores are than others, fold by fold.

    Folds share samples, so their differences vary less than those of new samples would. The
    variance is corrected for it as Nadeau and Bengio (2003) do: times 1/J + n_test/n_train for J
    folds. None with fewer than two folds, or if folds are missing.
    """
    if len(ours) != len(others) or len(ours) < 2 or not np.isfinite([*ours, *others]).all():
        return None
    from scipy.special import stdtrit

    sign = 1.0 if higher_is_better else -1.0
    differences = sign * (np.asarray(ours, dtype=np.float64) - np.asarray(others))
    n_folds = len(differences)
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) * math.sqrt(1 / n_folds + test_ratio)
    half = float(stdtrit(n_folds - 1, (1 + level) / 2)) * error
    return Difference(mean, error, mean - half, mean + half)
