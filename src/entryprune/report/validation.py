"""How well a selection predicts: scores and predictions from folds, and the verdict on them."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from entryprune._survival import kaplan_meier, time_of_share
from entryprune._text import counted
from entryprune.report.checks import majority_text
from entryprune.report.statistics import Difference, correlations, difference
from entryprune.report.text import capitalise, number_text, shorten

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.base import Task

    FloatArray = NDArray[np.float64]
    from entryprune.report.base import DataFacts


@dataclass(frozen=True, kw_only=True, eq=False)
class Predictions:
    """The truth and what was predicted, from folds without the samples that are predicted."""

    task: Task
    # Class labels as texts, numbers, or times and events; a sample stands here once a repetition.
    true: ArrayLike
    predicted: ArrayLike  # of times until an event: which share of its fold has a lower risk
    # Of two classes: how much likelier the second, which is named here, is held to be.
    scores: ArrayLike | None = None
    second: str = ""
    n_repeats: int = 1
    n_per_group: float = 1.0  # samples that belong together, on the average

    def __post_init__(self) -> None:
        lengths = {len(np.asarray(self.true)), len(np.asarray(self.predicted))}
        if self.scores is not None:
            lengths.add(len(np.asarray(self.scores)))
        if len(lengths) > 1 or 0 in lengths:
            raise ValueError(
                "There must be as many predictions and scores as true values, at least one; got "
                f"{', '.join(map(str, sorted(lengths)))}."
            )

    # -- classes --------------------------------------------------------------------------------

    @cached_property
    def roc(self) -> tuple[FloatArray, FloatArray] | None:
        """Shares of false and of true alarms, from the strictest threshold on; of two classes."""
        if self.scores is None:
            return None
        return roc_curve(np.asarray(self.true) == self.second, self.scores)

    @property
    def auc(self) -> float:
        """The area under the ROC curve; NaN if there is none."""
        if self.roc is None:
            return math.nan
        false, true = self.roc
        return float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2))

    @property
    def ranks_better_than_chance(self) -> bool:
        """Whether the area under the ROC curve is clearly above one half.

        By two of the standard errors that it has by chance, which are those of Mann and Whitney's
        U; at the area that is seen they would be too small, as if a perfect one had none.
        """
        if self.roc is None:
            return False
        is_second = np.asarray(self.true) == self.second
        # Repetitions predict the same samples again, and what belongs together is one at worst.
        n_alike = self.n_repeats * self.n_per_group
        n_second = np.count_nonzero(is_second) / n_alike
        n_first = len(is_second) / n_alike - n_second
        error = math.sqrt((n_first + n_second + 1) / (12 * n_first * n_second))
        return self.auc > 0.5 + 2 * error

    # -- in words -------------------------------------------------------------------------------

    @property
    def sentences(self) -> list[str]:
        """What is right and what is wrong about the predictions."""
        if self.task == "regression":
            return [self._errors]
        if self.task == "survival":
            return [self._thirds]
        return [text for text in (self._area, self._confused) if text]

    @cached_property
    def by_risk(self) -> dict[str, NDArray[np.intp]]:
        """The third of the samples with the lowest risk, that in the middle, and the highest."""
        risks = np.asarray(self.predicted, dtype=np.float64)
        place = np.clip((3 * risks).astype(np.intp), 0, 2)
        return {
            f"{name} risk": np.flatnonzero(place == i)
            for i, name in enumerate(("low", "middle", "high"))
        }

    @property
    def _thirds(self) -> str:
        times, events = np.asarray(self.true, dtype=np.float64).T
        parts = []
        for name, which in (("high risk", "highest"), ("low risk", "lowest")):
            rows = self.by_risk[name]
            if not len(rows):
                return ""
            when = time_of_share(times[rows], events[rows] > 0)
            at, left = kaplan_meier(times[rows], events[rows] > 0)
            parts.append(
                f"of the third with the {which} predicted risk "
                + (
                    f"half have had the event by {number_text(when)}"
                    if math.isfinite(when)
                    else f"{100 * left[-1]:.0f} % are without the event after {number_text(at[-1])}"
                )
            )
        return f"{capitalise('; '.join(parts))}."

    @property
    def _area(self) -> str:
        if self.roc is None:
            return ""
        return (
            f"Of two samples, one of each class, the one that is {shorten(self.second)} can be "
            f"told in {100 * self.auc:.0f} % of all cases: the area under the curve (AUC) is "
            f"{self.auc:.2f}, and 0.5 by guessing."
        )

    @property
    def _confused(self) -> str:
        true, predicted = (np.asarray(ones).tolist() for ones in (self.true, self.predicted))
        wrong = Counter(pair for pair in zip(true, predicted, strict=True) if pair[0] != pair[1])
        if not wrong:
            return "Every sample was predicted right."
        # Of equally frequent ones the first by name, whatever the order of the samples.
        (label, other), n = min(wrong.items(), key=lambda item: (-item[1], item[0]))
        return (
            f"The most frequent mistake: {shorten(label)} taken for {shorten(other)}, {n:,} times "
            f"of {true.count(label):,}."
        )

    @property
    def _errors(self) -> str:
        true, predicted = (
            np.asarray(ones, dtype=np.float64) for ones in (self.true, self.predicted)
        )
        off = float(np.abs(true - predicted).mean())
        by_guess = float(np.abs(true - true.mean()).mean())
        r = float(correlations(np.column_stack([true, predicted]))[0, 1])
        is_known = math.isfinite(r)
        together = f" Predicted and true values have a correlation of {r:.2f}." if is_known else ""
        return (
            f"On average a prediction is off by {number_text(off)}, in the target's own units; "
            f"always guessing the mean is off by {number_text(by_guess)}.{together}"
        )


def roc_curve(is_second: ArrayLike, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the shares of false and of true alarms at each threshold, from (0, 0) to (1, 1)."""
    positive, values = np.asarray(is_second, dtype=bool), np.asarray(scores, dtype=np.float64)
    if positive.all() or not positive.any():
        raise ValueError("An ROC curve takes samples of two classes; all of these are of one.")
    order = np.argsort(-values, kind="stable")
    # Samples of one score are above a threshold together.
    ends = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
    hits = np.cumsum(positive[order])[ends]
    alarms = ends + 1 - hits
    false = np.concatenate([[0.0], alarms / alarms[-1]])
    true = np.concatenate([[0.0], hits / hits[-1]])
    return false, true


