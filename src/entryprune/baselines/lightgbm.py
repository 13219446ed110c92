"""Gradient boosting: how much a feature's splits lower the loss.

G. Ke, Q. Meng, T. Finley, T. Wang, W. Chen, W. Ma, Q. Ye and T.-Y. Liu, LightGBM: a highly
efficient gradient boosting decision tree, NeurIPS 2017.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from entryprune.baselines._base import BaselineSelector, Data, Ranking, documented, import_peer


@documented
class LightGBMSelector(BaselineSelector):
    """Select features by their total gain in a gradient boosting model of LightGBM.

    The score is the sum of the gains of all splits on a feature. Features that no split uses have
    no score; if fewer than asked for have one, the request is refused. More trees or a smaller
    `min_child_samples` may then help: with the default, a split needs at least 40 samples. Needs
    the package `lightgbm` (``pip install 'entryprune[peers]'``).

    Parameters
    ----------
    {n_features_to_select}
    n_estimators : int, default=100
        Number of boosting rounds; each grows a tree, or with more than two classes a tree a class.
    learning_rate : float, default=0.1
        How much of each tree is added to the model.
    min_child_samples : int, default=20
        Smallest number of samples in a leaf.
    n_jobs : int or None, default=None
        Number of threads; None means one a processor core, as LightGBM counts them. The selection
        does not depend on it.
    {task}
    {random_state}
        With these settings LightGBM uses no randomness, but for the choice of samples that the bins
        come from in data of more than 200,000 samples.

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import LightGBMSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = LightGBMSelector(n_features_to_select=2, n_estimators=10, n_jobs=1).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "LightGBM gain"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaselineSelector._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "min_child_samples": [Interval(Integral, 0, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        min_child_samples: int = 20,
        n_jobs: int | None = None,
        task: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_features_to_select, task=task, random_state=random_state)
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.min_child_samples = min_child_samples
        self.n_jobs = n_jobs

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        lightgbm = import_peer("lightgbm", self._title)
        kind = lightgbm.LGBMClassifier if data.n_classes else lightgbm.LGBMRegressor
        model = kind(
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            min_child_samples=self.min_child_samples,
            n_jobs=self.n_jobs,
            random_state=int(rng.integers(2**31)),
            # Otherwise LightGBM picks its layout by a race, and rounding follows the layout.
            deterministic=True,
            force_col_wise=True,
            verbosity=-1,
        )
        importance = self._importance(model.fit(data.X, data.y), data)
        return Ranking(np.where(importance > 0, importance, np.nan))

    def _importance(self, model: Any, data: Data) -> NDArray[np.float64]:
        """Return what each feature is worth to the model; 0 where no split uses it."""
        del data
        gain: NDArray[np.float64] = model.booster_.feature_importance("gain")
        return gain
