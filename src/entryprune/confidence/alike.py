"""Features that say much the same: which stand in for each other, and which stand for all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import average, to_tree
from scipy.spatial.distance import squareform

from entryprune.selectors._intake import dense

# Features that are never or nearly never selected tell nothing of whom they replace.
_FEWEST_SELECTIONS = 2
# Most features that are looked at; those selected most often come first.
_MOST_FEATURES = 1500
# Stand-ins say much the same,
_ALIKE = 0.5
# come together clearly less often than by chance (standard deviations), and seldom.
_CLEARLY, _SELDOM = -3.0, 0.5


def correlations(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the correlations of all columns; a constant has none, and 1 with itself."""
    centred = values.astype(np.float64)
    # A constant has no spread at all, whatever rounding leaves of its mean.
    is_constant = values.min(axis=0) == values.max(axis=0)
    centred -= centred.mean(axis=0)
    centred[:, is_constant] = 0.0
    norms = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    centred /= np.where(norms > 0, norms, 1.0)
    result: NDArray[np.float64] = (centred.T @ centred).clip(-1.0, 1.0)
    np.fill_diagonal(result, 1.0)
    return result


# -- which stand in for each other -----------------------------------------------------------------

# Features, most often selected first, and the share of the selections with at least one of them.
StandIns = tuple[tuple[int, ...], float]


def find_stand_ins(selections: list[NDArray[np.intp]], values: NDArray[Any]) -> list[StandIns]:
    """Find groups of features that are alike and that are hardly ever selected together.

    `values` is the table that was selected from. Features that are alike and always selected
    together complement each other, and are no group.

    Examples
    --------
    Column 1 is nearly column 0, and each is selected in half of the runs; column 2 in all.

    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> x[:, 1] = x[:, 0] + 0.1 * x[:, 1]
    >>> find_stand_ins([np.array([0, 2]), np.array([1, 2])] * 20, x)
    [((0, 1), 1.0)]
    """
    n_runs = len(selections)
    counts = np.bincount(np.concatenate(selections), minlength=values.shape[1])
    often = np.argsort(-counts, kind="stable")[:_MOST_FEATURES]
    features = often[counts[often] >= _FEWEST_SELECTIONS]
    if len(features) < 2:
        return []
    place = np.full(values.shape[1], -1)
    place[features] = np.arange(len(features))
    table = np.zeros((n_runs, len(features)))
    for row, one in zip(table, selections, strict=True):
        row[place[one][place[one] >= 0]] = 1
    alike = np.abs(correlations(dense(values[:, features])))
    together = table.T @ table
    found: list[StandIns] = []
    for members in _clusters(alike):
        if _are_stand_ins(together[np.ix_(members, members)], n_runs):
            ordered = sorted(members, key=lambda one: (-counts[features[one]], features[one]))
            covered = table[:, members].any(axis=1).mean()
            found.append((tuple(int(features[m]) for m in ordered), float(covered)))
    found = _outermost(found)
    return sorted(found, key=lambda one: (-one[1], one[0]))


def _clusters(alike: NDArray[np.float64]) -> list[list[int]]:
    """Return all clusters whose members are alike on average, also those within others."""
    distance = 1 - alike
    np.fill_diagonal(distance, 0.0)
    _, nodes = to_tree(average(squareform(distance, checks=False)), rd=True)
    return [node.pre_order() for node in nodes if node.count > 1 and node.dist <= 1 - _ALIKE]


def _are_stand_ins(together: NDArray[np.float64], n_runs: int) -> bool:
    """Say whether members are selected together less often than independent ones would be."""
    counts = together.diagonal()
    pairs = np.triu_indices(len(counts), 1)
    observed = together[pairs].sum()
    expected = np.outer(counts, counts)[pairs].sum() / n_runs
    rest = n_runs - counts
    # Pairs of independent features are uncorrelated, whatever they have in common.
    variance = np.outer(counts * rest, counts * rest)[pairs].sum() / (n_runs**2 * (n_runs - 1))
    if variance <= 0:
        return False
    return bool(
        observed <= _SELDOM * expected and (observed - expected) / math.sqrt(variance) <= _CLEARLY
    )


def _outermost(groups: list[StandIns]) -> list[StandIns]:
    """Leave out groups that lie within others."""
    taken: set[int] = set()
    kept = []
    for features, frequency in sorted(groups, key=lambda one: -len(one[0])):
        if taken.isdisjoint(features):
            taken.update(features)
            kept.append((features, frequency))
    return kept


# -- who stands for them best ----------------------------------------------------------------------


# Noise that is allowed for when a feature is told from others, in its own variance. Without it the
# last of K features would be those that explain what little is left of many others.
_NOISE = 0.3
# Most features that may be chosen; those selected most often come first.
_MOST_CHOSEN = 2000


def representatives(
    frequencies: NDArray[np.float64], values: NDArray[Any], n_selected: int
) -> NDArray[np.intp]:
    """Return the features from which those selected over the runs can best be told, best first.

    The most frequent features of a table are often much the same one. Here each feature counts as
    often as it was selected, and the next one taken is the one that explains most, linearly, of
    what those taken before leave unexplained.

    Examples
    --------
    Columns 0 and 1 are nearly the same, and each was selected more often than column 2.

    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(50, 4))
    >>> x[:, 1] = x[:, 0] + 0.1 * x[:, 1]
    >>> representatives(np.array([0.6, 0.5, 0.4, 0.1]), x, 2).tolist()
    [0, 2]
    """
    often = np.argsort(-frequencies, kind="stable")[: max(_MOST_CHOSEN, n_selected)]
    weights = frequencies[often]
    left = correlations(dense(values[:, often]))
    taken: list[int] = []
    is_free = np.ones(len(often), dtype=bool)
    for _ in range(n_selected):
        variances = left.diagonal() + _NOISE
        gains = weights @ left**2 / variances
        gains[~is_free] = -np.inf
        best = int(gains.argmax())
        taken.append(best)
        is_free[best] = False
        left -= np.outer(left[:, best], left[best]) / variances[best]
    return often[taken]
