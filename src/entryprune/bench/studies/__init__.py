"""The paper's tables and figures, one study each, and comparisons that the paper does not have."""

from __future__ import annotations

from entryprune.bench.studies import accuracy, selections, settings, standings
from entryprune.bench.studies._base import Scope, Study
from entryprune.methods import look_up

__all__ = ["STUDIES", "Scope", "Study", "get_study"]

_ALL: tuple[Study, ...] = (
    accuracy.Accuracy(),
    accuracy.Learners(),
    standings.Speed(),
    settings.Metrics(),
    settings.Hyperparameters(),
    selections.StabilityByRatio(),
    selections.StabilityByMethod(),
    settings.Stopping(),
    settings.StoppingByK(),
    accuracy.Architecture(),
    selections.Regrowth(),
    selections.Convergence(),
    selections.Masks(),
    standings.Leaderboard(),
    selections.Truth(),
    standings.RunTime(),
)
STUDIES = {study.name: study for study in _ALL}


def get_study(name: str) -> Study:
    """Return the study of this name, or say which there are."""
    return look_up(name, STUDIES, "study", "studies")
