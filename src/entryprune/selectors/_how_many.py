"""How many features: what selections of every size tell of samples they were not made from."""

from __future__ import annotations

import copy
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from entryprune._progress import epochs
from entryprune.engine.exchange.nested import outputs_by_size
from entryprune.selectors._columns import column_source
from entryprune.selectors._inputs import check_finite, number_classes
from entryprune.selectors._selector import Selector, found_too_few

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


def score_by_size(selector: Selector, X: ArrayLike, y: ArrayLike) -> Curve:
    """Return how well the first 1, 2, ... selected features explain samples that were left out.

    In each fold the selector selects once, as many features as the largest size has, and a wide
    network on the first of them predicts the other samples. "score" is the share of the target's
    variance that is explained (for classes that of their indicators, the Brier skill score),
    "standard_error" that of the score, "behind" by how much each size is worse than the best and
    "behind_error" the standard error of that difference, which is over the same samples.
    """
    one = _quiet(selector)
    table, target = one._check(X, y)
    check_finite(table, getattr(one, "feature_names_in_", None))
    n_samples, n_features = table.shape
    if n_samples < _FEWEST_SAMPLES:
        raise ValueError(
            f"n_features_to_select={selector.n_features_to_select!r} compares selections on "
            f"samples that were left out, which takes at least {_FEWEST_SAMPLES}; X has "
            f"{n_samples}. Give a number of features, or bring more samples."
        )
    one.n_features_to_select = most = min(_SIZES[-1], n_features)
    sizes = np.array([*(size for size in _SIZES if size < most), most])
    classes = number_classes(target)[1] if one._has_classes(target) else None
    targets = _as_values(target, classes)
    rng = np.random.default_rng(0)  # which samples are left out is no one's choice
    n_folds = next(number for bound, number in _FOLDS if n_samples < bound)
    fold_of = _deal(n_samples, n_folds, classes, rng)
    is_scored = fold_of >= 0
    if is_scored.sum() < 2 or not targets.std(axis=0).any():
        raise ValueError(
            f"n_features_to_select={selector.n_features_to_select!r} compares selections on "
            f"samples that were left out, and {'y is constant' if classes is None else 'no class'}"
            f"{'' if classes is None else ' has a sample to spare'}. Give a number of features."
        )
    losses = np.full((len(sizes), n_samples), np.nan)
    of_guesses = np.full(n_samples, np.nan)
    n_found = 0
    for fold in epochs(n_folds, "how many features", getattr(selector, "verbose", 0)):
        is_out = fold_of == fold
        learning = rng.permutation(np.flatnonzero(~is_out))
        # What the first fold looks for in vain, the others need not look for.
        order, one = _selected(one, table[learning], target[learning])
        n_found = max(n_found, len(order))
        mine, theirs = _scaled(table, order, learning, np.flatnonzero(is_out))
        known = torch.from_numpy(targets[learning])
        outputs = outputs_by_size(mine, known, theirs, sizes.clip(max=len(order)).tolist())
        for row, output in zip(losses, outputs, strict=True):
            row[is_out] = ((output.numpy() - targets[is_out]) ** 2).sum(axis=1)
        of_guesses[is_out] = ((known.mean(dim=0).numpy() - targets[is_out]) ** 2).sum(axis=1)
    is_new = sizes.clip(max=n_found) == sizes  # a method may have found fewer
    losses = losses[is_new][:, is_scored] / of_guesses[is_scored].mean()
    return _curve(sizes[is_new], losses)


def _scaled(
    table: Array, order: NDArray[np.intp], mine: NDArray[np.intp], theirs: NDArray[np.intp]
) -> tuple[Tensor, Tensor]:
    """Return columns, a row each, for two sets of samples, scaled by the first."""
    values = table[np.ix_(mine, order)]
    source = column_source(
        values, np.arange(len(mine)), scale="standard", device=torch.device("cpu")
    )
    columns = torch.arange(len(order))
    first = torch.empty(len(order), len(mine))
    source.read(columns, out=first)
    scaling = source.scaling(columns)
    second = (table[np.ix_(theirs, order)] - scaling.shift.numpy()) * scaling.factor.numpy()
    return first, torch.from_numpy(np.ascontiguousarray(second.T)).float()


def _curve(sizes: NDArray[np.intp], losses: Array) -> Curve:
    """Compare the sizes, given what each sample loses with each of them."""
    root = np.sqrt(losses.shape[1])
    more = losses - losses[losses.mean(axis=1).argmin()]
    return {
        "k": sizes,
        "score": 1 - losses.mean(axis=1),
        "standard_error": losses.std(axis=1, ddof=1) / root,
        "behind": more.mean(axis=1),
        "behind_error": more.std(axis=1, ddof=1) / root,
    }


def best_size(curve: Curve) -> int:
    """Return the size with the best score."""
    return int(curve["k"][curve["score"].argmax()])


def parsimonious_size(curve: Curve) -> int:
    """Return the smallest size that is not clearly worse than the best, by one standard error."""
    return int(curve["k"][(curve["behind"] <= curve["behind_error"]).argmax()])


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


def _selected(one: Any, X: Array, y: Array) -> tuple[NDArray[np.intp], Any]:
    """Return what is selected, best first, and who to ask next.

    Fewer than asked for where the method finds no more.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there is to warn of, the final fit will say
            found: tuple[NDArray[np.intp], Any] = copy.copy(one)._rehearse(X, y)
    except ValueError as error:
        few = found_too_few(error)
        if not few:
            raise
        return np.array(few, dtype=np.intp), one
    return found


def _as_values(target: Array, classes: NDArray[np.int64] | None) -> NDArray[np.float32]:
    """Return targets as numbers of ordinary size, a column for each output."""
    if classes is not None:
        return np.eye(classes.max() + 1, dtype=np.float32)[classes]
    values = target.reshape(len(target), -1).astype(np.float64)
    size = np.abs(values).max()
    values = values / size if size > 0 else values
    values -= values.mean(axis=0)
    spread = values.std(axis=0)
    scaled: NDArray[np.float32] = (values / np.where(spread > 0, spread, 1.0)).astype(np.float32)
    return scaled


def _deal(
    n_samples: int, n_folds: int, classes: NDArray[np.int64] | None, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return the fold of each sample; each class is dealt out evenly, a single sample to none."""
    order = rng.permutation(n_samples)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]
    fold_of = np.empty(n_samples, dtype=np.intp)
    fold_of[order] = np.arange(n_samples) % n_folds
    if classes is not None:
        fold_of[np.bincount(classes)[classes] == 1] = -1
    return fold_of
