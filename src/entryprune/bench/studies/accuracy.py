"""Accuracy by the number of selected features, by learner, and with a larger network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

from entryprune.bench.learners import get_learner
from entryprune.bench.standings import Group, Published, Spread, in_sds
from entryprune.bench.store import ALL_FEATURES, Case, all_features
from entryprune.bench.studies._base import (
    EMBEDDED,
    OF_THE_SVM,
    Records,
    Scope,
    Size,
    Study,
    method_title,
)
from entryprune.data import DATASETS
from entryprune.methods import METHODS
from entryprune.report.figures.rows import Accuracies, Point
from entryprune.report.table import Cell, Table

PAPERS = tuple(name for name, info in DATASETS.items() if info.is_papers)
KS = (25, 50, 75, 100)
OURS = ("entryprune", "entryprune-flex")

_PROTOCOL_NOTE = (
    "Accuracy in percent. Protocol of the paper: scaling fitted on training and test cases "
    "together (a leak), to compare with published figures."
)
_CLEAN_NOTE = (
    "Accuracy in percent. Clean protocol: stratified splits, all fitted on training cases."
)

# "EntryPrune large": two layers of 1000, 500 epochs, 1500 mini-batches a rotation.
LARGE: dict[str, Any] = {
    "hidden_layer_sizes": [1000, 1000],
    "stopping": "epochs",
    "max_epochs": 500,
    "batches_per_rotation": 1500,
}
_QUICK_LARGE: dict[str, Any] = {
    "hidden_layer_sizes": [200, 200],
    "stopping": "epochs",
    "max_epochs": 60,
    "batches_per_rotation": 50,
}
_PUBLISHED_LARGE = {
    25: Published(16.82, 0.87),
    50: Published(21.49, 0.22),
    75: Published(23.17, 0.31),
    100: Published(24.17, 0.33),
}


class Accuracy(Study):
    """The main tables, accuracy against K, and average accuracy by data set."""

    name = "accuracy"
    title = "Accuracy by number of selected features"
    place = "Tables 3 and 4, Figures 4 and 5"
    full = Size(PAPERS, OURS, KS)
    quick = Size(EMBEDDED, (*OURS, "fisher", "mrmr", "l1", "extra-trees"), (5, 10), n_seeds=2)
    figures: ClassVar[tuple[str, ...]] = ("accuracy-by-k", "average-accuracy")
    columns = (
        *("data set", "K", "method", "learner", "accuracy", "SD", "runs", "published"),
        *("published SD", "difference", "in SDs", "seconds", "seconds, not alone", "remark"),
    )

    def plan(self, scope: Scope) -> list[Case]:
        """Return the grid, and each data set with all its features."""
        size = self.size(scope)
        return all_features(size.datasets, protocol=size.protocol) + size.cases()

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set, K and method, and say how the data were split."""
        note = _PROTOCOL_NOTE if self.size(scope).protocol == "paper" else _CLEAN_NOTE
        return replace(super().table(scope, records), notes=(note,))

    def rows(self, scope: Scope, records: Records) -> Iterable[tuple[Cell, ...]]:
        """Return a row for each group and learner, ordered by data set, learner and K."""
        groups = self.groups(scope, records)
        order = {title: place for place, title in enumerate(dict.fromkeys(g.title for g in groups))}
        methods = [ALL_FEATURES, *METHODS]

        def place(one: Group) -> tuple[int, int, int]:
            rank = methods.index(one.method) if one.method in methods else len(methods)
            return order[one.title], one.k, rank

        groups.sort(key=place)
        return (_row(one, learner) for learner in self.scored_by(scope) for one in groups)

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


class Architecture(Study):
    """One hidden layer of 100 against two of 1000."""

    name = "architecture"
    title = "Accuracy with a larger network"
    place = "Table 7"
    full = Size(("cifar100",), OURS, KS)
    quick = Size(("digits",), ("entryprune",), (10,), n_seeds=2)
    columns = (
        *("data set", "K", "method", "accuracy", "SD", "runs"),
        *("published", "published SD", "difference", "in SDs"),
    )
    notes = (OF_THE_SVM,)

    def plan(self, scope: Scope) -> list[Case]:
        """Return the grid with the usual network and, for EntryPrune, the larger one."""
        size = self.size(scope)
        large = _QUICK_LARGE if scope.is_quick else LARGE
        return size.cases() + replace(size, methods=("entryprune",)).cases(large)

    def rows(self, scope: Scope, records: Records) -> Iterable[tuple[Cell, ...]]:
        """Return a row for each data set, method and K."""
        for one in self.groups(scope, records):
            is_papers_large = one.dataset == "cifar100" and one.records[0].case.settings == LARGE
            known = _PUBLISHED_LARGE.get(one.k) if is_papers_large else one.published()
            name = f"{method_title(one.method)}{' large' if one.settings else ''}"
            yield (one.title, one.k, name, *_beside(one.accuracy(), known))


def _point(one: Group) -> Point:
    return Point(one.title, method_title(one.method), one.k, *one.accuracy())


def _row(one: Group, learner: str) -> tuple[Cell, ...]:
    return (
        one.title,
        one.k or "all",
        method_title(one.method),
        get_learner(learner).title,
        *_beside(one.accuracy(learner), one.published(learner)),
        one.seconds().mean,
        one.seconds(is_alone=False).mean,
        one.trouble,
    )


def _beside(ours: Spread, known: Published | None) -> tuple[Cell, ...]:
    """Put our accuracy beside the published one."""
    published = (known.mean, known.sd) if known else (None, None)
    return (*ours, *published, *in_sds(ours, known))
