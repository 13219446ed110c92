"""Which of several contenders to use, if any: the rule, in numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from entryprune.report.difference import LEVEL, Difference, difference

# Share of what all features gain over guessing that a selection may lose and still do as well.
_SMALL = 0.05
# Selections agree equally well if their stabilities differ by no more.
_AS_STABLE = 0.05

BEST, AS_GOOD, WORSE = "best", "not clearly worse", "worse"
UNKNOWN, NO_SCORE = "not known", "no score"

Kind = Literal["use", "keep all", "too close", "nothing", "no score"]


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One method with one number of selected features, judged by one learner and metric."""

    method: str
    k: int
    learner: str
    metric: str
    mean: float | None
    sd: float | None = None
    fold_scores: Sequence[float] = ()  # the folds are the same for all, in the same order
    stability: float | None = None  # how alike the selections in the folds are: 1 if all the same
    seconds: float | None = None
    higher_is_better: bool = True
    note: str = ""  # such as why there is no score

    @property
    def has_score(self) -> bool:
        """Whether there is a mean."""
        return self.mean is not None and math.isfinite(self.mean)

    @property
    def goodness(self) -> float:
        """The mean, larger if better."""
        if self.mean is None:
            return -math.inf
        return self.mean if self.higher_is_better else -self.mean


@dataclass(frozen=True)
class Standing:
    """How one contender does against the best, and against all features."""

    verdict: str
    behind: Difference | None = None  # by how much the best is better
    gain: Difference | None = None  # by how much it is better than all features


@dataclass(frozen=True)
class Verdict:
    """What to do, for one learner and metric."""

    kind: Kind
    standings: tuple[Standing, ...]
    n_folds: int
    best: int | None = None  # the one with the best mean over all folds
    # The one that the verdict is about: to use; or that loses least; or that is too close to call.
    named: int | None = None


def gain_over(
    one: Contender, other: Contender, test_ratio: float, level: float = LEVEL
) -> Difference | None:
    """Return how much better one contender is than another; None where that is not known."""
    return difference(
        one.fold_scores,
        other.fold_scores,
        test_ratio,
        higher_is_better=one.higher_is_better,
        level=level,
    )


def judge(
    contenders: Sequence[Contender],
    everything: Contender | None = None,
    guess: Contender | None = None,
    test_ratio: float = 0.25,
) -> Verdict:
    """Say what to do: use one contender, keep all features, or neither.

    The best is the one with the best mean of those with scores in all folds, so that nobody wins by
    the easy ones.

    1. If neither a contender nor all features are better than the guess, there is nothing here.
       This test is one-sided, and its 5 % are shared by all who take part in it, for the best of
       many is often better by chance.
    2. If the best contender is clearly worse than all features, all are to be kept.
    3. Else one is named among those that are as good as the best (see `_choice`). It is to be used
       if it is clearly better than all features, or if it cannot lose more than a twentieth of what
       all features gain over the guess. Otherwise it is too close to call.

    Elsewhere clearly is what the 95 % interval of the difference says.
    """
    known = [i for i, one in enumerate(contenders) if one.has_score]
    if not known:
        return Verdict("no score", (Standing(NO_SCORE),) * len(contenders), 0)
    # Of two equal means the one with fewer features is the better.
    fit = _in_all_folds(contenders, known)
    best = max(fit, key=lambda i: (contenders[i].goodness, -contenders[i].k))
    standings = tuple(
        _standing(one, contenders[best], everything, test_ratio, is_best=i == best)
        for i, one in enumerate(contenders)
    )
    n_folds = len(contenders[best].fold_scores)
    if guess is not None and guess.has_score:
        rivals = [contenders[i] for i in fit]
        if everything is not None and everything.has_score:
            rivals.append(everything)
        # One-sided: the interval may leave out as much again at its other end.
        level = 1 - 2 * (1 - LEVEL) / len(rivals)
        if not any(_beats(one, guess, test_ratio, level) for one in rivals):
            return Verdict("nothing", standings, n_folds, best)
    if everything is None or not everything.has_score:
        return Verdict("use", standings, n_folds, best, _choice(contenders, standings, best))
    of_best = standings[best].gain
    if of_best is not None and of_best.is_loss:
        return Verdict("keep all", standings, n_folds, best, best)
    named = _choice(contenders, standings, best)
    of_named = standings[named].gain
    spare = 0.0
    if guess is not None and guess.has_score:
        spare = _SMALL * max(0.0, everything.goodness - guess.goodness)
    is_safe = of_named is not None and (of_named.is_gain or of_named.low >= -spare)
    return Verdict("use" if is_safe else "too close", standings, n_folds, best, named)


def _in_all_folds(contenders: Sequence[Contender], known: Sequence[int]) -> list[int]:
    n_known = {i: sum(map(math.isfinite, contenders[i].fold_scores)) for i in known}
    most = max(n_known.values())
    return [i for i, n in n_known.items() if n == most]


def _standing(
    one: Contender,
    best: Contender,
    everything: Contender | None,
    test_ratio: float,
    *,
    is_best: bool,
) -> Standing:
    if not one.has_score:
        return Standing(NO_SCORE)
    on_all = None if everything is None else gain_over(one, everything, test_ratio)
    if is_best:
        return Standing(BEST, None, on_all)
    behind = gain_over(best, one, test_ratio)
    if behind is None:
        return Standing(UNKNOWN, None, on_all)
    return Standing(WORSE if behind.is_gain else AS_GOOD, behind, on_all)


def _beats(one: Contender, guess: Contender, test_ratio: float, level: float) -> bool:
    found = gain_over(one, guess, test_ratio, level)
    return found is not None and found.is_gain


def _choice(contenders: Sequence[Contender], standings: Sequence[Standing], best: int) -> int:
    """Return the one to name of those that are as good as the best.

    As good is who is behind by no more than one standard error: the median of all, not its own, so
    that nobody is preferred for being less certain. Of these the one whose selections agree most,
    then the one with the fewest features, then the one with the best mean.
    """
    behind = {i: one.behind for i, one in enumerate(standings) if one.behind is not None}
    step = statistics.median(one.standard_error for one in behind.values()) if behind else 0.0
    equals = [
        i
        for i, one in behind.items()
        if standings[i].verdict == AS_GOOD
        and one.mean <= step
        and ((on_all := standings[i].gain) is None or not on_all.is_loss)
    ]
    equals.append(best)
    stabilities = {i: _stability(contenders[i]) for i in equals}
    most = max(stabilities.values())
    steady = [i for i in equals if stabilities[i] >= most - _AS_STABLE]
    return min(steady, key=lambda i: (contenders[i].k, -contenders[i].goodness))


def _stability(one: Contender) -> float:
    return -1.0 if one.stability is None else one.stability
