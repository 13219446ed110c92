"""Which data sets, splits and methods a comparison over many sets takes if nobody says."""

from __future__ import annotations

from pathlib import Path

from entryprune.bench.studies._base import EMBEDDED
from entryprune.data import get_dataset, list_datasets
from entryprune.data.load import IN_FOLDER, SUBSET_IN_FOLDER
from entryprune.methods import METHODS

# Our new default first, when it is there; then what it must be better than.
CONTENDERS = (
    *("entryprune-exchange", "entryprune"),
    *("mrmr", "l1", "lightgbm", "extra-trees", "fisher", "variance", "random"),
)
SPLITS_WIDE, SPLITS_LONG, SPLITS_LARGE = 10, 3, 1
_LARGE = 20_000
# Wide is what has fewer training cases than features.
_TRAINING_SHARE = 0.8


def at_hand(folder: Path | None) -> tuple[str, ...]:
    """Return the data sets of the folder, wide ones first; without any, the embedded ones."""
    rows = [row for row in list_datasets(folder) if row.state in (IN_FOLDER, SUBSET_IN_FOLDER)]
    return tuple(row.name for row in sorted(rows, key=lambda row: row.is_long)) or EMBEDDED


def contenders(names: tuple[str, ...] = CONTENDERS) -> tuple[str, ...]:
    """Return those of the methods that are registered."""
    return tuple(name for name in names if name in METHODS)


def n_splits(n_cases: int, n_features: int) -> int:
    """Return how many splits a data set gets: few cases make accuracy a matter of luck."""
    if _TRAINING_SHARE * n_cases < n_features:
        return SPLITS_WIDE
    return SPLITS_LARGE if n_cases > _LARGE else SPLITS_LONG


def size_of(dataset: str, folder: Path | None) -> tuple[int, int]:
    """Return the numbers of cases and of features of a data set."""
    info = get_dataset(dataset, folder)
    return info.n_cases, info.n_features
