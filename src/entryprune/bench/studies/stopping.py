"""When to stop: a search over the patience or the epochs of each stopping rule."""

from __future__ import annotations

import math
from dataclasses import astuple, replace
from typing import Any

from entryprune.bench.cases import Case
from entryprune.bench.studies._base import PlannedStudy, Records, Scope, Size, Study
from entryprune.bench.summary import group
from entryprune.report.figures.rows import Trial
from entryprune.report.table import Table

# The parameter of each rule, and the range in which the paper searched it.
CRITERIA: dict[str, tuple[str, int, int]] = {
    "epochs": ("max_epochs", 1, 5000),
    "ident": ("patience", 1, 400),
    "validation": ("patience", 1, 200),
}
_N_TRIALS = {False: 30, True: 5}
_QUICK_EPOCHS = 500


class Stopping(Study):
    """Accuracy by stopping rule and its parameter; Optuna chooses what to try next."""

    name = "stopping"
    title = "Accuracy by stopping criterion"
    place = "Figure 12"
    full = Size(("isolet", "arcene"), ("entryprune",), (50,), n_seeds=3)
    quick = Size(("breast_cancer",), ("entryprune",), (5,), n_seeds=1)
    figures = ("stopping",)

    def cases(self, scope: Scope, records: Records) -> list[Case]:
        """Return the trials so far, and the next one of each search that is not at its end."""
        size = self.size(scope)
        return [
            case
            for dataset in size.datasets
            for criterion in CRITERIA
            for value in self._trials(scope, records, dataset, criterion)
            for case in self._cases(scope, dataset, criterion, value)
        ]

    def _cases(self, scope: Scope, dataset: str, criterion: str, value: int) -> list[Case]:
        size = self.size(scope)
        settings = {"stopping": criterion, CRITERIA[criterion][0]: value}
        return replace(size, datasets=(dataset,), ks=size.ks[:1]).cases(settings)

    def _trials(self, scope: Scope, records: Records, dataset: str, criterion: str) -> list[int]:
        """Replay a search from the records; it is the same each time."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        name, least, most = CRITERIA[criterion]
        if scope.is_quick and criterion == "epochs":
            most = _QUICK_EPOCHS
        search = optuna.create_study(
            direction="maximize", sampler=optuna.samplers.TPESampler(seed=0)
        )
        values = []
        for _ in range(_N_TRIALS[scope.is_quick]):
            trial = search.ask()
            value = trial.suggest_int(name, least, most, log=True)
            values.append(value)
            accuracy = self._accuracy(scope, records, dataset, criterion, value)
            if accuracy is None:
                break
            search.tell(trial, accuracy)
        return values

    def _accuracy(
        self, scope: Scope, records: Records, dataset: str, criterion: str, value: int
    ) -> float | None:
        """Return the mean accuracy of a trial, None if not all its cases have been run."""
        keys = [case.key for case in self._cases(scope, dataset, criterion, value)]
        if not all(key in records for key in keys):
            return None
        (one,) = group(records[key] for key in keys)
        mean = one.accuracy().mean
        # A setting that cannot be run is the worst there is.
        return 0.0 if mean is None or math.isnan(mean) else mean

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each trial."""
        return Table(
            title=self.title,
            columns=("data set", "criterion", "value", "accuracy"),
            rows=tuple(astuple(trial) for trial in self.points(scope, records)),
            notes=(
                "SVM on the selected features, accuracy in percent, mean of the runs. The value "
                "is the number of epochs, or the patience in rotations.",
            ),
        )

    def points(self, scope: Scope, records: Records) -> list[Trial]:
        """Return the accuracy of each trial."""
        trials = []
        for one in self.groups(scope, records):
            asked = one.records[0].case.settings
            criterion = asked["stopping"]
            value = asked[CRITERIA[criterion][0]]
            trials.append(Trial(one.title, criterion, value, one.accuracy().mean))
        return trials


class StoppingByK(PlannedStudy):
    """Accuracy by stopping rule for each number of selected features."""

    name = "stopping-by-k"
    title = "Accuracy by stopping criterion and number of selected features"
    place = "Table 8"
    full = Size(("gla_bra_180",), ("entryprune",), (25, 50, 75, 100))
    quick = Size(("breast_cancer",), ("entryprune",), (5, 10), n_seeds=1)
    patiences = (50, 100, 150, 200, 400, 500)
    epochs = (250, 500, 1000, 2500, 5000)

    def settings(self, scope: Scope) -> list[dict[str, Any]]:
        """Return each rule."""
        n = 2 if scope.is_quick else None
        return [
            *({"stopping": "validation", "patience": value} for value in self.patiences[:n]),
            *({"stopping": "epochs", "max_epochs": value} for value in self.epochs[:n]),
        ]

    def table(self, scope: Scope, records: Records) -> Table:
        """Return a row for each data set, rule and K."""
        rows = []
        for one in self.groups(scope, records):
            asked = one.records[0].case.settings
            value = asked.get("patience", asked.get("max_epochs"))
            ours = one.accuracy()
            rows.append((one.title, one.k, asked["stopping"], value, ours.mean, ours.sd, ours.n))
        return Table(
            title=self.title,
            columns=("data set", "K", "criterion", "value", "accuracy", "SD", "runs"),
            rows=tuple(rows),
            notes=("SVM on the selected features, accuracy in percent.",),
        )
