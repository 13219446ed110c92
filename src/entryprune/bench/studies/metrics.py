"""Which change to judge features by: the paper's ablation of the pruning metric."""

from __future__ import annotations

from typing import Any

from entryprune.bench.studies._base import EMBEDDED, PlannedStudy, Records, Scope, Size
from entryprune.bench.studies._comparison import method_title
from entryprune.bench.summary import group
from entryprune.report.figures.rows import MetricResult
from entryprune.report.table import Table

# The metric's name in figures, the estimator's parameters, and whether features keep the score
# they entered with.
VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = tuple(
    (title, {"change_metric": metric, "entry_scores": has_entry_score})
    for title, metric, has_entry_score in (
        ("gradient", "gradient", True),
        ("gradient", "gradient", False),
        ("weight change", "weight_change", True),
        ("weight change", "weight_change", False),
        ("magnitude", "magnitude", True),
        ("magnitude", "magnitude", False),
        ("Molchanov", "molchanov", False),
    )
)


class Metrics(PlannedStudy):
    """Accuracy by pruning metric, with and without entry scores."""

    name = "metrics"
    title = "Accuracy by pruning metric"
    place = "Figure 7"
    full = Size(
        ("coil20", "usps", "arcene", "prostate_ge"), ("entryprune", "entryprune-flex"), (50,)
    )
    quick = Size(EMBEDDED, ("entryprune",), (10,), n_seeds=2)
    figures = ("metrics",)

    def settings(self, scope: Scope) -> list[dict[str, Any]]:
        """Return each metric."""
        del scope
        return [settings for _, settings in VARIANTS]

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set, variant and metric."""
        return Table(
            title=self.title,
            columns=("data set", "method", "metric", "entry score", "accuracy", "SD", "runs"),
            rows=tuple(
                (
                    *(one.dataset, one.variant, one.metric),
                    "yes" if one.has_entry_score else "no",
                    *(one.mean, one.sd, one.n),
                )
                for one in self.points(scope, records)
            ),
            notes=("SVM on the selected features, accuracy in percent.",),
        )

    def points(self, scope: Scope, records: Records) -> list[MetricResult]:
        """Return the accuracy by data set, variant and metric."""
        results = []
        for title, settings in VARIANTS:
            keys = [case.key for case in self.size(scope).cases(settings)]
            for one in group(records[key] for key in keys if key in records):
                ours, variant = one.accuracy(), method_title(one.method)
                has_entry_score = settings["entry_scores"]
                spread = (ours.mean, ours.sd, ours.n)
                results.append(MetricResult(one.title, variant, title, has_entry_score, *spread))
        return results
