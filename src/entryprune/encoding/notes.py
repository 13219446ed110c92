"""What there is to say to people of how a table was encoded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyarrow import types

from entryprune._text import counted, some_of
from entryprune.encoding.kinds import Categories, Date, Empty, Levels, Rule, YesNo



@dataclass
class Findings:
    """What was found in a table, column by column, put into a few sentences."""

    _gaps: list[str] = field(default_factory=list)
    _own_gaps: list[str] = field(default_factory=list)
    _empty: list[str] = field(default_factory=list)
    _yes_no: list[str] = field(default_factory=list)
    _other: list[str] = field(default_factory=list)
    _dates: list[str] = field(default_factory=list)
    _spans: list[str] = field(default_factory=list)

    def add_kind(self, name: str, kind: Any, rule: Rule | None) -> None:
        """Note what a column is, where that is not plain to see."""
        if isinstance(rule, Date):
            self._dates.append(f"{name!r} ({', '.join(('days', *rule.parts))})")
        elif isinstance(rule, YesNo):
            self._yes_no.append(f"{name!r} ({rule.levels[1]!r}, not {rule.levels[0]!r})")
        elif types.is_duration(kind):
            self._spans.append(f"{name!r} (days)")
        elif types.is_time(kind):
            self._spans.append(f"{name!r} (hours)")

    def add_levels(self, name: str, rule: Rule, found: Levels) -> None:
        """Note levels that were put together."""
        if isinstance(rule, Categories) and rule.has_other:
            n_rare = found.n_levels - len(rule.levels)
            self._other.append(f"{name!r} ({n_rare:,} of {found.n_levels:,} levels)")

    def add_gaps(self, name: str, n_gaps: int, filled: Rule | float) -> None:
        """Note what became of gaps."""
        gaps = counted(n_gaps, "gap")
        if isinstance(filled, Empty):
            self._empty.append(repr(name))
        elif isinstance(filled, Categories):
            self._own_gaps.append(f"{name!r} ({gaps})")
        elif isinstance(filled, YesNo):
            level = filled.levels[filled.fill]
            self._gaps.append(f"{name!r} ({gaps}: the more frequent, {level!r})")
        elif isinstance(filled, Date):
            self._gaps.append(f"{name!r} ({gaps}: the median, {filled.fill_shown})")
        else:
            self._gaps.append(f"{name!r} ({gaps}: the median, {filled:.6g})")

    def sentences(self) -> tuple[str, ...]:
        """Return what was found, the most important first."""
        said = (
            (self._gaps, "Gaps were filled in {n}, with a column more that says where: {names}."),
            (self._own_gaps, "Gaps are a level of their own in {n}: {names}."),
            (self._empty, "No value at all is in {n}, which became 0 throughout: {names}."),
            (self._other, 'Rare levels became "other" in {n}: {names}.'),
            (self._dates, "Dates were taken apart in {n}: {names}."),
            (self._spans, "Durations and times of day became numbers in {n}: {names}."),
            (self._yes_no, "Of two levels, one is 1 and the other 0 in {n}: {names}."),
        )
        return tuple(
            text.format(n=counted(len(names), "column"), names=some_of(names))
            for names, text in said
            if names
        )