@dataclass(frozen=True, kw_only=True)
class Validation:
    """One score from cross-validation, with the selection inside the folds."""

    what: str  # the features it is with, such as "the selected 50"
    learner: str
    metric: str
    mean: float | None
    sd: float | None
    n_splits: int
    n_repeats: int = 1
    how: str = ""  # the folds were made, as it follows "cross-validation"; empty if by chance
    test_ratio: float | None = None  # test samples of a fold for each that is learned from
    higher_is_better: bool = True
    is_all: bool = False  # whether it is with all features, to compare with
    fold_scores: Sequence[float] = ()  # the folds are the same for all, in the same order
    # How many features were selected in each fold, where that was decided there.
    sizes: Sequence[int] = ()
    guesses: Sequence[float] = ()  # what a guess reaches in these folds that looks at no feature
    guess_how: str = ""  # what it guesses, such as "always the mean"; by default as the task has it

    @property
    def guess(self) -> float | None:
        """The mean of the guesses, as far as they are known."""
        known = [score for score in self.guesses if math.isfinite(score)]
        return statistics.fmean(known) if known else None

    @property
    def measure(self) -> str:
        """What is measured, without the unit."""
        return self.metric.removesuffix(" (%)")

    @property
    def sizes_text(self) -> str:
        """How many features were selected in the folds."""
        low, high = min(self.sizes), max(self.sizes)
        return f"{'' if low == high else f'{low:,} to '}{counted(high, 'feature')}"

    @property
    def is_percent(self) -> bool:
        """Whether the scores are in percent, so that their differences are points."""
        return self.metric.endswith(" (%)")


def gain_over(one: Validation, others: Sequence[float]) -> Difference | None:
    """Return by how much one is better than others in its folds; None where that is not known."""
    test_ratio = 1 / max(one.n_splits - 1, 1) if one.test_ratio is None else one.test_ratio
    return difference(one.fold_scores, others, test_ratio, higher_is_better=one.higher_is_better)


@dataclass(frozen=True, kw_only=True)
class Headline:
    """What is to be known first."""

    text: str
    is_nothing: bool  # whether the features predict no better than a guess
    sureness: str = ""  # how sure the difference is: from all features, or from a guess


def headline(
    validation: Sequence[Validation],
    data: DataFacts,
    n_selected: int,
    predictions: Predictions | None = None,
) -> Headline | None:
    """Return the verdict; None where there is no score to judge by."""
    selected = next((one for one in validation if not one.is_all), None)
    if selected is None or selected.mean is None or selected.guess is None:
        return None
    everything = next((one for one in validation if one.is_all and one.mean is not None), None)
    over_guess = gain_over(selected, selected.guesses)
    these = _Words(data, n_selected, selected)
    if over_guess is not None and not over_guess.is_gain:
        area = predictions.auc if predictions and predictions.ranks_better_than_chance else None
        text = these.no_better(over_guess, everything, area)
        sure = _sureness(over_guess, selected, "a guess")
        return Headline(text=f"{text}.", is_nothing=area is None, sureness=sure)
    if is_all_of(data, n_selected, selected):
        return Headline(text=f"{these.alone()}.", is_nothing=False)
    gap = gain_over(selected, everything.fold_scores) if everything else None
    return Headline(
        text=f"{these.against(gap, everything)}.",
        is_nothing=False,
        sureness=_sureness(gap, selected, "all features") if gap else "",
    )


def is_all_of(data: DataFacts, n_selected: int, selected: Validation) -> bool:
    """Whether all features were selected, in the folds as well: nothing is left to compare with."""
    return n_selected == data.n_features and not set(selected.sizes) - {n_selected}


