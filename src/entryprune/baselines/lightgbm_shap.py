"""SHAP values of gradient boosting: how far a feature moves the predictions.

S. M. Lundberg et al., From local explanations to global understanding with explainable AI for
trees, Nature Machine Intelligence 2, 2020.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.baselines._base import Data
from entryprune.baselines.lightgbm import RANDOMNESS, LightGBMSelector
from entryprune.selectors._selector import estimator

# Contributions held at a time: 64 MiB.
_BLOCK = 2**23


@estimator(random_state=RANDOMNESS)
class LightGBMSHAPSelector(LightGBMSelector):
    """Select features by their mean absolute SHAP value in a gradient boosting model of LightGBM.

    The score is the mean over the training samples of the absolute contribution of the feature to
    the raw prediction (LightGBM's own, ``pred_contrib=True``), summed over the classes where there
    are more than two. The model is that of `LightGBMSelector`. Features that no split uses have no
    score; if fewer than asked for have one, the request is refused. More trees or a smaller
    `min_child_samples` may then help: with the default, a split needs at least 40 samples. Needs
    the package `lightgbm` (``pip install 'entryprune[peers]'``).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import LightGBMSHAPSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = LightGBMSHAPSelector(n_features_to_select=2, n_estimators=10, n_jobs=1)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "LightGBM SHAP"

    def _importance(self, model: Any, data: Data) -> NDArray[np.float64]:
        n_cases, n_features = data.X.shape
        n_models = model.booster_.num_model_per_iteration()
        total: NDArray[np.float64] = np.zeros(n_features)
        # All at once they would take the memory of the data times the classes.
        n_rows = max(1, _BLOCK // ((n_features + 1) * n_models))
        for start in range(0, n_cases, n_rows):
            block = data.X[start : start + n_rows]
            contributions = model.predict(block, pred_contrib=True)
            # The last of each class is what the model expects without any feature.
            by_class = contributions.reshape(len(block), n_models, n_features + 1)
            total += np.abs(by_class[..., :-1]).sum(axis=(0, 1)) / n_cases
        return total
