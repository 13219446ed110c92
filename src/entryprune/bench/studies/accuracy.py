"""Accuracy by the number of selected features: the paper's main experiment."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from entryprune.bench.cases import Case, all_features
from entryprune.bench.studies._base import EMBEDDED, PlannedStudy, Records, Scope, Size
from entryprune.bench.studies._comparison import (
    CLEAN_NOTE,
    COLUMNS,
    PROTOCOL_NOTE,
    method_title,
    rows,
)
from entryprune.bench.summary import Group
from entryprune.data import DATASETS
from entryprune.report.figures.rows import Accuracies, Point
from entryprune.report.table import Table

PAPERS = tuple(name for name, info in DATASETS.items() if info.is_papers)
KS = (25, 50, 75, 100)
OURS = ("entryprune", "entryprune-flex")


class Accuracy(PlannedStudy):
    """The main tables, accuracy against K, and average accuracy by data set."""

    name = "accuracy"
    title = "Accuracy by number of selected features"
    place = "Tables 3 and 4, Figures 4 and 5"
    full = Size(PAPERS, OURS, KS)
    quick = Size(EMBEDDED, (*OURS, "fisher", "mrmr", "l1", "extra-trees"), (5, 10), n_seeds=2)
    figures: ClassVar[tuple[str, ...]] = ("accuracy-by-k", "average-accuracy")

    def plan(self, scope: Scope) -> list[Case]:
        """Return the grid, and each data set with all its features."""
        size = self.size(scope)
        return all_features(size.datasets, protocol=size.protocol) + size.cases()

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set, K and method."""
        return Table(
            title=self.title,
            columns=COLUMNS,
            rows=rows(self.groups(scope, records), self.scored_by(scope)),
            notes=(PROTOCOL_NOTE if self.size(scope).protocol == "paper" else CLEAN_NOTE,),
        )

    def points(self, scope: Scope, records: Records) -> Accuracies | None:
        """Return means by data set, method and K, ours and the published ones."""
        groups = self.groups(scope, records)
        selections = [one for one in groups if one.k]
        if not selections:
            return None
        return Accuracies(
            points=[_point(one) for one in selections],
            published=[
                replace(_point(one), mean=known.mean, sd=known.sd, n=0)
                for one in selections
                if (known := one.published())
            ],
            reference={
                one.title: mean
                for one in groups
                if not one.k and (mean := one.accuracy().mean) is not None
            },
            n_features={
                one.title: one.done[0].shape["n_features"] for one in selections if one.done
            },
        )


class Learners(Accuracy):
    """Accuracy of other learners on the same selections."""

    name = "learners"
    title = "Accuracy by downstream learner"
    place = "Tables 5 and 6"
    full = Size(PAPERS, OURS, (50,))
    quick = Size(EMBEDDED, (*OURS, "fisher", "extra-trees"), (10,), n_seeds=2)
    learners: ClassVar[tuple[str, ...]] = ("svm", "knn", "et", "gb", "mlp")
    figures = ()


def _point(one: Group) -> Point:
    ours = one.accuracy()
    return Point(one.title, method_title(one.method), one.k, ours.mean, ours.sd, ours.n)
