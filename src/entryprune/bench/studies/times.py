"""Time: of a selection in seconds, and of a whole fit as a multiple of gradient boosting's."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from entryprune.bench.standings import SetScores, score_set, time_ratio
from entryprune.bench.store import Case, grid
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
from entryprune.methods import METHODS
from entryprune.report.figures.rows import Timing
from entryprune.report.table import Cell, Table

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
