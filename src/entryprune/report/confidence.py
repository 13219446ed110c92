"""How sure each feature is, and how many are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from entryprune._text import some_of
from entryprune.report.text import number_text

_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
_MOST_NAMES = 6
CONFIRMED, REJECTED = "confirmed", "rejected"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How often a feature, or one of a group, was selected, and what that means."""

    frequency: float  # from 0 to 1
    verdict: str
    interval: tuple[float, float] | None = None  # of the frequency, for 95 %


@dataclass(frozen=True, kw_only=True)
class AnyOf(Standing):
    """Features of which any one will do: now one is selected and now another."""

    names: Sequence[str]
    columns: Sequence[int]

    @property
    def text(self) -> str:
        """The group in a sentence."""
        n = len(self.names)
        how_many = _NUMBERS[n - 2] if n - 2 < len(_NUMBERS) else f"{n:,}"
        return (
            f"Any one of these {how_many} will do ({self.verdict}; one or more of them on "
            f"{percent(self.frequency)} of the half samples): {some_of(self.names, _MOST_NAMES)}."
        )


@dataclass(frozen=True, kw_only=True)
class Sureness:
    """What selections on many half samples say of the features of a report."""

    statement: str  # how many are confirmed, and how many false ones are to be expected
    standings: Mapping[int, Standing]  # by the number of the column
    threshold: float  # how often features were asked for, which is never less than noise reaches
    n_half_samples: int
    n_per_fit: int
    n_confirmed: int
    expected_false: float
    seed: int | None = None
    has_shadows: bool = True  # whether columns that cannot matter took part
    agreement: float | None = None  # Nogueira's stability of the selections
    agreement_interval: tuple[float, float] | None = None  # of that, for 95 %
    jaccard: float | None = None
    kuncheva: float | None = None
    groups: Sequence[AnyOf] = ()
    # Those that are confirmed and yet not selected.
    others: Sequence[str] = field(default=())
    names: Mapping[int, str] = field(default_factory=dict)  # of all features, by their columns

    @property
    def false_text(self) -> str:
        """How many of the confirmed features may be expected to be false."""
        return number_text(float(f"{self.expected_false:.2g}"))

    def of_selected(self, standings: Sequence[Standing | None]) -> str:
        """Return how many of the selected features are confirmed, for the end of a sentence."""
        n_all = len(standings)
        n_confirmed = sum(one is not None and one.verdict == CONFIRMED for one in standings)
        if not n_confirmed:
            return (
                "it is not confirmed"
                if n_all == 1
                else f"none of the {n_all:,} selected is confirmed"
            )
        if n_confirmed == n_all:
            which = {1: "it is", 2: "both are"}.get(n_all, f"all {n_all:,} selected are")
        else:
            which = (
                f"{n_confirmed:,} of the {n_all:,} selected {'is' if n_confirmed == 1 else 'are'}"
            )
        return f"{which} confirmed, with at most {self.false_text} wrong ones to be expected"

    @property
    def agreement_text(self) -> str:
        """How alike the selections are; nothing where that is not known."""
        if self.agreement is None:
            return ""
        interval = ""
        if self.agreement_interval is not None:
            low, high = self.agreement_interval
            interval = f" (95 % interval {low:.2f} to {high:.2f})"
        said = f"How alike the selections are: Nogueira's index is {self.agreement:.2f}{interval}"
        if self.kuncheva is not None:
            said += f", Kuncheva's {self.kuncheva:.2f}"
        said += "; 1 if all are the same, about 0 by chance."
        if self.jaccard is not None:
            said += (
                f" Of all that any two selected, both have a share of {self.jaccard:.2f} (Jaccard)."
            )
        return said

    @property
    def often_first(self) -> list[tuple[int, Standing]]:
        """The features that were ever selected, with their columns, most often selected first."""
        ever = [item for item in self.standings.items() if item[1].frequency > 0]
        return sorted(ever, key=lambda item: -item[1].frequency)

    @property
    def sentences(self) -> list[str]:
        """All that is to be said beside the features' own standings."""
        others = f"Confirmed, but not selected: {some_of(self.others, _MOST_NAMES)}."
        groups = [one.text for one in self.groups if one.verdict != REJECTED]
        return [self.statement, *([others] if self.others else []), *groups]


def percent(share: float) -> str:
    """Return how often, as people read it."""
    return f"{100 * share:.0f} %"


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
    is_within_noise: bool = False  # whether the best is within its standard error of nothing
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
        cls,
        found: Mapping[str, Any],
        n_features: int,
        *,
        best: int,
        parsimonious: int,
        is_within_noise: bool = False,
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
            is_within_noise=is_within_noise,
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
        if self.is_within_noise:
            return [
                f"No number of features up to {max(self.ks):,} clearly explains anything in "
                f"samples that were left out: the {self.measure} is best with K = {self.best:,}, "
                f"{score[self.best]}, which is within one standard error of nothing."
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
