"""The models that show what a selection is worth, and the measures of how well they predict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from entryprune.methods import CLASSIFICATION, REGRESSION, SURVIVAL, look_up

# scikit-learn takes a second to import, so it waits until a learner is made.


@dataclass(frozen=True)
class Learner:
    """A model that is trained on the selected features and tested."""

    name: str
    title: str
    make: Callable[[int], Any]  # the model for a seed
    # Classes are scored by the percentage that is right, quantities by the percentage of their
    # variance that is explained, times until an event by the concordance in percent.
    task: str = CLASSIFICATION
    words: str = ""  # what people call it, where the title is short for it
    has_probabilities: bool = False  # that are worth the name: not only 0 and 1
    for_rare: str = ""  # the same with classes of equal weight, however rare some of them are

    @property
    def in_words(self) -> str:
        """The name in a sentence."""
        return self.words or self.title


def _svm(seed: int) -> Any:
    from sklearn.svm import SVC

    del seed
    return SVC()


def _nearest_neighbour(seed: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    del seed
    return KNeighborsClassifier(n_neighbors=1)


def _logistic_regression(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    del seed
    # Its penalty is in units of the features. A data set that is standardised is scaled again.
    return make_pipeline(MinMaxScaler(), LogisticRegression(max_iter=1000))


def _extra_trees(seed: int) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(n_estimators=50, random_state=seed)


def _boosting(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed)


def _network(seed: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(early_stopping=True, max_iter=500, random_state=seed)


def _support_vector_regression(seed: int) -> Any:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    del seed
    # Its penalty and its margin are in units of the target.
    return TransformedTargetRegressor(SVR(), transformer=StandardScaler())


def _boosted_regression(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(random_state=seed)


def _with_equal_classes(make: Callable[[int], Any], seed: int) -> Any:
    """Return a model that minds a rare class as much as a frequent one."""
    model = make(seed)
    (name,) = (one for one in model.get_params() if one.endswith("class_weight"))
    return model.set_params(**{name: "balanced"})


def _cox_regression(seed: int) -> Any:
    from entryprune.bench.models import CoxRegression

    del seed
    return CoxRegression()


def _pair(learner: Learner) -> tuple[Learner, Learner]:
    """Return a learner, and the same with classes of equal weight."""
    name = f"{learner.name}-balanced"
    other = Learner(
        name,
        f"{learner.title}, classes of equal weight",
        partial(_with_equal_classes, learner.make),
        words=f"{learner.in_words} with classes of equal weight",
    )
    return replace(learner, for_rare=name), other


LEARNERS = {
    learner.name: learner
    for learner in (
        *_pair(Learner("svm", "SVM", _svm, words="support vector machine")),
        Learner("knn", "1-NN", _nearest_neighbour, words="nearest neighbour"),
        *_pair(
            Learner("logistic", "logistic regression", _logistic_regression, has_probabilities=True)
        ),
        *_pair(Learner("et", "ExtraTrees", _extra_trees, has_probabilities=True)),
        *_pair(Learner("gb", "gradient boosting", _boosting, has_probabilities=True)),
        Learner("mlp", "MLP", _network, words="neural network", has_probabilities=True),
        Learner(
            "svr",
            "SVM regression",
            _support_vector_regression,
            REGRESSION,
            words="support vector regression",
        ),
        Learner("gbr", "gradient boosting", _boosted_regression, REGRESSION),
        Learner("cox", "Cox regression", _cox_regression, SURVIVAL),
    )
}


def get_learner(name: str) -> Learner:
    """Return the learner of this name, or say which there are."""
    return look_up(name, LEARNERS, "learner", "learners")


# -- how well they predict -------------------------------------------------------------------------


@dataclass(frozen=True)
class Metric:
    """A measure, and what it is of those who look at no feature."""

    name: str
    title: str
    guess: str  # the guess that does best by this measure
    task: str = CLASSIFICATION
    higher_is_better: bool = True
    needs_probabilities: bool = False
    minds_rare: bool = False  # a rare class as much as a frequent one


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy (%)", "always the most frequent class"),
        Metric(
            "balanced-accuracy", "balanced accuracy (%)", "always the same class", minds_rare=True
        ),
        Metric("auc", "AUC", "all samples alike", minds_rare=True),
        Metric("f1", "macro F1", "classes drawn by their shares", minds_rare=True),
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
    """Return a measure and a learner that fit the task and each other, by default the usual.

    A measure that minds rare classes is that of a learner that does: another would hardly ever say
    that a sample is of one, whatever it learned from.
    """
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
    if measure.minds_rare and judge.for_rare:
        judge = get_learner(judge.for_rare)
    return measure, judge


def _names(ones: Iterable[Metric] | Iterable[Learner], task: str) -> str:
    return ", ".join(one.name for one in ones if one.task == task)
