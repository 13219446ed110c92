"""Find the few columns that matter: supervised feature selection with neural networks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from entryprune.confidence import StabilitySelector
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
]
__version__ = "0.1.0.dev0"


def __getattr__(name: str) -> object:
    # torch takes seconds to import, so it waits until one of these is asked for.
    if name in {"load", "save"}:
        from entryprune import saving

        return getattr(saving, name)
    if name in {"Report", "compare", "find_suspects"}:
        from entryprune import reporting

        return getattr(reporting, name)
    if name == "StabilitySelector":
        from entryprune import confidence

        return confidence.StabilitySelector
    if name in __all__:
        from entryprune import selectors

        return getattr(selectors, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
