"""By how much one score is better than another, over the same folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# How sure an interval is.
LEVEL = 0.95


@dataclass(frozen=True)
class Difference:
    """How much better one is than another, with a standard error and an interval."""

    mean: float
    standard_error: float
    low: float
    high: float

    # Where all folds differ by the same, rounding must not make a difference of nothing.

    @property
    def is_gain(self) -> bool:
        """Whether one is clearly better."""
        return self.low > 1e-9

    @property
    def is_loss(self) -> bool:
        """Whether one is clearly worse."""
        return self.high < -1e-9


def difference(
    ours: Sequence[float],
    others: Sequence[float],
    test_ratio: float,
    *,
    higher_is_better: bool = True,
    level: float = LEVEL,
) -> Difference | None:
    """Return how much better some scores are than others, fold by fold.

    Folds share samples, so their differences vary less than those of new samples would. The
    variance is corrected for it as Nadeau and Bengio (2003) do: times 1/J + n_test/n_train for J
    folds. None with fewer than two folds, or if folds are missing.
    """
    if len(ours) != len(others) or len(ours) < 2 or not np.isfinite([*ours, *others]).all():
        return None
    from scipy.special import stdtrit

    sign = 1.0 if higher_is_better else -1.0
    differences = sign * (np.asarray(ours, dtype=np.float64) - np.asarray(others))
    n_folds = len(differences)
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) * math.sqrt(1 / n_folds + test_ratio)
    half = float(stdtrit(n_folds - 1, (1 + level) / 2)) * error
    return Difference(mean, error, mean - half, mean + half)
