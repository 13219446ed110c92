"""mRMR by F statistic and correlation, as a quotient (FCQ).

C. Ding and H. Peng, Minimum redundancy feature selection from microarray gene expression data,
Journal of Bioinformatics and Computational Biology 3(2), 2005. In use at large: Z. Zhao, R. Anand
and M. Wang, Maximum relevance and minimum redundancy feature selection methods for a marketing
machine learning platform, DSAA 2019.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.baselines._base import BaselineSelector, Data, Floats, Ranking
from entryprune.baselines.filters import fisher_scores
from entryprune.baselines.information import take_one_by_one
from entryprune.selectors._selector import estimator

# An absolute correlation counts at least so much: a chance 0 must not make a feature's score
# infinite. The package `mrmr_selection` has such a floor too.
_FLOOR = 0.001
# So near to 1 is a copy. Wider than the rounding of single precision.
_COPY = 1 - 5e-6
# Stands for an infinite F statistic, so that redundancy still tells such features apart.
_LARGEST = 1e30
# Scores that differ by a smaller share are equal: a duplicate must not win by its rounding errors.
_TIE = 1e-9


@estimator(
    task="The F statistic is that of a one-way analysis of variance for classes and of a linear "
    "regression for quantities.",
    random_state="mRMR uses no randomness.",
)
class MRMRFCQSelector(BaselineSelector):
    """Select features one by one, each relevant for the target and unlike the ones before.

    The score of a feature is the F statistic of its relation to the target, divided by its mean
    absolute correlation with the features that are selected already. This is the variant of mRMR
    that most people run today, the default of the package `mrmr_selection`; needs no bins.

    {parameters and attributes}

    Notes
    -----
    `scores_` holds each selected feature's score at the moment when it was selected. Later scores
    may be larger than earlier ones. An absolute correlation counts as at least 0.001; the package
    has such a floor too. As in the package, a copy of all that is selected scores 0. Constant
    features are taken last.

    Examples
    --------
    The second column repeats the first, so the third is worth more.

    >>> from entryprune.baselines import MRMRFCQSelector
    >>> X = [[0, 0, 0], [1, 1, 0], [0, 0, 1], [4, 4, 1], [5, 5, 1], [4, 4, 0]]
    >>> selector = MRMRFCQSelector(n_features_to_select=2).fit(X, [0, 0, 0, 1, 1, 1])
    >>> selector.selected_indices_.tolist()
    [0, 2]
    """

    _title = "mRMR FCQ"

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del rng
        columns = standardised_columns(data.X)
        relevance = f_statistic(data, columns)
        return select_by_quotient(columns, relevance, n_selected)


def standardised_columns(X: NDArray[Any]) -> Floats:
    """Return each column of `X` as a row with mean 0 and norm 1, or as zeros if it is constant."""
    rows = np.array(X.T, dtype=np.float64, order="C")
    # First to a size at which squares neither overflow nor vanish.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows /= np.where(largest > 0, largest, 1.0)
    rows -= rows.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    # Rounding leaves a constant feature with a tiny spread.
    is_constant = (np.ptp(X, axis=0) == 0)[:, np.newaxis] | (norms == 0)
    rows /= np.where(is_constant, 1.0, norms)
    rows[is_constant[:, 0]] = 0.0
    return rows


def f_statistic(data: Data, columns: Floats) -> Floats:
    """Return how strongly each feature is related to the target; 0 where it is constant."""
    n_cases = len(data.y)
    if data.n_classes:
        ratio = fisher_scores(columns.T, data.y, data.n_classes)
        freedom = max(n_cases - data.n_classes, 1) / max(data.n_classes - 1, 1)
    else:
        target = standardised_columns(data.y[:, np.newaxis])[0]
        squares = np.square(columns @ target)
        with np.errstate(divide="ignore"):
            ratio = squares / np.maximum(1 - squares, 0.0)
        freedom = max(n_cases - 2, 1)
    return np.minimum(ratio * freedom, _LARGEST)


def select_by_quotient(columns: Floats, relevance: Floats, n_selected: int) -> Ranking:
    """Take, one by one, the feature with the most relevance for its redundancy."""
    redundancy = np.zeros(len(columns))

    def scores_after(chosen: int, n_taken: int) -> Floats:
        nonlocal redundancy
        redundancy = redundancy + np.maximum(np.abs(columns @ columns[chosen]), _FLOOR)
        mean = redundancy / n_taken
        return np.where(mean < _COPY, relevance / mean, 0.0)

    return take_one_by_one(
        relevance,
        n_selected,
        scores_after,
        is_last=~np.any(columns, axis=1),  # the constant ones
        still_equal=lambda best: best * (1 - _TIE),
    )
