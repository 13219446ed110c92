"""The paper's tables and figures, one study each, and comparisons that the paper does not have."""

from __future__ import annotations

from entryprune.bench.studies._base import Scope, Study, by_name
from entryprune.bench.studies.accuracy import Accuracy, Learners
from entryprune.bench.studies.architecture import Architecture
from entryprune.bench.studies.convergence import Convergence
from entryprune.bench.studies.hyperparameters import Hyperparameters
from entryprune.bench.studies.leaderboard import Leaderboard
from entryprune.bench.studies.masks import Masks
from entryprune.bench.studies.metrics import Metrics
from entryprune.bench.studies.regrowth import Regrowth
from entryprune.bench.studies.run_time import RunTime
from entryprune.bench.studies.speed import Speed
from entryprune.bench.studies.stability import StabilityByMethod, StabilityByRatio
from entryprune.bench.studies.stopping import Stopping, StoppingByK
from entryprune.bench.studies.truth import Truth
from entryprune.methods import look_up

__all__ = ["STUDIES", "Scope", "Study", "get_study"]

STUDIES = by_name(
    [
        Accuracy(),
        Learners(),
        Speed(),
        Metrics(),
        Hyperparameters(),
        StabilityByRatio(),
        StabilityByMethod(),
        Stopping(),
        StoppingByK(),
        Architecture(),
        Regrowth(),
        Convergence(),
        Masks(),
        Leaderboard(),
        Truth(),
        RunTime(),
    ]
)


def get_study(name: str) -> Study:
    """Return the study of this name, or say which there are."""
    return look_up(name, STUDIES, "study", "studies")