class _Words:
    """Says how the selected features do."""

    def __init__(self, data: DataFacts, n_selected: int, selected: Validation) -> None:
        self.data, self.selected = data, selected
        self.these = counted(n_selected, "feature")
        self.s = "s" if n_selected == 1 else ""
        if set(selected.sizes) - {n_selected}:
            # The score is of these numbers, not of the one that all samples led to.
            self.these = f"Selections of {selected.sizes_text}, as each fold decides,"
            self.s = ""
        self.score = f"{selected.measure} {score_text(selected, selected.mean)}"
        self.by_guess = score_text(selected, selected.guess)
        self.majority = majority_text(data, selected.metric)

    def no_better(
        self, over_guess: Difference, everything: Validation | None, area: float | None
    ) -> str:
        """Compare with a guess, which they do not clearly beat."""
        target = f"“{self.data.target}”"
        if over_guess.mean > 0:
            sure = "Nothing sure here: "
            how = f"{'does' if self.s else 'do'} not predict {target} clearly better"
        else:
            sure = "Nothing here: "
            how = f"predict{self.s} {target} no better"
        these = self.these if area else f"{sure}{self.these[0].lower()}{self.these[1:]}"
        text = (
            f"{these} {how} than "
            f"{guess_text(self.data, self.selected)}: {self.score} instead of {self.by_guess}"
        )
        if area:
            text += (
                f", though samples of all folds together are ranked better than by chance (AUC "
                f"{area:.2f})"
            )
        # They may be too few, where all are not.
        beats = gain_over(everything, self.selected.guesses) if everything else None
        if everything and beats and beats.is_gain:
            reached = score_text(everything, everything.mean)
            text += f"; all {self.data.n_features:,} reach {reached}"
        return f"{text}; {self.majority}" if self.majority else text

    def alone(self) -> str:
        """Say how all features do, where all were selected."""
        who = "All" if self.data.n_features > 1 else "The only"
        these = self.these if self.data.n_features > 1 else "feature"
        return (
            f"{who} {these} predict{self.s} “{self.data.target}” with {self.score}, {self._where()}"
        )

    def _where(self) -> str:
        where = f"where {guess_text(self.data, self.selected)} gives {self.by_guess}"
        return f"{where} and {self.majority}" if self.majority else where

    def against(self, gap: Difference | None, everything: Validation | None) -> str:
        """Compare with all features."""
        where = self._where()
        rest = f"all {self.data.n_features:,}"
        if everything is None or gap is None:
            others = f" ({rest}: {score_text(everything, everything.mean)})" if everything else ""
            target = f"“{self.data.target}”"
            return f"{self.these} predict{self.s} {target} with {self.score}{others}, {where}"
        if gap.is_loss:
            how = f"lose{self.s} {self._points(gap)} against {rest}"
        elif gap.is_gain:
            how = f"gain{self.s} {self._points(gap)} over {rest}"
        else:
            how = f"{'does' if self.s else 'do'} as well as {rest}"
        interval = ""
        if not (gap.is_loss or gap.is_gain or gap.is_as_good(self._gain_of(everything))):
            samples = counted(self.data.n_samples, "sample")
            how = f"{'is' if self.s else 'are'} too close to call against {rest} with {samples}"
            interval = f" (95 % interval of the difference {_range(gap, self.selected)})"
        measure = "" if gap.is_loss or gap.is_gain else f"{self.selected.measure} "
        ours, theirs = (score_text(one, one.mean) for one in (self.selected, everything))
        return f"{self.these} {how}: {measure}{ours} instead of {theirs}{interval}, {where}"

    def _gain_of(self, everything: Validation) -> float:
        """Return what all features gain over the guess, larger if better."""
        if everything.mean is None or self.selected.guess is None:
            return 0.0
        gain = everything.mean - self.selected.guess
        return gain if everything.higher_is_better else -gain

    def _points(self, gap: Difference) -> str:
        size = abs(gap.mean)
        points = f"{size:.1f} points" if self.selected.is_percent else number_text(size)
        return f"{points} of {self.selected.measure}"


def _digits(selected: Validation) -> str:
    return "+.1f" if selected.is_percent else "+.3g"


def _range(gap: Difference, selected: Validation) -> str:
    return f"{gap.low:{_digits(selected)}} to {gap.high:{_digits(selected)}}"


def _sureness(gap: Difference, selected: Validation, others: str) -> str:
    unit = " points" if selected.is_percent else ""
    return (
        f"The difference from {others} is {gap.mean:{_digits(selected)}}{unit}, with a 95 % "
        f"interval from {_range(gap, selected)}, over "
        f"{counted(len(selected.fold_scores), 'fold')}. It allows for the samples that the folds "
        "share, and only an interval without 0 counts as a difference."
    )


def guess_text(data: DataFacts, one: Validation) -> str:
    """Return what a guess does that looks at no feature."""
    usual = "always the mean" if data.task == "regression" else "always the most frequent class"
    what = one.guess_how or usual
    return (
        f"{'always ' if what.startswith('always ') else ''}guessing {what.removeprefix('always ')}"
    )


def score_text(one: Validation, value: float | None) -> str:
    """Return a score as people read it."""
    if value is None or not one.is_percent:
        return number_text(value)
    return f"{value:.1f} %" if value else "0 %"
