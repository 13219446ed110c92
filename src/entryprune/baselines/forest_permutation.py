"""Permutation importance in a random forest: what a tree loses when a feature is shuffled.

L. Breiman, Random forests, Machine Learning 45, 2001.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed

from entryprune.baselines._base import TREES_AT_ONCE, BaselineSelector, Data, Ranking
from entryprune.engine.settings import COUNT, setting
from entryprune.selectors._selector import Special, estimator

# Pairs of a sample and a feature that go down a tree at a time.
_BLOCK = 2**18


@estimator()
class ForestPermutationSelector(BaselineSelector):
    """Select features by their permutation importance in a random forest.

    Breiman's own: each tree is tried on the samples that it was not grown on, as they are and with
    one feature's values shuffled among them. The score of a feature is the mean over all trees of
    the increase of the error, the share of wrong classes or the mean squared error. A tree cannot
    miss a feature that it does not use, nor can a sample whose way down the tree meets no split on
    it, so only the others are tried again: on wide data this takes less time than growing the
    trees. Features that no tree uses score 0 and have no place; if fewer than asked for are used,
    the request is refused, and more trees may help.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import ForestPermutationSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ForestPermutationSelector(2, n_estimators=100, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "Forest permutation"

    n_estimators: int = setting(
        500, COUNT, "Number of trees. Few trees see a small share of the features of wide data."
    )
    max_features: float | str | None = setting(
        "sqrt",
        Special(
            '{"sqrt", "log2"}, int, float or None',
            (
                Interval(Integral, 1, None, closed="left"),
                Interval(Real, 0, 1, closed="right"),
                StrOptions({"sqrt", "log2"}),
                None,
            ),
        ),
        "How many features each split is looked for in: the root or the logarithm of the number "
        "of features, a number, a share, or None for all.",
    )
    n_jobs: int | None = setting(None, *TREES_AT_ONCE)

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        kind = RandomForestClassifier if data.n_classes else RandomForestRegressor
        # Trees compare single precision with their thresholds.
        X = data.X.astype(np.float32, copy=False)
        forest = kind(
            n_estimators=self.n_estimators,
            max_features=self.max_features,
            n_jobs=self.n_jobs,
            random_state=int(rng.integers(2**31)),
        ).fit(X, data.y)
        seeds = rng.integers(2**62, size=self.n_estimators)
        trees = zip(forest.estimators_, forest.estimators_samples_, seeds, strict=True)
        scores = (
            sum(
                Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
                    delayed(increase_of_error)(
                        tree.tree_, X, data, drawn, np.random.default_rng(seed)
                    )
                    for tree, drawn, seed in trees
                )
            )
            / self.n_estimators
        )
        used = np.unique(np.concatenate([tree.tree_.feature for tree in forest.estimators_]))
        used = used[used >= 0]
        return Ranking(scores, used[np.argsort(-scores[used], kind="stable")])


def increase_of_error(
    tree: Any,
    X: NDArray[np.float32],
    data: Data,
    drawn: NDArray[np.integer],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return by how much shuffling each feature raises the error of one tree."""
    increase = np.zeros(X.shape[1])
    left_out = np.setdiff1d(np.arange(len(X)), drawn)
    # One order serves all features, because only one at a time is out of its place.
    partners = rng.permutation(left_out)
    predicted = tree.value[:, 0].argmax(axis=1) if data.n_classes else tree.value[:, 0, 0]
    for block in _blocks(len(left_out), tree.max_depth):
        cases = X[left_out[block]]
        rows, features = _met_on_the_way(tree, cases)
        shuffled = X[partners[block][rows], features]
        before = predicted[tree.apply(cases)][rows]
        after = predicted[_leaves(tree, cases, rows, features, shuffled)]
        y = data.y[left_out[block]][rows]
        lost = _errors(after, y, data.n_classes) - _errors(before, y, data.n_classes)
        increase += np.bincount(features, weights=lost, minlength=len(increase))
    return increase / max(len(left_out), 1)


def _blocks(n_cases: int, depth: int) -> Iterator[slice]:
    n_rows = max(1, _BLOCK // max(depth, 1))
    for start in range(0, n_cases, n_rows):
        yield slice(start, start + n_rows)


def _met_on_the_way(
    tree: Any, cases: NDArray[np.float32]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all pairs of a sample and a feature that decides on its way down the tree."""
    ways = tree.decision_path(cases)
    rows = np.repeat(np.arange(len(cases)), np.diff(ways.indptr))
    features = tree.feature[ways.indices]
    is_split = features >= 0
    pairs = np.unique(rows[is_split] * cases.shape[1] + features[is_split])
    return np.divmod(pairs, cases.shape[1])


def _leaves(
    tree: Any,
    cases: NDArray[np.float32],
    rows: NDArray[np.intp],
    features: NDArray[np.intp],
    values: NDArray[np.float32],
) -> NDArray[np.intp]:
    """Return the leaf of each pair's sample if its feature had the given value instead."""
    nodes = np.zeros(len(rows), dtype=np.intp)
    moving = np.arange(len(rows))
    while len(moving):
        at = nodes[moving]
        asked = tree.feature[at]
        found = np.where(asked == features[moving], values[moving], cases[rows[moving], asked])
        goes_left = found <= tree.threshold[at]
        nodes[moving] = np.where(goes_left, tree.children_left[at], tree.children_right[at])
        moving = moving[tree.feature[nodes[moving]] >= 0]
    return nodes


def _errors(predicted: NDArray[Any], y: NDArray[Any], n_classes: int) -> NDArray[np.float64]:
    errors: NDArray[np.float64]
    errors = (predicted != y).astype(np.float64) if n_classes else np.square(predicted - y)
    return errors
