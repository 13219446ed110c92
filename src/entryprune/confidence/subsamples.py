"""Selections on many half samples, several at a time, and one among what these select often."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from entryprune.encoding import is_frame, take_columns
from entryprune.selectors._inputs import number_classes
from entryprune.selectors._intake import by_number
from entryprune.selectors._selector import NOTHING, About, Selector, found_too_few

Array = NDArray[Any]
Indices = NDArray[np.intp]

# Features among which a selector chooses in the end, in units of how many it shall choose.
_TIMES_AS_MANY = 2
# Draws of two sides of groups before one of them may have a single class.
_MOST_TRIES = 100


@dataclass(frozen=True)
class Task:
    """One fit: on which samples, with which seed."""

    samples: NDArray[np.intp]
    seed: int


def class_numbers(y: Array, groups: NDArray[np.intp] | None = None) -> NDArray[np.int64]:
    """Return class numbers; half of the samples must be enough to tell classes apart."""
    classes, numbers = number_classes(y)
    if groups is None:
        sizes, what = np.bincount(numbers), "two samples"
    else:
        sizes = np.bincount(np.unique(np.column_stack([groups, numbers]), axis=0)[:, 1])
        what = "samples of two groups"
    n_large = int((sizes >= 2).sum())
    if n_large < 2:
        raise ValueError(
            f"Half of the samples must have two classes, but only {n_large} of the {len(classes)} "
            f"classes in y have {what} or more. Bring more samples of each class."
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


def pairs_of_groups(
    n_pairs: int,
    groups: NDArray[np.intp],
    classes: NDArray[np.intp] | None,
    rng: np.random.Generator,
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Split the samples into two sides with as many whole groups each, again and again.

    With class numbers the groups that have the rarest class are shared out evenly, of the others
    those with the next, and so on. One group of an odd number stays out.

    Examples
    --------
    >>> import numpy as np
    >>> groups = np.array([0, 0, 1, 2, 2, 3, 3, 3])
    >>> pairs = pairs_of_groups(1, groups, None, np.random.default_rng(0))
    >>> [[sorted(set(groups[half].tolist())) for half in pair] for pair in pairs]
    [[[0, 3], [1, 2]]]
    """
    n_groups = int(groups.max()) + 1
    kind_of = None
    if classes is not None:
        rarity = np.argsort(np.argsort(np.bincount(classes), kind="stable"), kind="stable")
        kind_of = np.full(n_groups, rarity.max())
        np.minimum.at(kind_of, groups, rarity[classes])
    for _ in range(n_pairs):
        for _ in range(_MOST_TRIES):
            (pair,) = complementary_pairs(1, n_groups, kind_of, rng)
            one, other = (np.flatnonzero(np.isin(groups, half)) for half in pair)
            if classes is None or all(np.ptp(classes[half]) for half in (one, other)):
                break
        yield one, other


def shuffled(groups: NDArray[np.intp] | None, n_samples: int, rng: np.random.Generator) -> Indices:
    """Return for each sample the one whose values its shadow has.

    Samples of one group get those of one other, as far as their sizes let them: what is alike
    within groups stays so, and can matter by chance just as easily.
    """
    if groups is None:
        return rng.permutation(n_samples)
    mine, theirs = (
        np.argsort(rng.permutation(int(groups.max()) + 1)[groups], kind="stable") for _ in range(2)
    )
    order = np.empty(n_samples, dtype=np.intp)
    order[mine] = theirs
    return order


# -- tables with shadows ---------------------------------------------------------------------------


def rows_of(table: Any, samples: Indices) -> Any:
    """Return some samples of any kind of table."""
    # Tables of Arrow are nothing that every scikit-learn can index.
    is_arrow = hasattr(table, "take") and hasattr(table, "append_column")
    return table.take(samples) if is_arrow else _safe_indexing(table, samples)


