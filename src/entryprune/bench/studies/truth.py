"""How much of what is known to matter a method finds."""

from __future__ import annotations

from itertools import product
from typing import ClassVar

from entryprune.bench.cases import N_TRUTH_FOLDS, TRUTH, Case
from entryprune.bench.studies._base import PlannedStudy, Records, Scope, Size
from entryprune.bench.studies._comparison import method_title
from entryprune.bench.studies._sets import CONTENDERS, contenders
from entryprune.bench.summary import Group
from entryprune.data import get_dataset
from entryprune.methods import METHODS
from entryprune.report.table import Table

_COLUMNS = (16, 64, 256, 1024, 2048)
_SETS = tuple(
    f"{kind}-{m}" for kind, m in product(("ring", "xor", "ring-xor", "ring-xor-sum"), _COLUMNS)
)
_OTHERS = ("dag-2000", "friedman1-105", "linear-50000", "logistic-50000")
_DISTRACTED = tuple(f"digits+{kind}-50" for kind in ("random", "corrupted", "second-order"))


class Truth(PlannedStudy):
    """Recall of the relevant columns where they are known: the best p of p."""

    name = "truth"
    title = "Share of the relevant columns that is found"
    place = "not in the paper"
    full = Size((*_SETS, *_OTHERS, *_DISTRACTED), CONTENDERS, n_seeds=N_TRUTH_FOLDS, protocol=TRUTH)
    quick = Size(
        ("ring-16", "xor-16", "ring-xor-16", "wine+random-50"),
        ("entryprune-exchange", "entryprune", "mrmr", "extra-trees", "fisher"),
        n_seeds=2,
        protocol=TRUTH,
    )
    # Nothing is predicted, so classes and quantities can stand in one table.
    learners: ClassVar[tuple[str, ...]] = ()

    def plan(self, scope: Scope) -> list[Case]:
        """Return the grid, with as many columns to select as are known to matter."""
        size = self.size(scope)
        methods = scope.methods or contenders(size.methods)
        return [
            Case(dataset, method, k, seed, size.protocol)
            for seed, dataset in product(size.seeds, size.datasets)
            for k in size.ks or (_n_relevant(dataset, scope),)
            for method in methods
        ]

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set and K, a column for each method."""
        found: dict[tuple[str, int], dict[str, Group]] = {}
        for one in self.groups(scope, records):
            found.setdefault((one.dataset, one.k), {})[one.method] = one
        ran = {method for by_method in found.values() for method in by_method}
        methods = [m for m in dict.fromkeys([*CONTENDERS, *METHODS]) if m in ran]
        rows = []
        for (_, k), by_method in found.items():
            recalls = {name: one.measure("recall") for name, one in by_method.items()}
            first = next((one for one in by_method.values() if one.done), None)
            rows.append(
                (
                    first.title if first else next(iter(by_method.values())).dataset,
                    first.done[0].shape.get("n_features") if first else None,
                    k,
                    max(recall.n for recall in recalls.values()),
                    *(recalls[name].mean if name in recalls else None for name in methods),
                )
            )
        return Table(
            title=self.title,
            columns=("data set", "columns", "K", "runs", *map(method_title, methods)),
            rows=tuple(rows),
            notes=(
                "Mean over folds of the share of relevant columns among the K selected; K is their "
                "number, so 1 is all of them and nothing else. Of a table with distractors the "
                "relevant ones are its own, as far as they vary.",
                "Six folds, not shuffled, the columns in another order in each; six more runs are "
                "six folds of data made anew. Empty: the method cannot do the task, or failed.",
            ),
        )


def _n_relevant(dataset: str, scope: Scope) -> int:
    n_relevant = get_dataset(dataset, scope.folder).n_relevant
    if not n_relevant:
        what = "nobody knows which" if n_relevant is None else "none"
        raise ValueError(
            f"Of the columns of {dataset!r} {what} matter, so there is nothing to find. Take a "
            f"data set such as xor-64 or digits+random-50, or 'entryprune bench run'."
        )
    return n_relevant
