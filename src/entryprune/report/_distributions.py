"""How one feature goes with the target, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from entryprune.report._correlation import correlations
from entryprune.report._groups import groups_of
from entryprune.report._texts import MISSING, number_text, shorten

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.run import Task

    FloatArray = NDArray[np.float64]

# Classes that a sentence can name.
_MOST_NAMED = 4


def two_values(values: FloatArray) -> tuple[float, float] | None:
    """Return the smaller and the larger value of a feature that has only two, else None.

    Examples
    --------
    >>> two_values(np.array([0.0, 1.0, 1.0, np.nan])), two_values(np.array([0.0, 1.0, 2.0]))
    ((0.0, 1.0), None)
    """
    distinct = np.unique(values[np.isfinite(values)])
    return (float(distinct[0]), float(distinct[1])) if len(distinct) == 2 else None


def describe_feature(values: FloatArray, y: ArrayLike, task: Task) -> str:
    """Say how a feature goes with the target; nothing where that takes too many words.

    Examples
    --------
    >>> describe_feature(np.array([1.0, 3.0, 7.0, 9.0]), ["no", "no", "yes", "yes"],
    ...                  "classification")
    'Median: 2 for no, 8 for yes.'
    """
    if task == "regression":
        both = np.column_stack([values, np.asarray(y, dtype=np.float64)])
        return f"Correlation with the target: {_rounded(correlations(both)[0, 1])}."
    groups = groups_of(y, _MOST_NAMED + 1)
    if len(groups) > _MOST_NAMED:
        return ""
    pair = two_values(values)
    parts = []
    for group in groups:
        known = values[group.cases]
        known = known[np.isfinite(known)]
        if not len(known):
            figure = MISSING
        elif pair:
            figure = f"{100 * np.mean(known == pair[1]):.0f} %"
        else:
            figure = number_text(float(np.median(known)))
        parts.append(f"{figure} for {shorten(group.label)}")
    what = f"Share of cases with the value {number_text(pair[1])}" if pair else "Median"
    return f"{what}: {', '.join(parts)}."


def _rounded(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else MISSING
