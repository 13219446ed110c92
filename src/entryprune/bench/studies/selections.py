"""What is selected: how stable it is, how it settles, and whether it is what matters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any, ClassVar

from entryprune.bench.standings import Group, Spread
from entryprune.bench.store import N_TRUTH_FOLDS, REGROWTH_TOY, TRUTH, Case
from entryprune.bench.studies._base import (
    CONTENDERS,
    EMBEDDED,
    MEAN_OF_THE_SVM,
    Records,
    Scope,
    Size,
    Study,
    contenders,
    method_title,
)
from entryprune.data import get_dataset, load_dataset
from entryprune.methods import METHODS
from entryprune.report.figures.rows import MaskPanel, MaskPanels, Measure, Run, Stability
from entryprune.report.table import Cell, Table

RATIOS = (0.2, 0.5, 0.8)
# Jaccard index, and accuracy of EntryPrune's own network and of an SVM, on MNIST with K = 50.
_PUBLISHED = {0.2: (0.13, 95.80, 96.84), 0.5: (0.15, 93.95, 96.71), 0.8: (0.21, 91.50, 96.06)}

# Of the toy: the kinds of features, and the criteria that may tell them apart.
KINDS = ("linear", "interaction", "noise")
PANELS = ("gradient metric", "correlation", "entry score", "gain")


class StabilityByRatio(Study):
    """Jaccard index and accuracy by candidate ratio."""

    name = "stability-ratio"
    title = "Stability of the selection by candidate ratio"
    place = "Table 1"
    full = Size(("mnist",), ("entryprune",), (50,), n_seeds=20)
    quick = Size(("digits",), ("entryprune",), (10,), n_seeds=5)
    columns = (
        *("data set", "K", "candidate ratio", "Jaccard index", "own accuracy"),
        *("SVM accuracy", "runs", "published index", "published own", "published SVM"),
    )
    notes = ("Mean over all pairs of runs; accuracy in percent, mean ± SD.",)

    def settings(self, scope: Scope) -> list[dict[str, Any]]:
        """Return each ratio."""
        del scope
        return [{"candidate_ratio": ratio} for ratio in RATIOS]

    def rows(self, scope: Scope, records: Records) -> Iterable[tuple[Cell, ...]]:
        """Return a row for each data set and ratio."""
        for one in self.groups(scope, records):
            ratio = one.records[0].case.settings["candidate_ratio"]
            own, svm = one.measure("own_accuracy"), one.accuracy()
            is_papers = (one.dataset, one.k) == ("mnist", 50)
            known = (_PUBLISHED.get(ratio) if is_papers else None) or (None, None, None)
            yield (one.title, one.k, ratio, one.jaccard(), str(own), str(svm), svm.n, *known)


class StabilityByMethod(Study):
    """Jaccard index by method."""

    name = "stability"
    title = "Stability of the selection by method"
    place = "Figure 11"
    full = Size(
        ("coil20", "usps", "arcene", "prostate_ge"), ("entryprune", "neurofs", "lassonet"), (50,)
    )
    quick = Size(EMBEDDED, ("entryprune", "neurofs", "extra-trees"), (10,), n_seeds=3)
    figures = ("stability",)
    columns = ("data set", "method", "Jaccard index", "runs")
    notes = ("Mean over all pairs of runs.",)

    def points(self, scope: Scope, records: Records) -> list[Stability]:
        """Return Jaccard indices by data set and method."""
        return [
            Stability(one.title, method_title(one.method), one.jaccard(), len(one.done))
            for one in self.groups(scope, records)
        ]


class Convergence(Study):
    """Changes to the set, its smallest entry score and its smallest weights, by rotation."""

    name = "convergence"
    title = "Convergence of one run"
    place = "Figure 3"
    full = Size(("mnist",), ("entryprune",), (50,), n_seeds=1)
    quick = Size(("digits",), ("entryprune",), (10,), n_seeds=1)
    figures = ("convergence",)
    columns = ("rotation", "changes", "smallest entry score", "smallest weight sum")

    def plan(self, scope: Scope) -> list[Case]:
        """Return one case."""
        return super().plan(scope)[:1]

    def rows(self, scope: Scope, records: Records) -> Iterable[tuple[Cell, ...]]:
        """Return a row for each rotation of the search."""
        run = self.points(scope, records)
        curves = (run.n_changed, run.min_entry_score, run.min_weight_sum) if run else ()
        return ((n, *values) for n, values in enumerate(zip(*curves, strict=True), 1))

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


class Masks(Study):
    """The first run's selection of each method as a mask, and its mean accuracy."""

    name = "masks"
    title = "Selected pixels"
    place = "Figures 1 and 9"
    full = Size(("mnist",), ("entryprune", "neurofs", "lassonet", "fisher"), (25,))
    quick = Size(("digits",), ("entryprune", "fisher", "mrmr", "extra-trees"), (10,), n_seeds=1)
    figures = ("masks",)
    columns = ("data set", "K", "method", "accuracy", "selected in the first run")
    notes = (MEAN_OF_THE_SVM,)

    def plan(self, scope: Scope) -> list[Case]:
        """Return the grid for one data set and one K."""
        size = self.size(scope)
        return replace(size, datasets=size.datasets[:1], ks=size.ks[:1]).cases()

    def rows(self, scope: Scope, records: Records) -> Iterable[tuple[Cell, ...]]:
        """Return a row for each method."""
        for one in self.groups(scope, records):
            selected = sorted(one.done[0].selected) if one.done else ()
            shown = " ".join(map(str, selected))
            yield one.title, one.k, method_title(one.method), one.accuracy().mean, shown

    def points(self, scope: Scope, records: Records) -> MaskPanels | None:
        """Return the selected columns by method, and some images of the data set."""
        groups = [one for one in self.groups(scope, records) if one.done]
        if not groups:
            return None
        import numpy as np

        from entryprune.report.statistics import examples

        dataset = load_dataset(groups[0].dataset, folder=scope.folder)
        if dataset.image_shape is None:
            raise ValueError(
                f"Masks need a data set of images, and {dataset.title} is not known to be one."
            )
        columns = np.arange(dataset.X.shape[1])
        panels = []
        for one in groups:
            mask = np.isin(columns, one.done[0].selected)
            panels.append(MaskPanel(method_title(one.method), one.accuracy().mean, mask))
        return MaskPanels(panels, examples(dataset.X, dataset.y), dataset.image_shape)


