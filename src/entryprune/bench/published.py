"""The paper's figures, to be put beside ours."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# The paper's names of its learners.
_LEARNERS = {"SVM": "svm", "KNN": "knn", "ET": "et"}


@dataclass(frozen=True)
class Published:
    """A mean accuracy in percent and its standard deviation, where the paper gives one."""

    mean: float
    sd: float | None = None

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if self.sd is None else f"{self.mean:.2f} ± {self.sd:.2f}"


def published(dataset: str, method: str, k: int, learner: str = "svm") -> Published | None:
    """Return what the paper reports, if it does."""
    return _table().get((dataset, method, k, learner))


@cache
def _table() -> dict[tuple[str, str, int, str], Published]:
    text = files("entryprune.bench").joinpath("published.csv").read_text(encoding="utf-8")
    return {
        (
            row["dataset"],
            row["method"],
            0 if row["k"] == "all" else int(row["k"]),
            _LEARNERS[row["learner"]],
        ): Published(float(row["mean"]), float(row["sd"]) if row["sd"] else None)
        for row in csv.DictReader(text.splitlines())
    }
