"""How many features: what selections of every size tell of samples they were not made from."""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from entryprune._progress import epochs
from entryprune.engine.exchange.wide import outputs_by_size
from entryprune.selectors._columns import column_source
from entryprune.selectors._folds import (
    Fold,
    as_folds,
    deal,
    deal_groups,
    refuse_one_group,
    windows,
)
from entryprune.selectors._inputs import number_classes
from entryprune.selectors._selector import About, Rehearsal, Selector, found_too_few

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from torch import Tensor

Array = NDArray[Any]
Curve = dict[str, NDArray[Any]]

# Sizes that are tried, as far as there are features.
_SIZES = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 55, 75, 100)
# With fewer samples nothing can be compared.
_FEWEST_SAMPLES = 10
# Standard errors that no score reaches by chance.
_BEYOND_DOUBT = 3.0
# Below so many samples so many folds. The more samples, the less is lost by leaving many out, and
# the longer a fold takes.
_FOLDS = ((300, 4), (500, 3), (np.inf, 2))


def score_by_size(selector: Selector, X: ArrayLike, y: ArrayLike, about: About) -> Curve:
    """Return how well the first 1, 2, ... selected features explain samples that were left out.

    In each fold the selector selects once, as many features as the largest size has, and a wide
    network on the first of them predicts the other samples. "score" is the share of the target's
    variance that is explained (for classes that of their indicators, the Brier skill score),
    "standard_error" that of the score, "behind" by how much each size is worse than the best and
    "behind_error" the standard error of that difference, which is over the same samples.
    """
    one = _quiet(selector)
    table, target, n_units, about = one._look_at(X, y, about)
    n_samples = len(target)
    if n_samples < _FEWEST_SAMPLES:
        raise ValueError(
            f"n_features_to_select={selector.n_features_to_select!r} compares selections on "
            f"samples that were left out, which takes at least {_FEWEST_SAMPLES}; X has "
            f"{n_samples}. Give a number of features, or bring more samples."
        )
    one.n_features_to_select = most = min(_SIZES[-1], n_units)
    sizes = np.array([*(size for size in _SIZES if size < most), most])
    classes = number_classes(target)[1] if one._has_classes(target) and target.ndim == 1 else None
    targets = one._target_values(target, about)
    counts = one._weights(target, about.weights)
    weights = np.ones(n_samples) if counts is None else counts.astype(np.float64)
    rng = np.random.default_rng(0)  # which samples are left out is no one's choice
    n_folds = next(number for bound, number in _FOLDS if n_samples < bound)
    folds = _folds(n_folds, n_samples, classes, about, rng)
    folds = [fold for fold in folds if one._can_learn(target[fold[0]])]
    is_scored = np.zeros(n_samples, dtype=bool)
    for _, is_out in folds:
        is_scored[is_out] = True
    if is_scored.sum() < 2 or not targets.std(axis=0).any():
        why = "no class has a sample to spare"
        if not targets.std(axis=0).any():
            why = "y is constant"
        elif about.groups is not None or about.order is not None:
            why = "groups and order leave too few, one class only or no event to learn from"
        raise ValueError(
            f"n_features_to_select={selector.n_features_to_select!r} compares selections on "
            f"samples that were left out, and {why}. Give a number of features."
        )
    losses = np.full((len(sizes), n_samples), np.nan)
    of_guesses = np.full(n_samples, np.nan)
    n_found = 0
    for number in epochs(len(folds), "how many features", getattr(selector, "verbose", 0)):
        learning, is_out = rng.permutation(folds[number][0]), folds[number][1]
        mine, theirs = _safe_indexing(table, learning), _safe_indexing(table, is_out)
        # What the first fold looks for in vain, the others need not look for.
        found = _rehearsed(one, mine, target[learning], _within(about, learning))
        one, order = found.successor, found.order
        n_found = max(n_found, len(order))
        values, n_columns = found.read(mine)
        known, own = torch.from_numpy(targets[learning]), torch.from_numpy(weights[learning])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of levels that a fold does not have
            scaled, others = _scaled(values, found.read(theirs)[0])
        outputs = outputs_by_size(
            scaled,
            known,
            others,
            sizes.clip(max=len(order)).tolist(),
            n_columns=n_columns,
            weights=None if counts is None else own.float(),
        )
        for row, output in zip(losses, outputs, strict=True):
            row[is_out] = ((output.numpy() - targets[is_out]) ** 2).sum(axis=1)
        guess = np.average(targets[learning], axis=0, weights=weights[learning])
        of_guesses[is_out] = ((guess.astype(np.float32) - targets[is_out]) ** 2).sum(axis=1)
    is_new = sizes.clip(max=n_found) == sizes  # a method may have found fewer
    weights = weights[is_scored]
    guessed = np.average(of_guesses[is_scored], weights=weights)
    groups = None if about.groups is None else about.groups[is_scored]
    return _curve(sizes[is_new], losses[is_new][:, is_scored] / guessed, weights, groups)


