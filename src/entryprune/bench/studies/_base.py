"""What every study is: cases to run, and a table of what came out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from entryprune.bench.cases import Case, grid
from entryprune.bench.records import Record
from entryprune.bench.summary import Group, group
from entryprune.report.table import Table

Records = Mapping[str, Record]

EMBEDDED = ("digits", "breast_cancer")


@dataclass(frozen=True)
class Scope:
    """How much of a study to run; what is None is up to the study."""

    datasets: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    ks: tuple[int, ...] | None = None
    n_seeds: int | None = None
    learners: tuple[str, ...] | None = None
    protocol: str | None = None
    is_quick: bool = False  # done in minutes; by default on embedded data
    folder: Path | None = None  # of data, for studies on all that is in it
    reference: str | None = None  # the method that others are compared with


@dataclass(frozen=True)
class Size:
    """A scope in which nothing is left open."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...] = ()
    ks: tuple[int, ...] = ()
    n_seeds: int = 5
    protocol: str = "paper"

    @property
    def seeds(self) -> range:
        """The seeds, from 0."""
        return range(self.n_seeds)

    def cases(self, settings: Mapping[str, Any] | None = None) -> list[Case]:
        """Return the cases of all data sets, methods and K."""
        return grid(
            self.datasets,
            self.methods,
            self.ks,
            self.seeds,
            protocol=self.protocol,
            settings=settings,
        )


class Study(ABC):
    """A table or a figure of the paper, from its cases to its numbers.

    A subclass says what to run (`cases`, or where that does not depend on results, `plan` or the
    `settings` to compare) and what came out (`table`, and `points` for a figure).
    """

    # What the command line calls it, what it shows, and where in the paper that is.
    name: ClassVar[str]
    title: ClassVar[str]
    place: ClassVar[str]
    # As in the paper, and small.
    full: ClassVar[Size]
    quick: ClassVar[Size]
    learners: ClassVar[tuple[str, ...]] = ("svm",)
    # Times are its result, so cases must run alone.
    is_timed: ClassVar[bool] = False
    figures: ClassVar[tuple[str, ...]] = ()
    # Tables besides its own, by name.
    further_tables: ClassVar[tuple[str, ...]] = ()

    def size(self, scope: Scope) -> Size:
        """Return the study's own size with what the scope asks for."""
        own = self.quick if scope.is_quick else self.full
        return Size(
            scope.datasets or own.datasets,
            scope.methods or own.methods,
            scope.ks or own.ks,
            scope.n_seeds or own.n_seeds,
            scope.protocol or own.protocol,
        )

    def scored_by(self, scope: Scope) -> tuple[str, ...]:
        """Return the learners that score every selection."""
        return scope.learners or self.learners

    @abstractmethod
    def cases(self, scope: Scope, records: Records) -> list[Case]:
        """Return all cases that are wanted, given what is known: run ones too."""

    @abstractmethod
    def table(self, scope: Scope, records: Records) -> Table:
        """Return the study's numbers."""

    def tables(self, scope: Scope, records: Records) -> dict[str, Table]:
        """Return all tables by name, the study's own first."""
        return {self.name: self.table(scope, records)}

    def points(self, scope: Scope, records: Records) -> Any:
        """Return what the study's figures draw; nothing (None or no rows) without results."""
        del scope, records
        raise ValueError(f"The study {self.name!r} has no figure. Ask for its table.")

    def groups(self, scope: Scope, records: Records) -> list[Group]:
        """Return the records of the study's cases, put together over seeds."""
        wanted = [case.key for case in self.cases(scope, records)]
        return group(records[key] for key in wanted if key in records)


class PlannedStudy(Study):
    """A study whose cases are known from the start."""

    def settings(self, scope: Scope) -> Iterable[Mapping[str, Any]]:
        """Return the settings that are compared."""
        del scope
        return [{}]

    def plan(self, scope: Scope) -> list[Case]:
        """Return all cases: by default those of the study's size, with each of the settings."""
        size = self.size(scope)
        return [case for settings in self.settings(scope) for case in size.cases(settings)]

    def cases(self, scope: Scope, records: Records) -> list[Case]:
        """Return all cases, whatever is known."""
        del records
        return self.plan(scope)


def by_name(studies: Sequence[Study]) -> dict[str, Study]:
    """Return studies by their names."""
    return {study.name: study for study in studies}
