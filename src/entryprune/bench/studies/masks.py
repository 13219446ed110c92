"""Which pixels were selected, and what is left of sample images."""

from __future__ import annotations

from dataclasses import replace

from entryprune.bench.cases import Case
from entryprune.bench.studies._base import PlannedStudy, Records, Scope, Size
from entryprune.bench.studies._comparison import method_title
from entryprune.data import load_dataset
from entryprune.report.figures.rows import MaskPanel, MaskPanels
from entryprune.report.table import Table


class Masks(PlannedStudy):
    """The first run's selection of each method as a mask, and its mean accuracy."""

    name = "masks"
    title = "Selected pixels"
    place = "Figures 1 and 9"
    full = Size(("mnist",), ("entryprune", "neurofs", "lassonet", "fisher"), (25,))
    quick = Size(("digits",), ("entryprune", "fisher", "mrmr", "extra-trees"), (10,), n_seeds=1)
    figures = ("masks",)

    def plan(self, scope: Scope) -> list[Case]:
        """Return the grid for one data set and one K."""
        size = self.size(scope)
        return replace(size, datasets=size.datasets[:1], ks=size.ks[:1]).cases()

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each method."""
        return Table(
            title=self.title,
            columns=("data set", "K", "method", "accuracy", "selected in the first run"),
            rows=tuple(
                (
                    one.title,
                    one.k,
                    method_title(one.method),
                    one.accuracy().mean,
                    " ".join(map(str, sorted(one.done[0].selected))) if one.done else "",
                )
                for one in self.groups(scope, records)
            ),
            notes=("SVM on the selected features, accuracy in percent, mean of the runs.",),
        )

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
        panels = [
            MaskPanel(
                method_title(one.method),
                one.accuracy().mean,
                np.isin(columns, one.done[0].selected),
            )
            for one in groups
        ]
        return MaskPanels(panels, examples(dataset.X, dataset.y), dataset.image_shape)
