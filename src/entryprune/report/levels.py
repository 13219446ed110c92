"""What of a feature that is no plain number tells of the target: levels, parts of dates, gaps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from entryprune._survival import RiskSets
from entryprune._text import counted
from entryprune.report.text import capitalise, label_text, number_text, shorten

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from entryprune.report.base import Task

    FloatArray = NDArray[np.float64]
    Mask = NDArray[np.bool_]

Kind = Literal["levels", "date", "gaps"]

# Levels that a table names, and samples that a level must have to be named in a sentence: so many,
# or such a share of all.
_MOST_LEVELS, _FEWEST, _SMALLEST_SHARE = 10, 10, 0.01
# Days are put into so many groups of about the same size.
_N_SPANS = 8
# A difference that is as large by chance this often, in any of the groups, may well be chance.
_CHANCE = 0.05
_SHARE = "share with "
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, eq=False)
class Dates:
    """A feature of dates, whose numbers are days."""

    earliest: str  # what the days are counted from
    parts: Mapping[str, ArrayLike]  # by name: days, year, month (from 1), weekday (from 0), hour


@dataclass(frozen=True, kw_only=True)
class Level:
    """Some of the samples: those of a level, of a month, those without a value."""

    name: str
    n_samples: int
    # The mean of the target, or the share of a class.
    outcome: float
    label: str = ""  # where there are more than two classes: the one that the share is of


@dataclass(frozen=True, kw_only=True)
class Breakdown:
    """Where in a feature it lies what it tells of the target."""

    rank: int
    name: str
    kind: Kind
    part: str  # of a date: the part that tells most
    text: str
    what: str  # what the outcomes are
    levels: tuple[Level, ...]  # those that differ most from the others first
    n_levels: int  # how many there are
    # Of those that are not rare the ones with the highest and the lowest outcome; None where
    # outcomes are of several classes.
    high: Level | None
    low: Level | None


@dataclass(frozen=True, eq=False)
class Outcome:
    """A target as columns of numbers, of which each group of samples has a mean."""

    values: FloatArray  # one column, or one of 0 and 1 for each of several classes
    what: str
    labels: tuple[str, ...]  # the class of each column; none for a quantity
    # Of times until an event: the events seen less those expected of samples all alike, for who was
    # watched for long has more of them.
    excess: FloatArray | None = None

    @classmethod
    def of(cls, y: ArrayLike, task: Task, target: str) -> Outcome:
        """Return the outcome of a target; of two classes the rarer one."""
        labels = np.asarray(y)
        if task == "survival":
            seen = (labels[:, 1:] > 0).astype(np.float64)
            _, slope = RiskSets(labels[:, 0], seen[:, 0] > 0).loss(np.zeros(len(seen)))
            return cls(seen, f"{_SHARE}the event", ("event",), -slope[:, None])
        if task == "regression":
            values = labels.astype(np.float64)[:, None]
            return cls(values, f"mean of {target}", ())
        classes, numbers = np.unique(labels, return_inverse=True)
        names = tuple(map(label_text, classes.tolist()))
        values = np.eye(len(classes))[numbers.reshape(-1)]
        if len(classes) != 2:
            return cls(values, f"most typical {target}", names)
        rarer = int(values[:, 1].sum() <= len(values) / 2)
        what = f"{_SHARE}{target} = {names[rarer]}"
        return cls(values[:, [rarer]], what, (names[rarer],))

    @property
    def is_share(self) -> bool:
        """Whether outcomes are shares of a class."""
        return bool(self.labels)

    @property
    def is_single(self) -> bool:
        """Whether there is one number for each sample."""
        return len(self.means) == 1

    @property
    def short(self) -> str:
        """What the outcomes are, without the word share."""
        return self.what.removeprefix(_SHARE)

    @cached_property
    def means(self) -> FloatArray:
        """The mean of each column."""
        means: FloatArray = self.values.mean(axis=0)
        return means

    @property
    def basis(self) -> FloatArray:
        """The numbers by which groups of samples are told apart."""
        return self.values if self.excess is None else self.excess

    def strengths(self, rows: Mask) -> FloatArray:
        """Return how far the means of some samples are from those of the others, in SDs."""
        n, n_others = int(rows.sum()), int((~rows).sum())
        if not n or not n_others:
            return np.zeros(self.values.shape[1])
        values = self.basis
        spread = values.std(axis=0) * math.sqrt(1 / n + 1 / n_others)
        apart = values[rows].mean(axis=0) - values[~rows].mean(axis=0)
        strengths: FloatArray = np.where(spread > 0, apart / np.where(spread > 0, spread, 1), 0.0)
        return strengths

    def level(self, name: str, rows: Mask) -> tuple[float, Level]:
        """Return what some samples have, and how much they differ from the others."""
        strengths = self.strengths(rows)
        # Of several classes the one that is there more often than elsewhere.
        i = int(strengths.argmax())
        label = "" if self.is_single else self.labels[i]
        mean = float(self.values[rows, i].mean())
        found = Level(name=name, n_samples=int(rows.sum()), outcome=mean, label=label)
        return float(abs(strengths[i])), found

    def shown(self, level: Level) -> str:
        """Return an outcome as text."""
        if not self.is_share:
            return number_text(float(f"{level.outcome:.4g}"))
        share = f"{100 * level.outcome:.3g}\u00a0%"
        return f"{share} {shorten(level.label)}" if level.label else share

    def explained_by(self, groups: NDArray[np.intp]) -> float:
        """Return the share of the variance between groups, less what chance would give."""
        n, n_groups = len(groups), int(groups.max()) + 1
        counts = np.bincount(groups, minlength=n_groups).astype(np.float64)
        means = self.basis.mean(axis=0)
        total = ((self.basis - means) ** 2).sum()
        if n <= n_groups or total == 0:
            return 0.0
        between = 0.0
        for column, mean in zip(self.basis.T, means, strict=True):
            of_groups = np.bincount(groups, column, n_groups) / np.maximum(counts, 1)
            between += float((counts * (of_groups - mean) ** 2).sum())
        return 1 - (1 - between / float(total)) * (n - 1) / (n - n_groups)


def broken_down(
    feature: tuple[int, str],
    values: FloatArray,
    outcome: Outcome,
    labels: Sequence[str] = (),
    dates: Dates | None = None,
) -> Breakdown:
    """Return where it lies what a feature tells, given its place among the selected and its name.

    `labels` are what the values 0, 1, ... stand for; without them, and without dates, it is a
    number with gaps.
    """
    gap = _gap(values)
    if labels:
        groups = [(label, values == code) for code, label in enumerate(labels)]
        return _compared(feature, "levels", outcome, [*groups, *gap])
    if dates is None:
        return _compared(feature, "gaps", outcome, [*gap, ("there", ~np.isnan(values))])
    parts = {
        part: list(_spans(numbers, dates.earliest) if part == "days" else _part(part, numbers))
        for part, numbers in ((p, np.asarray(v, np.float64)) for p, v in dates.parts.items())
    }
    explained = {part: outcome.explained_by(_numbered(groups)) for part, groups in parts.items()}
    # Of those that explain the same the first.
    best = max(explained, key=explained.__getitem__)
    groups = [(label, rows & ~np.isnan(values)) for label, rows in parts[best]]
    found = _compared(feature, "date", outcome, [*groups, *gap], len(parts))
    return replace(found, part=best, text=f"Of the date, {_PARTS[best]} most. {found.text}")


def _gap(values: FloatArray) -> list[tuple[str, Mask]]:
    is_gap = np.isnan(values)
    return [("missing", is_gap)] if is_gap.any() else []


def _part(part: str, numbers: FloatArray) -> Iterator[tuple[str, Mask]]:
    """Yield the samples of each year, month, weekday or hour."""
    for number in np.unique(numbers).tolist():
        named = {"month": lambda n: _MONTHS[n - 1], "weekday": _WEEKDAYS.__getitem__}
        yield named.get(part, str)(int(number)), numbers == number


def _spans(days: FloatArray, earliest: str) -> Iterator[tuple[str, Mask]]:
    """Yield the samples of each span of days; each has about as many."""
    first = np.datetime64(earliest[:10])
    edges = np.unique(np.quantile(days, np.linspace(0, 1, _N_SPANS + 1)))
    number = np.clip(np.searchsorted(edges, days, side="right") - 1, 0, max(0, len(edges) - 2))
    for one in np.unique(number).tolist():
        rows = number == one
        low, high = (first + int(end) for end in (days[rows].min(), days[rows].max()))
        yield f"{low} to {high}", rows


def _numbered(groups: Sequence[tuple[str, Mask]]) -> NDArray[np.intp]:
    """Return the number of each sample's group."""
    numbers: NDArray[np.intp] = np.stack([rows for _, rows in groups]).argmax(axis=0)
    return numbers


