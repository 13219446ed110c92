"""What settings do to accuracy: the pruning metric, the size of a rotation, the stopping rule."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import astuple, replace
from functools import cache
from typing import Any

from entryprune.bench.standings import group
from entryprune.bench.store import Case
from entryprune.bench.studies._base import (
    EMBEDDED,
    MEAN_OF_THE_SVM,
    OF_THE_SVM,
    Records,
    Scope,
    Size,
    Study,
    method_title,
)
from entryprune.report.figures.rows import MetricResult, Setting, SettingMaps, Trial
from entryprune.report.table import Cell

# The metric's name in figures, the estimator's parameters, and whether features keep the score
# they entered with.
VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = tuple(
    (title, {"change_metric": metric, "entry_scores": has_entry_score})
    for title, metric, has_entry_score in (
        ("gradient", "gradient", True),
        ("gradient", "gradient", False),
        ("weight change", "weight_change", True),
        ("weight change", "weight_change", False),
        ("magnitude", "magnitude", True),
        ("magnitude", "magnitude", False),
        ("Molchanov", "molchanov", False),
    )
)


class Metrics(Study):
    """Accuracy by pruning metric, with and without entry scores."""

    name = "metrics"
    title = "Accuracy by pruning metric"
    place = "Figure 7"
    full = Size(
        ("coil20", "usps", "arcene", "prostate_ge"), ("entryprune", "entryprune-flex"), (50,)
    )
    quick = Size(EMBEDDED, ("entryprune",), (10,), n_seeds=2)
    figures = ("metrics",)
    columns = ("data set", "method", "metric", "entry score", "accuracy", "SD", "runs")
    notes = (OF_THE_SVM,)

    def settings(self, scope: Scope) -> list[dict[str, Any]]:
        """Return each metric."""
        del scope
        return [settings for _, settings in VARIANTS]

    def rows(self, scope: Scope, records: Records) -> Iterable[tuple[Cell, ...]]:
        """Return a row for each data set, variant and metric."""
        for one in self.points(scope, records):
            has_entry_score = "yes" if one.has_entry_score else "no"
            yield one.dataset, one.variant, one.metric, has_entry_score, one.mean, one.sd, one.n

    def points(self, scope: Scope, records: Records) -> list[MetricResult]:
        """Return the accuracy by data set, variant and metric."""
        results = []
        for title, settings in VARIANTS:
            keys = [case.key for case in self.size(scope).cases(settings)]
            for one in group(records[key] for key in keys if key in records):
                variant, has_entry_score = method_title(one.method), settings["entry_scores"]
                results.append(
                    MetricResult(one.title, variant, title, has_entry_score, *one.accuracy())
                )
        return results


# -- candidate ratio and mini-batches of a rotation -----------------------------------------------

RATIOS = (0.01, 1.0)
BATCHES = (1, 150)
# The paper's settings for long and for wide data.
PAPERS = ((0.2, 100), (0.5, 5))
_CORNERS = tuple((ratio, batches) for ratio in RATIOS for batches in BATCHES)
_N_HALTON = {False: 40, True: 6}


class Hyperparameters(Study):
    """Corners, the paper's settings and points of a Halton sequence."""

    name = "hyperparameters"
    title = "Accuracy by candidate ratio and mini-batches of a rotation"
    place = "Figure 8"
    full = Size(("har", "isolet", "arcene"), ("entryprune",), (25,), n_seeds=3)
    quick = Size(("breast_cancer",), ("entryprune",), (5,), n_seeds=1)
    figures = ("hyperparameters",)
    columns = ("data set", "candidate ratio", "mini-batches", "accuracy")
    notes = (MEAN_OF_THE_SVM,)

    def settings(self, scope: Scope) -> list[dict[str, Any]]:
        """Return each pair."""
        return [
            {"candidate_ratio": ratio, "batches_per_rotation": batches}
            for ratio, batches in pairs_to_try(is_quick=scope.is_quick)
        ]

    def rows(self, scope: Scope, records: Records) -> Iterable[tuple[Cell, ...]]:
        """Return a row for each data set and setting."""
        maps = self.points(scope, records)
        for dataset, settings in maps.settings.items() if maps else ():
            for setting in settings:
                yield (dataset, *astuple(setting))

    def points(self, scope: Scope, records: Records) -> SettingMaps | None:
        """Return mean accuracies by data set and setting."""
        found: dict[str, list[Setting]] = {}
        for one in self.groups(scope, records):
            asked, mean = one.records[0].case.settings, one.accuracy().mean
            setting = Setting(asked["candidate_ratio"], asked["batches_per_rotation"], mean)
            found.setdefault(one.title, []).append(setting)
        return SettingMaps(found, PAPERS) if found else None


