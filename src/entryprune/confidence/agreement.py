"""How much selections have in common, beyond what chance would give them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Selections = Sequence[NDArray[np.intp]]


@dataclass(frozen=True)
class Agreement:
    """What two or more selections have in common; None where it is not defined."""

    # Nogueira, Sechidis and Brown (2018): 1 if all are the same, about 0 by chance.
    stability: float | None
    low: float | None
    high: float | None
    # Means over pairs of selections. Kuncheva's index is defined for selections of one size.
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
    size = int(sizes[0])
    if (sizes == size).all() and 0 < size < n_features:
        by_chance = size**2 / n_features
        kuncheva = float(((shared[pairs] - by_chance) / (size - by_chance)).mean())
    return Agreement(stability, low, high, jaccard, kuncheva)


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
