"""What a frequency means: an interval, a verdict, and how many of such features may be false."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

CONFIRMED, TENTATIVE, REJECTED = "confirmed", "tentative", "rejected"
# Shadows from which it is told how often noise is selected, and how often each must have been.
_MOST_SHADOWS, _FEWEST_SELECTIONS = 50, 2
# Ties must not be decided by rounding.
_TINY = 1e-9


def intervals(
    frequencies: NDArray[np.float64], n_fits: int, level: float = 0.95
) -> NDArray[np.float64]:
    """Return Wilson's interval of each frequency.

    Examples
    --------
    >>> import numpy as np
    >>> intervals(np.array([0.0, 0.5]), 100).round(2).tolist()
    [[0.0, 0.04], [0.4, 0.6]]
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (frequencies + z**2 / (2 * n_fits)) / (1 + z**2 / n_fits)
    variance = frequencies * (1 - frequencies) / n_fits + (z / (2 * n_fits)) ** 2
    half = z * np.sqrt(variance) / (1 + z**2 / n_fits)
    return np.column_stack([middle - half, middle + half]).clip(0.0, 1.0)


def noise_limit(of_shadows: NDArray[np.float64], n_fits: int, level: float = 0.01) -> float:
    """Return the frequency that the luckiest of the shadows reaches in one of 1/`level` tables.

    A column that is selected on half samples whenever its effect there is above some bar, and has
    the effect z on all samples (in standard errors), has on a half an effect of z / sqrt(2) on the
    average and of variance 1/2. So it is selected with the probability Phi(z - constant): normal
    quantiles of frequencies are effects but for a constant, which the most frequent shadows tell.

    Examples
    --------
    The effects of 1,000 columns of noise, and how often they are above the bar on half samples:

    >>> import numpy as np
    >>> from scipy.special import ndtr
    >>> effects = np.abs(np.random.default_rng(0).normal(size=1000))
    >>> round(noise_limit(ndtr(effects - 3.5), n_fits=100), 2)
    0.83

    One of a hundred such tables has an effect of 4.42 or more, and ndtr(4.42 - 3.5) is 0.82.
    """
    n_shadows = len(of_shadows)
    if not n_shadows:
        return 0.0
    often = np.sort(of_shadows)[::-1][:_MOST_SHADOWS]
    often = often[often >= _FEWEST_SELECTIONS / n_fits - _TINY]
    if not len(often):
        often = np.array([1 / n_fits])  # as if one had been, so that the limit is too high at worst
    half_a_fit = 0.5 / n_fits
    # Effects of as many columns of noise, the strongest first; either sign counts.
    usual = -ndtri((np.arange(1, len(often) + 1) - 0.4) / (n_shadows + 0.2) / 2)
    constant = (usual - ndtri(often.clip(half_a_fit, 1 - half_a_fit))).mean()
    return float(ndtr(-ndtri(level / n_shadows / 2) - constant))


def judge(
    frequencies: NDArray[np.float64], *, asked: float, luckiest: float | None
) -> NDArray[np.str_]:
    """Return a verdict on each frequency; `luckiest` is that of the shadows, None without any.

    Examples
    --------
    >>> import numpy as np
    >>> judge(np.array([0.9, 0.6, 0.3]), asked=0.75, luckiest=0.4).tolist()
    ['confirmed', 'tentative', 'rejected']
    """
    # A tie with the luckiest shadow is no better than it.
    is_lucky = frequencies >= 0.5 if luckiest is None else frequencies > luckiest + _TINY
    is_often = frequencies >= asked - _TINY
    verdicts = np.where(is_lucky, np.where(is_often, CONFIRMED, TENTATIVE), REJECTED)
    return verdicts.astype(np.str_)


def describe(
    *,
    n_features: int,
    n_confirmed: int,
    asked: float,
    n_fits: int,
    n_per_fit: int,
    has_shadows: bool,
    n_false: float,
    has_groups: bool = False,
) -> str:
    """Say what came out in words."""
    which = {0: "none is", 1: "one is"}.get(n_confirmed, f"{n_confirmed:,} are")
    often = f"{100 * asked:.0f} % of {n_fits:,} half samples"
    beside = ", and more often than any feature that cannot matter" if has_shadows else ""
    units = " groups or single features" if has_groups else ""
    most = f"{n_false:.2g}" if n_false < 10 else f"{n_false:,.0f}"
    return (
        f"Of {n_features:,} features {which} confirmed: selected on at least {often}, with "
        f"{n_per_fit:,}{units} selected on each{beside}. Of features that matter no more than "
        f"chance, at most {most} are to be expected among them, on the average of such tables."
    )


# -- how many may be false -------------------------------------------------------------------------


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


def size_for(n_selected: int, n_features: int) -> int | str:
    """Return how many to select on each half sample of a table of which so many are selected.

    Each needs a seat; but few would leave none for features that matter beside them.

    Examples
    --------
    >>> size_for(10, 2000), size_for(100, 2000)
    ('auto', 100)
    """
    return n_selected if n_selected > usual_size(2 * n_features) else "auto"


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
    # Above a half the first possible frequency is this one.
    threshold = max(threshold, 0.5 + step)
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
