"""What every study is: cases to run, and a table of what came out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, ClassVar

from entryprune.bench.standings import Group, group
from entryprune.bench.store import ALL_FEATURES, Case, Record, grid
from entryprune.data import get_dataset, list_datasets
from entryprune.data.load import IN_FOLDER, SUBSET_IN_FOLDER
from entryprune.methods import METHODS
from entryprune.report.table import Cell, Table

Records = Mapping[str, Record]

EMBEDDED = ("digits", "breast_cancer")
# Our default first, when it is there; then what it must be better than.
CONTENDERS = (
    *("entryprune-exchange", "entryprune"),
    *("mrmr", "l1", "lightgbm", "extra-trees", "fisher", "variance", "random"),
)
OF_THE_SVM = "SVM on the selected features, accuracy in percent."
MEAN_OF_THE_SVM = "SVM on the selected features, accuracy in percent, mean of the runs."


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


class Study:
    """A table or a figure of the paper, from its cases to its numbers.

    A subclass says what to run (the `settings` to compare, or its `plan`, or where that depends on
    results, its `cases`) and what came out (`points` for a figure, `rows` for its table, or the
    whole `table`).
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
    # Of its own table; then further ones, by name.
    columns: ClassVar[tuple[str, ...]]
    notes: ClassVar[tuple[str, ...]] = ()
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

    def settings(self, scope: Scope) -> Iterable[Mapping[str, Any]]:
        """Return the settings that are compared."""
        del scope
        return [{}]

    def plan(self, scope: Scope) -> list[Case]:
        """Return all cases: by default those of the study's size, with each of the settings."""
        size = self.size(scope)
        return [case for settings in self.settings(scope) for case in size.cases(settings)]

    def cases(self, scope: Scope, records: Records) -> list[Case]:
        """Return all cases that are wanted, given what is known: run ones too."""
        del records
        return self.plan(scope)

    def points(self, scope: Scope, records: Records) -> Any:
        """Return what the study's figures draw; nothing (None or no rows) without results."""
        del scope, records
        raise ValueError(f"The study {self.name!r} has no figure. Ask for its table.")

    def rows(self, scope: Scope, records: Records) -> Iterable[tuple[Cell, ...]]:
        """Return the rows of the study's table: by default its points."""
        return map(astuple, self.points(scope, records))

    def table(self, scope: Scope, records: Records) -> Table:
        """Return the study's numbers."""
        return Table(self.title, self.columns, tuple(self.rows(scope, records)), self.notes)

    def tables(self, scope: Scope, records: Records) -> dict[str, Table]:
        """Return all tables by name, the study's own first."""
        return {self.name: self.table(scope, records)}

    def groups(self, scope: Scope, records: Records) -> list[Group]:
        """Return the records of the study's cases, put together over seeds."""
        wanted = [case.key for case in self.cases(scope, records)]
        return group(records[key] for key in wanted if key in records)


def method_title(method: str) -> str:
    """Return what tables call a method."""
    if method == ALL_FEATURES:
        return "all features"
    return METHODS[method].title if method in METHODS else method


# -- comparisons over many data sets --------------------------------------------------------------


def at_hand(folder: Path | None) -> tuple[str, ...]:
    """Return the data sets of the folder, wide ones first; without any, the embedded ones."""
    rows = [row for row in list_datasets(folder) if row.state in (IN_FOLDER, SUBSET_IN_FOLDER)]
    return tuple(row.name for row in sorted(rows, key=lambda row: row.is_long)) or EMBEDDED


def contenders(scope: Scope, size: Size) -> tuple[str, ...]:
    """Return the methods that are asked for, or those of the study that are registered."""
    return scope.methods or tuple(name for name in size.methods if name in METHODS)


def size_of(dataset: str, folder: Path | None) -> tuple[int, int]:
    """Return the numbers of cases and of features of a data set."""
    info = get_dataset(dataset, folder)
    return info.n_cases, info.n_features
