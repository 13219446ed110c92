"""Who stands where over many data sets: in accuracy, and in time."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from entryprune.bench.learners import get_learner
from entryprune.bench.standings import (
    SetScores,
    Standing,
    Standings,
    score_set,
    stand,
    time_ratio,
)
from entryprune.bench.store import ALL_FEATURES, SELECTION, Case, Record, grid
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
from entryprune.data.load import is_path
from entryprune.data.synthetic import is_distracted, is_synthetic
from entryprune.methods import METHODS, get_method
from entryprune.report.figures.rows import RankPanel, Timing
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


# -- how long they take ----------------------------------------------------------------------------


YARDSTICK = "lightgbm"
_KS = (50, 10, 5)


class Speed(Study):
    """Time and training epochs by data set and method; each case runs alone."""

    name = "speed"
    title = "Wall-clock time of a selection"
    place = "Figure 6"
    full = Size(
        ("usps", "coil20", "arcene", "prostate_ge"),
        ("entryprune", "entryprune-flex", "neurofs", "lassonet"),
        (50,),
    )
    quick = Size(EMBEDDED, ("entryprune", "entryprune-flex", "neurofs"), (10,), n_seeds=2)
    is_timed = True
    figures = ("speed",)
    columns = ("data set", "method", "seconds", "SD", "epochs", "runs")

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set and method, and say on what they ran."""
        alone = [r for one in self.groups(scope, records) for r in one.done if r.is_alone]
        machine = alone[0].machine if alone else {}
        note = f"One case at a time, {_ran_on({r.n_threads for r in alone}, machine)}"
        return replace(super().table(scope, records), notes=(note,))

    def points(self, scope: Scope, records: Records) -> list[Timing]:
        """Return mean seconds and epochs of the cases that ran alone."""
        timings = []
        for one in self.groups(scope, records):
            seconds, method = one.seconds(), method_title(one.method)
            timed = replace(one, records=[record for record in one.done if record.is_alone])
            epochs = timed.measure("epochs").mean
            timings.append(Timing(one.title, method, seconds.mean, seconds.sd, epochs, seconds.n))
        return timings


class RunTime(Study):
    """Seconds of each method divided by those of LightGBM, by data set; each case runs alone."""

    name = "time"
    title = "Time of a fit, relative"
    place = "not in the paper"
    # The data sets at hand, and for each a K that suits the number of its features.
    full = Size((), CONTENDERS, (), n_seeds=1, protocol="clean")
    quick = Size(EMBEDDED, CONTENDERS, (), n_seeds=1, protocol="clean")
    is_timed = True
    learners: ClassVar[tuple[str, ...]] = ()

    def plan(self, scope: Scope) -> list[Case]:
        """Return the grid, with the yardstick."""
        size = self.size(scope)
        methods = dict.fromkeys([self._yardstick(scope), *contenders(scope, size)])
        cases = []
        for dataset in size.datasets or at_hand(scope.folder):
            ks = _ks(size, size_of(dataset, scope.folder)[1])
            cases += grid([dataset], methods, ks, size.seeds, protocol=size.protocol)
        return cases

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set, a column for each method, and the medians."""
        yardstick = self._yardstick(scope)
        sets = self._sets(scope, records)
        found = {method for one in sets for method, runs in one.seconds.items() if runs}
        order = dict.fromkeys([*CONTENDERS, *METHODS])
        methods = [method for method in order if method in found - {yardstick}]
        rows: list[tuple[Cell, ...]] = [
            (
                one.title,
                one.n_train,
                one.n_features,
                ", ".join(map(str, _ks(self.size(scope), one.n_features))),
                _mean_seconds(one, yardstick),
                *(time_ratio([one], method, yardstick) for method in methods),
            )
            for one in sets
        ]
        if len(sets) > 1:
            medians = (time_ratio(sets, method, yardstick) for method in methods)
            rows.append(("median", None, None, None, None, *medians))
        threads = {run[2] for one in sets for runs in one.seconds.values() for run in runs}
        machine = next((r.machine for r in records.values() if r.is_alone and r.machine), {})
        title = method_title(yardstick)
        return Table(
            title=f"{self.title} to {title}",
            columns=(
                *("data set", "training cases", "features", "K", f"{title}, seconds"),
                *(method_title(method) for method in methods),
            ),
            rows=tuple(rows),
            notes=(
                f"Seconds divided by those of {title} for the same K, split and number of threads. "
                f"Whole fits, from the scaled table to the selection, one at a time; "
                f"{_ran_on(threads, machine)}",
            ),
        )

    def _yardstick(self, scope: Scope) -> str:
        return scope.reference or YARDSTICK

    def _sets(self, scope: Scope, records: Records) -> list[SetScores]:
        size = self.size(scope)
        by_set: dict[str, list[str]] = {}
        for key, record in records.items():
            case = record.case
            is_wanted = (
                case.protocol == size.protocol
                and case.seed in size.seeds
                and not case.settings
                and (not size.datasets or case.dataset in size.datasets)
                and (not scope.methods or case.method in (*scope.methods, self._yardstick(scope)))
            )
            if not (is_wanted and record.is_done and record.is_alone and record.shape):
                continue
            if case.k in _ks(size, record.shape["n_features"]):
                by_set.setdefault(case.dataset, []).append(key)
        found = [
            score_set([records[key] for key in keys], (), size.seeds, ())
            for keys in by_set.values()
        ]
        return sorted(found, key=lambda one: (not one.is_wide, one.title.lower()))


def _ks(size: Size, n_features: int) -> tuple[int, ...]:
    """Return the K that were asked for, or one that leaves most features out."""
    suitable = next((k for k in _KS if 4 * k < n_features), 1)
    return tuple(k for k in size.ks if k < n_features) or (suitable,)


def _mean_seconds(one: SetScores, method: str) -> float | None:
    seconds = one.seconds.get(method, {}).values()
    return statistics.fmean(seconds) if seconds else None


def _ran_on(threads: Iterable[int], machine: Mapping[str, Any]) -> str:
    """Say on what cases ran."""
    return (
        f"threads: {', '.join(map(str, sorted(threads)))}; {machine.get('processor', '')}, "
        f"{machine.get('cores', '?')} cores."
    )
