"""The measures of how well a learner predicts, by their names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from entryprune.bench.learners import LEARNERS, Learner, get_learner
from entryprune.methods import CLASSIFICATION, REGRESSION, SURVIVAL, look_up


@dataclass(frozen=True)
class Metric:
    """A measure, and what it is of those who look at no feature."""

    name: str
    title: str
    guess: str  # the guess that does best by this measure
    task: str = CLASSIFICATION
    higher_is_better: bool = True
    needs_probabilities: bool = False


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy (%)", "always the most frequent class"),
        Metric("balanced-accuracy", "balanced accuracy (%)", "always the same class"),
        Metric("auc", "AUC", "all samples alike"),
        Metric("f1", "macro F1", "classes drawn by their shares"),
        Metric(
            "log-loss",
            "log loss",
            "the share of each class",
            higher_is_better=False,
            needs_probabilities=True,
        ),
        Metric("r2", "explained variance (%)", "always the mean", REGRESSION),
        Metric("mae", "mean absolute error", "always the median", REGRESSION, False),
        Metric("rmse", "root mean squared error", "always the mean", REGRESSION, False),
        Metric("concordance", "concordance", "the same risk for all", SURVIVAL),
    )
}
_DEFAULTS = {CLASSIFICATION: "accuracy", REGRESSION: "r2", SURVIVAL: "concordance"}
_LEARNERS = {CLASSIFICATION: "svm", REGRESSION: "svr", SURVIVAL: "cox"}
# Where probabilities are needed, which the support vector machine has none of.
_PROBABLE = "logistic"


def get_metric(name: str) -> Metric:
    """Return the measure of this name, or say which there are."""
    return look_up(name, METRICS, "measure", "measures")


def judged_by(
    task: str, metric: str | None = None, learner: str | None = None
) -> tuple[Metric, Learner]:
    """Return a measure and a learner that fit the task and each other, by default the usual."""
    measure = get_metric(metric or _DEFAULTS[task])
    if measure.task != task:
        raise ValueError(
            f"{measure.name} is a measure for {measure.task}, and this is {task}. Take one of "
            f"{_names(METRICS.values(), task)}."
        )
    usual = _PROBABLE if measure.needs_probabilities else _LEARNERS[task]
    judge = get_learner(learner or usual)
    if judge.task != task:
        raise ValueError(
            f"The learner {judge.name} is for {judge.task}, and this is {task}. Take one of "
            f"{_names(LEARNERS.values(), task)}."
        )
    if measure.needs_probabilities and not judge.has_probabilities:
        able = [one for one in LEARNERS.values() if one.has_probabilities]
        raise ValueError(
            f"{measure.name} needs probabilities, and the learner {judge.name} gives none worth "
            f"the name. Take one of {_names(able, task)}."
        )
    return measure, judge


def _names(ones: Iterable[Metric] | Iterable[Learner], task: str) -> str:
    return ", ".join(one.name for one in ones if one.task == task)
