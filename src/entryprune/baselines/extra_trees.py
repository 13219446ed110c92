"""Extremely randomised trees: how much a feature's splits purify the nodes.

P. Geurts, D. Ernst and L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.utils._param_validation import Interval

from entryprune.baselines._base import BaselineSelector, Data, Ranking, documented


@documented
class ExtraTreesSelector(BaselineSelector):
    """Select features by their importance in a forest of extremely randomised trees.

    The importance is scikit-learn's: the mean over trees of the share of the decrease in impurity
    that a feature's splits bring. Features that no tree gains from have no score; if fewer than
    asked for have one, the request is refused, and more trees may help.

    Parameters
    ----------
    {n_features_to_select}
    n_estimators : int, default=100
        Number of trees.
    n_jobs : int or None, default=None
        Number of trees grown at the same time; None means 1, -1 as many as there are processors.
        The selection does not depend on it.
    {task}
    {random_state}

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaselineSelector._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_estimators: int = 100,
        n_jobs: int | None = None,
        task: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_features_to_select, task=task, random_state=random_state)
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs

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
