"""The variance: the features that vary most, whatever the target is.

That so simple a filter is hard to beat on gene expression: A. Bommert, T. Welchowski, M. Schmid and
J. Rahnenführer, Benchmark of filter methods for feature selection in high-dimensional gene
expression survival data, Briefings in Bioinformatics 23(1), 2022.
"""

from __future__ import annotations

import numpy as np

from entryprune.baselines._base import BaselineSelector, Data, Ranking
from entryprune.selectors._selector import estimator


@estimator(
    task="The variance is the same for either.", random_state="The variance uses no randomness."
)
class VarianceSelector(BaselineSelector):
    """Select the features with the largest variance.

    The target is not looked at: a method that selects by it should do better. The values are taken
    as they are given, so features in smaller units seem to vary more. Scaled to [0, 1], as in the
    benchmark, the features win whose values are nearest to the ends; standardised, all vary alike
    and the order means nothing.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import VarianceSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> VarianceSelector(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['sepal length (cm)', 'petal length (cm)']
    """

    _title = "Variance"

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected, rng
        variance = data.X.var(axis=0, dtype=np.float64)
        # Rounding leaves a constant feature with a tiny spread.
        return Ranking(np.where(np.ptp(data.X, axis=0) > 0, variance, 0.0))
