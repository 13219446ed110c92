"""scikit-learn estimators: validate, call the engine once, keep the results."""

from typing import TYPE_CHECKING

from entryprune._late import late

if TYPE_CHECKING:
    from entryprune.selectors._base import NothingLearnedWarning
    from entryprune.selectors._classifier import EntryPruneClassifier
    from entryprune.selectors._regressor import EntryPruneRegressor
    from entryprune.selectors._survival import EntryPruneSurvival

__all__ = [
    "EntryPruneClassifier",
    "EntryPruneRegressor",
    "EntryPruneSurvival",
    "NothingLearnedWarning",
]

_HOMES = {
    "_base": ("NothingLearnedWarning",),
    "_classifier": ("EntryPruneClassifier",),
    "_regressor": ("EntryPruneRegressor",),
    "_survival": ("EntryPruneSurvival",),
}

__getattr__, __dir__ = late(__name__, _HOMES, __all__)
