"""Feature selection for times until an event."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entryprune._survival import concordance
from entryprune.engine.settings import one_of, setting
from entryprune.selectors._base import BaseEntryPrune, Targets
from entryprune.selectors._inputs import check_table
from entryprune.selectors._selector import estimator

_TWO_COLUMNS = (
    "Give a structured array with a field of true and false (whether the event was seen) and one "
    "of times, as scikit-survival has it, or two columns: the time, and 1 or 0."
)


@estimator()
class EntryPruneSurvival(BaseEntryPrune):
    """Select the features that matter for how soon an event comes.

    Samples for which the event has not been seen yet count for as long as they were watched. The
    network is trained on Cox's partial likelihood, ties by Efron's method.

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
    EntryPruneRegressor : The same for numbers as targets.

    Examples
    --------
    Two of fifty columns decide how soon; one sample in three is not watched to the end.

    >>> import numpy as np
    >>> from entryprune import EntryPruneSurvival
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 50))
    >>> time, watched = rng.exponential(np.exp(X[:, 7] - X[:, 20])), rng.exponential(2.0, size=300)
    >>> y = np.column_stack([np.minimum(time, watched), time <= watched])
    >>> selector = EntryPruneSurvival(n_features_to_select=2, random_state=0).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['x7', 'x20']
    >>> bool(selector.score(X, y) > 0.75)
    True
    """

    loss: str = setting(
        "auto",
        one_of(("auto",)),
        '"auto" is the negative partial likelihood of Cox.',
    )
    _estimator_type: ClassVar[str] = "survival"

    def _admit(self, y: Any) -> NDArray[np.float64]:
        """Return times and events as two columns."""
        return times_and_events(y)

    def _check(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        table, target = check_table(
            self, X, y, reset=True, ensure_min_samples=2, accept_sparse=["csr", "csc"],
            multi_output=True, y_numeric=True,
        )  # fmt: skip
        if not target[:, 1].any():
            raise ValueError(
                "y has no event, so nothing tells which features matter. Check which column has "
                "the events: 1 is seen, 0 is not."
            )
        return table, target

    def _has_classes(self, y: NDArray[Any]) -> bool:
        del y
        return False

    def _can_learn(self, y: NDArray[Any]) -> bool:
        return len(y) > 1 and bool(y[:, 1].any())

    def _encode(self, y: NDArray[Any], weights: NDArray[np.float32] | None) -> Targets:
        del weights
        # Only the order of times counts, and single precision may not hold the times themselves.
        _, ranks = np.unique(y[:, 0], return_inverse=True)
        events = y[:, 1].astype(np.int64)
        values = np.column_stack([ranks.reshape(-1), events]).astype(np.float32)
        return Targets(values, 1, "cox", events)

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the risk of each sample.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The logarithm of the hazard relative to others: the higher, the sooner.
        """
        risks: NDArray[np.float64] = self._outputs(X).double().numpy()[:, 0]
        return risks

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return how well risks order the samples.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
            Samples.
        y : structured array, or array of shape (n_samples, 2)
            Times and events.

        Returns
        -------
        float
            The share of pairs of which it is known who came first that the risks have in the same
            order (Harrell's concordance): 1 at best, 0.5 by chance.
        """
        times, events = self._admit(y).T
        return concordance(times, events > 0, self.predict(X))


def times_and_events(y: Any) -> NDArray[np.float64]:
    """Return times and events as two columns, or say what is no such target."""
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if fields:
        events = [one for one in fields if y[one].dtype.kind == "b"]
        times = [one for one in fields if y[one].dtype.kind in "iuf"]
        if len(events) != 1 or len(times) != 1:
            raise ValueError(
                f"y has the fields {', '.join(map(repr, fields))}, of which one must hold true "
                f"and false and one numbers. {_TWO_COLUMNS}"
            )
        columns = np.column_stack([y[times[0]], y[events[0]]])
    else:
        columns = np.asarray(y)
    if columns.ndim != 2 or columns.shape[1] != 2:
        raise ValueError(
            f"y must hold a time and an event for each sample, got the shape {columns.shape}. "
            f"{_TWO_COLUMNS}"
        )
    try:
        found: NDArray[np.float64] = columns.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must hold numbers ({error}). {_TWO_COLUMNS}") from error
    if not np.isfinite(found).all():
        raise ValueError("y has missing or infinite times or events. Leave out these samples.")
    if not np.isin(found[:, 1], (0, 1)).all():
        odd = found[:, 1][~np.isin(found[:, 1], (0, 1))][0]
        raise ValueError(
            f"The second column of y must say with 1 that the event was seen and with 0 that "
            f"it was not, and has {odd:g}. {_TWO_COLUMNS}"
        )
    if (found[:, 0] < 0).any():
        raise ValueError(f"y has times below 0, such as {found[:, 0].min():g}.")
    return found
