"""Which of several contenders to use, if any: the rule, and its verdict in words."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from entryprune._text import counted, some_of
from entryprune.report.statistics import LEVEL, Difference, difference, next_to_nothing
from entryprune.report.text import MISSING, spread_text

# Selections agree equally well if their stabilities differ by no more.
_AS_STABLE = 0.05

BEST, AS_GOOD, WORSE = "best", "not clearly worse", "worse"
UNKNOWN: Literal["not known"] = "not known"
NO_SCORE: Literal["no score"] = "no score"

Kind = Literal["use", "keep all", "too close", "nothing", "not known", "no score"]


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
    n_folds: int | None = None  # folds behind the mean

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

    0. Where the best contender and what it is to be compared with have no folds in common, nothing
       is known: no verdict is one from too few folds.
    1. If neither a contender nor all features are better than the guess, there is nothing here.
       This test is one-sided, and its 5 % are shared by all who take part in it, for the best of
       many is often better by chance.
    2. One is named among those that are as good as the best (see `_choice`). If it is clearly worse
       than all features, all are to be kept. It is to be used if it is clearly better, or if it
       cannot lose more than a twentieth of what all features gain over the guess. Otherwise it is
       too close to call.

    Elsewhere clearly is what the 95 % interval of the difference says.
    """
    known = [i for i, one in enumerate(contenders) if one.has_score]
    if not known:
        return Verdict(NO_SCORE, (Standing(NO_SCORE),) * len(contenders), 0)
    # Of two equal means the one with fewer features is the better.
    fit = _in_all_folds(contenders, known)
    best = max(fit, key=lambda i: (contenders[i].goodness, -contenders[i].k))
    standings = tuple(
        _standing(one, contenders[best], everything, test_ratio, is_best=i == best)
        for i, one in enumerate(contenders)
    )
    n_folds = len(contenders[best].fold_scores)
    others = [one for one in (everything, guess) if one is not None and one.has_score]
    if any(gain_over(contenders[best], one, test_ratio) is None for one in others):
        return Verdict(UNKNOWN, standings, n_folds, best)
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
    assert of_best is not None
    gain_of_all = 0.0
    if guess is not None and guess.has_score:
        gain_of_all = everything.goodness - guess.goodness
    loses_too = of_best.mean < -next_to_nothing(gain_of_all)
    named = best
    if not of_best.is_loss:
        named = _choice(contenders, standings, best, loses_too=loses_too)
    of_named = standings[named].gain
    if of_named is not None and of_named.is_loss:
        return Verdict("keep all", standings, n_folds, best, named)
    is_safe = of_named is not None and of_named.is_as_good(gain_of_all)
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


def _choice(
    contenders: Sequence[Contender],
    standings: Sequence[Standing],
    best: int,
    *,
    loses_too: bool = False,
) -> int:
    """Return the one to name of those that are as good as the best.

    As good is who is behind by no more than one standard error: the median of all, not its own, so
    that nobody is preferred for being less certain. For the same reason one that clearly loses
    against all features is among them where the best `loses_too`, if not as clearly. Of these the
    one whose selections agree most, then the one with the fewest features, then the one with the
    best mean.
    """
    behind = {i: one.behind for i, one in enumerate(standings) if one.behind is not None}
    step = statistics.median(one.standard_error for one in behind.values()) if behind else 0.0
    # The best comes first, so that among equals in all that follows it stays the one.
    equals = [best]
    equals += [
        i
        for i, one in behind.items()
        if standings[i].verdict == AS_GOOD
        and one.mean <= step
        and (loses_too or (on_all := standings[i].gain) is None or not on_all.is_loss)
    ]
    stabilities = {i: _stability(contenders[i]) for i in equals}
    most = max(stabilities.values())
    steady = [i for i in equals if stabilities[i] >= most - _AS_STABLE]
    return min(steady, key=lambda i: (contenders[i].k, -contenders[i].goodness))


def _stability(one: Contender) -> float:
    return -1.0 if one.stability is None else one.stability


_PERCENT = " (%)"


