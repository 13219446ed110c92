"""From records to who stands where: a value for each method and data set, then places over sets."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from entryprune.bench.cases import ALL_FEATURES
from entryprune.bench.records import Record
from entryprune.bench.statistics import Paired, friedman, indistinct, mean_ranks, paired

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