def beside(table: Any, shadows: Any) -> Any:
    """Return a table with the shadows of its columns behind them, as a table of the same kind."""
    if sparse.issparse(table):
        return sparse.hstack([table, shadows], format="csr")
    if not is_frame(table):
        return np.hstack([table, shadows])
    taken = [str(name) for name in (getattr(table, "column_names", None) or table.columns)]
    mark = "shadow of "
    while any(name.startswith(mark) for name in taken):
        mark = f"a {mark}"
    names = [mark + name for name in taken]
    if hasattr(table, "append_column"):
        for name, column in zip(names, shadows.columns, strict=True):
            table = table.append_column(name, column)
        return table
    if hasattr(table, "hstack"):
        columns = zip(names, shadows.get_columns(), strict=True)
        return table.hstack([column.alias(name) for name, column in columns])
    both = {
        name: frame.iloc[:, place].array
        for some, frame in ((taken, table), (names, shadows))
        for place, name in enumerate(some)
    }
    return type(table)(both)


def with_shadows(selector: Any, n_features: int) -> Any:
    """Let what a selector was told of features, by their numbers, hold for their shadows, too.

    A shadow belongs to the shadows of a group, costs what its feature costs, and is barred with
    it; nobody keeps it.
    """
    told = by_number(selector, None, n_features)
    if "feature_groups" in told:
        own = told["feature_groups"]
        told["feature_groups"] = [*own, *([n_features + i for i in one] for one in own)]
    if "bar" in told:
        told["bar"] = [*told["bar"], *(n_features + i for i in told["bar"])]
    if "costs" in told:
        told["costs"] = np.tile(told["costs"], 2)
    return clone(selector).set_params(**told)


# -- the selections --------------------------------------------------------------------------------


def select_on_each(
    selector: Any,
    X: Array,
    y: Array,
    tasks: list[Task],
    *,
    about: About = NOTHING,
    shadow_order: NDArray[np.intp] | None = None,
    n_jobs: int | None = None,
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield the number of each task and what was selected, as each is done.

    The best come first, if the selector knows them; otherwise they come in the order of the table.
    With `shadow_order` every column has a shadow, which is itself with the samples in that order;
    shadows are numbered after the columns. Large tables reach other processes as one memory map.
    """
    run = Parallel(n_jobs=n_jobs, return_as="generator_unordered", max_nbytes="1M")
    yield from run(
        delayed(_select)(number, selector, X, y, task, about, shadow_order)
        for number, task in enumerate(tasks)
    )


def choose_among_frequent(  # noqa: PLR0917 - all that a fit takes
    frequencies: NDArray[np.float64],
    selector: Any,
    X: Any,
    y: Array,
    task: Task,
    about: About = NOTHING,
) -> NDArray[np.intp]:
    """Let a selector choose among the features that were selected most often, those first.

    The most frequent features alone would repeat each other.
    """
    n_selected = selector.n_features_to_select
    n_ever = int((frequencies > 0).sum())
    n_often = min(max(n_ever, n_selected), _TIMES_AS_MANY * n_selected)
    often = np.argsort(-frequencies, kind="stable")[:n_often]
    ((_, found),) = select_on_each(selector, take_columns(X, often), y, [task], about=about)
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
    about: About,
    shadow_order: NDArray[np.intp] | None,
) -> tuple[int, NDArray[np.intp]]:
    table = rows_of(X, task.samples)
    if shadow_order is not None:
        table = beside(table, rows_of(X, shadow_order[task.samples]))
    one = clone(selector)
    if "random_state" in one.get_params(deep=False):
        one.set_params(random_state=task.seed)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several fits at a time make better use of the cores
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what half of the samples lack says little of all
            return number, _chosen(one, table, y[task.samples], about.of(task.samples))
    except ValueError as error:
        few = found_too_few(error)
        if few is None:
            raise
        return number, np.array(few, dtype=np.intp)
    finally:
        torch.set_num_threads(threads)


def _chosen(selector: Any, X: Any, y: Array, about: About) -> NDArray[np.intp]:
    """Return what a selector selects, with no more work than that takes."""
    if not isinstance(selector, Selector):
        return np.flatnonzero(selector.fit(X, y).get_support())
    selector._validate_params()  # which is part of a fit
    if about.groups is not None and len(np.unique(about.groups)) == 1:
        about = replace(about, groups=None)  # nothing to keep apart
    return selector._choose(X, y, about)
