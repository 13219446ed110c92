"""Find the few columns that matter: supervised feature selection with neural networks."""

from typing import TYPE_CHECKING

from entryprune._late import late

if TYPE_CHECKING:
    from entryprune.confidence import StabilitySelector
    from entryprune.genes import select_genes
    from entryprune.reporting import Report, compare, find_suspects
    from entryprune.saving import load, save
    from entryprune.selectors import (
        EntryPruneClassifier,
        EntryPruneRegressor,
        EntryPruneSurvival,
        NothingLearnedWarning,
    )

__all__ = [
    "EntryPruneClassifier",
    "EntryPruneRegressor",
    "EntryPruneSurvival",
    "NothingLearnedWarning",
    "Report",
    "StabilitySelector",
    "__version__",
    "compare",
    "find_suspects",
    "load",
    "save",
    "select_genes",
]
__version__ = "0.1.0.dev0"

# torch takes seconds to import, so it waits until one of these is asked for.
_HOMES = {
    "confidence": ("StabilitySelector",),
    "genes": ("select_genes",),
    "reporting": ("Report", "compare", "find_suspects"),
    "saving": ("load", "save"),
    "selectors": (
        *("EntryPruneClassifier", "EntryPruneRegressor", "EntryPruneSurvival"),
        "NothingLearnedWarning",
    ),
}

__getattr__, __dir__ = late(__name__, _HOMES, __all__)
