"""How the selected set settles in the course of one run."""

from __future__ import annotations

from typing import Any

from entryprune.bench.cases import Case, grid
from entryprune.bench.studies._base import PlannedStudy, Records, Scope, Size, TableData

_NAMES = ("n_changed", "min_entry_score", "min_weight_sum")


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
        size = self.size(scope)
        return grid(size.datasets[:1], size.methods[:1], size.ks[:1], (0,), protocol=size.protocol)

    def table(self, scope: Scope, records: Records) -> TableData:
        """Return a row for each rotation of the search."""
        run = self.points(scope, records)["run"]
        return {
            "title": self.title,
            "columns": ("rotation", "changes", "smallest entry score", "smallest weight sum"),
            "rows": tuple(
                (rotation, *values)
                for rotation, values in enumerate(zip(*run.values(), strict=True), 1)
            ),
            "notes": (),
        }

    def points(self, scope: Scope, records: Records) -> dict[str, Any]:
        """Return the curves of the first training, the one that searches."""
        (case,) = self.plan(scope)
        record = records.get(case.key)
        if record is None or not record.curves:
            return {"run": {name: [] for name in _NAMES}}
        is_search = [phase == "search" for phase in record.curves["phase"]]
        return {
            "run": {
                name: [
                    value for value, ok in zip(record.curves[name], is_search, strict=True) if ok
                ]
                for name in _NAMES
            }
        }
