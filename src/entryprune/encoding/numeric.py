"""Features that are numbers: what is missing or infinite among them, and what is filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import counted, some_of

Array = NDArray[Any]
NameOf = Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Numbers:
    """Features that are numbers: their values, and how many of these are not there."""

    features: NDArray[np.intp]
    values: Array
    n_gaps: NDArray[np.int64]
    n_infinite: NDArray[np.int64]

    @classmethod
    def of(cls, features: Sequence[int], values: Array) -> Numbers:
        """Count what is missing and what is infinite, in one pass if there is nothing of either."""
        n_gaps, n_infinite = np.zeros((2, len(features)), np.int64)
        if values.dtype.kind == "f":
            # A sum is finite only if all its terms are; it is a cheap test, and a sufficient one.
            with np.errstate(over="ignore", invalid="ignore"):
                is_finite = np.isfinite(values.sum(dtype=np.float64))
            if not is_finite:
                n_gaps = np.count_nonzero(np.isnan(values), axis=0)
                n_infinite = np.count_nonzero(np.isinf(values), axis=0)
        return cls(np.array(features, np.intp), values, n_gaps, n_infinite)

    @property
    def n_samples(self) -> int:
        """How many samples there are, also if none of their features is a number."""
        return len(self.values)

    def refuse_infinite(self, name: NameOf) -> None:
        """Refuse infinite values, and name their columns."""
        bad = np.flatnonzero(self.n_infinite).tolist()
        if bad:
            shown = some_of(
                f"{name(int(self.features[i]))!r} ({self.n_infinite[i]:,})" for i in bad
            )
            raise ValueError(
                f"X contains infinity in {counted(len(bad), 'column')} (how many in brackets): "
                f"{shown}. Replace or clip these values first."
            )

    def medians(self) -> NDArray[np.float64]:
        """Return the median of each feature without its gaps, 0 if there are only gaps."""
        medians = np.zeros(len(self.features))
        whole = np.flatnonzero(self.n_gaps == 0)
        is_all = len(whole) == len(self.features)
        medians[whole] = np.median(self.values if is_all else self.values[:, whole], axis=0)
        for i in np.flatnonzero((self.n_gaps > 0) & (self.n_gaps < self.n_samples)):
            column = self.values[:, i]
            medians[i] = np.median(column[~np.isnan(column)])
        for i in np.flatnonzero(medians == 0.5):
            column = self.values[:, i]
            # What is 0 or 1, and as often the one as the other, is never anything between.
            if np.isin(column[~np.isnan(column)], (0, 1)).all():
                medians[i] = 0
        return medians

    def filled(
        self, fills: NDArray[np.float64]
    ) -> Iterator[tuple[int, Array, NDArray[np.bool_] | None]]:
        """Yield each feature, its values without gaps, and where these were if there were any."""
        for i, feature in enumerate(self.features.tolist()):
            column, is_gap = self.values[:, i], None
            if self.n_gaps[i]:
                is_gap = np.isnan(column)
                column = np.where(is_gap, fills[feature], column)
            yield feature, column, is_gap


def refuse_gaps(n_gaps: NDArray[np.int64], name: NameOf) -> None:
    """Refuse missing values, and name their columns."""
    bad = np.flatnonzero(n_gaps).tolist()
    if bad:
        shown = some_of(f"{name(feature)!r} ({n_gaps[feature]:,})" for feature in bad)
        raise ValueError(
            f"X contains NaN or other missing values in {counted(len(bad), 'column')} (how many "
            f'in brackets): {shown}. Set missing="impute" to have them filled in, fill them in '
            f"yourself, or leave out these samples or columns."
        )
