"""Feature selection for numbers as targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions

from entryprune.engine.losses import LossFunction
from entryprune.engine.settings import Allowed, setting
from entryprune.selectors._base import BaseEntryPrune, Targets
from entryprune.selectors._inputs import check_table
from entryprune.selectors._selector import Special, estimator

Weights = NDArray[np.float32] | None
Centre = tuple[NDArray[np.float64], NDArray[np.float64]]


def _mean_and_deviation(values: NDArray[np.float64], weights: Weights, level: float) -> Centre:
    del level
    if weights is None:
        return values.mean(axis=0), values.std(axis=0)
    mean = np.average(values, axis=0, weights=weights)
    return mean, np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weights))


def _quantile_of(values: NDArray[np.float64], weights: Weights, level: float) -> Any:
    """Return a quantile of each column: the lowest value with so large a share up to it."""
    if weights is None:
        weights = np.ones(len(values), dtype=np.float32)
    order = values.argsort(axis=0, kind="stable")
    shares = np.cumsum(weights[order].astype(np.float64), axis=0) / weights.sum(dtype=np.float64)
    places = (shares >= level - 1e-9).argmax(axis=0)
    return np.take_along_axis(values, np.take_along_axis(order, places[None], 0), 0)[0]


def _middle_and_usual_deviation(
    values: NDArray[np.float64], weights: Weights, level: float
) -> Centre:
    """Return the median, or the quantile at a level, and the median deviation from the median."""
    middle = _quantile_of(values, weights, 0.5)
    # 1.4826 of them are a standard deviation if values are normal.
    usual = 1.4826 * _quantile_of(np.abs(values - middle), weights, 0.5)
    # Where more than half of the values are the same, outliers are all there is to go by.
    spread = np.where(usual > 0, usual, _mean_and_deviation(values, weights, level)[1])
    return _quantile_of(values, weights, level), spread


def _median_and_usual_deviation(
    values: NDArray[np.float64], weights: Weights, level: float
) -> Centre:
    del level
    return _middle_and_usual_deviation(values, weights, 0.5)


def _mean_of_counts(values: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    """Return the mean of each column of counts, or say why they are none."""
    lowest = float(values.min())
    if lowest < 0:
        raise ValueError(
            f"loss='poisson' is for counts and other quantities from 0 on, and y has {lowest:g}. "
            f"Take another loss."
        )
    mean: NDArray[np.float64] = np.average(values, axis=0, weights=weights)
    if not (mean > 0).all():
        raise ValueError("loss='poisson' needs counts above 0, and y has a column of zeros only.")
    return mean


# Where the network's output of 0 is on the target's scale, and how far 1 is from there.
_CENTRES: dict[str, Callable[[NDArray[np.float64], Weights, float], Centre]] = {
    "squared_error": _mean_and_deviation,
    "huber": _median_and_usual_deviation,
    "quantile": _middle_and_usual_deviation,
}


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
            '{"squared_error", "huber", "quantile", "poisson", "auto"} or callable',
            (StrOptions({*_CENTRES, "poisson", "auto"}), callable),
        ),
        '"auto" is "squared_error". "huber" is for targets with outliers or a long tail, '
        '"quantile" for what decides on a `quantile` of the target (0.5 is the median), "poisson" '
        "for counts and other quantities from 0 on whose spread grows with their size. A function "
        "of outputs and targets (both samples by outputs, the target as it is) returns a scalar "
        "tensor.",
    )
    quantile: float = setting(
        0.5,
        Allowed(float, low=0, high=1, closed="neither"),
        'Which quantile of the target is predicted with loss "quantile".',
    )

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
        values = y.astype(np.float64)
        self._is_one_column = values.ndim == 1
        values = values.reshape(len(values), -1)
        self._target_mean = np.zeros(values.shape[1])
        self._target_scale = np.ones(values.shape[1])
        loss = "squared_error" if self.loss == "auto" else self.loss
        if loss == "poisson":
            self._target_scale = _mean_of_counts(values, weights)
        elif isinstance(loss, str):
            # These are the same problem at any scale; a user's own loss may not be.
            # In units of a power of two, so that squares of any target can be represented.
            size = np.abs(values).max(axis=0)
            unit = np.where(size > 0, np.ldexp(1.0, np.frexp(size)[1] - 1), 1.0)
            centre, spread = _CENTRES[loss](values / unit, weights, self.quantile)
            self._target_mean = centre * unit
            self._target_scale = np.where(spread > 0, spread * unit, 1.0)
        scaled = (values - self._target_mean) / self._target_scale
        name = loss if isinstance(loss, str) else "squared_error"
        return Targets(scaled.astype(np.float32), values.shape[1], name)

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
        if self.settings_["loss"] == "poisson":
            outputs = np.exp(outputs)
        values: NDArray[np.float64] = outputs * self._target_scale + self._target_mean
        return values[:, 0] if self._is_one_column else values
