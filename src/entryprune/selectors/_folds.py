"""Which samples are learned from and which are tested on: by chance, by groups, or in order."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import counted

Array = NDArray[Any]
Indices = NDArray[np.intp]
# Samples to learn from, and samples to test on.
Fold = tuple[Indices, Indices]
# What objects that stand for no value are written as.
_MISSING = {"None", "nan", "NaT", "<NA>"}


def refuse_one_group(n_groups: int) -> None:
    """Say that a single group leaves none to try anything on."""
    if n_groups < 2:
        raise ValueError(
            "groups has one group only, so nothing can be tried on samples of another. Leave it "
            "out, or bring samples of two groups or more."
        )


def number_groups(groups: Any, n_samples: int) -> Indices:
    """Return a number from 0 for each sample, the same for samples of one group."""
    remedy = "Give each of these samples a group of its own, or leave it out."
    values = _one_each(groups, n_samples, "groups", remedy)
    try:
        _, numbers = np.unique(values, return_inverse=True)
    except TypeError:  # of several types, which have no order
        known = {value: number for number, value in enumerate(dict.fromkeys(values.tolist()))}
        numbers = np.array([known[value] for value in values.tolist()])
    return numbers.reshape(-1).astype(np.intp)


def rank_order(order: Any, n_samples: int) -> Indices:
    """Return the place of each sample in an order of numbers or dates; ties have one place."""
    remedy = "Nobody knows when these samples were: fill them in, or leave out these samples."
    values = _one_each(order, n_samples, "order", remedy)
    if values.dtype.kind not in "biufmM":
        values = _dates(values)
    _, ranks = np.unique(values, return_inverse=True)
    return ranks.reshape(-1).astype(np.intp)


def _one_each(given: Any, n_samples: int, name: str, remedy: str) -> Array:
    """Return an array with an entry for each sample, or say what is wrong with it."""
    values = np.asarray(given)
    if values.shape != (n_samples,):
        raise ValueError(
            f"{name} must have one entry for each of the {n_samples} samples, got the shape "
            f"{values.shape}."
        )
    n_missing = int(_is_missing(values).sum())
    if n_missing:
        raise ValueError(f"{name} has {n_missing:,} missing entries. {remedy}")
    return values


def _is_missing(values: Array) -> NDArray[np.bool_]:
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind == "O":
        ones = values.tolist()
        return np.array([not isinstance(one, str) and str(one) in _MISSING for one in ones], bool)
    return np.asarray(
        np.isnan(values) if values.dtype.kind in "fc" else np.zeros(len(values), bool)
    )


def _dates(values: Array) -> Array:
    """Return dates that are objects, or texts that begin with the year, as numpy's."""
    ones = values.tolist()
    try:
        with warnings.catch_warnings():
            # Those of time zones become those of one, which is what their order asks for.
            warnings.filterwarnings("ignore", message="no explicit representation of timezones")
            return np.array(ones, dtype="datetime64[us]")
    except (TypeError, ValueError) as error:
        odd = next(one for one in ones if not _is_date(one))
        raise ValueError(
            f"order must hold numbers or dates, and has {odd!r}. Write dates with the year first, "
            f"such as 2024-03-31, or number the samples."
        ) from error


def _is_date(value: Any) -> bool:
    try:
        np.datetime64(value, "us")
    except (TypeError, ValueError):
        return False
    return True


# -- folds ----------------------------------------------------------------------------------------


def deal(
    n_samples: int, n_folds: int, classes: NDArray[np.int64] | None, rng: np.random.Generator
) -> Indices:
    """Return the fold of each sample; each class is dealt out evenly, a single sample to none."""
    order = rng.permutation(n_samples)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]
    fold_of = np.empty(n_samples, dtype=np.intp)
    fold_of[order] = np.arange(n_samples) % n_folds
    if classes is not None:
        fold_of[np.bincount(classes)[classes] == 1] = -1
    return fold_of


def deal_groups(
    groups: Indices,
    n_folds: int,
    classes: NDArray[np.int64] | None = None,
    rng: np.random.Generator | None = None,
) -> Indices:
    """Return the fold of each sample; samples of one group are in one fold.

    The largest group comes first, in an order by chance among groups of one size, and goes to the
    fold with the fewest samples of its classes, and of these to the one with the fewest samples.

    Examples
    --------
    Three groups of 3, 2 and 2 samples make two folds of 3 and 4.

    >>> import numpy as np
    >>> deal_groups(np.array([0, 0, 0, 1, 1, 2, 2]), 2).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    kinds = np.zeros(len(groups), dtype=np.int64) if classes is None else classes
    counts = np.zeros((groups.max() + 1, kinds.max() + 1))
    np.add.at(counts, (groups, kinds), 1)
    sizes, totals = counts.sum(axis=1), counts.sum(axis=0).clip(1)
    some = np.arange(len(sizes)) if rng is None else rng.permutation(len(sizes))
    filled = np.zeros((n_folds, counts.shape[1]))
    fold_of = np.empty(len(sizes), dtype=np.intp)
    for group in some[np.argsort(-sizes[some], kind="stable")]:
        overlap = filled @ (counts[group] / totals)
        fold_of[group] = np.lexsort((filled.sum(axis=1), overlap))[0]
        filled[fold_of[group]] += counts[group]
    return fold_of[groups]


def as_folds(fold_of: Indices, n_folds: int) -> list[Fold]:
    """Return for each fold the samples that are learned from, and those in it."""
    return [(np.flatnonzero(fold_of != i), np.flatnonzero(fold_of == i)) for i in range(n_folds)]


def windows(ranks: Indices, n_folds: int, groups: Indices | None = None) -> list[Fold]:
    """Return folds that learn from earlier samples and are tested on those that come next.

    In their order the samples are cut into one part more than there are folds; the first takes what
    is left over. Samples of one time are in one part. A fold learns from all parts before its own,
    without the samples of groups that it is tested on.

    Examples
    --------
    >>> import numpy as np
    >>> for learn, test in windows(np.array([0, 1, 2, 3, 4, 5, 6]), 2):
    ...     print(learn.tolist(), test.tolist())
    [0, 1, 2] [3, 4]
    [0, 1, 2, 3, 4] [5, 6]
    """
    order = np.argsort(ranks, kind="stable")
    times, n_samples = ranks[order], len(ranks)
    size = n_samples // (n_folds + 1)
    cuts = [0]
    for place in range(n_samples - n_folds * size, n_samples, max(size, 1)):
        # Where those of one time begin or end, whichever is nearer.
        ends = [int(np.searchsorted(times, times[place], side)) for side in ("left", "right")]
        free = [end for end in ends if cuts[-1] < end < n_samples]
        if free:
            cuts.append(min(free, key=lambda end: abs(end - place)))
    if len(cuts) <= n_folds or not size:
        n_times = len(np.unique(ranks))
        raise ValueError(
            f"{counted(n_folds, 'fold')} in order of time take {n_folds + 1} parts of the samples, "
            f"one after the other, and there are {counted(n_samples, 'sample')} of "
            f"{counted(n_times, 'time')}, which cannot be cut so. Take fewer folds."
        )
    folds = []
    for start, end in zip(cuts[1:], [*cuts[2:], n_samples], strict=True):
        learn, test = order[:start], order[start:end]
        if groups is not None:
            learn = learn[~np.isin(groups[learn], groups[test])]
        folds.append((learn, test))
    return folds
