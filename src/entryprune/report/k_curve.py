"""How the score depends on the number of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from entryprune.report.text import number_text


@dataclass(frozen=True, kw_only=True)
class KCurve:
    """The score for each number of features that was tried.

    `behind_errors` are those of the differences from the best score, over the same samples.
    """

    ks: Sequence[int]
    scores: Sequence[float]
    behind_errors: Sequence[float]
    best: int
    parsimonious: int  # the fewest features within one standard error of the best score
    is_at_edge: bool = False  # whether the best is the fewest or the most that were tried
    measure: str = "score"

    def __post_init__(self) -> None:
        if not len(self.ks) == len(self.scores) == len(self.behind_errors) > 0:
            raise ValueError(
                f"There must be a score and an error for each K; got {len(self.ks)} K, "
                f"{len(self.scores)} scores and {len(self.behind_errors)} errors."
            )
        strangers = [k for k in (self.best, self.parsimonious) if k not in list(self.ks)]
        if strangers:
            raise ValueError(f"K = {strangers[0]} is not among those tried: {list(self.ks)}.")

    @classmethod
    def of(
        cls, found: Mapping[str, Any], n_features: int, *, best: int, parsimonious: int
    ) -> KCurve:
        """Return the `k_curve_` of a selector fitted on so many features in plain numbers."""
        ks, scores, errors = (
            np.asarray(found[name]).tolist() for name in ("k", "score", "behind_error")
        )
        return cls(
            ks=ks,
            scores=scores,
            behind_errors=errors,
            best=best,
            parsimonious=parsimonious,
            is_at_edge=best == max(ks) < n_features or best == min(ks) > 1,
            measure="share of variance explained",
        )

    @property
    def sentences(self) -> list[str]:
        """Which K is best, which is enough, and whether others should be tried."""
        score = dict(zip(self.ks, map(number_text, self.scores), strict=True))
        if max(self.scores) <= 0:
            return [
                f"No number of features up to {max(self.ks):,} explains anything in samples that "
                "were left out."
            ]
        said = [f"The {self.measure} is best with K = {self.best:,}: {score[self.best]}."]
        if self.parsimonious != self.best:
            said.append(
                f"K = {self.parsimonious:,} ({score[self.parsimonious]}) is enough: the fewest "
                "features that are within one standard error of it."
            )
        if self.is_at_edge:
            more = "more" if self.best == max(self.ks) else "fewer"
            said.append(
                f"The best K is at the edge of what was tried ({min(self.ks):,} to "
                f"{max(self.ks):,}), so {more} features may do better still."
            )
        return said
