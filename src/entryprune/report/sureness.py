"""How sure a selection is: what came of selecting again and again on half of the samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from entryprune._text import some_of

_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
_MOST_NAMES = 6
REJECTED = "rejected"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How often a feature, or one of a group, was selected, and what that means."""

    frequency: float  # from 0 to 1
    verdict: str


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
    has_shadows: bool = True  # whether columns that cannot matter took part
    agreement: float | None = None  # Nogueira's stability of the selections
    groups: Sequence[AnyOf] = ()
    # Those that are confirmed and yet not selected.
    others: Sequence[str] = field(default=())

    @property
    def sentences(self) -> list[str]:
        """All that is to be said beside the features' own standings."""
        others = f"Confirmed, but not selected: {some_of(self.others, _MOST_NAMES)}."
        groups = [one.text for one in self.groups if one.verdict != REJECTED]
        return [self.statement, *([others] if self.others else []), *groups]


def percent(share: float) -> str:
    """Return how often, as people read it."""
    return f"{100 * share:.0f} %"