def _compared(
    feature: tuple[int, str],
    kind: Kind,
    outcome: Outcome,
    groups: Sequence[tuple[str, Mask]],
    n_ways: int = 1,
) -> Breakdown:
    """Compare groups of samples, which are the most telling of several ways to make groups."""
    found = [outcome.level(label, rows) for label, rows in groups if rows.any()]
    by_strength = [level for _, level in sorted(found, key=lambda one: -one[0])]
    strongest = max((strength for strength, _ in found), default=0.0)
    n_looks = max(1, len(found) * len(outcome.means) * n_ways)
    is_chance = strongest < NormalDist().inv_cdf(1 - _CHANCE / 2 / n_looks)
    n_samples = sum(level.n_samples for level in by_strength)
    enough = max(_FEWEST, _SMALLEST_SHARE * n_samples)
    named = [level for level in by_strength if level.n_samples >= enough] or by_strength
    high, low = (end(named, key=lambda one: one.outcome) for end in (max, min))
    if kind == "gaps":
        text = _gaps_text(by_strength, outcome)
    elif outcome.is_single:
        text = _extremes_text(high, low, outcome, n_samples)
    else:
        which = (f"{shorten(one.name)}: {outcome.shown(one)}" for one in named[:3])
        text = f"Most typical: {', '.join(which)}."
    return Breakdown(
        rank=feature[0] + 1,
        name=str(feature[1]),
        kind=kind,
        part="",
        text=text + (_NO_MORE if is_chance else ""),
        what=outcome.what,
        levels=tuple(by_strength[:_MOST_LEVELS]),
        n_levels=len(by_strength),
        high=high if outcome.is_single else None,
        low=low if outcome.is_single else None,
    )


