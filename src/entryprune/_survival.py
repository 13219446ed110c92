"""Times until an event: risk sets, hazards, the share without it, and who comes before whom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Events = NDArray[np.bool_]

# Pairs of samples that are compared at a time.
_PAIRS_AT_ONCE = 1 << 22
# Newton's steps for one hazard, and a logarithm of it that only a feature without overlap has.
_MOST_STEPS, _NO_END = 30, 15.0


def concordance(times: Floats, events: Events, risks: Floats) -> float:
    """Return Harrell's concordance index; equal risks count half, NaN if no pair can be compared.

    Examples
    --------
    The second of three left before its event, so that it can be compared with the first only.

    >>> import numpy as np
    >>> times, events = np.array([1.0, 2.0, 3.0]), np.array([True, False, True])
    >>> concordance(times, events, np.array([0.5, 0.7, 0.1]))
    0.5
    """
    agree, n_pairs = 0.0, 0
    first = np.flatnonzero(events)
    step = max(1, _PAIRS_AT_ONCE // max(len(times), 1))
    for start in range(0, len(first), step):
        some = first[start : start + step]
        time, risk = times[some, None], risks[some, None]
        # Whoever was still there then came later, also if not seen any more at that very time.
        is_later = (times > time) | ((times == time) & ~events)
        agree += float((is_later & (risk > risks)).sum() + 0.5 * (is_later & (risk == risks)).sum())
        n_pairs += int(is_later.sum())
    return agree / n_pairs if n_pairs else float("nan")


def kaplan_meier(times: Floats, events: Events) -> tuple[Floats, Floats]:
    """Return the times of events, from 0 on, and the share that is without one after each.

    Examples
    --------
    The second of four leaves before its event: two are left when the next one has it.

    >>> import numpy as np
    >>> times, events = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, True, False])
    >>> kaplan_meier(times, events)[1].tolist()
    [1.0, 0.75, 0.375]
    """
    at, counts = np.unique(times[events], return_counts=True)
    n_at_risk = len(times) - np.searchsorted(np.sort(times), at)
    left = np.cumprod(1 - counts / n_at_risk)
    return np.concatenate([[0.0], at]), np.concatenate([[1.0], left])


def time_of_share(times: Floats, events: Events, share: float = 0.5) -> float:
    """Return when so many are still without the event, at most; NaN if that is not seen."""
    at, left = kaplan_meier(times, events)
    reached = np.flatnonzero(left <= share + 1e-12)
    return float(at[reached[0]]) if len(reached) else float("nan")


class RiskSets:
    """Who is at risk at each event; those at one time take turns to leave, as Efron has it."""

    def __init__(self, times: Floats, events: Events) -> None:
        self.order = np.argsort(-times, kind="stable")
        sorted_times, is_event = times[self.order], events[self.order]
        starts = np.flatnonzero(np.append(True, np.diff(sorted_times) != 0))
        self._ends = np.append(starts[1:], len(times)) - 1
        self._group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(times))))
        # The events, from the last to the first, and which time each is at.
        self.events = np.flatnonzero(is_event)
        self._time = self._group[self.events]
        _, self._first, counts = np.unique(self._time, return_index=True, return_counts=True)
        self._tied = np.repeat(np.arange(len(counts)), counts)
        self._turn = (np.arange(len(self.events)) - self._first[self._tied]) / counts[self._tied]
        self._is_event = is_event

    def sums(self, values: Floats) -> Floats:
        """Return for each event the sum over those at risk, of values in `order`."""
        at_risk = values.cumsum(axis=0)[self._ends][self._time]
        leaving = np.add.reduceat(values[self.events], self._first, axis=0)[self._tied]
        turn = self._turn.reshape(-1, *[1] * (values.ndim - 1))
        found: Floats = at_risk - turn * leaving
        return found

    def loss(self, risks: Floats) -> tuple[float, Floats]:
        """Return Cox's negative log partial likelihood and its slope, of risks as the samples are.

        Examples
        --------
        Of three at risk the first has the event, then one of two, then the last: 1/3, 1/2 and 1.

        >>> import numpy as np
        >>> sets = RiskSets(np.array([1.0, 2.0, 3.0]), np.array([True, True, True]))
        >>> loss, slope = sets.loss(np.zeros(3))
        >>> round(float(np.exp(loss)), 6), slope.round(3).tolist()
        (6.0, [-0.667, -0.167, 0.833])
        """
        there = risks[self.order]
        shift = there.max()
        hazards = np.exp(there - shift)
        at_risk = np.maximum(self.sums(hazards), np.finfo(np.float64).tiny)
        value = float((np.log(at_risk) + shift).sum() - there[self.events].sum())
        n_times = len(self._ends)
        each = np.bincount(self._time, 1 / at_risk, n_times)
        turns = np.bincount(self._time, self._turn / at_risk, n_times)
        # At risk at all events until its own time; in turns at those of that time if it has one.
        expected = each[::-1].cumsum()[::-1][self._group] - self._is_event * turns[self._group]
        slope = np.empty(len(risks))
        slope[self.order] = hazards * expected - self._is_event
        return value, slope


def score_statistics(X: NDArray[Any], times: Floats, events: Events) -> Floats:
    """Return the score test of each column in a Cox model of its own; of two groups the log-rank.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 5.0], [0.0, 5.0], [1.0, 5.0], [0.0, 5.0]])
    >>> score_statistics(X, np.arange(1.0, 5.0), np.ones(4, dtype=bool)).round(3).tolist()
    [0.615, 0.0]
    """
    sets = RiskSets(times, events)
    ones = sets.sums(np.ones(len(times)))[:, None]
    found = np.zeros(X.shape[1])
    width = max(1, _PAIRS_AT_ONCE // max(len(times), 1))
    for start in range(0, X.shape[1], width):
        part = slice(start, start + width)
        values = standardised(X[sets.order][:, part])
        mean = sets.sums(values) / ones
        slope = (values[sets.events] - mean).sum(axis=0)
        spread = (sets.sums(values**2) / ones - mean**2).sum(axis=0)
        varies = spread > 1e-12
        found[part] = np.where(varies, slope**2 / np.where(varies, spread, 1.0), 0.0)
    return found


def log_hazard(values: Floats, times: Floats, events: Events) -> float:
    """Return how much a standard deviation more of a feature adds to the log hazard.

    Missing values are left out. NaN where nothing can be told, or no end is in sight: where the
    feature orders all events.
    """
    is_known = np.isfinite(values)
    if not events[is_known].any():
        return float("nan")
    sets = RiskSets(times[is_known], events[is_known])
    x = standardised(values[is_known][sets.order])
    found = 0.0
    for _ in range(_MOST_STEPS):
        hazards = np.exp(found * x - np.max(found * x))
        n, sums, squares = (sets.sums(hazards * x**power) for power in (0, 1, 2))
        slope = float((x[sets.events] - sums / n).sum())
        bend = float((squares / n - (sums / n) ** 2).sum())
        if bend <= 1e-12:
            return float("nan")
        step = float(np.clip(slope / bend, -1.0, 1.0))
        found += step
        if abs(found) > _NO_END:
            return float("nan")
        if abs(step) < 1e-9:
            return found
    return float("nan")


def standardised(values: NDArray[Any]) -> Floats:
    """Return columns of mean 0 and standard deviation 1; a constant one becomes 0."""
    numbers = values.astype(np.float64)
    size = np.abs(numbers).max(axis=0)
    numbers = numbers / np.where(size > 0, size, 1.0)
    numbers -= numbers.mean(axis=0)
    spread = numbers.std(axis=0)
    scaled: Floats = numbers / np.where(spread > 1e-12, spread, 1.0)
    return np.where(spread > 1e-12, scaled, 0.0)
