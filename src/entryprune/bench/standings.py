"""From records to who stands where: means, the paper's figures beside them, and places."""

from __future__ import annotations

import csv
import itertools
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from entryprune.bench.store import ALL_FEATURES, Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Of a run that counts: K and seed, and how many threads it had.
Run = tuple[int, int, int]


@dataclass(frozen=True)
class SetScores:
    """What is known of all methods on one data set."""

    dataset: str
    title: str
    n_train: int
    n_features: int
    # By method: accuracy in percent, the mean over K, learners and splits. Only of methods that
    # have all of them: a mean over the easier ones would flatter.
    values: Mapping[str, float]
    # By method: seconds of its selections that ran alone.
    seconds: Mapping[str, Mapping[Run, float]] = field(default_factory=dict)

    @property
    def is_wide(self) -> bool:
        """Whether there are fewer training cases than features."""
        return self.n_train < self.n_features


def score_set(
    records: Sequence[Record], ks: Iterable[int], seeds: Iterable[int], learners: Iterable[str]
) -> SetScores:
    """Put the records of one data set together."""
    shape = next(record for record in records if record.shape)
    n_features = shape.shape["n_features"]
    seeds, learners = list(seeds), list(learners)
    wanted_ks = [k for k in ks if k < n_features]
    found: dict[str, dict[tuple[int, int], Record]] = defaultdict(dict)
    for record in records:
        if record.is_done:
            found[record.case.method][record.case.k, record.case.seed] = record
    values = {}
    for method, runs in found.items():
        own_ks = [0] if method == ALL_FEATURES else wanted_ks
        scored = [
            runs[k, seed].accuracies.get(learner) if (k, seed) in runs else None
            for k in own_ks
            for seed in seeds
            for learner in learners
        ]
        known = [value for value in scored if value is not None]
        if known and len(known) == len(scored):
            values[method] = statistics.fmean(known)
    return SetScores(
        shape.case.dataset,
        shape.title or shape.case.dataset,
        shape.shape["n_train"],
        n_features,
        values,
        {
            method: {
                (k, seed, run.n_threads): run.seconds
                for (k, seed), run in runs.items()
                if run.is_alone and run.seconds is not None
            }
            for method, runs in found.items()
        },
    )


@dataclass(frozen=True)
class Standing:
    """Where a method stands over data sets."""

    method: str
    n_sets: int  # on how many of the data sets it has a value
    accuracy: float  # the mean over these
    # Its mean rank, over the data sets that the reference has, among the methods that have all of
    # these too; None for others, and for all features, which is no selection.
    rank: float | None
    compared: Paired  # with the reference, on the data sets that both have
    time_ratio: float | None  # see `time_ratio`


@dataclass(frozen=True)
class Standings:
    """All methods over one group of data sets, the best rank first."""

    reference: str
    n_sets: int
    n_ranked_sets: int  # those that the ranks are over
    rows: tuple[Standing, ...]
    friedman: float | None  # p-value of the test that the ranked methods do not differ
    groups: tuple[tuple[str, ...], ...]  # ranked methods that cannot be told apart


def stand(sets: Sequence[SetScores], methods: Sequence[str], reference: str) -> Standings:
    """Return where methods stand over data sets."""
    ranked_sets = [one for one in sets if reference in one.values]
    ranked = [
        method
        for method in methods
        if method != ALL_FEATURES and ranked_sets and all(method in s.values for s in ranked_sets)
    ]
    scores = [[one.values[method] for method in ranked] for one in ranked_sets]
    ranks = dict(zip(ranked, mean_ranks(scores) if scores else [], strict=True))
    rows = []
    for method in methods:
        values = [one.values[method] for one in sets if method in one.values]
        if not values:
            continue
        both = [one.values for one in sets if method in one.values and reference in one.values]
        compared = paired([v[method] for v in both], [v[reference] for v in both])
        accuracy = statistics.fmean(values)
        ratio = time_ratio(sets, method, reference)
        rows.append(Standing(method, len(values), accuracy, ranks.get(method), compared, ratio))
    rows.sort(key=lambda row: (row.rank is None, row.rank or 0.0, -row.accuracy))
    return Standings(
        reference,
        len(sets),
        len(ranked_sets),
        tuple(rows),
        friedman(scores) if scores else None,
        tuple(tuple(ranked[i] for i in group) for group in (indistinct(scores) if scores else ())),
    )


