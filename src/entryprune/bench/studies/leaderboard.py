"""Comparisons that the paper does not have: who is best, and who finds what is known to matter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from typing import ClassVar

from entryprune.bench.learners import get_learner
from entryprune.bench.standings import Group, SetScores, Standing, Standings, score_set, stand
from entryprune.bench.store import ALL_FEATURES, N_TRUTH_FOLDS, SELECTION, TRUTH, Case, Record
from entryprune.bench.studies._base import (
    CONTENDERS,
    EMBEDDED,
    Records,
    Scope,
    Size,
    Study,
    at_hand,
    contenders,
    method_title,
    size_of,
)
from entryprune.data import get_dataset
from entryprune.data.load import is_path
from entryprune.data.synthetic import is_distracted, is_synthetic
from entryprune.methods import METHODS, get_method
from entryprune.report.figures.rows import RankPanel
from entryprune.report.table import Cell, Table

REFERENCE = "entryprune-exchange"
_BY_SET = "leaderboard-sets"
# Splits of a wide data set, of a long one, and of one with more cases than this.
_SPLITS_WIDE, _SPLITS_LONG, _SPLITS_LARGE, _LARGE = 10, 3, 1, 20_000
# Wide is what has fewer training cases than features.
_TRAINING_SHARE = 0.8


class Leaderboard(Study):
    """Accuracy of all methods, over K, learners and splits, summed up with a set as the unit."""

    name = "leaderboard"
    title = "Accuracy over data sets, clean splits"
    place = "not in the paper"
    # The data sets at hand, and as many splits as each deserves.
    full = Size((), CONTENDERS, (10, 25, 50), n_seeds=0, protocol="clean")
    quick = Size((*EMBEDDED, "wine"), CONTENDERS, (5,), n_seeds=2, protocol="clean")
    learners: ClassVar[tuple[str, ...]] = ("svm", "knn", "logistic")
    figures: ClassVar[tuple[str, ...]] = ("critical-difference",)
    columns = (
        *("data sets", "method", "sets", "accuracy", "mean rank", "difference"),
        *("95 % from", "95 % to", "wins", "ties", "losses", "time ratio"),
    )
    further_tables: ClassVar[tuple[str, ...]] = (_BY_SET,)

    def plan(self, scope: Scope) -> list[Case]:
        """Return all methods, and no selection, on each split of each data set."""
        size = self.size(scope)
        cases = []
        for dataset in size.datasets or at_hand(scope.folder):
            n_cases, n_features = size_of(dataset, scope.folder)
            for seed in range(size.n_seeds or _n_splits(n_cases, n_features)):
                cases.append(Case(dataset, ALL_FEATURES, 0, seed, size.protocol))
                cases += [
                    Case(dataset, method, k, seed, size.protocol)
                    for method in contenders(scope, size)
                    for k in size.ks
                    if k < n_features
                ]
        return cases

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each method, over all sets and over the wide and the long ones."""
        standings = self.standings(scope, records)
        rows = [
            _row(group, row, over.reference)
            for group, over in standings.items()
            for row in over.rows
        ]
        notes = self._notes(scope, self.sets(scope, records), standings)
        return Table(self.title, self.columns, tuple(rows), notes)

    def tables(self, scope: Scope, records: Records) -> dict[str, Table]:
        """Return the summary, and the accuracy of each method on each data set."""
        sets = self.sets(scope, records)
        methods = _methods_of(sets)
        by_set = Table(
            title="Accuracy by data set, clean splits",
            columns=(
                *("data set", "kind", "training cases", "features"),
                *map(method_title, methods),
            ),
            rows=tuple(
                (
                    one.title,
                    "wide" if one.is_wide else "long",
                    one.n_train,
                    one.n_features,
                    *(one.values.get(method) for method in methods),
                )
                for one in sets
            ),
            notes=(self._what(scope),),
        )
        return {self.name: self.table(scope, records), _BY_SET: by_set}

    def points(self, scope: Scope, records: Records) -> list[RankPanel]:
        """Return mean ranks, and which methods cannot be told apart."""
        return [
            RankPanel(
                f"{group} data sets ({over.n_ranked_sets})",
                {method_title(row.method): row.rank for row in over.rows if row.rank is not None},
                [[method_title(name) for name in names] for names in over.groups],
            )
            for group, over in self.standings(scope, records).items()
            if over.n_ranked_sets
        ]

    def standings(self, scope: Scope, records: Records) -> dict[str, Standings]:
        """Return where methods stand over all, the wide and the long data sets."""
        sets = self.sets(scope, records)
        if not sets:
            return {}
        methods = _methods_of(sets)
        reference = _reference(scope, methods)
        wide = [one for one in sets if one.is_wide]
        long = [one for one in sets if not one.is_wide]
        groups = {"all": sets} if wide and long else {}
        groups |= {name: some for name, some in (("wide", wide), ("long", long)) if some}
        return {name: stand(some, methods, reference) for name, some in groups.items()}

    def sets(self, scope: Scope, records: Records) -> list[SetScores]:
        """Return what the records say of each data set, wide ones first.

        From the records alone, so that a table can be made where the data are not.
        """
        size = self.size(scope)
        by_set: dict[str, list[Record]] = defaultdict(list)
        for record in records.values():
            if _is_wanted(record, size, scope):
                by_set[record.case.dataset].append(record)
        found = []
        for some in by_set.values():
            shape = next((record.shape for record in some if record.shape), None)
            if shape is None:
                continue
            n_seeds = size.n_seeds or _n_splits(
                shape["n_train"] + shape["n_test"], shape["n_features"]
            )
            found.append(score_set(some, size.ks, range(n_seeds), self.scored_by(scope)))
        return sorted(
            (one for one in found if one.values),
            key=lambda one: (not one.is_wide, one.title.lower()),
        )

    def _notes(
        self, scope: Scope, sets: Sequence[SetScores], standings: dict[str, Standings]
    ) -> tuple[str, ...]:
        if not standings:
            return ()
        over = next(iter(standings.values()))
        tests = [
            f"{name}: {_p(one.friedman)} ({one.n_ranked_sets} sets)"
            for name, one in standings.items()
            if one.friedman is not None
        ]
        threads = sorted({run[2] for one in sets for runs in one.seconds.values() for run in runs})
        return (
            self._what(scope),
            f"Difference: minus {method_title(over.reference)}, in points, with a set as the unit; "
            f"wins are sets on which a method is better than it.",
            "Ranks are among the methods that have all sets of the reference; a method that lacks "
            "a run of a set does not have the set.",
            "Time ratio: median over sets of seconds divided by the reference's, whole fits that "
            f"ran alone (threads: {', '.join(map(str, threads)) or 'none ran alone'}).",
            *([f"Friedman's test that no method differs, p: {'; '.join(tests)}."] if tests else []),
        )

    def _what(self, scope: Scope) -> str:
        size = self.size(scope)
        splits = f"{size.n_seeds}" if size.n_seeds else "10 (wide), 3 (long) or 1 (large)"
        learners = ", ".join(get_learner(name).title for name in self.scored_by(scope))
        return (
            f"Accuracy in percent, mean over K = {', '.join(map(str, size.ks))}, over {learners}, "
            f"and over {splits} splits (protocol {size.protocol}). Wide: fewer training cases than "
            f"features."
        )


