"""How accuracy depends on the candidate ratio and on the mini-batches of a rotation."""

from __future__ import annotations

from dataclasses import astuple
from functools import cache
from typing import Any

from entryprune.bench.studies._base import PlannedStudy, Records, Scope, Size
from entryprune.report.figures.rows import Setting, SettingMaps
from entryprune.report.table import Table

RATIOS = (0.01, 1.0)
BATCHES = (1, 150)
# The paper's settings for long and for wide data.
PAPERS = ((0.2, 100), (0.5, 5))
_CORNERS = tuple((ratio, batches) for ratio in RATIOS for batches in BATCHES)
_N_HALTON = {False: 40, True: 6}


class Hyperparameters(PlannedStudy):
    """Corners, the paper's settings and points of a Halton sequence."""

    name = "hyperparameters"
    title = "Accuracy by candidate ratio and mini-batches of a rotation"
    place = "Figure 8"
    full = Size(("har", "isolet", "arcene"), ("entryprune",), (25,), n_seeds=3)
    quick = Size(("breast_cancer",), ("entryprune",), (5,), n_seeds=1)
    figures = ("hyperparameters",)

    def settings(self, scope: Scope) -> list[dict[str, Any]]:
        """Return each pair."""
        return [
            {"candidate_ratio": ratio, "batches_per_rotation": batches}
            for ratio, batches in settings(is_quick=scope.is_quick)
        ]

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set and setting."""
        maps = self.points(scope, records)
        return Table(
            title=self.title,
            columns=("data set", "candidate ratio", "mini-batches", "accuracy"),
            rows=tuple(
                (dataset, *astuple(setting))
                for dataset, settings in (maps.settings.items() if maps else ())
                for setting in settings
            ),
            notes=("SVM on the selected features, accuracy in percent, mean of the runs.",),
        )

    def points(self, scope: Scope, records: Records) -> SettingMaps | None:
        """Return mean accuracies by data set and setting."""
        found: dict[str, list[Setting]] = {}
        for one in self.groups(scope, records):
            asked = one.records[0].case.settings
            found.setdefault(one.title, []).append(
                Setting(
                    asked["candidate_ratio"], asked["batches_per_rotation"], one.accuracy().mean
                )
            )
        return SettingMaps(found, PAPERS) if found else None


@cache
def settings(*, is_quick: bool) -> tuple[tuple[float, int], ...]:
    """Return the candidate ratios and mini-batches to try."""
    from scipy.stats import qmc

    points = qmc.Halton(2, scramble=False).random(_N_HALTON[is_quick] + 1)[1:]  # the first is 0, 0
    scaled = qmc.scale(points, [RATIOS[0], BATCHES[0]], [RATIOS[1], BATCHES[1]])
    drawn = tuple((round(float(ratio), 4), round(float(batches))) for ratio, batches in scaled)
    return _CORNERS + PAPERS + drawn