def time_ratio(sets: Iterable[SetScores], method: str, reference: str) -> float | None:
    """Return the median over data sets of how often a method's time holds the reference's.

    For the same K, splits and number of threads; None without times of runs that were alone.
    """
    ratios = []
    for one in sets:
        ours, theirs = one.seconds.get(method, {}), one.seconds.get(reference, {})
        common = ours.keys() & theirs.keys()
        total = sum(theirs[run] for run in common)
        if total > 0:
            ratios.append(sum(ours[run] for run in common) / total)
    return statistics.median(ratios) if ratios else None


# -- who is better, over data sets -----------------------------------------------------------------

# Accuracies in percent that differ by less are the same: what differs is how they were added up.
_DIGITS = 9
# What tables show as 0.00.
TIE = 0.005


@dataclass(frozen=True)
class Paired:
    """How one method compares with another on the same data sets."""

    n: int
    mean: float | None
    # The mean's confidence interval by Student's t; None with fewer than two data sets.
    low: float | None
    high: float | None
    wins: int
    ties: int  # the same to two decimals
    losses: int


def paired(one: Sequence[float], other: Sequence[float], level: float = 0.95) -> Paired:
    """Compare two methods, data set by data set."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    n = len(differences)
    mean = math.fsum(differences) / n if n else None
    low = high = None
    if mean is not None and n > 1:
        from scipy.stats import t

        variance = math.fsum((d - mean) ** 2 for d in differences) / (n - 1)
        half = float(t.ppf((1 + level) / 2, n - 1)) * math.sqrt(variance / n)
        low, high = mean - half, mean + half
    wins = sum(d >= TIE for d in differences)
    losses = sum(d <= -TIE for d in differences)
    return Paired(n, mean, low, high, wins, n - wins - losses, losses)


def mean_ranks(scores: Sequence[Sequence[float]]) -> list[float]:
    """Return each method's mean rank over data sets; the largest score has rank 1."""
    from scipy.stats import rankdata

    ranks = rankdata(-_table(scores), axis=1)
    return [float(rank) for rank in ranks.mean(axis=0)]


def friedman(scores: Sequence[Sequence[float]]) -> float | None:
    """Return the p-value of Friedman's test that no method's ranks differ from the others'.

    None where there is nothing to test: fewer than three methods or two data sets, or all the same.
    """
    from scipy.stats import friedmanchisquare

    table = _table(scores)
    if table.shape[0] < 2 or table.shape[1] < 3 or (table == table[:, :1]).all():
        return None
    return float(friedmanchisquare(*table.T).pvalue)


def signed_rank(differences: Sequence[float]) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test, exact also with ties.

    Differences of zero are left out; without any others the p-value is 1.
    """
    import numpy as np
    from scipy.stats import rankdata

    values = np.round(np.asarray(differences, dtype=np.float64), _DIGITS)
    values = values[values != 0]
    # Twice the ranks are whole numbers, so that all sums can be counted.
    doubled = np.rint(2 * rankdata(np.abs(values))).astype(int)
    share = np.zeros(doubled.sum() + 1)
    share[0] = 1.0
    for rank in doubled:
        with_it = np.zeros_like(share)
        with_it[rank:] = share[: len(share) - rank]
        share = 0.5 * (share + with_it)
    observed = doubled[values > 0].sum()
    tail = min(share[: observed + 1].sum(), share[observed:].sum())
    return float(min(1.0, 2.0 * tail))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number by Holm's method."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def indistinct(scores: Sequence[Sequence[float]], alpha: float = 0.05) -> list[tuple[int, ...]]:
    """Return the groups of methods that neighbour each other in rank and cannot be told apart.

    All pairs are tested by Wilcoxon's signed-rank test, adjusted by Holm's method: unlike a test on
    mean ranks (Nemenyi), whether two differ does not depend on which others are compared.
    """
    ranks = mean_ranks(scores)
    columns = list(zip(*scores, strict=True))
    pairs = list(itertools.combinations(range(len(columns)), 2))
    p_values = [
        signed_rank([a - b for a, b in zip(columns[i], columns[j], strict=True)]) for i, j in pairs
    ]
    differs = {pair: p < alpha for pair, p in zip(pairs, holm(p_values), strict=True)}
    order = sorted(range(len(columns)), key=lambda i: ranks[i])
    groups: list[tuple[int, ...]] = []
    last_end = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and not any(
            differs[min(i, order[end]), max(i, order[end])] for i in order[start:end]
        ):
            end += 1
        if end - start > 1 and end > last_end:
            groups.append(tuple(order[start:end]))
        last_end = max(last_end, end)
    return groups


def _table(scores: Sequence[Sequence[float]]) -> NDArray[Any]:
    import numpy as np

    return np.round(np.asarray(scores, dtype=np.float64), _DIGITS)


# -- summaries -------------------------------------------------------------------------------------


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