_NO_MORE = " Alone this is no more than chance would show."


_PARTS = {
    "days": "how long ago it is tells",
    **{part: f"the {part} tells" for part in ("year", "month", "weekday", "hour")},
}


def _extremes_text(high: Level, low: Level, outcome: Outcome, n_samples: int) -> str:
    """Say which levels have most and least."""
    if high is low:
        return "Hardly any two of its levels have enough samples to be compared."
    overall = Level(name="", n_samples=n_samples, outcome=float(outcome.means[0]))
    what = outcome.short if outcome.is_share else capitalise(outcome.short)
    return (
        f"{what}: {outcome.shown(high)} where it is {shorten(high.name)} "
        f"({counted(high.n_samples, 'sample')}), {outcome.shown(low)} where it is "
        f"{shorten(low.name)} ({low.n_samples:,}); {outcome.shown(overall)} of all."
    )


def _gaps_text(levels: Sequence[Level], outcome: Outcome) -> str:
    """Say what samples without a value have."""
    gap, rest = sorted(levels, key=lambda one: one.name != "missing")
    share = f"{100 * gap.n_samples / (gap.n_samples + rest.n_samples):.2g}\u00a0%"
    missing = f"Missing in {counted(gap.n_samples, 'sample')} ({share})"
    if not outcome.is_single:
        return f"{missing}; most typical of these: {outcome.shown(gap)}."
    if outcome.is_share:
        return (
            f"{missing}: {outcome.shown(gap)} of these have {outcome.short}, and "
            f"{outcome.shown(rest)} of the others."
        )
    return (
        f"{missing}: {outcome.what} {outcome.shown(gap)} in these, {outcome.shown(rest)} in the "
        f"others."
    )


def scored(X: FloatArray, levels: Mapping[int, Sequence[str]], outcome: Outcome) -> FloatArray:
    """Return numbers in which each level counts as the mean of the target in its samples.

    With several classes it counts as the numbers that set the classes apart most (the first axis
    of a correspondence analysis).
    """
    if not levels:
        return X
    X = X.copy()
    for i, labels in levels.items():
        codes = np.where(np.isnan(X[:, i]), len(labels), X[:, i]).astype(np.intp)
        counts = np.bincount(codes).astype(np.float64)
        sums = np.stack([np.bincount(codes, column) for column in outcome.basis.T], axis=1)
        scores = sums[:, 0] / np.maximum(counts, 1)
        if not outcome.is_single:
            rows, columns = counts / len(X), outcome.means
            expected = rows[:, None] * columns
            size = np.sqrt(np.where(expected > 0, expected, 1))
            first = np.linalg.svd((sums / len(X) - expected) / size, full_matrices=False)[0][:, 0]
            scores = first / np.sqrt(np.where(rows > 0, rows, 1))
        X[:, i] = scores[codes]
    return X