def _is_wanted(record: Record, size: Size, scope: Scope) -> bool:
    case = record.case
    if (case.protocol, case.kind) != (size.protocol, SELECTION) or case.settings:
        return False
    if size.datasets:
        if case.dataset not in size.datasets:
            return False
    elif is_synthetic(case.dataset) or is_distracted(case.dataset) or is_path(case.dataset):
        return False
    if case.method == ALL_FEATURES:
        return True
    return case.k in size.ks and (not scope.methods or case.method in scope.methods)


def _n_splits(n_cases: int, n_features: int) -> int:
    """Return how many splits a data set gets: few cases make accuracy a matter of luck."""
    if _TRAINING_SHARE * n_cases < n_features:
        return _SPLITS_WIDE
    return _SPLITS_LARGE if n_cases > _LARGE else _SPLITS_LONG


def _methods_of(sets: Sequence[SetScores]) -> list[str]:
    found = {method for one in sets for method in one.values}
    order = dict.fromkeys([ALL_FEATURES, *CONTENDERS, *METHODS, *sorted(found)])
    return [method for method in order if method in found]


def _reference(scope: Scope, methods: Sequence[str]) -> str:
    if scope.reference is not None:
        if scope.reference != ALL_FEATURES:
            get_method(scope.reference)
        if scope.reference not in methods:
            raise ValueError(
                f"The store has no data set with all runs of the reference {scope.reference!r}. "
                f"Take one of {', '.join(methods)}, or run it first."
            )
        return scope.reference
    selecting = [method for method in methods if method != ALL_FEATURES]
    return REFERENCE if REFERENCE in selecting else next(iter(selecting), ALL_FEATURES)


