"""How many of the features that are selected often may be false ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

# Above it the first of the two bounds of Shah and Samworth does not hold.
_MIDDLE = 0.75
# False features that are to be expected above it by default, and the most features of a selection.
_FALSE_BY_DEFAULT, _MOST_SELECTED = 0.5, 50


def usual_size(n_features: int) -> int:
    """Return how many of so many features to select on each half sample, unless told otherwise.

    As many as make the bound at 0.75, which is their square over the number of features, one half.

    Examples
    --------
    >>> usual_size(80), usual_size(40_000)
    (6, 50)
    """
    return max(1, min(round(math.sqrt(_FALSE_BY_DEFAULT * n_features)), _MOST_SELECTED))


def expected_false(n_features: int, n_selected: float, threshold: float, n_pairs: int) -> float:
    """Return the most features that matter no more than chance to be expected above a threshold.

    Shah and Samworth (2013), for `n_pairs` complementary pairs of half samples with `n_selected`
    features selected in each, if the frequencies of such features are unimodal. Where they promise
    nothing, all that may be false are the features that can reach the threshold at all.

    Examples
    --------
    >>> round(expected_false(20_000, 50, 0.75, 50), 2)
    0.13
    >>> round(expected_false(1_000, 50, 0.75, 50), 1)
    2.6
    """
    # The frequencies sum up to n_selected, so no more than these reach the threshold.
    most = n_selected / threshold if threshold > 0 else math.inf
    most = min(most, n_features)
    share = n_selected / n_features
    step = 1 / (2 * n_pairs)
    lowest = min(0.5 + share**2, 0.5 + step + 0.75 * share**2)
    if share > 1 / math.sqrt(3) or threshold <= lowest:
        return most
    if threshold <= _MIDDLE:
        factor = 1 / (2 * (2 * threshold - 1 - step))
    else:
        factor = 4 * (1 - threshold + step) / (1 + 1 / n_pairs)
    return min(factor * n_selected**2 / n_features, most)


def threshold_for(n_false: float, n_features: int, n_selected: float, n_pairs: int) -> float | None:
    """Return the lowest frequency above which at most `n_false` false features are expected.

    None if no frequency promises that.

    Examples
    --------
    >>> threshold_for(1.0, 20_000, 50, 50), threshold_for(0.01, 1_000, 50, 50)
    (0.54, None)
    """
    frequencies = np.arange(n_pairs + 1, 2 * n_pairs + 1) / (2 * n_pairs)
    for frequency in frequencies.tolist():
        if expected_false(n_features, n_selected, frequency, n_pairs) <= n_false:
            return float(frequency)
    return None


def false_proportions(
    frequencies: NDArray[np.float64], of_shadows: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the frequencies that occur, and an upper estimate of the false ones at or above each.

    The estimate is a share of the features at or above it; shadows are columns that cannot matter,
    and stand for as many features that do not. It is Stabl's FDP+ (Hédou and others, 2024).

    Examples
    --------
    >>> import numpy as np
    >>> thresholds, shares = false_proportions(np.array([0.9, 0.8, 0.1]), np.array([0.1, 0.0, 0.0]))
    >>> thresholds.tolist(), shares.tolist()
    ([0.1, 0.8, 0.9], [0.6666666666666666, 0.5, 1.0])
    """
    thresholds = np.unique(frequencies[frequencies > 0])
    per_shadow = len(frequencies) / max(len(of_shadows), 1)
    above = len(frequencies) - np.searchsorted(np.sort(frequencies), thresholds)
    false = len(of_shadows) - np.searchsorted(np.sort(of_shadows), thresholds)
    return thresholds, (1 + false * per_shadow) / np.maximum(above, 1)
