"""How the selected set settles in the course of one run."""

from __future__ import annotations

from typing import Any

from entryprune.bench.cases import Case
from entryprune.bench.studies._base import PlannedStudy, Records, Scope, Size
from entryprune.report.figures.rows import Run
from entryprune.report.table import Table


class Convergence(PlannedStudy):
    """Changes to the set, its smallest entry score and its smallest weights, by rotation."""

    name = "convergence"
    title = "Convergence of one run"
    place = "Figure 3"
    full = Size(("mnist",), ("entryprune",), (50,), n_seeds=1)
    quick = Size(("digits",), ("entryprune",), (10,), n_seeds=1)
    figures = ("convergence",)

    def plan(self, scope: Scope) -> list[Case]:
        """Return one case."""
        return super().plan(scope)[:1]

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each rotation of the search."""
        run = self.points(scope, records)
        columns = (run.n_changed, run.min_entry_score, run.min_weight_sum) if run else ()
        return Table(
            title=self.title,
            columns=("rotation", "changes", "smallest entry score", "smallest weight sum"),
            rows=tuple(
                (rotation, *values) for rotation, values in enumerate(zip(*columns, strict=True), 1)
            ),
        )

    def points(self, scope: Scope, records: Records) -> Run | None:
        """Return the curves of the first training, the one that searches."""
        (case,) = self.plan(scope)
        record = records.get(case.key)
        if record is None or not record.curves:
            return None
        curves = record.curves
        searching = [i for i, phase in enumerate(curves["phase"]) if phase == "search"]

        def searched(name: str) -> list[Any]:
            return [curves[name][i] for i in searching]

        return Run(searched("n_changed"), searched("min_entry_score"), searched("min_weight_sum"))
