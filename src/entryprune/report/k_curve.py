"""How the score depends on the number of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from entryprune.report.text import capitalise, number_text, spread_text


@dataclass(frozen=True, kw_only=True)
class KCurve:
    """Scores with their standard errors for each number of features that was tried."""

    ks: Sequence[int]
    scores: Sequence[float]
    errors: Sequence[float]
    best: int
    parsimonious: int  # the fewest features within one standard error of the best score
    is_at_edge: bool = False  # whether the best is the fewest or the most that were tried
    measure: str = "score"

    def __post_init__(self) -> None:
        if not len(self.ks) == len(self.scores) == len(self.errors) > 0:
            raise ValueError(
                f"There must be a score and an error for each K; got {len(self.ks)} K, "
                f"{len(self.scores)} scores and {len(self.errors)} errors."
            )
        strangers = [k for k in (self.best, self.parsimonious) if k not in list(self.ks)]
        if strangers:
            raise ValueError(f"K = {strangers[0]} is not among those tried: {list(self.ks)}.")

    @classmethod
    def of(cls, found: Any) -> KCurve:
        """Return the `k_curve_` of a fitted selector in plain numbers."""
        return cls(
            ks=[int(k) for k in found.ks],
            scores=[float(score) for score in found.scores],
            errors=[float(error) for error in found.errors],
            best=int(found.best),
            parsimonious=int(found.parsimonious),
            is_at_edge=bool(found.is_at_edge),
            measure=str(found.measure),
        )

    @property
    def sentences(self) -> list[str]:
        """Which K is best, which is enough, and whether others should be tried."""
        at = {k: i for i, k in enumerate(self.ks)}
        best = at[self.best]
        score = spread_text(self.scores[best], self.errors[best])
        said = [f"{capitalise(self.measure)} is best with K = {self.best:,}: {score}."]
        if self.parsimonious != self.best:
            said.append(
                f"K = {self.parsimonious:,} is enough: no fewer features come within one standard "
                f"error of the best ({number_text(self.scores[at[self.parsimonious]])})."
            )
        if self.is_at_edge:
            more = "more" if self.best == max(self.ks) else "fewer"
            said.append(
                f"The best K is at the edge of what was tried ({min(self.ks):,} to "
                f"{max(self.ks):,}), so {more} features may do better still."
            )
        return said
