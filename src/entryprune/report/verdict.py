"""Which of several to use, by the rule of one standard error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entryprune.report.comparison import Contender

BEST, AS_GOOD, WORSE = "best", "not clearly worse", "worse"
UNKNOWN, NO_SCORE = "cannot be told", "no score"


@dataclass(frozen=True)
class Standing:
    """How one contender does against the best.

    Attributes
    ----------
    verdict : {"best", "not clearly worse", "worse", "cannot be told", "no score"}
        In one word or few.
    behind : float or None
        By how much it is worse, on average over the folds.
    standard_error : float or None
        Of that.
    """

    verdict: str
    behind: float | None = None
    standard_error: float | None = None


@dataclass(frozen=True)
class Verdict:
    """Which contender to use for one learner and metric.

    Attributes
    ----------
    best, choice : int
        The contender with the best mean, and the one with the smallest K among those that are
        not clearly worse.
    standings : tuple of Standing
        One for each contender.
    n_folds : int
        Scores that the best has.
    """

    best: int
    choice: int
    standings: tuple[Standing, ...]
    n_folds: int


def judge(contenders: Sequence[Contender]) -> Verdict | None:
    """Find the best contender, those that are not clearly worse, and the smallest of them.

    Not clearly worse is one whose difference to the best, over the same folds, is within one
    standard error of that difference.

    Parameters
    ----------
    contenders : sequence of Contender
        All with one learner and metric.

    Returns
    -------
    verdict : Verdict or None
        None if no contender has a score.

    Examples
    --------
    >>> from entryprune.report.comparison import Contender
    >>> def of(k, scores):
    ...     return Contender(method="STG", k=k, learner="ridge", metric="R²",
    ...                      mean=sum(scores) / 3, fold_scores=scores)
    >>> verdict = judge([of(5, [0.1, 0.2, 0.3]), of(10, [0.7, 0.9, 0.6]), of(20, [0.8, 0.7, 0.8])])
    >>> verdict.best, verdict.choice
    (2, 1)
    >>> [standing.verdict for standing in verdict.standings]
    ['worse', 'not clearly worse', 'best']
    """
    has_score = [one.mean is not None and math.isfinite(one.mean) for one in contenders]
    known = [i for i, yes in enumerate(has_score) if yes]
    if not known:
        return None
    sign = 1.0 if contenders[0].higher_is_better else -1.0

    def goodness(i: int) -> float:
        return sign * (contenders[i].mean or 0.0)

    # Of two equal means the one with fewer features is the better.
    best = max(known, key=lambda i: (goodness(i), -contenders[i].k))
    standings = tuple(
        _stand(contenders[i], contenders[best], sign, is_best=i == best)
        if has_score[i]
        else Standing(NO_SCORE)
        for i in range(len(contenders))
    )
    good = [i for i in known if standings[i].verdict in (BEST, AS_GOOD)]
    choice = min(good, key=lambda i: (contenders[i].k, -goodness(i)))
    return Verdict(best, choice, standings, len(contenders[best].fold_scores))


def _stand(one: Contender, best: Contender, sign: float, *, is_best: bool) -> Standing:
    if is_best:
        return Standing(BEST)
    ours, others = (np.asarray(c.fold_scores, dtype=np.float64) for c in (best, one))
    if len(ours) != len(others) or len(ours) < 2 or not np.isfinite([*ours, *others]).all():
        return Standing(UNKNOWN)
    differences = sign * (ours - others)
    behind = float(differences.mean())
    error = float(differences.std(ddof=1) / math.sqrt(len(differences)))
    return Standing(AS_GOOD if behind <= error else WORSE, behind, error)
