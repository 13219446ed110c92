"""Gradient boosting: how much a feature's splits lower the loss, or how far it moves predictions.

G. Ke, Q. Meng, T. Finley, T. Wang, W. Chen, W. Ma, Q. Ye and T.-Y. Liu, LightGBM: a highly
efficient gradient boosting decision tree, NeurIPS 2017. SHAP values: S. M. Lundberg et al., From
local explanations to global understanding with explainable AI for trees, Nature Machine
Intelligence 2, 2020.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from entryprune.baselines._base import JOBS, BaselineSelector, Data, Floats, Ranking, import_peer
from entryprune.engine.settings import COUNT, POSITIVE, Allowed, setting
from entryprune.selectors._selector import estimator

# What the docstrings of both methods on this model say of the seed.
RANDOMNESS = (
    "With these settings LightGBM uses no randomness, but for the choice of samples that the bins "
    "come from in data of more than 200,000 samples."
)


@estimator(random_state=RANDOMNESS)
class LightGBMSelector(BaselineSelector):
    """Select features by their total gain in a gradient boosting model of LightGBM.

    The score is the sum of the gains of all splits on a feature. Features that no split uses have
    no score; if fewer than asked for have one, the request is refused. More trees or a smaller
    `min_child_samples` may then help: with the default, a split needs at least 40 samples. Needs
    the package `lightgbm` (``pip install 'entryprune[peers]'``).

    {parameters and attributes}

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

    n_estimators: int = setting(
        100,
        COUNT,
        "Number of boosting rounds; each grows a tree, or with more than two classes a tree a "
        "class.",
    )
    learning_rate: float = setting(0.1, POSITIVE, "How much of each tree is added to the model.")
    min_child_samples: int = setting(
        20, Allowed(int, low=0, closed="left"), "Smallest number of samples in a leaf."
    )
    n_jobs: int | None = setting(
        None,
        JOBS,
        "Number of threads; None means one a processor core, as LightGBM counts them. The "
        "selection does not depend on it.",
    )

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

    def _importance(self, model: Any, data: Data) -> Floats:
        """Return what each feature is worth to the model; 0 where no split uses it."""
        del data
        gain: Floats = model.booster_.feature_importance("gain")
        return gain


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

    {parameters and attributes}

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

    def _importance(self, model: Any, data: Data) -> Floats:
        n_cases, n_features = data.X.shape
        n_models = model.booster_.num_model_per_iteration()
        total: Floats = np.zeros(n_features)
        # All at once they would take the memory of the data times the classes.
        n_rows = max(1, _BLOCK // ((n_features + 1) * n_models))
        for start in range(0, n_cases, n_rows):
            block = data.X[start : start + n_rows]
            contributions = model.predict(block, pred_contrib=True)
            # The last of each class is what the model expects without any feature.
            by_class = contributions.reshape(len(block), n_models, n_features + 1)
            total += np.abs(by_class[..., :-1]).sum(axis=(0, 1)) / n_cases
        return total
