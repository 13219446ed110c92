"""What a report is told of the selected features, and what follows for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from entryprune._text import counted, some_of
from entryprune.report.text import number_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.confidence import Standing
    from entryprune.report.levels import Dates
    from entryprune.report.statistics import Effect

Scores = Sequence[float | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Selected:
    """What came out, the best feature first."""

    names: Sequence[str]
    columns: Sequence[int]  # numbers in the file, as they are to be written
    scores: Scores | None = None  # NaN or None where a feature has none
    score_name: str = "entry score"
    score_unit: str = ""
    score_meaning: str = ""  # what they are, and whether they are large
    # Whether they alone rank the features, so that none left out has more than one selected.
    is_by_score: bool = True
    other_scores: Mapping[str, Scores] = field(default_factory=dict)
    # For each selected feature those left out that say nearly the same, with their correlations.
    near_duplicates: Sequence[Sequence[tuple[str, float]]] = ()
    # The next best features, with their columns and scores.
    runners_up: Sequence[tuple[str, int, float | None]] = ()
    runners_up_note: str = ""
    # Whether the method came to its own end, was interrupted, or met a limit.
    ended: Literal["finished", "interrupted", "cut off"] = "finished"
    seconds: float | None = None
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        if len(self.names) == 0:
            raise ValueError("There are no selected features, so there is nothing to report.")
        lists: dict[str, Sequence[object]] = {"columns": self.columns}
        if self.scores is not None:
            lists["scores"] = self.scores
        if len(self.near_duplicates):
            lists["near_duplicates"] = self.near_duplicates
        lists |= self.other_scores
        for name, values in lists.items():
            if len(values) != len(self.names):
                raise ValueError(
                    f"There are {len(self.names)} selected features, but {name} has {len(values)} "
                    "entries. Give one for each."
                )


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """Two features that matter only together."""

    names: tuple[str, str]
    columns: tuple[int, int]
    strength: float  # how far what they do together is from nothing, in standard deviations
    p_value: float  # how often chance shows one as strong, among all pairs that were looked at
    values: ArrayLike | None = None  # (n_samples, 2), to be drawn


@dataclass(frozen=True, kw_only=True)
class Panel:
    """What was asked of the selected features besides to predict; each list has them in order."""

    costs: Sequence[float] | None = None
    kept: Sequence[bool] = ()  # whether each was selected because it was asked for
    groups: Sequence[str | None] = ()  # the group that each is of
    budget: float | None = None
    barred: Sequence[str] = ()  # features that were not to be selected
    n_units: int | None = None  # groups and single features that were selected, if there are groups

    @property
    def total(self) -> float | None:
        """What all selected features cost together."""
        return None if self.costs is None else sum(self.costs)

    def row(self, place: int) -> dict[str, Any]:
        """Return what there is to say of the feature at a place, by name."""
        found: dict[str, Any] = {}
        if self.costs is not None:
            found["cost"] = float(self.costs[place])
        if len(self.groups):
            found["group"] = self.groups[place]
        if any(self.kept):
            found["kept"] = bool(self.kept[place])
        return found

    def sentences(self, names: Sequence[str]) -> list[str]:
        """Say what the features cost, who was kept or barred, and what K counts."""
        said = []
        if self.total is not None:
            of = "" if self.budget is None else f" of a budget of {number_text(self.budget)}"
            said.append(f"Together they cost {number_text(self.total)}{of}.")
        kept = [name for name, is_kept in zip(names, self.kept, strict=False) if is_kept]
        if kept:
            said.append(f"Kept as asked, whatever they bring: {some_of(kept)}.")
        if len(self.barred):
            said.append(f"Barred as asked, whatever they bring: {some_of(self.barred)}.")
        if self.n_units is not None and self.n_units < len(names):
            said.append(
                f"Groups are selected as one: these are {self.n_units:,} groups or single "
                f"features, with {counted(len(names), 'feature')} in all."
            )
        return said


@dataclass(frozen=True, eq=False)
class Samples:
    """The values of the selected features, and the target."""

    X: ArrayLike  # its columns in the order of the selected features; NaN where one is missing
    # (n_samples,); times and events, or several targets, have columns
    y: ArrayLike
    # By column: what its whole numbers from 0 stand for, and what its days are of.
    levels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    dates: Mapping[int, Dates] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Images:
    """How samples are images."""

    shape: tuple[int, ...]  # (height, width), or (3, height, width): all of red first
    mask: ArrayLike  # True where a feature is selected
    examples: ArrayLike | None = None  # a few samples to show

    @property
    def n_selected(self) -> int:
        """Pixels that are selected."""
        return int(np.count_nonzero(np.asarray(self.mask)))

    @property
    def n_examples(self) -> int:
        """Samples to show."""
        return 0 if self.examples is None else len(np.asarray(self.examples))


# -- facts that follow --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Feature:
    """A row of the ranking: plain numbers, None for what is not known; a score may be infinite."""

    rank: int
    name: str
    column: int
    score: float | None
    other_scores: Mapping[str, float | None] = field(default_factory=dict)
    effect: Effect | None = None
    # Of several targets: the size of its effect on each.
    by_target: Mapping[str, float | None] = field(default_factory=dict)
    standing: Standing | None = None  # how sure it is


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """How one of the first features goes with the target."""

    rank: int
    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class CorrelatedPair:
    """Two selected features that say much the same."""

    rank: int
    name: str
    other_rank: int
    other_name: str
    correlation: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Correlation:
    """How the first features go together: the whole table, and the strongest pairs."""

    table: NDArray[np.float64]
    names: tuple[str, ...]
    pairs: tuple[CorrelatedPair, ...]
