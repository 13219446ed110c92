"""Which of several contenders to use, in words."""

from __future__ import annotations

from collections.abc import Sequence

from entryprune._text import counted, some_of
from entryprune.report.difference import Difference
from entryprune.report.text import MISSING
from entryprune.report.verdict import (
    AS_GOOD,
    NO_SCORE,
    UNKNOWN,
    WORSE,
    Contender,
    Verdict,
    gain_over,
)

_PERCENT = " (%)"


def statement(
    ones: Sequence[Contender],
    verdict: Verdict,
    everything: Contender | None,
    guess: Contender | None,
) -> str:
    """Return the verdict as one sentence."""
    if verdict.kind == "no score" or verdict.best is None:
        return "None of them has a score, so none can be recommended."
    chance = f", guessing {score_text(guess.mean, guess.metric)}" if guess else ""
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
    by_how_much = f"{_amount(gain, one.metric)}{_interval(gain, one.metric)}"
    if verdict.kind == "keep all":
        return (
            f"Keep {of_all} ({_scored(everything)}{chance}): the best selection, {_name(one)} "
            f"({ours}), is worse by {by_how_much}."
        )
    if verdict.kind == "too close":
        how = _how(gain, one.metric) if gain else "these folds cannot compare them"
        return (
            f"Too close to call between {of_all} ({_scored(everything)}{chance}) and {_name(one)} "
            f"({ours}): {how}."
        )
    assert gain is not None
    compared = (
        f"better than {of_all} ({reached}) by {by_how_much}"
        if gain.is_gain
        else f"as good as {of_all} ({reached}), {_how(gain, one.metric)}"
    )
    return f"Use {_name(one)} ({_scored(one)}{chance}): {compared}."


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


def short_gain_text(gain: float | None, high: float | None, metric: str) -> str:
    """Return a gain and half its interval, where there is little room."""
    if gain is None or high is None:
        return ""
    return f"{_signed(gain, metric)} ± {_plain(high - gain, metric)}"


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
    if named.stability is not None and (best.stability or 0.0) < named.stability:
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
        reached = f"{control.k} random columns reach {score_text(control.mean, control.metric)}"
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
    if names[UNKNOWN]:
        sentences.append(
            f"For {some_of(names[UNKNOWN])} it is not known, because that takes at least two "
            "folds, the same for all."
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
