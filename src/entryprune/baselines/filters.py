"""Filters that look at each feature by itself, and random features as a control.

Cox score: D. R. Cox, Regression models and life-tables, JRSS B 34(2), 1972. Of a feature with two
values it is the log-rank test.

Fisher score: R. O. Duda, P. E. Hart and D. G. Stork, Pattern Classification, 2nd edition, Wiley,
2001. As a feature selector: Q. Gu, Z. Li and J. Han, Generalized Fisher score for feature
selection, UAI 2011.

Variance, hard to beat on gene expression: A. Bommert, T. Welchowski, M. Schmid and
J. Rahnenführer, Benchmark of filter methods for feature selection in high-dimensional gene
expression survival data, Briefings in Bioinformatics 23(1), 2022.

Random features, what a selection has to beat to be worth anything: L. Zappia et al., Feature
selection methods affect the performance of scRNA-seq data integration and querying, Nature
Methods 22, 2025.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entryprune._survival import score_statistics
from entryprune.baselines._base import (
    CLASSIFICATION,
    SURVIVAL,
    TASKS,
    BaselineSelector,
    Data,
    Floats,
    Ranking,
)
from entryprune.selectors._selector import estimator


@estimator(random_state="The Fisher score uses no randomness.")
class FisherSelector(BaselineSelector):
    """Select features by their Fisher score.

    The score of a feature is the sum over classes of n_c (mean_c - mean)^2, divided by the sum
    over classes of n_c var_c. It is the F statistic of a one-way analysis of variance up to a
    factor that is the same for all features. For classification.

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import FisherSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> FisherSelector(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "Fisher score"
    _tasks = (CLASSIFICATION,)
    _score_meaning = (
        "The score is how much a feature varies between the classes over how much it varies "
        "within them: 1 is as much, and it is infinite where each class has a single value."
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected, rng
        return Ranking(fisher_scores(data.X, data.y, data.n_classes))


def fisher_scores(X: NDArray[np.floating], y: NDArray[np.int64], n_classes: int) -> Floats:
    """Return each feature's score: 0 where it is constant, infinite where it parts the classes."""
    between = np.zeros(X.shape[1])
    within = np.zeros(X.shape[1])
    mean = X.mean(axis=0, dtype=np.float64)
    for number in range(n_classes):
        cases = X[y == number]
        class_mean = cases.mean(axis=0, dtype=np.float64)
        between += len(cases) * (class_mean - mean) ** 2
        within += len(cases) * cases.var(axis=0, dtype=np.float64)
    # Rounding leaves a constant feature with a tiny spread on either side.
    between[np.ptp(X, axis=0) == 0] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = between / within
    return np.where(between > 0, scores, 0.0)


@estimator(random_state="The Cox score uses no randomness.")
class CoxScoreSelector(BaselineSelector):
    """Select features by the score test of a Cox model that has each feature alone.

    For times until an event; ties by Efron's method.

    {parameters and attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from entryprune.baselines import CoxScoreSelector
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> y = np.column_stack([np.exp(-X[:, 3]), np.ones(100)])
    >>> CoxScoreSelector(n_features_to_select=1, task="survival").fit(X, y).selected_indices_
    array([3])
    """

    task: str = SURVIVAL

    _title = "Cox score"
    _tasks = (SURVIVAL,)
    _score_meaning = (
        "The score is the chi-squared statistic, of one degree of freedom, of the feature alone: "
        "of features that do not matter, one in 20 is above 3.84 and one in 1,000 above 10.8."
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected, rng
        return Ranking(score_statistics(data.X, data.y[:, 0], data.y[:, 1] > 0))


@estimator(
    task="The variance is the same for either.", random_state="The variance uses no randomness."
)
class VarianceSelector(BaselineSelector):
    """Select the features with the largest variance.

    The target is not looked at: a method that selects by it should do better. The values are taken
    as they are given, so features in smaller units seem to vary more. Scaled to [0, 1], as in the
    benchmark, the features win whose values are nearest to the ends; standardised, all vary alike
    and the order means nothing.

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import VarianceSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> VarianceSelector(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['sepal length (cm)', 'petal length (cm)']
    """

    _title = "Variance"
    _tasks = (*TASKS, SURVIVAL)
    _takes_several = True
    _score_meaning = (
        "The score is the variance of the values as they are given, in the square of their unit. "
        "It says nothing of the target."
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected, rng
        variance = data.X.var(axis=0, dtype=np.float64)
        # Rounding leaves a constant feature with a tiny spread.
        return Ranking(np.where(np.ptp(data.X, axis=0) > 0, variance, 0.0))


@estimator(task="The draw is the same for either.")
class RandomSelector(BaselineSelector):
    """Select features at random.

    Every set of as many features is equally likely, constant features included. With the same seed
    a larger selection contains the smaller ones.

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import RandomSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> RandomSelector(n_features_to_select=2, random_state=0).fit(X, y).support_.sum()
    np.int64(2)
    """

    _title = "Random"
    _tasks = (*TASKS, SURVIVAL)
    _takes_several = True
    _score_meaning = "The score is a random number between 0 and 1. It says nothing of the feature."

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        return Ranking(rng.random(size=(data.X.shape[1],)))
