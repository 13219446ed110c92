"""What becomes of a feature that is not a number: levels as columns of 0 and 1, dates as parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import types

from entryprune.encoding.arrow import (
    Codes,
    coded,
    is_date,
    is_missing,
    is_number,
    is_text,
    places_of,
    said,
    stored,
    wrapped,
)

Array = NDArray[Any]
NUMBER, YES_NO, CATEGORIES, DATE = "number", "yes/no", "categories", "date"
# What stands for an unseen level among codes.
UNSEEN = -2
_GAP = -1
_MICROSECONDS_A_DAY = 86_400_000_000
_TIMES = np.dtype("datetime64[us]")


@dataclass(frozen=True)
class Reading:
    """A feature's values in a table, not yet filled in: codes of levels or points in time."""

    values: NDArray[np.int64]
    is_gap: NDArray[np.bool_]

    @property
    def n_unseen(self) -> int:
        """How many values are levels that the fit has not seen."""
        return int(np.count_nonzero(self.values == UNSEEN))


class Rule(ABC):
    """What the fit has learned of one feature."""

    kind: ClassVar[str]
    # Whether its columns are 0 and 1.
    is_indicator: ClassVar[bool]

    @property
    def has_own_gaps(self) -> bool:
        """Whether its columns say themselves where a value is missing."""
        return False

    @property
    @abstractmethod
    def suffixes(self) -> tuple[str, ...]:
        """What follows the feature's name in the name of each column."""

    @abstractmethod
    def read(self, column: Any, name: str) -> Reading:
        """Return the values of an Arrow column, or say why it cannot be this feature."""

    @abstractmethod
    def write(self, reading: Reading, out: Array) -> None:
        """Write all columns into an array of zeros."""

    @abstractmethod
    def one_column(self, reading: Reading) -> Array:
        """Return the feature as one column of numbers."""


@dataclass(frozen=True)
class Empty(Rule):
    """A feature that had no value at all."""

    kind: ClassVar[str] = NUMBER
    is_indicator: ClassVar[bool] = False

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Return that there is one column."""
        return ("",)

    def read(self, column: Any, name: str) -> Reading:  # noqa: ARG002
        """Return zeros: nothing was learned of any value."""
        return Reading(np.zeros(len(column), np.int64), np.zeros(len(column), np.bool_))

    def write(self, reading: Reading, out: Array) -> None:
        """Leave the zeros."""

    def one_column(self, reading: Reading) -> Array:
        """Return zeros."""
        return reading.values


# -- levels ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class YesNo(Rule):
    """Two levels: the first is 0, the second 1."""

    kind: ClassVar[str] = YES_NO
    is_indicator: ClassVar[bool] = True
    levels: tuple[str, str]
    fill: int

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Return which level is 1."""
        return (f" = {_shown(self.levels[1])}",)

    def read(self, column: Any, name: str) -> Reading:
        """Return 0 and 1."""
        return _read_levels(column, name, self.levels)

    def write(self, reading: Reading, out: Array) -> None:
        """Write one column."""
        out[:, 0] = self.one_column(reading)

    def one_column(self, reading: Reading) -> Array:
        """Return 0 and 1; gaps and unseen levels are the more frequent."""
        return np.where(reading.is_gap | (reading.values == UNSEEN), self.fill, reading.values)


