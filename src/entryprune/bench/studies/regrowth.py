"""What gradient-based regrowth can see of interactions."""

from __future__ import annotations

from dataclasses import astuple

from entryprune.bench.cases import REGROWTH_TOY, Case
from entryprune.bench.studies._base import PlannedStudy, Records, Scope, Size
from entryprune.bench.summary import Spread
from entryprune.report.figures.rows import Measure
from entryprune.report.table import Table

KINDS = ("linear", "interaction", "noise")
PANELS = ("gradient metric", "correlation", "entry score", "gain")


class Regrowth(PlannedStudy):
    """Gradient, correlation, entry score and gain of linear, interaction and noise features."""

    name = "regrowth"
    title = "What criteria see of linear, interaction and noise features"
    place = "Figure 10"
    full = Size(("toy",), ("entryprune",), (0,))
    quick = Size(("toy",), ("entryprune",), (0,), n_seeds=2)
    learners = ()
    figures = ("regrowth",)

    def plan(self, scope: Scope) -> list[Case]:
        """Return a case for each seed; the data are made, not loaded."""
        size = self.size(scope)
        return [Case("toy", "entryprune", 0, seed, kind=REGROWTH_TOY) for seed in size.seeds]

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each criterion and kind of feature."""
        return Table(
            title=self.title,
            columns=("criterion", "features", "mean", "SD"),
            rows=tuple(astuple(one) for one in self.points(scope, records)),
            notes=(
                "6 linear, 6 interaction (XOR pairs) and 8 noise features, 3000 cases. The gain "
                "is LightGBM's; the paper has XGBoost's. The entry score depends on the settings: "
                "those here were chosen because they tell interactions from noise.",
            ),
        )

    def points(self, scope: Scope, records: Records) -> list[Measure]:
        """Return mean and standard deviation over the runs."""
        runs = [
            records[case.key].measures
            for case in self.plan(scope)
            if case.key in records and records[case.key].is_done
        ]
        measures = []
        for panel in PANELS:
            for kind in KINDS:
                name = f"{panel} of {kind}"
                spread = Spread.of(run[name] for run in runs if name in run)
                measures.append(Measure(panel, kind, spread.mean, spread.sd))
        return measures