def statement(
    ones: Sequence[Contender],
    verdict: Verdict,
    everything: Contender | None,
    guess: Contender | None,
) -> str:
    """Return the verdict as one sentence."""
    chance = f", guessing {score_text(guess.mean, guess.metric)}" if guess else ""
    if verdict.kind in (NO_SCORE, UNKNOWN) or verdict.best is None:
        top = None if verdict.best is None else ones[verdict.best]
        return _unjudged(top, chance)
    if verdict.kind == "nothing" or verdict.named is None:
        rivals = [ones[verdict.best], *([everything] if everything else [])]
        top = max(rivals, key=lambda one: one.goodness)
        who = f"all {counted(top.k, 'feature')}" if top is everything else _name(top)
        missed = score_text(guess.mean if guess else None, top.metric)
        return (
            f"By {_measure(top)}, nothing here predicts clearly better than guessing ({missed}), "
            f"so nothing is recommended: the best, {who}, has {score_text(top.mean, top.metric)}."
        )
    one = ones[verdict.named]
    gain = verdict.standings[verdict.named].gain
    if everything is None or not everything.has_score:
        return f"Use {_name(one)}: {_scored(one)}{chance}."
    of_all = f"all {counted(everything.k, 'feature')}"
    reached = score_text(everything.mean, everything.metric)
    ours = score_text(one.mean, one.metric)
    assert gain is not None
    by_how_much = f"{_amount(gain, one.metric)}{_interval(gain, one.metric)}"
    if verdict.kind == "keep all":
        best = "the best selection, " if verdict.named == verdict.best else ""
        return (
            f"Keep {of_all} ({_scored(everything)}{chance}): {best}{_name(one)} ({ours})"
            f"{',' if best else ''} is worse by {by_how_much}."
        )
    if verdict.kind == "too close":
        return (
            f"Too close to call between {of_all} ({_scored(everything)}{chance}) and {_name(one)} "
            f"({ours}): {_how(gain, one.metric)}."
        )
    compared = (
        f"better than {of_all} ({reached}) by {by_how_much}"
        if gain.is_gain
        else f"as good as {of_all} ({reached}), {_how(gain, one.metric)}"
    )
    return f"Use {_name(one)} ({_scored(one)}{chance}): {compared}."


def _unjudged(top: Contender | None, chance: str) -> str:
    if top is None:
        return "None of them has a score, so none can be recommended."
    return (
        f"Nothing can be recommended, for there are not enough folds to compare by; the best mean "
        f"so far is that of {_name(top)} ({_scored(top)}{chance})."
    )


def sureness(
    ones: Sequence[Contender],
    verdict: Verdict,
    guess: Contender | None = None,
    controls: Sequence[Contender] = (),
    test_ratio: float = 0.25,
) -> list[str]:
    """Say how the verdict came about, and how much to trust it."""
    if verdict.best is None:
        return []
    sentences = []
    if verdict.kind == "nothing":
        sentences.append(
            "By this measure the features, or this many samples, tell nothing that can be relied "
            "on, and a list of selected features would be as good as any other."
        )
    if verdict.named is not None:
        sentences += _why(ones, verdict)
        sentences += _against_chance(ones[verdict.named], controls, test_ratio)
    sentences += _others(ones, verdict)
    if guess is not None and guess.note:
        reached = score_text(guess.mean, guess.metric)
        sentences.append(f"Guessing looks at no feature: {guess.note}, which gives {reached}.")
    if verdict.n_folds > 1:
        sentences.append(
            f"Intervals are for 95 %, over the same {verdict.n_folds} folds, and allow for the "
            "samples that folds share (Nadeau and Bengio, 2003)."
        )
    return sentences


def score_text(value: float | None, metric: str) -> str:
    """Return a score as a sentence has it."""
    if value is None:
        return MISSING
    return f"{value:.1f} %" if metric.endswith(_PERCENT) else _digits(value, 3)


def gain_text(gain: float | None, low: float | None, high: float | None, metric: str) -> str:
    """Return a gain and its interval as a table has it; nothing where it is not known."""
    if gain is None or low is None or high is None:
        return ""
    return f"{_signed(gain, metric)} ({_signed(low, metric)} to {_signed(high, metric)})"


def short_gain_text(
    gain: float | None, high: float | None, metric: str, sd: float | None = None
) -> str:
    """Return a gain and half its interval, where there is little room; the score has the `sd`."""
    if gain is None or high is None:
        return ""
    if metric.endswith(_PERCENT):
        return f"{_signed(gain, metric)} ± {_plain(high - gain, metric)}"
    # No more digits than the interval lets one trust, and the score has.
    written = spread_text(gain, high - gain, sd or 0.0)
    has_sign = gain > 0 and written.split()[0].strip("0.,") != ""
    return f"+{written}" if has_sign else written