@cache
def pairs_to_try(*, is_quick: bool) -> tuple[tuple[float, int], ...]:
    """Return the candidate ratios and mini-batches to try."""
    from scipy.stats import qmc

    points = qmc.Halton(2, scramble=False).random(_N_HALTON[is_quick] + 1)[1:]  # the first is 0, 0
    scaled = qmc.scale(points, [RATIOS[0], BATCHES[0]], [RATIOS[1], BATCHES[1]])
    drawn = tuple((round(float(ratio), 4), round(float(batches))) for ratio, batches in scaled)
    return _CORNERS + PAPERS + drawn


# -- when to stop ---------------------------------------------------------------------------------

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
    columns = ("data set", "criterion", "value", "accuracy")
    notes = (f"{MEAN_OF_THE_SVM} The value is the number of epochs, or the patience in rotations.",)

    def cases(self, scope: Scope, records: Records) -> list[Case]:
        """Return the trials so far, and the next one of each search that is not at its end."""
        return [
            case
            for dataset in self.size(scope).datasets
            for criterion in CRITERIA
            for trial in self._trials(scope, records, dataset, criterion)
            for case in trial
        ]

    def _trials(
        self, scope: Scope, records: Records, dataset: str, criterion: str
    ) -> list[list[Case]]:
        """Replay a search from the records, which is the same each time; return its cases."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        name, least, most = CRITERIA[criterion]
        if scope.is_quick and criterion == "epochs":
            most = _QUICK_EPOCHS
        search = optuna.create_study(
            direction="maximize", sampler=optuna.samplers.TPESampler(seed=0)
        )
        size = self.size(scope)
        one_set = replace(size, datasets=(dataset,), ks=size.ks[:1])
        trials: list[list[Case]] = []
        for _ in range(_N_TRIALS[scope.is_quick]):
            trial = search.ask()
            value = trial.suggest_int(name, least, most, log=True)
            trials.append(one_set.cases({"stopping": criterion, name: value}))
            if not all(case.key in records for case in trials[-1]):
                break
            (one,) = group(records[case.key] for case in trials[-1])
            mean = one.accuracy().mean
            # A setting that cannot be run is the worst there is.
            search.tell(trial, 0.0 if mean is None or math.isnan(mean) else mean)
        return trials

    def points(self, scope: Scope, records: Records) -> list[Trial]:
        """Return the accuracy of each trial."""
        trials = []
        for one in self.groups(scope, records):
            asked = one.records[0].case.settings
            criterion = asked["stopping"]
            value = asked[CRITERIA[criterion][0]]
            trials.append(Trial(one.title, criterion, value, one.accuracy().mean))
        return trials


class StoppingByK(Study):
    """Accuracy by stopping rule for each number of selected features."""

    name = "stopping-by-k"
    title = "Accuracy by stopping criterion and number of selected features"
    place = "Table 8"
    full = Size(("gla_bra_180",), ("entryprune",), (25, 50, 75, 100))
    quick = Size(("breast_cancer",), ("entryprune",), (5, 10), n_seeds=1)
    patiences = (50, 100, 150, 200, 400, 500)
    epochs = (250, 500, 1000, 2500, 5000)
    columns = ("data set", "K", "criterion", "value", "accuracy", "SD", "runs")
    notes = (OF_THE_SVM,)

    def settings(self, scope: Scope) -> list[dict[str, Any]]:
        """Return each rule."""
        n = 2 if scope.is_quick else None
        return [
            *({"stopping": "validation", "patience": value} for value in self.patiences[:n]),
            *({"stopping": "epochs", "max_epochs": value} for value in self.epochs[:n]),
        ]

    def rows(self, scope: Scope, records: Records) -> Iterable[tuple[Cell, ...]]:
        """Return a row for each data set, rule and K."""
        for one in self.groups(scope, records):
            asked = one.records[0].case.settings
            value = asked.get("patience", asked.get("max_epochs"))
            yield (one.title, one.k, asked["stopping"], value, *one.accuracy())
