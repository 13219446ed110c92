"""How much the selections of several runs have in common."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from entryprune.bench.studies._base import EMBEDDED, PlannedStudy, Records, Scope, Size
from entryprune.bench.studies._comparison import method_title
from entryprune.report.figures.rows import Stability
from entryprune.report.table import Table

RATIOS = (0.2, 0.5, 0.8)
# Jaccard index, and accuracy of EntryPrune's own network and of an SVM, on MNIST with K = 50.
_PUBLISHED = {0.2: (0.13, 95.80, 96.84), 0.5: (0.15, 93.95, 96.71), 0.8: (0.21, 91.50, 96.06)}


class StabilityByRatio(PlannedStudy):
    """Jaccard index and accuracy by candidate ratio."""

    name = "stability-ratio"
    title = "Stability of the selection by candidate ratio"
    place = "Table 1"
    full = Size(("mnist",), ("entryprune",), (50,), n_seeds=20)
    quick = Size(("digits",), ("entryprune",), (10,), n_seeds=5)

    def settings(self, scope: Scope) -> list[dict[str, Any]]:
        """Return each ratio."""
        del scope
        return [{"candidate_ratio": ratio} for ratio in RATIOS]

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set and ratio."""
        rows = []
        for one in self.groups(scope, records):
            ratio = one.records[0].case.settings["candidate_ratio"]
            own, svm = one.measure("own_accuracy"), one.accuracy()
            is_papers = (one.dataset, one.k) == ("mnist", 50)
            known = _PUBLISHED.get(ratio) if is_papers else None
            rows.append(
                (
                    one.title,
                    one.k,
                    ratio,
                    one.jaccard(),
                    str(own),
                    str(svm),
                    svm.n,
                    *(known or (None, None, None)),
                )
            )
        return Table(
            title=self.title,
            columns=(
                *("data set", "K", "candidate ratio", "Jaccard index", "own accuracy"),
                *("SVM accuracy", "runs", "published index", "published own", "published SVM"),
            ),
            rows=tuple(rows),
            notes=("Mean over all pairs of runs; accuracy in percent, mean ± SD.",),
        )


class StabilityByMethod(PlannedStudy):
    """Jaccard index by method."""

    name = "stability"
    title = "Stability of the selection by method"
    place = "Figure 11"
    full = Size(
        ("coil20", "usps", "arcene", "prostate_ge"), ("entryprune", "neurofs", "lassonet"), (50,)
    )
    quick = Size(EMBEDDED, ("entryprune", "neurofs", "extra-trees"), (10,), n_seeds=3)
    figures = ("stability",)

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set and method."""
        return Table(
            title=self.title,
            columns=("data set", "method", "Jaccard index", "runs"),
            rows=tuple(astuple(one) for one in self.points(scope, records)),
            notes=("Mean over all pairs of runs.",),
        )

    def points(self, scope: Scope, records: Records) -> list[Stability]:
        """Return Jaccard indices by data set and method."""
        return [
            Stability(one.title, method_title(one.method), one.jaccard(), len(one.done))
            for one in self.groups(scope, records)
        ]