@dataclass(frozen=True)
class Categories(Rule):
    """Levels with a column each, and perhaps one for all others and one for gaps."""

    kind: ClassVar[str] = CATEGORIES
    is_indicator: ClassVar[bool] = True
    levels: tuple[str, ...]
    fill: int
    has_other: bool
    has_missing: bool

    @property
    def has_own_gaps(self) -> bool:
        """Whether gaps are a level."""
        return self.has_missing

    @property
    def all_levels(self) -> tuple[str, ...]:
        """The levels, and what the columns behind them are called."""
        found = list(self.levels)
        for is_there, label in ((self.has_other, "other"), (self.has_missing, "missing")):
            if is_there:
                found.append(_new(label, found))
        return tuple(found)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Return the levels."""
        found = [f" = {_shown(level)}" for level in self.all_levels]
        if self.has_missing:
            found[-1] = " is missing"
        return tuple(found)

    def read(self, column: Any, name: str) -> Reading:
        """Return the number of each value's level."""
        reading = _read_levels(column, name, self.levels)
        if self.has_other:
            reading.values[reading.values == UNSEEN] = len(self.levels)
        return reading

    def write(self, reading: Reading, out: Array) -> None:
        """Write 1 where a level is; where it is unseen, nothing."""
        codes = self._filled(reading)
        rows = np.flatnonzero(codes >= 0)
        out[rows, codes[rows]] = 1

    def one_column(self, reading: Reading) -> Array:
        """Return the number of the level; unseen ones have the next number."""
        codes = self._filled(reading)
        return np.where(codes < 0, len(self.suffixes), codes)

    def _filled(self, reading: Reading) -> NDArray[np.int64]:
        fill = len(self.suffixes) - 1 if self.has_missing else self.fill
        return np.where(reading.is_gap, fill, reading.values)


@dataclass(frozen=True)
class Levels:
    """What `fit_levels` found in a column besides the rule."""

    n_levels: int
    n_gaps: int
    n_other: int = 0


