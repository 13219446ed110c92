"""Extremely randomised trees: how much a feature's splits purify the nodes.

P. Geurts, D. Ernst and L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

from entryprune.baselines._base import TREES_AT_ONCE, BaselineSelector, Data, Ranking
from entryprune.engine.settings import COUNT, setting
from entryprune.selectors._selector import estimator


@estimator()
class ExtraTreesSelector(BaselineSelector):
    """Select features by their importance in a forest of extremely randomised trees.

    The importance is scikit-learn's: the mean over trees of the share of the decrease in impurity
    that a feature's splits bring. Features that no tree gains from have no score; if fewer than
    asked for have one, the request is refused, and more trees may help.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import ExtraTreesSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ExtraTreesSelector(n_features_to_select=2, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "ExtraTrees"

    n_estimators: int = setting(100, COUNT, "Number of trees.")
    n_jobs: int | None = setting(None, *TREES_AT_ONCE)

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        kind = ExtraTreesClassifier if data.n_classes else ExtraTreesRegressor
        forest = kind(
            n_estimators=self.n_estimators,
            n_jobs=self.n_jobs,
            random_state=int(rng.integers(2**31)),
        )
        importance = forest.fit(data.X, data.y).feature_importances_
        return Ranking(np.where(importance > 0, importance, np.nan))
