"""How much selections have in common, beyond what chance would give them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Selections = Sequence[NDArray[np.intp]]

# Fewer selections agree on much or little by chance. On one feature they agree wherever one is
# strong, which says nothing of the others.
_FEWEST_SELECTIONS, _FEWEST = 10, 2
# Below it agreement is poor, by the scale that Nogueira and others give.
_FAIR = 0.4
# Room beside what is agreed on, for features that are now and then crowded out.
_TIMES_AS_MANY, _LEAST_COUNTED = 2, 10


@dataclass(frozen=True)
class Agreement:
    """What two or more selections have in common; None where it is not defined."""

    # Nogueira, Sechidis and Brown (2018): 1 if all are the same, about 0 by chance.
    stability: float | None
    low: float | None
    high: float | None
    # Means over pairs of selections. Kuncheva's index is extended to two sizes as by Wald,
    # Khoshgoftaar and Napolitano (2013): the most that can be shared is the smaller of them.
    jaccard: float | None
    kuncheva: float | None


def agreement(selections: Selections, n_features: int, level: float = 0.95) -> Agreement:
    """Measure how far selections from `n_features` features agree, with a confidence interval.

    Examples
    --------
    >>> import numpy as np
    >>> both = agreement([np.array([0, 1]), np.array([0, 2])], n_features=5)
    >>> round(both.stability, 3), round(both.jaccard, 3), round(both.kuncheva, 3)
    (0.167, 0.333, 0.167)
    """
    if len(selections) < 2:
        return Agreement(None, None, None, None, None)
    stability, error = _nogueira(selections, n_features)
    low = high = None
    if stability is not None and error is not None:
        half = NormalDist().inv_cdf((1 + level) / 2) * error
        low, high = max(stability - half, -1.0), min(stability + half, 1.0)
    shared, sizes = _shared(selections)
    either = sizes[:, None] + sizes - shared
    pairs = np.triu_indices(len(sizes), 1)
    jaccard = None
    if (either[pairs] > 0).all():
        jaccard = float((shared[pairs] / either[pairs]).mean())
    kuncheva = None
    if (sizes > 0).all() and (sizes < n_features).all():
        by_chance = np.outer(sizes, sizes)[pairs] / n_features
        most = np.minimum.outer(sizes, sizes)[pairs]
        kuncheva = float(((shared[pairs] - by_chance) / (most - by_chance)).mean())
    return Agreement(stability, low, high, jaccard, kuncheva)


def size_agreed_on(selections: Selections, n_features: int) -> int:
    """Return how many features of each selection, best first, should count.

    Where selections agree well on so many features and clearly less on more, that is what the
    samples can tell, and those behind it are likely to be mere neighbours of it: what is agreed on
    counts, and as many again, but ten at least. Where they agree best on all, or nowhere well, or
    are few, all count.

    Examples
    --------
    Six features come first in each of thirty selections, and are followed by others at random:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> size_agreed_on([np.r_[:6, 6 + rng.permutation(94)[:30]] for _ in range(30)], 100)
    12
    """
    longest = max(len(one) for one in selections)
    if len(selections) < _FEWEST_SELECTIONS:
        return longest
    found = {
        size: _nogueira([one[:size] for one in selections], n_features)
        for size in range(_FEWEST, longest + 1)
    }
    indices = {size: index for size, (index, _) in found.items() if index is not None}
    if not indices or max(indices.values()) < _FAIR:
        return longest
    best = max(indices, key=lambda size: indices[size])
    error = found[best][1] or 0.0
    lowest = indices[best] - NormalDist().inv_cdf(0.975) * error
    agreed_on = max(size for size, index in indices.items() if index >= lowest)
    return min(max(_TIMES_AS_MANY * agreed_on, _LEAST_COUNTED), longest)


def _nogueira(selections: Selections, n_features: int) -> tuple[float | None, float | None]:
    """Return the index and its standard error, from how often each feature was selected."""
    n_runs = len(selections)
    sizes = np.array([len(one) for one in selections], dtype=np.float64)
    share = sizes.mean() / n_features
    if not 0 < share < 1:  # none or all, always: there is nothing to agree on
        return None, None
    counts = np.bincount(np.concatenate(selections), minlength=n_features)
    frequencies = counts / n_runs
    spread = share * (1 - share)
    variance = (frequencies * (1 - frequencies)).mean() * n_runs / (n_runs - 1)
    index = 1 - variance / spread
    # What each run has in common with the average of all (theorem 7 of the same paper).
    common = np.array([frequencies[one].sum() for one in selections]) / n_features
    own = sizes / n_features
    of_runs = (common - own * share + index / 2 * (2 * own * share - own - share + 1)) / spread
    error = 2 / n_runs * math.sqrt(((of_runs - of_runs.mean()) ** 2).sum())
    return float(index), error


def _shared(selections: Selections) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many features each two selections share, and the size of each."""
    features, places = np.unique(np.concatenate(selections), return_inverse=True)
    table = np.zeros((len(selections), max(len(features), 1)), dtype=np.float64)
    sizes = np.array([len(one) for one in selections])
    table[np.repeat(np.arange(len(selections)), sizes), places] = 1
    return table @ table.T, sizes.astype(np.float64)
