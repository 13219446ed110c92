"""The verdict on a selection, in one sentence, from the folds of a cross-validation."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entryprune._text import counted
from entryprune.report.difference import Difference, difference
from entryprune.report.text import number_text

if TYPE_CHECKING:
    from entryprune.report.base import DataFacts
    from entryprune.report.predictions import Predictions


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
    higher_is_better: bool = True
    is_all: bool = False  # whether it is with all features, to compare with
    fold_scores: Sequence[float] = ()  # the folds are the same for all, in the same order
    # How many features were selected in each fold, where that was decided there.
    sizes: Sequence[int] = ()
    guesses: Sequence[float] = ()  # what a guess reaches in these folds that looks at no feature

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
        return f"{low:,}" if low == high else f"{low:,} to {high:,}"

    @property
    def is_percent(self) -> bool:
        """Whether the scores are in percent, so that their differences are points."""
        return self.metric.endswith(" (%)")


def gain_over(one: Validation, others: Sequence[float]) -> Difference | None:
    """Return by how much one is better than others in its folds; None where that is not known."""
    test_ratio = 1 / max(one.n_splits - 1, 1)
    return difference(one.fold_scores, others, test_ratio, higher_is_better=one.higher_is_better)


@dataclass(frozen=True, kw_only=True)
class Headline:
    """What is to be known first."""

    text: str
    is_nothing: bool  # whether the features predict no better than a guess
    sureness: str = ""  # how sure the difference from all features is


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
        return Headline(text=f"{text}.", is_nothing=area is None)
    gap = gain_over(selected, everything.fold_scores) if everything else None
    return Headline(
        text=f"{these.against(gap, everything)}.",
        is_nothing=False,
        sureness=_sureness(gap, selected) if gap else "",
    )


class _Words:
    """Says how the selected features do."""

    def __init__(self, data: DataFacts, n_selected: int, selected: Validation) -> None:
        self.data, self.selected = data, selected
        self.these = counted(n_selected, "feature")
        self.s = "s" if n_selected == 1 else ""
        if set(selected.sizes) - {n_selected}:
            # The score is of these numbers, not of the one that all samples led to.
            self.these = f"Selections of {selected.sizes_text} features, as each fold decides,"
            self.s = ""
        self.score = f"{selected.measure} {score_text(selected, selected.mean)}"
        self.by_guess = score_text(selected, selected.guess)

    def no_better(
        self, over_guess: Difference, everything: Validation | None, area: float | None
    ) -> str:
        """Compare with a guess, which they do not clearly beat."""
        how = "not clearly better" if over_guess.mean > 0 else "no better"
        sure = "Nothing sure here: " if over_guess.mean > 0 else "Nothing here: "
        text = (
            f"{'' if area else sure}{self.these} predict{self.s} “{self.data.target}” {how} than "
            f"{guess_text(self.data)}: {self.score} instead of {self.by_guess}"
        )
        if area:
            text += f", though samples are ranked better than by chance (AUC {area:.2f})"
        # They may be too few, where all are not.
        beats = gain_over(everything, self.selected.guesses) if everything else None
        if everything and beats and beats.is_gain:
            reached = score_text(everything, everything.mean)
            text += f"; all {self.data.n_features:,} reach {reached}"
        return text

    def against(self, gap: Difference | None, everything: Validation | None) -> str:
        """Compare with all features."""
        where = f"where {guess_text(self.data)} gives {self.by_guess}"
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
            do = "does" if self.s else "do"
            well = "not clearly worse than" if gap.mean < -gap.standard_error else "as well as"
            far = f"as far as {counted(self.data.n_samples, 'sample')} can tell"
            how = f"{do} {well} {rest}, {far}"
        measure = "" if gap.is_loss or gap.is_gain else f"{self.selected.measure} "
        ours, theirs = (score_text(one, one.mean) for one in (self.selected, everything))
        return f"{self.these} {how}: {measure}{ours} instead of {theirs}, {where}"

    def _points(self, gap: Difference) -> str:
        size = abs(gap.mean)
        points = f"{size:.1f} points" if self.selected.is_percent else number_text(size)
        return f"{points} of {self.selected.measure}"


def _sureness(gap: Difference, selected: Validation) -> str:
    unit = " points" if selected.is_percent else ""
    digits = ".1f" if selected.is_percent else ".3g"
    return (
        f"The difference from all features is {gap.mean:+{digits}}{unit}, with a 95 % interval "
        f"from {gap.low:+{digits}} to {gap.high:+{digits}}, over "
        f"{counted(len(selected.fold_scores), 'fold')}. It allows for the samples that the folds "
        "share, and only an interval without 0 counts as a difference."
    )


def guess_text(data: DataFacts) -> str:
    """Return what a guess does that looks at no feature."""
    if data.task == "regression":
        return "always guessing the mean"
    return "always guessing the most frequent class"


def score_text(one: Validation, value: float | None) -> str:
    """Return a score as people read it."""
    if value is None or not one.is_percent:
        return number_text(value)
    return f"{value:.1f} %" if value else "0 %"
