"""What the figures of the paper draw: plain rows that studies make, without matplotlib.

Names of data sets and methods are as they are to be written, accuracies are in per cent, and None
stands for what is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Point:
    """One method's accuracy on one data set with one K: mean and SD over n runs."""

    dataset: str
    method: str
    k: int
    mean: float | None
    sd: float | None = None
    n: int = 1


@dataclass(frozen=True)
class Accuracies:
    """Accuracies by K, and what stands beside them.

    `published` are results of others with the same methods; `reference` is the accuracy with all
    features, and `n_features` the number of these, by data set.
    """

    points: Sequence[Point]
    published: Sequence[Point] = ()
    reference: Mapping[str, float] = field(default_factory=dict)
    n_features: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Timing:
    """How long one method takes on one data set: mean and SD over n runs, and training epochs."""

    dataset: str
    method: str
    mean_seconds: float | None
    sd_seconds: float | None = None
    epochs: float | None = None
    n: int = 1


@dataclass(frozen=True)
class MetricResult:
    """The accuracy with one pruning metric; an entry score is kept from when a feature entered."""

    dataset: str
    variant: str
    metric: str
    has_entry_score: bool
    mean: float | None
    sd: float | None = None
    n: int = 1

    @property
    def label(self) -> str:
        """The metric's name, with "(E)" if it uses an entry score."""
        return f"{self.metric} (E)" if self.has_entry_score else self.metric


@dataclass(frozen=True)
class Setting:
    """The accuracy with one candidate ratio (the paper's c_ratio) and mini-batches (n_mb)."""

    candidate_ratio: float
    batches_per_rotation: int
    accuracy: float | None


@dataclass(frozen=True)
class SettingMaps:
    """Settings by data set, and those to draw a square around."""

    settings: Mapping[str, Sequence[Setting]]
    marked: Sequence[tuple[float, int]] = ()


@dataclass(frozen=True)
class Stability:
    """The average Jaccard index, 0 to 1, over all pairs of one method's runs on one data set."""

    dataset: str
    method: str
    jaccard: float | None
    n_runs: int


@dataclass(frozen=True)
class Trial:
    """The accuracy with one stopping rule, given a number of epochs or a patience in rotations."""

    dataset: str
    criterion: str
    value: float
    accuracy: float | None


@dataclass(frozen=True)
class Measure:
    """One measure's mean and SD over the features of one kind; each measure has a panel."""

    panel: str
    kind: str
    mean: float | None
    sd: float | None = None


@dataclass(frozen=True)
class Run:
    """By rotation: how many of the selected are new, and the smallest scores and weights."""

    n_changed: Sequence[int | None]
    min_entry_score: Sequence[float | None]
    min_weight_sum: Sequence[float | None]


@dataclass(frozen=True)
class RankPanel:
    """Mean ranks over one group of data sets (1 is best); `groups` cannot be told apart."""

    title: str
    ranks: Mapping[str, float]
    groups: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, eq=False)
class MaskPanel:
    """The features that one method selects, True where one is selected."""

    title: str
    accuracy: float | None
    mask: ArrayLike


@dataclass(frozen=True, eq=False)
class MaskPanels:
    """Masks, and images with values from 0 to 1, a row each.

    The shape of an image is (height, width), or (3, height, width): all of red, then green, then
    blue, and a feature is one colour of one pixel.
    """

    panels: Sequence[MaskPanel]
    samples: ArrayLike
    shape: tuple[int, ...]
