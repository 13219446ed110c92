"""What was predicted of samples that were not used for it, and how good that is."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from entryprune.report.statistics import correlations
from entryprune.report.text import number_text, shorten

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.base import Task

    FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Predictions:
    """The truth and what was predicted, from folds without the samples that are predicted."""

    task: Task
    true: ArrayLike  # class labels as texts, or numbers; a sample stands here once a repetition
    predicted: ArrayLike
    # Of two classes: how much likelier the second, which is named here, is held to be.
    scores: ArrayLike | None = None
    second: str = ""
    n_repeats: int = 1

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
        # Repetitions predict the same samples again.
        n_second = np.count_nonzero(is_second) / self.n_repeats
        n_first = len(is_second) / self.n_repeats - n_second
        error = math.sqrt((n_first + n_second + 1) / (12 * n_first * n_second))
        return self.auc > 0.5 + 2 * error

    # -- in words -------------------------------------------------------------------------------

    @property
    def sentences(self) -> list[str]:
        """What is right and what is wrong about the predictions."""
        if self.task == "regression":
            return [self._errors]
        return [text for text in (self._area, self._confused) if text]

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
