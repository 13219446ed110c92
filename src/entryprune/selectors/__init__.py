"""scikit-learn estimators: validate, call the engine once, keep the results."""

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
