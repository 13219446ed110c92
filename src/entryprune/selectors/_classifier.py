"""Feature selection for classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets

from entryprune.engine.losses import LossFunction
from entryprune.engine.settings import setting
from entryprune.selectors._base import BaseEntryPrune, Targets
from entryprune.selectors._inputs import check_table, number_classes
from entryprune.selectors._selector import Special, estimator


@estimator()
class EntryPruneClassifier(ClassifierMixin, BaseEntryPrune):
    """Select the features that matter for telling classes apart.

    {summary}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    See Also
    --------
    EntryPruneRegressor : The same for numbers as targets.

    References
    ----------
    F. Zimmer, P. Okanovic, T. Hoefler. EntryPrune: Neural Network Feature Selection using First
    Impressions. ICLR 2026.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from entryprune import EntryPruneClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = EntryPruneClassifier(n_features_to_select=3, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['worst radius', 'worst texture', 'worst concave points']
    >>> bool(selector.score(X, y) > 0.95)
    True

    Two of sixty columns decide together, and neither tells anything alone:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(400, 60))
    >>> y = X[:, 10] * X[:, 40] > 0
    >>> selector = EntryPruneClassifier(n_features_to_select=2, random_state=0).fit(X, y)
    >>> selector.interactions_["first"].tolist(), selector.interactions_["second"].tolist()
    ([10], [40])
    """

    loss: str | LossFunction = setting(
        "auto",
        Special(
            '{"cross_entropy", "auto"} or callable',
            (StrOptions({"cross_entropy", "auto"}), callable),
        ),
        '"auto" is "cross_entropy". A function of outputs (samples by classes) and class '
        "numbers returns a scalar tensor.",
    )
    _auto_loss = "cross_entropy"

    def _check(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        table, target = check_table(
            self, X, y, reset=True, ensure_min_samples=2, accept_sparse=["csr", "csc"]
        )
        check_classification_targets(target)
        return table, target

    def _has_classes(self, y: NDArray[Any]) -> bool:
        del y
        return True

    def _encode(self, y: NDArray[Any], weights: NDArray[np.float32] | None) -> Targets:
        del weights
        self.classes_, numbers = number_classes(y)
        return Targets(numbers, n_outputs=len(self.classes_), classes=numbers)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            Samples with all features of the fit, or at least their places.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        probabilities: NDArray[np.float64] = torch.softmax(self._outputs(X).double(), 1).numpy()
        return probabilities

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        best = self._outputs(X).argmax(1).numpy()
        labels: NDArray[Any] = self.classes_[best]
        return labels