def _folds(
    n_folds: int,
    n_samples: int,
    classes: NDArray[np.int64] | None,
    about: About,
    rng: np.random.Generator,
) -> list[Fold]:
    """Return folds that are not empty, as what is known of the samples asks for."""
    if about.groups is not None:
        refuse_one_group(len(np.unique(about.groups)))
    if about.order is not None:
        return windows(about.order, n_folds, about.groups)
    if about.groups is None:
        fold_of = deal(n_samples, n_folds, classes, rng)
    else:
        fold_of = deal_groups(about.groups, n_folds, classes)
    return [fold for fold in as_folds(fold_of, n_folds) if len(fold[1])]


def _within(about: About, samples: NDArray[np.intp]) -> About:
    """Return what is known of some samples; those of a single group cannot be kept apart."""
    found = about.of(samples)
    is_one = found.groups is not None and len(np.unique(found.groups)) == 1
    return replace(found, groups=None) if is_one else found


def _scaled(mine: Array, theirs: Array) -> tuple[Tensor, Tensor]:
    """Return columns, a row each, for two sets of samples, scaled by the first."""
    source = column_source(mine, np.arange(len(mine)), scale="standard", device=torch.device("cpu"))
    columns = torch.arange(mine.shape[1])
    first = torch.empty(mine.shape[1], len(mine))
    source.read(columns, out=first)
    scaling = source.scaling(columns)
    second = (theirs - scaling.shift.numpy()) * scaling.factor.numpy()
    return first, torch.from_numpy(np.ascontiguousarray(second.T)).float()


def _curve(
    sizes: NDArray[np.intp],
    losses: Array,
    weights: NDArray[np.float64],
    groups: NDArray[np.intp] | None = None,
) -> Curve:
    """Compare the sizes, given what each sample loses with each of them."""
    if groups is not None:
        groups = np.unique(groups, return_inverse=True)[1].reshape(-1)
    mean = losses @ weights / weights.sum()
    more = losses - losses[mean.argmin()]
    behind = more @ weights / weights.sum()
    return {
        "k": sizes,
        "score": 1 - mean,
        "standard_error": _error(losses, mean, weights, groups),
        "behind": behind,
        "behind_error": _error(more, behind, weights, groups),
    }


def _error(
    values: Array,
    mean: Array,
    weights: NDArray[np.float64],
    groups: NDArray[np.intp] | None = None,
) -> Array:
    """Return the standard error of each row's mean, by groups where samples belong together."""
    off = values - mean[:, None]
    error: Array
    if groups is None:
        count = weights.sum()
        error = np.sqrt(off**2 @ weights / max(count - 1, 1) / count)
        return error
    n_groups = int(groups.max()) + 1
    by_group = np.zeros((len(values), n_groups))
    np.add.at(by_group.T, groups, (off * weights).T)
    error = np.sqrt((by_group**2).sum(axis=1) * n_groups / max(n_groups - 1, 1)) / weights.sum()
    return error


def best_size(curve: Curve) -> int:
    """Return the size with the best score."""
    return int(curve["k"][curve["score"].argmax()])


def parsimonious_size(curve: Curve) -> int:
    """Return the smallest size that is not clearly worse than the best, by one standard error.

    Where the best is not clearly better than nothing, either, that is the smallest of all.
    """
    if is_within_noise(curve):
        return int(curve["k"][0])
    return int(curve["k"][(curve["behind"] <= curve["behind_error"]).argmax()])


def is_within_noise(curve: Curve) -> bool:
    """Say whether the best size explains no more than one standard error of what it explains."""
    best = curve["score"].argmax()
    return bool(curve["score"][best] <= curve["standard_error"][best])


def up_to(curve: Curve, n_found: int) -> Curve:
    """Return the sizes that can be had where a method finds so many features."""
    is_left = curve["k"] <= n_found
    left = {name: values[is_left] for name, values in curve.items()}
    left["behind"] = left["score"].max(initial=-np.inf) - left["score"]
    return left


def is_clear(curve: Curve) -> bool:
    """Say whether samples that were left out are beyond doubt explained better than by a guess."""
    return bool((curve["score"] > _BEYOND_DOUBT * curve["standard_error"]).any())


def _quiet(selector: Selector) -> Any:
    """Return another selector with the same parameters that shows nothing and asks nobody."""
    one: Any = copy.copy(selector)
    for name, value in (("verbose", 0), ("callback", None)):
        if hasattr(one, name):
            setattr(one, name, value)
    return one


def _rehearsed(one: Any, X: Any, y: Array, about: About) -> Rehearsal:
    """Return what is selected; fewer than asked for where the method finds no more."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there is to warn of, the final fit will say
            found: Rehearsal = copy.copy(one)._rehearse(X, y, about)
    except ValueError as error:
        few = found_too_few(error)
        if not few:
            raise
        order = np.array(few, dtype=np.intp)
        return Rehearsal(order, lambda table: (table[:, order], [1] * len(order)), one)
    return found
