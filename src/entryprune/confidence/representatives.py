"""The K features that stand best for all that was selected over many runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.confidence._similarity import correlations

# Noise that is allowed for when a feature is told from others, in its own variance. Without it the
# last of K features would be those that explain what little is left of many others.
_NOISE = 0.3
# Most features that may be chosen; those selected most often come first.
_MOST_FEATURES = 2000


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
    often = np.argsort(-frequencies, kind="stable")[: max(_MOST_FEATURES, n_selected)]
    weights = frequencies[often]
    left = correlations(values[:, often])
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
