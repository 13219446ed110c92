"""The first penalty of a LassoNet path, found as the package finds it but many times faster.

The package shrinks the trained weights over and over by its proximal step, without any training,
and doubles the penalty until a feature vanishes. Most of the time of a short path goes into that,
because each step sorts all weights. But a feature's state is one number: the size b of its
shortcut. Its weights into the hidden layer keep their order and are cut off at M b, so sorting them
once is enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_FIRST = 1e-6
_MOST_STEPS = 10_000
_SETTLED = 1e-5

Floats = NDArray[np.float64]


def lambda_start(shortcut: NDArray[Any], hidden: NDArray[Any], M: float) -> float:
    """Return the last penalty in 1e-6, 2e-6, 4e-6, ... that no feature vanishes at.

    Parameters
    ----------
    shortcut : ndarray of shape (n_outputs, n_features)
        Weights from the inputs straight to the outputs.
    hidden : ndarray of shape (n_hidden, n_features)
        Weights from the inputs to the first hidden layer, at most M times as large as the
        shortcut.
    M : float
        The hierarchy parameter.

    Examples
    --------
    Without a hidden layer to hold on to, each of 10,000 steps takes the penalty off the shortcut:

    >>> import numpy as np
    >>> lambda_start(np.array([[1.0]]), np.array([[0.0]]), M=10.0)
    6.4e-05
    """
    weights = _Weights(shortcut.astype(np.float64), np.abs(hidden.astype(np.float64)), M)
    penalty = _FIRST
    while not weights.lose_a_feature(2 * penalty):
        penalty *= 2
    return penalty


class _Weights:
    """The trained weights, in the few numbers that shrinking depends on."""

    def __init__(self, shortcut: Floats, magnitudes: Floats, M: float) -> None:
        self._M = M
        self._sizes = np.linalg.norm(shortcut, axis=0)
        # Shrinking keeps the direction of a shortcut, and so its largest entry's share of the size.
        largest = np.abs(shortcut).max(axis=0)
        self._shares = largest / np.where(self._sizes > 0, self._sizes, 1.0)
        falling = -np.sort(-magnitudes, axis=0)
        nothing = np.zeros((1, falling.shape[1]))
        # Row n: the largest weight but n, and the sum of the n largest.
        self._next = np.concatenate([falling, nothing])
        self._sums = np.concatenate([nothing, np.cumsum(falling, axis=0)])
        self._features = np.arange(falling.shape[1])

    def lose_a_feature(self, penalty: float) -> bool:
        """Return whether shrinking under this penalty makes a feature vanish."""
        sizes = self._sizes
        n_cut = np.count_nonzero(self._next[:-1] >= self._M * sizes, axis=0)
        for _ in range(_MOST_STEPS):
            if not sizes.all():
                return True  # what has vanished never comes back
            shrunk, n_cut = self._shrink(sizes, n_cut, penalty)
            if np.max((sizes - shrunk) * self._shares) < _SETTLED:
                return False
            sizes = shrunk
        return not sizes.all()

    def _shrink(
        self, sizes: Floats, n_cut: NDArray[np.intp], penalty: float
    ) -> tuple[Floats, NDArray[np.intp]]:
        """Do one proximal step; `n_cut` weights of each feature are at M times its size."""
        M, features = self._M, self._features
        # If n weights are cut, the size is (b - penalty + M * sum of the n largest) / (1 + n M^2).
        rest = sizes - penalty + M * (n_cut * M * sizes - self._sums[n_cut, features])
        n_cut = n_cut.copy()
        while True:
            shrunk = np.maximum(rest + M * self._sums[n_cut, features], 0.0) / (1.0 + n_cut * M**2)
            sticks_out = self._next[n_cut, features] > M * shrunk
            if not sticks_out.any():
                return shrunk, n_cut
            n_cut += sticks_out
