"""Who is better, over data sets: ranks, paired differences, and which methods cannot be told apart.

A data set is the unit everywhere: its splits are averaged before anything is computed here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Accuracies in percent that differ by less are the same: what differs is how they were added up.
_DIGITS = 9
# What tables show as 0.00.
TIE = 0.005


@dataclass(frozen=True)
class Paired:
    """How one method compares with another on the same data sets."""

    n: int
    mean: float | None
    # The mean's confidence interval by Student's t; None with fewer than two data sets.
    low: float | None
    high: float | None
    wins: int
    ties: int  # the same to two decimals
    losses: int


def paired(one: Sequence[float], other: Sequence[float], level: float = 0.95) -> Paired:
    """Compare two methods, data set by data set."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    n = len(differences)
    mean = math.fsum(differences) / n if n else None
    low = high = None
    if mean is not None and n > 1:
        from scipy.stats import t

        variance = math.fsum((d - mean) ** 2 for d in differences) / (n - 1)
        half = float(t.ppf((1 + level) / 2, n - 1)) * math.sqrt(variance / n)
        low, high = mean - half, mean + half
    wins = sum(d >= TIE for d in differences)
    losses = sum(d <= -TIE for d in differences)
    return Paired(n, mean, low, high, wins, n - wins - losses, losses)


def mean_ranks(scores: Sequence[Sequence[float]]) -> list[float]:
    """Return each method's mean rank over data sets; the largest score has rank 1."""
    from scipy.stats import rankdata

    ranks = rankdata(-_table(scores), axis=1)
    return [float(rank) for rank in ranks.mean(axis=0)]


def friedman(scores: Sequence[Sequence[float]]) -> float | None:
    """Return the p-value of Friedman's test that no method's ranks differ from the others'.

    None where there is nothing to test: fewer than three methods or two data sets, or all the same.
    """
    from scipy.stats import friedmanchisquare

    table = _table(scores)
    if table.shape[0] < 2 or table.shape[1] < 3 or (table == table[:, :1]).all():
        return None
    return float(friedmanchisquare(*table.T).pvalue)


def signed_rank(differences: Sequence[float]) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test, exact also with ties.

    Differences of zero are left out; without any others the p-value is 1.
    """
    import numpy as np
    from scipy.stats import rankdata

    values = np.round(np.asarray(differences, dtype=np.float64), _DIGITS)
    values = values[values != 0]
    # Twice the ranks are whole numbers, so that all sums can be counted.
    doubled = np.rint(2 * rankdata(np.abs(values))).astype(int)
    share = np.zeros(doubled.sum() + 1)
    share[0] = 1.0
    for rank in doubled:
        with_it = np.zeros_like(share)
        with_it[rank:] = share[: len(share) - rank]
        share = 0.5 * (share + with_it)
    observed = doubled[values > 0].sum()
    tail = min(share[: observed + 1].sum(), share[observed:].sum())
    return float(min(1.0, 2.0 * tail))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number by Holm's method."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def indistinct(scores: Sequence[Sequence[float]], alpha: float = 0.05) -> list[tuple[int, ...]]:
    """Return the groups of methods that neighbour each other in rank and cannot be told apart.

    All pairs are tested by Wilcoxon's signed-rank test, adjusted by Holm's method: unlike a test on
    mean ranks (Nemenyi), whether two differ does not depend on which others are compared.
    """
    ranks = mean_ranks(scores)
    columns = list(zip(*scores, strict=True))
    pairs = list(itertools.combinations(range(len(columns)), 2))
    p_values = [
        signed_rank([a - b for a, b in zip(columns[i], columns[j], strict=True)]) for i, j in pairs
    ]
    differs = {pair: p < alpha for pair, p in zip(pairs, holm(p_values), strict=True)}
    order = sorted(range(len(columns)), key=lambda i: ranks[i])
    groups: list[tuple[int, ...]] = []
    last_end = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and not any(
            differs[min(i, order[end]), max(i, order[end])] for i in order[start:end]
        ):
            end += 1
        if end - start > 1 and end > last_end:
            groups.append(tuple(order[start:end]))
        last_end = max(last_end, end)
    return groups


def _table(scores: Sequence[Sequence[float]]) -> NDArray[Any]:
    import numpy as np

    return np.round(np.asarray(scores, dtype=np.float64), _DIGITS)