def _row(group: str, row: Standing, reference: str) -> tuple[Cell, ...]:
    one = row.compared
    compared: tuple[Cell, ...] = (one.mean, one.low, one.high, one.wins, one.ties, one.losses)
    if row.method == reference:  # with itself there is nothing to compare
        compared = (None,) * len(compared)
    place = (row.n_sets, row.accuracy, row.rank)
    return (group, method_title(row.method), *place, *compared, row.time_ratio)


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "below 0.001"


# -- what is known to matter -----------------------------------------------------------------------

_COLUMNS = (16, 64, 256, 1024, 2048)
_SETS = tuple(
    f"{kind}-{m}" for kind, m in product(("ring", "xor", "ring-xor", "ring-xor-sum"), _COLUMNS)
)
_OTHERS = ("dag-2000", "friedman1-105", "linear-50000", "logistic-50000")
_DISTRACTED = tuple(f"digits+{kind}-50" for kind in ("random", "corrupted", "second-order"))


class Truth(Study):
    """Recall of the relevant columns where they are known: the best p of p."""

    name = "truth"
    title = "Share of the relevant columns that is found"
    place = "not in the paper"
    full = Size((*_SETS, *_OTHERS, *_DISTRACTED), CONTENDERS, n_seeds=N_TRUTH_FOLDS, protocol=TRUTH)
    quick = Size(
        ("ring-16", "xor-16", "ring-xor-16", "wine+random-50"),
        ("entryprune-exchange", "entryprune", "mrmr", "extra-trees", "fisher"),
        n_seeds=2,
        protocol=TRUTH,
    )
    # Nothing is predicted, so classes and quantities can stand in one table.
    learners: ClassVar[tuple[str, ...]] = ()

    def plan(self, scope: Scope) -> list[Case]:
        """Return the grid, with as many columns to select as are known to matter."""
        size = self.size(scope)
        return [
            Case(dataset, method, k, seed, size.protocol)
            for seed, dataset in product(size.seeds, size.datasets)
            for k in size.ks or (_n_relevant(dataset, scope),)
            for method in contenders(scope, size)
        ]

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set and K, a column for each method."""
        found: dict[tuple[str, int], dict[str, Group]] = {}
        for one in self.groups(scope, records):
            found.setdefault((one.dataset, one.k), {})[one.method] = one
        ran = {method for by_method in found.values() for method in by_method}
        methods = [m for m in dict.fromkeys([*CONTENDERS, *METHODS]) if m in ran]
        rows = []
        for (_, k), by_method in found.items():
            recalls = {name: one.measure("recall") for name, one in by_method.items()}
            first = next((one for one in by_method.values() if one.done), None)
            rows.append(
                (
                    first.title if first else next(iter(by_method.values())).dataset,
                    first.done[0].shape.get("n_features") if first else None,
                    k,
                    max(recall.n for recall in recalls.values()),
                    *(recalls[name].mean if name in recalls else None for name in methods),
                )
            )
        return Table(
            title=self.title,
            columns=("data set", "columns", "K", "runs", *map(method_title, methods)),
            rows=tuple(rows),
            notes=(
                "Mean over folds of the share of relevant columns among the K selected; K is their "
                "number, so 1 is all of them and nothing else. Of a table with distractors the "
                "relevant ones are its own, as far as they vary.",
                "Six folds, not shuffled, the columns in another order in each; six more runs are "
                "six folds of data made anew. Empty: the method cannot do the task, or failed.",
            ),
        )


def _n_relevant(dataset: str, scope: Scope) -> int:
    n_relevant = get_dataset(dataset, scope.folder).n_relevant
    if not n_relevant:
        what = "nobody knows which" if n_relevant is None else "none"
        raise ValueError(
            f"Of the columns of {dataset!r} {what} matter, so there is nothing to find. Take a "
            f"data set such as xor-64 or digits+random-50, or 'entryprune bench run'."
        )
    return n_relevant
