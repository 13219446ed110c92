"""What follows from how often features were selected, for the threshold as it is now."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from entryprune.confidence.agreement import Agreement, agreement
from entryprune.confidence.alike import StandIns
from entryprune.confidence.verdicts import (
    CONFIRMED,
    describe,
    expected_false,
    false_proportions,
    intervals,
    judge,
    noise_limit,
    threshold_for,
)
from entryprune.selectors._selector import Selector


@dataclass(frozen=True)
class Group:
    """Features of which any one will do: one is selected, the others are not."""

    # Most often selected first.
    features: tuple[int, ...]
    # Share of the half samples in which at least one of them was selected.
    frequency: float
    verdict: str


class Findings(Selector):
    """What selections on half samples say; a subclass makes them."""

    estimator: Any
    threshold: float
    frequencies_: NDArray[np.float64]
    shadow_frequencies_: NDArray[np.float64]
    selections_: list[NDArray[np.intp]]
    n_features_per_fit_: int
    # Features and shadows that a fit selected, on the average.
    _mean_size: float
    _stand_ins: list[StandIns]
    # How often any group of shadows was selected at most.
    _luckiest_group: float
    # As many features as were asked for, best first.
    _chosen: NDArray[np.intp]

    @property
    def frequency_intervals_(self) -> NDArray[np.float64]:
        """95 % intervals of the frequencies."""
        check_is_fitted(self, "frequencies_")
        return intervals(self.frequencies_, len(self.selections_))

    @property
    def noise_limit_(self) -> float:
        """How often the luckiest column of noise is selected in one of a hundred tables."""
        check_is_fitted(self, "frequencies_")
        return noise_limit(self.shadow_frequencies_, len(self.selections_))

    @property
    def verdicts_(self) -> NDArray[np.str_]:
        """Whether each feature is confirmed, tentative or rejected."""
        check_is_fitted(self, "frequencies_")
        return self._verdicts(self.frequencies_, 0.0)

    @property
    def groups_(self) -> list[Group]:
        """Features that stand in for each other."""
        check_is_fitted(self, "frequencies_")
        frequencies = np.array([frequency for _, frequency in self._stand_ins])
        verdicts = self._verdicts(frequencies, self._luckiest_group).tolist()
        return [
            Group(features, frequency, verdict)
            for (features, frequency), verdict in zip(self._stand_ins, verdicts, strict=True)
        ]

    @property
    def _asked(self) -> float:
        """How often features must be selected to be confirmed."""
        return max(self.threshold, self.noise_limit_)

    @property
    def _remedy(self) -> str:
        """What to do where nothing is confirmed: below what noise reaches no threshold helps."""
        lower = "Lower threshold, or bring" if self.noise_limit_ < self.threshold else "Bring"
        return f"{lower} more samples."

    def _verdicts(self, frequencies: NDArray[np.float64], luckiest: float) -> NDArray[np.str_]:
        """Judge frequencies beside all shadows and the luckiest of whatever else cannot matter."""
        shadows = self.shadow_frequencies_
        return judge(
            frequencies,
            asked=self._asked,
            luckiest=max(float(shadows.max()), luckiest) if len(shadows) else None,
        )

    @property
    def agreement_(self) -> Agreement:
        """How much the selections have in common."""
        check_is_fitted(self, "frequencies_")
        return agreement(self.selections_, len(self.frequencies_))

    @property
    def selected_indices_(self) -> NDArray[np.intp]:
        """The selected features, best first."""
        verdicts = self.verdicts_
        if self.n_features_to_select is not None:
            n_selected = self._n_selected(len(self.frequencies_))
            if n_selected > len(self._chosen):
                raise ValueError(
                    f"n_features_to_select is {n_selected} now, and the fit was asked for "
                    f"{len(self._chosen) or 'all that are confirmed'}. Fit again."
                )
            return self._chosen[:n_selected]
        confirmed = np.flatnonzero(verdicts == CONFIRMED)
        return confirmed[np.argsort(-self.frequencies_[confirmed], kind="stable")]

    @property
    def support_(self) -> NDArray[np.bool_]:
        """Which features are selected."""
        support = np.zeros(len(self.frequencies_), dtype=bool)
        support[self.selected_indices_] = True
        return support

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The frequencies, under the name that all selectors share."""
        check_is_fitted(self, "frequencies_")
        return self.frequencies_

    @property
    def ranking_(self) -> NDArray[np.int64]:
        """Ranks of all features, the selected ones first."""
        selected = self.selected_indices_
        by_frequency = np.argsort(-self.frequencies_, kind="stable")
        others = by_frequency[~np.isin(by_frequency, selected)]
        ranking = np.empty(len(self.frequencies_), dtype=np.int64)
        ranking[np.concatenate([selected, others])] = np.arange(1, len(ranking) + 1)
        return ranking

    @property
    def expected_false_(self) -> float:
        """The most false features to be expected among the confirmed ones."""
        check_is_fitted(self, "frequencies_")
        return self.expected_false_at(self._asked)

    def expected_false_at(self, threshold: float) -> float:
        """Return the most false features to be expected at or above a threshold.

        Parameters
        ----------
        threshold : float
            A frequency, from 0 to 1.

        Returns
        -------
        n_false : float
            By the bound of Shah and Samworth (2013).
        """
        check_is_fitted(self, "frequencies_")
        return expected_false(self._n_in_all, self._mean_size, threshold, self._n_pairs)

    def threshold_for(self, n_false: float) -> float | None:
        """Return the lowest threshold with at most so many false features to be expected.

        Parameters
        ----------
        n_false : float
            How many are tolerated, such as 1.

        Returns
        -------
        threshold : float or None
            None if no threshold promises that.
        """
        check_is_fitted(self, "frequencies_")
        return threshold_for(n_false, self._n_in_all, self._mean_size, self._n_pairs)

    @property
    def _n_in_all(self) -> int:
        """Features and shadows that could be selected: those that are barred could not."""
        n_features, n_shadows = len(self.frequencies_), len(self.shadow_frequencies_)
        barred = getattr(self.estimator, "bar", None)
        n_barred = 0 if barred is None else np.size(barred)
        return (n_features + n_shadows) * (n_features - n_barred) // n_features

    @property
    def _n_pairs(self) -> int:
        """Pairs that were fitted, whatever the parameter says now."""
        return len(self.selections_) // 2

    @property
    def false_proportion_(self) -> float:
        """Share of the features selected as often as asked that is false, by the shadows."""
        check_is_fitted(self, "frequencies_")
        if not len(self.shadow_frequencies_):
            return math.nan
        thresholds, shares = false_proportions(self.frequencies_, self.shadow_frequencies_)
        at = np.searchsorted(thresholds, self._asked - 1e-9)
        return float(shares[at]) if at < len(shares) else math.nan

    @property
    def statement_(self) -> str:
        """What came out, in words."""
        return describe(
            n_features=len(self.frequencies_),
            n_confirmed=int((self.verdicts_ == CONFIRMED).sum()),
            asked=self._asked,
            n_fits=len(self.selections_),
            n_per_fit=self.n_features_per_fit_,
            has_groups=getattr(self.estimator, "feature_groups", None) is not None,
            has_shadows=len(self.shadow_frequencies_) > 0,
            n_false=self.expected_false_,
        )
