"""Random features: what a selection has to beat to be worth anything.

As a control in a comparison of selections: L. Zappia et al., Feature selection methods affect the
performance of scRNA-seq data integration and querying, Nature Methods 22, 2025.
"""

from __future__ import annotations

import numpy as np

from entryprune.baselines._base import BaselineSelector, Data, Ranking
from entryprune.selectors._selector import estimator


@estimator(task="The draw is the same for either.")
class RandomSelector(BaselineSelector):
    """Select features at random.

    Every set of as many features is equally likely, constant features included. With the same seed
    a larger selection contains the smaller ones.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import RandomSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> RandomSelector(n_features_to_select=2, random_state=0).fit(X, y).support_.sum()
    np.int64(2)
    """

    _title = "Random"

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        return Ranking(rng.random(size=(data.X.shape[1],)))
