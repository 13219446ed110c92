"""Time of a whole fit, as a multiple of gradient boosting's."""

from __future__ import annotations

import statistics
from typing import ClassVar

from entryprune.bench.cases import Case, grid
from entryprune.bench.standings import SetScores, score_set, time_ratio
from entryprune.bench.studies._base import EMBEDDED, PlannedStudy, Records, Scope, Size
from entryprune.bench.studies._comparison import method_title
from entryprune.bench.studies._sets import CONTENDERS, at_hand, contenders, size_of
from entryprune.methods import METHODS
from entryprune.report.table import Cell, Table

YARDSTICK = "lightgbm"
_KS = (50, 10, 5)


class RunTime(PlannedStudy):
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
        chosen = scope.methods or contenders(size.methods)
        methods = dict.fromkeys([self._yardstick(scope), *chosen])
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
        threads = sorted({run[2] for one in sets for runs in one.seconds.values() for run in runs})
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
                f"Whole fits, from the scaled table to the selection, one at a time; threads: "
                f"{', '.join(map(str, threads))}; {machine.get('processor', '')}, "
                f"{machine.get('cores', '?')} cores.",
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
