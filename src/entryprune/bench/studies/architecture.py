"""A larger network on a harder data set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from entryprune.bench.cases import Case
from entryprune.bench.published import Published
from entryprune.bench.studies._base import PlannedStudy, Records, Scope, Size
from entryprune.bench.studies._comparison import method_title
from entryprune.bench.summary import Group, in_sds
from entryprune.report.table import Table

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
_PUBLISHED = {
    25: Published(16.82, 0.87),
    50: Published(21.49, 0.22),
    75: Published(23.17, 0.31),
    100: Published(24.17, 0.33),
}


class Architecture(PlannedStudy):
    """One hidden layer of 100 against two of 1000."""

    name = "architecture"
    title = "Accuracy with a larger network"
    place = "Table 7"
    full = Size(("cifar100",), ("entryprune", "entryprune-flex"), (25, 50, 75, 100))
    quick = Size(("digits",), ("entryprune",), (10,), n_seeds=2)

    def plan(self, scope: Scope) -> list[Case]:
        """Return the grid with the usual network and, for EntryPrune, the larger one."""
        size = self.size(scope)
        large = _QUICK_LARGE if scope.is_quick else LARGE
        return size.cases() + replace(size, methods=("entryprune",)).cases(large)

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set, method and K."""
        rows = []
        for one in self.groups(scope, records):
            ours, known = one.accuracy(), _known(one)
            name = f"{method_title(one.method)}{' large' if one.settings else ''}"
            known_mean, known_sd = (known.mean, known.sd) if known else (None, None)
            beside = (known_mean, known_sd, *in_sds(ours, known))
            rows.append((one.title, one.k, name, ours.mean, ours.sd, ours.n, *beside))
        return Table(
            title=self.title,
            columns=(
                *("data set", "K", "method", "accuracy", "SD", "runs"),
                *("published", "published SD", "difference", "in SDs"),
            ),
            rows=tuple(rows),
            notes=("SVM on the selected features, accuracy in percent.",),
        )


def _known(one: Group) -> Published | None:
    is_papers_large = one.dataset == "cifar100" and one.records[0].case.settings == LARGE
    return _PUBLISHED.get(one.k) if is_papers_large else one.published()
