"""Feature selection for numbers as targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions

from entryprune.engine.losses import LossFunction
from entryprune.engine.settings import setting
from entryprune.selectors._base import BaseEntryPrune, Targets
from entryprune.selectors._inputs import check_table
from entryprune.selectors._selector import Special, estimator


@estimator()
class EntryPruneRegressor(RegressorMixin, BaseEntryPrune):
    """Select the features that matter for predicting one or several numbers.

    {summary}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    EntryPruneClassifier : The same for classes.

    References
    ----------
    F. Zimmer, P. Okanovic, T. Hoefler. EntryPrune: Neural Network Feature Selection using First
    Impressions. ICLR 2026.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from entryprune import EntryPruneRegressor
    >>> X, y = make_friedman1(n_samples=1000, n_features=50, random_state=0)
    >>> selector = EntryPruneRegressor(n_features_to_select=4, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['x0', 'x1', 'x3', 'x4']
    >>> bool(selector.score(X, y) > 0.8)
    True
    """

    loss: str | LossFunction = setting(
        "auto",
        Special(
            '{"squared_error", "auto"} or callable',
            (StrOptions({"squared_error", "auto"}), callable),
        ),
        '"auto" is "squared_error", of the standardised target. A function of outputs and '
        "targets (both samples by outputs, the target as it is) returns a scalar tensor.",
    )
    _auto_loss = "squared_error"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _check(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        table, target = check_table(
            self,
            X,
            y,
            reset=True,
            ensure_min_samples=2,
            multi_output=True,
            y_numeric=True,
            accept_sparse=["csr", "csc"],
        )
        return table, target

    def _has_classes(self, y: NDArray[Any]) -> bool:
        del y
        return False

    def _encode(self, y: NDArray[Any], weights: NDArray[np.float32] | None) -> Targets:
        del weights
        values = y.astype(np.float64)
        self._is_one_column = values.ndim == 1
        values = values.reshape(len(values), -1)
        self._target_mean = np.zeros(values.shape[1])
        self._target_scale = np.ones(values.shape[1])
        if isinstance(self.loss, str):
            # Squared error is the same problem at any scale; a user's own loss may not be.
            # In units of a power of two, so that squares of any target can be represented.
            size = np.abs(values).max(axis=0)
            unit = np.where(size > 0, np.ldexp(1.0, np.frexp(size)[1] - 1), 1.0)
            self._target_mean = (values / unit).mean(axis=0) * unit
            spread = (values / unit).std(axis=0) * unit
            self._target_scale = np.where(spread > 0, spread, 1.0)
        scaled = (values - self._target_mean) / self._target_scale
        return Targets(scaled.astype(np.float32), n_outputs=values.shape[1])

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the predicted values.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            As many columns as y had in fit.
        """
        outputs = self._outputs(X).double().numpy()
        values: NDArray[np.float64] = outputs * self._target_scale + self._target_mean
        return values[:, 0] if self._is_one_column else values