def _why(ones: Sequence[Contender], verdict: Verdict) -> list[str]:
    """Say why this one is named."""
    assert verdict.best is not None
    assert verdict.named is not None
    best, named = ones[verdict.best], ones[verdict.named]
    sentences = []
    gain = verdict.standings[verdict.named].gain
    if verdict.kind == "too close" and gain is not None:
        sentences.append("More samples would tell.")
        if not _is_none(gain, named.metric):
            sentences.append(
                f"If few features are worth more than that difference, take {_name(named)}; if "
                "not, keep all."
            )
    if verdict.named == verdict.best:
        if len(ones) > 1:
            has_gaps = any(one.verdict == UNKNOWN for one in verdict.standings)
            those = "with a score in every fold" if has_gaps else "of all selections"
            sentences.append(f"{_name(named)} has the best mean {those}.")
        return sentences
    reason = "it has fewer features"
    is_steadier = _stability(named) > _stability(best) + _AS_STABLE
    if named.stability is not None and (is_steadier or named.k >= best.k):
        reason = (
            f"its selections in the folds agree more ({named.stability:.2f} against "
            f"{best.stability or 0.0:.2f}, where 1 is always the same)"
        )
    behind = verdict.standings[verdict.named].behind
    sentences.append(
        f"{_name(best)} has the best mean, {score_text(best.mean, best.metric)}; {_name(named)} is "
        f"named because it is behind by no more than one standard error "
        f"({_amount(behind, best.metric)}) and {reason}."
    )
    return sentences


def _against_chance(one: Contender, controls: Sequence[Contender], test_ratio: float) -> list[str]:
    """Say what as many columns drawn at random reach."""
    for control in controls:
        if control.k != one.k or not control.has_score:
            continue
        reach = "random feature reaches" if control.k == 1 else "random features reach"
        reached = f"{control.k:,} {reach} {score_text(control.mean, control.metric)}"
        gain = gain_over(one, control, test_ratio)
        is_clear = gain is None or gain.is_gain
        return [f"{reached}." if is_clear else f"{reached}, which is not clearly worse."]
    return []


def _others(ones: Sequence[Contender], verdict: Verdict) -> list[str]:
    """Say how those that are not named stand."""
    names = {
        standing: [
            _name(ones[i])
            for i, one in enumerate(verdict.standings)
            if one.verdict == standing and i not in (verdict.named, verdict.best)
        ]
        for standing in (AS_GOOD, WORSE, UNKNOWN, NO_SCORE)
    }
    sentences = []
    if names[AS_GOOD] and verdict.kind != "nothing":
        sentences.append(
            f"Not clearly worse than the best selection either: {some_of(names[AS_GOOD])}."
        )
    if names[WORSE] and verdict.kind != "nothing":
        others = counted(len(ones) - 1, "other selection")
        sentences.append(f"Clearly worse than the best: {len(names[WORSE])} of {others}.")
    if names[UNKNOWN] and verdict.kind != UNKNOWN:
        sentences.append(
            f"For {some_of(names[UNKNOWN])} it is not known, because that takes the same folds for "
            "all."
        )
    if names[NO_SCORE]:
        sentences.append(f"Without a score: {some_of(names[NO_SCORE])}.")
    return sentences


def _name(one: Contender) -> str:
    return f"{one.method} with K = {one.k:,}"


def _measure(one: Contender) -> str:
    return one.metric.removesuffix(_PERCENT)


def _scored(one: Contender) -> str:
    return f"{_measure(one)} {score_text(one.mean, one.metric)}"


def _how(gain: Difference, metric: str) -> str:
    """Say how two compare that are not clearly different."""
    if not _is_none(gain, metric):
        which = "better" if gain.mean > 0 else "worse"
        return f"{which} by {_amount(gain, metric)}{_interval(gain, metric)}"
    is_certain = max(-gain.low, gain.high) < _least(metric)
    return f"with the same score{'' if is_certain else _interval(gain, metric)}"


def _is_none(gain: Difference, metric: str) -> bool:
    """Whether a difference would be written as 0."""
    return abs(gain.mean) < _least(metric)


def _least(metric: str) -> float:
    """Return the least that is not written as 0, or that is more than rounding."""
    return 0.05 if metric.endswith(_PERCENT) else 1e-9


def _amount(gain: Difference | None, metric: str) -> str:
    if gain is None:
        return ""
    if _is_none(gain, metric) and (gain.is_gain or gain.is_loss):
        return "less than 0.1"
    return _plain(abs(gain.mean), metric)


def _interval(gain: Difference | None, metric: str) -> str:
    """Return the interval of a difference, in the direction in which it is told."""
    if gain is None:
        return ""
    low, high = (gain.low, gain.high) if gain.mean > 0 else (-gain.high, -gain.low)
    return f" (95 % interval {_plain(low, metric)} to {_plain(high, metric)})"


def _plain(value: float, metric: str) -> str:
    # Zero has no sign.
    is_percent = metric.endswith(_PERCENT)
    return f"{round(value, 1) + 0.0:.1f}" if is_percent else _digits(value + 0.0, 2)


def _digits(value: float, n_digits: int) -> str:
    return f"{value:,.0f}" if abs(value) >= 10**n_digits else f"{value:.{n_digits}g}"


def _signed(value: float, metric: str) -> str:
    written = _plain(value, metric)
    return f"+{written}" if value > 0 and written not in ("0.0", "0") else written
