"""Means and standard deviations over seeds, and the paper's figures to put beside them."""

from __future__ import annotations

import csv
import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import NamedTuple

from entryprune.bench.store import Record

# The paper's names of its learners.
_LEARNERS = {"SVM": "svm", "KNN": "knn", "ET": "et"}


@dataclass(frozen=True)
class Published:
    """A mean accuracy in percent and its standard deviation, where the paper gives one."""

    mean: float
    sd: float | None = None

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if self.sd is None else f"{self.mean:.2f} ± {self.sd:.2f}"


def published(dataset: str, method: str, k: int, learner: str = "svm") -> Published | None:
    """Return what the paper reports, if it does."""
    return _published_table().get((dataset, method, k, learner))


@cache
def _published_table() -> dict[tuple[str, str, int, str], Published]:
    text = files("entryprune.bench").joinpath("published.csv").read_text(encoding="utf-8")
    return {
        (
            row["dataset"],
            row["method"],
            0 if row["k"] == "all" else int(row["k"]),
            _LEARNERS[row["learner"]],
        ): Published(float(row["mean"]), float(row["sd"]) if row["sd"] else None)
        for row in csv.DictReader(text.splitlines())
    }


# -- over seeds ------------------------------------------------------------------------------------


class Spread(NamedTuple):
    """Mean, standard deviation and number of some values; NaN-free, None where unknown."""

    mean: float | None
    sd: float | None
    n: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Summarise values."""
        known = list(values)
        if not known:
            return cls(None, None, 0)
        sd = statistics.stdev(known) if len(known) > 1 else None
        return cls(statistics.fmean(known), sd, len(known))

    def __str__(self) -> str:
        if self.mean is None:
            return ""
        return f"{self.mean:.2f}" if self.sd is None else f"{self.mean:.2f} ± {self.sd:.2f}"


@dataclass(frozen=True)
class Group:
    """The records that differ in their seed only."""

    dataset: str
    method: str
    k: int
    protocol: str
    settings: str
    records: Sequence[Record] = field(repr=False)

    @property
    def done(self) -> list[Record]:
        """Those with a selection."""
        return [record for record in self.records if record.is_done]

    @property
    def title(self) -> str:
        """What tables call the data set."""
        return next((record.title for record in self.done if record.title), self.dataset)

    @property
    def is_subset(self) -> bool:
        """Whether only a part of the data set was used."""
        return any(record.subset for record in self.records)

    @property
    def trouble(self) -> str:
        """Why there are seeds without a selection, if there are any."""
        reasons = {f"{r.status}: {r.reason}" for r in self.records if not r.is_done}
        return "; ".join(sorted(reasons))

    def accuracy(self, learner: str = "svm") -> Spread:
        """Return the percentage of test cases that a learner gets right."""
        return Spread.of(
            record.accuracies[learner] for record in self.done if learner in record.accuracies
        )

    def measure(self, name: str) -> Spread:
        """Return a further number of the records, such as "epochs"."""
        return Spread.of(record.measures[name] for record in self.done if name in record.measures)

    def seconds(self, *, is_alone: bool = True) -> Spread:
        """Return the time of a selection, of those that ran alone or of the others."""
        ones = [record for record in self.done if record.is_alone == is_alone]
        return Spread.of(record.seconds for record in ones if record.seconds is not None)

    def jaccard(self) -> float | None:
        """Return how much any two selections share on average: common over all features."""
        chosen = [set(record.selected) for record in self.done if record.selected]
        shares = [len(one & other) / len(one | other) for one, other in combinations(chosen, 2)]
        return statistics.fmean(shares) if shares else None

    def published(self, learner: str = "svm") -> Published | None:
        """Return what the paper reports for the same, if it does."""
        if self.settings or self.is_subset or self.protocol != "paper":
            return None
        return published(self.dataset, self.method, self.k, learner)


def group(records: Iterable[Record]) -> list[Group]:
    """Put records together that differ in their seed only, in the order of their first."""
    groups: dict[tuple[str, str, int, str, str], list[Record]] = defaultdict(list)
    for record in records:
        case = record.case
        settings = json.dumps(case.settings, sort_keys=True) if case.settings else ""
        groups[case.dataset, case.method, case.k, case.protocol, settings].append(record)
    return [Group(*key, members) for key, members in groups.items()]


def in_sds(ours: Spread, known: Published | None) -> tuple[float | None, float | None]:
    """Return how far ours is from the published mean: in points, and in standard deviations.

    The published standard deviation counts; where that is 0 or not given, ours does.
    """
    if ours.mean is None or known is None:
        return None, None
    gap = ours.mean - known.mean
    sd = known.sd or ours.sd
    return gap, (gap / sd if sd else None)
