"""The Fisher score: how far the classes' means lie apart, feature by feature.

R. O. Duda, P. E. Hart and D. G. Stork, Pattern Classification, 2nd edition, Wiley, 2001. As a
feature selector: Q. Gu, Z. Li and J. Han, Generalized Fisher score for feature selection, UAI 2011.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from entryprune.baselines._base import CLASSIFICATION, BaselineSelector, Data, Ranking
from entryprune.selectors._selector import estimator


@estimator(random_state="The Fisher score uses no randomness.")
class FisherSelector(BaselineSelector):
    """Select features by their Fisher score.

    The score of a feature is the sum over classes of n_c (mean_c - mean)^2, divided by the sum
    over classes of n_c var_c. It is the F statistic of a one-way analysis of variance up to a
    factor that is the same for all features. For classification.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected, rng
        return Ranking(fisher_scores(data.X, data.y, data.n_classes))


def fisher_scores(
    X: NDArray[np.floating], y: NDArray[np.int64], n_classes: int
) -> NDArray[np.float64]:
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