def fit_levels(column: Any, max_levels: int) -> tuple[Rule, Levels]:
    """Return the rule for a column of text or categories, and what there is to say of it."""
    codes, texts = coded(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    places = np.flatnonzero(counts)
    n_gaps = int(np.count_nonzero(codes < 0))
    found = Levels(len(places), n_gaps)
    if not len(places):
        return Empty(), found
    n_kept = len(places) if len(places) <= max_levels else max_levels - 1
    # Only what can be among the most frequent is worth a look at its name.
    fewest = np.partition(counts[places], -n_kept)[-n_kept]
    places = places[counts[places] >= fewest]
    names = texts.take(wrapped(places.astype(np.int64), pa.int64())).to_pylist()
    by_count = nsmallest(n_kept, zip(-counts[places], names, places, strict=True))
    most_frequent = by_count[0][1]
    is_ordered = types.is_dictionary(column.type) and column.type.ordered
    if is_ordered:
        levels = tuple(name for *_, name in sorted((place, name) for _, name, place in by_count))
    else:
        levels = tuple(name for _, name, _ in by_count)
    if found.n_levels == 2:
        no, yes = levels if is_ordered else sorted(levels)
        return YesNo((no, yes), int(yes == most_frequent)), found
    n_other = int(counts.sum() + sum(minus for minus, *_ in by_count))
    rule = Categories(levels, levels.index(most_frequent), n_other > 0, n_gaps > 0)
    return rule, Levels(found.n_levels, n_gaps, n_other)


def _read_levels(column: Any, name: str, levels: tuple[str, ...]) -> Reading:
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if not (is_text(kind) or is_number(kind) or is_date(kind)):
        raise ValueError(
            f"The column {name!r} had text or categories in fit, and now has {said(column)}. Bring "
            f"it as text."
        )
    codes, texts = coded(column)
    # Looked up once for each text, not for each value; the last one is that of gaps.
    numbers: Codes = np.append(places_of(texts, levels), 0)
    numbers[numbers < 0] = UNSEEN
    numbers[-1] = _GAP
    return Reading(numbers[codes].astype(np.int64, copy=False), codes < 0)


def _shown(level: str) -> str:
    return level or "(empty)"


def _new(label: str, taken: list[str]) -> str:
    """Return a label that is no level."""
    while label in taken:
        label = f"({label})"
    return label


# -- dates -----------------------------------------------------------------------------------------

PARTS = ("year", "month", "weekday", "hour")


@dataclass(frozen=True)
class Date(Rule):
    """Points in time, in microseconds since 1970 in UTC."""

    kind: ClassVar[str] = DATE
    is_indicator: ClassVar[bool] = False
    earliest: int
    fill: int
    zone: str | None
    parts: tuple[str, ...]

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Return what is taken from a date."""
        return tuple(f": {part}" for part in ("days", *self.parts))

    @property
    def earliest_shown(self) -> str:
        """The earliest date of the fit, as text."""
        return self._shown(self.earliest)

    @property
    def fill_shown(self) -> str:
        """What is filled in, as text."""
        return self._shown(self.fill)

    def _shown(self, point: int) -> str:
        """Return a point in time as text, without the time if that is midnight."""
        local = _local(np.array([point]), self.zone).view(_TIMES)[0]
        day = local.astype("datetime64[D]")
        return str(day if day == local else local.astype("datetime64[s]")).replace("T", " ")

    def read(self, column: Any, name: str) -> Reading:
        """Return the points in time."""
        if column.null_count == len(column):
            return Reading(np.zeros(len(column), np.int64), np.ones(len(column), np.bool_))
        zone = getattr(column.type, "tz", None)
        if not is_date(column.type) or (zone is None) != (self.zone is None):
            before, now = (
                f"dates with{'out' if self.zone is None else ''} a time zone",
                said(column),
            )
            remedy = "Bring it as dates; in a file, write them as 2024-03-01."
            if is_date(column.type):
                now, remedy = (
                    f"dates with{'out' if zone is None else ''} one",
                    "Bring it as it was.",
                )
            raise ValueError(
                f"The column {name!r} had {before} in fit, and now has {now}. {remedy}"
            )
        return _points(column, name)

    def write(self, reading: Reading, out: Array) -> None:
        """Write the days since the earliest date of the fit, and the parts."""
        points = self._filled(reading)
        out[:, 0] = (points - self.earliest) / _MICROSECONDS_A_DAY
        found = _parts(points, self.zone, self.parts)
        for number, part in enumerate(self.parts, start=1):
            out[:, number] = found[part]

    def one_column(self, reading: Reading) -> Array:
        """Return the days since the earliest date of the fit."""
        days: Array = (self._filled(reading) - self.earliest) / _MICROSECONDS_A_DAY
        return days

    def _filled(self, reading: Reading) -> NDArray[np.int64]:
        return np.where(reading.is_gap, self.fill, reading.values)


def fit_date(column: Any, name: str) -> tuple[Rule, int]:
    """Return the rule for a column of dates, and how many are missing."""
    reading = _points(column, name)
    points = np.sort(reading.values[~reading.is_gap])
    n_gaps = int(np.count_nonzero(reading.is_gap))
    if not len(points):
        return Empty(), n_gaps
    zone = getattr(column.type, "tz", None)
    # One that is there: the mean of two dates may be at a time of day that none of them has.
    fill = int(points[(len(points) - 1) // 2])
    try:
        found = _parts(points, zone, PARTS)
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"The column {name!r} has dates in the time zone {zone!r}, which is not known here. "
            f"Bring them in another one. ({error})"
        ) from error
    varying = tuple(part for part in PARTS if (found[part] != found[part][0]).any())
    return Date(int(points[0]), fill, zone, varying), n_gaps


def _points(column: Any, name: str) -> Reading:
    is_gap = is_missing(column)
    # What is finer than a microsecond is cut off.
    kind = pa.timestamp("us", getattr(column.type, "tz", None))
    options = pc.CastOptions(kind, allow_time_truncate=True)
    try:
        points = stored(column.cast(options=options).cast(pa.int64()))
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"The column {name!r} has dates hundreds of thousands of years away, which cannot be "
            f"meant. Check its unit. ({error})"
        ) from error
    points[is_gap] = 0
    return Reading(points, is_gap)


def _parts(
    points: NDArray[np.int64], zone: str | None, wanted: tuple[str, ...]
) -> dict[str, NDArray[np.int64]]:
    """Return parts of dates as the clocks of a time zone show them, Monday as 0."""
    if not wanted:
        return {}
    times = _local(points, zone).view(_TIMES)
    months = times.astype("datetime64[M]").astype(np.int64)
    days = times.astype("datetime64[D]").astype(np.int64)
    parts = {
        "year": months // 12 + 1970,
        "month": months % 12 + 1,
        "weekday": (days + 3) % 7,
        "hour": times.astype("datetime64[h]").astype(np.int64) % 24,
    }
    return {part: parts[part] for part in wanted}


def _local(points: NDArray[np.int64], zone: str | None) -> NDArray[np.int64]:
    """Return what the clocks of a time zone show."""
    if zone is None:
        return points
    return stored(pc.local_timestamp(wrapped(points, pa.timestamp("us", zone))).cast(pa.int64()))
