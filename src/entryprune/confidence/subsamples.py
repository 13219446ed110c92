"""Selections on many half samples, several at a time, and one among what these select often."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from entryprune.selectors._inputs import number_classes
from entryprune.selectors._selector import Selector, found_too_few

Array = NDArray[Any]

# Features among which a selector chooses in the end, in units of how many it shall choose.
_TIMES_AS_MANY = 2


@dataclass(frozen=True)
class Task:
    """One fit: on which samples, with which seed."""

    samples: NDArray[np.intp]
    seed: int


def class_numbers(y: Array) -> NDArray[np.int64]:
    """Return class numbers; half of the samples must be enough to tell classes apart."""
    classes, numbers = number_classes(y)
    sizes = np.bincount(numbers)
    if (sizes >= 2).sum() < 2:
        raise ValueError(
            f"Half of the samples must have two classes, but only "
            f"{(sizes >= 2).sum()} of the {len(classes)} classes in y have two samples or more. "
            f"Bring more samples of each class."
        )
    return numbers


def complementary_pairs(
    n_pairs: int,
    n_samples: int,
    classes: NDArray[np.intp] | None,
    rng: np.random.Generator,
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Split the samples into two halves of one size, again and again.

    With class numbers each class is shared out evenly. One sample of an odd number stays out.

    Examples
    --------
    >>> import numpy as np
    >>> pairs = complementary_pairs(1, 5, np.array([0, 0, 1, 1, 1]), np.random.default_rng(0))
    >>> [[len(half) for half in pair] for pair in pairs]
    [[2, 2]]
    """
    strata = np.zeros(n_samples, dtype=np.intp) if classes is None else classes
    sizes = np.bincount(strata)
    for _ in range(n_pairs):
        order = rng.permutation(n_samples)
        order = order[np.argsort(strata[order], kind="stable")]
        # Class after class, and of two neighbours one goes to each side. What is left over of a
        # class with an odd number goes to the end, in an order of its own.
        is_left_over = np.zeros(n_samples, dtype=bool)
        is_left_over[np.cumsum(sizes)[sizes % 2 == 1] - 1] = True
        order = np.concatenate([order[~is_left_over], rng.permutation(order[is_left_over])])
        one, other = order[: n_samples - n_samples % 2].reshape(-1, 2).T
        is_swapped = rng.random(len(one)) < 0.5
        yield np.where(is_swapped, other, one), np.where(is_swapped, one, other)


def select_on_each(
    selector: Any,
    X: Array,
    y: Array,
    tasks: list[Task],
    *,
    shadow_order: NDArray[np.intp] | None = None,
    n_jobs: int | None = None,
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield the number of each task and what was selected, as each is done.

    With `shadow_order` every column has a shadow, which is itself with the samples in that order;
    shadows are numbered after the columns. Large tables reach other processes as one memory map.
    """
    run = Parallel(n_jobs=n_jobs, return_as="generator_unordered", max_nbytes="1M")
    yield from run(
        delayed(_select)(number, selector, X, y, task, shadow_order)
        for number, task in enumerate(tasks)
    )


def choose_among_frequent(
    frequencies: NDArray[np.float64], selector: Any, X: Array, y: Array, task: Task
) -> NDArray[np.intp]:
    """Let a selector choose among the features that were selected most often, those first.

    The most frequent features alone would repeat each other.
    """
    n_selected = selector.n_features_to_select
    n_ever = int((frequencies > 0).sum())
    n_often = min(max(n_ever, n_selected), _TIMES_AS_MANY * n_selected)
    often = np.argsort(-frequencies, kind="stable")[:n_often]
    ((_, found),) = select_on_each(selector, X[:, often], y, [task])
    # A selector that finds too few leaves the rest to the most frequent of the others.
    others = np.setdiff1d(np.arange(n_often), found)
    places = np.sort(np.concatenate([found, others[: n_selected - len(found)]]))
    chosen: NDArray[np.intp] = often[places]
    return chosen


def _select(  # noqa: PLR0917 - joblib passes them on as they are
    number: int,
    selector: Any,
    X: Array,
    y: Array,
    task: Task,
    shadow_order: NDArray[np.intp] | None,
) -> tuple[int, NDArray[np.intp]]:
    table = X[task.samples]
    if shadow_order is not None:
        both = [table, X[shadow_order[task.samples]]]
        table = sparse.hstack(both, format="csr") if sparse.issparse(X) else np.hstack(both)
    one = clone(selector)
    if "random_state" in one.get_params(deep=False):
        one.set_params(random_state=task.seed)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several fits at a time make better use of the cores
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what half of the samples lack says little of all
            return number, _chosen(one, table, y[task.samples])
    except ValueError as error:
        few = found_too_few(error)
        if few is None:
            raise
        return number, np.sort(np.array(few, dtype=np.intp))
    finally:
        torch.set_num_threads(threads)


def _chosen(selector: Any, X: Array, y: Array) -> NDArray[np.intp]:
    """Return what a selector selects, with no more work than that takes."""
    if not isinstance(selector, Selector):
        return np.flatnonzero(selector.fit(X, y).get_support())
    selector._validate_params()  # which is part of a fit
    return np.sort(selector._choose(X, y))