class Regrowth(Study):
    """Gradient, correlation, entry score and gain of linear, interaction and noise features."""

    name = "regrowth"
    title = "What criteria see of linear, interaction and noise features"
    place = "Figure 10"
    full = Size(("toy",), ("entryprune",), (0,))
    quick = Size(("toy",), ("entryprune",), (0,), n_seeds=2)
    learners = ()
    figures = ("regrowth",)
    columns = ("criterion", "features", "mean", "SD")
    notes = (
        "6 linear, 6 interaction (XOR pairs) and 8 noise features, 3000 cases. The gain is "
        "LightGBM's; the paper has XGBoost's. The entry score depends on the settings: those here "
        "were chosen because they tell interactions from noise.",
    )

    def plan(self, scope: Scope) -> list[Case]:
        """Return a case for each seed; the data are made, not loaded."""
        size = self.size(scope)
        return [Case("toy", "entryprune", 0, seed, kind=REGROWTH_TOY) for seed in size.seeds]

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


# -- what is known to matter -----------------------------------------------------------------------

_COLUMNS = (16, 64, 256, 1024, 2048)
_SETS = tuple(
    f"{kind}-{m}" for kind, m in product(("ring", "xor", "ring-xor", "ring-xor-sum"), _COLUMNS)
)
_OTHERS = ("dag-2000", "friedman1-105", "linear-50000", "logistic-50000")
_DISTRACTED = tuple(f"digits+{kind}-50" for kind in ("random", "corrupted", "second-order"))


class Truth(Study):
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
        return [
            Case(dataset, method, k, seed, size.protocol)
            for seed, dataset in product(size.seeds, size.datasets)
            for k in size.ks or (_n_relevant(dataset, scope),)
            for method in contenders(scope, size)
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
