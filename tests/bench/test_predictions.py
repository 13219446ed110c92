import math

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss, r2_score, roc_auc_score

from entryprune.bench.learners import LEARNERS, METRICS, judged_by
from entryprune.bench.predictions import Prediction, guessed, measured

CLASSES = np.array(["a", "b", "c"])


def of_classes(true, scores, *, are_probabilities=True):
    scores = np.asarray(scores, dtype=float)
    values = CLASSES[scores.argmax(axis=1)]
    return Prediction(np.arange(len(true)), values, CLASSES, scores, are_probabilities)


def test_measures_of_classes_are_what_scikit_learn_says():
    rng = np.random.default_rng(0)
    true = rng.choice(CLASSES, 90, p=[0.6, 0.3, 0.1])
    raw = rng.random((90, 3)) + (true[:, None] == CLASSES)
    scores = raw / raw.sum(axis=1, keepdims=True)
    one = of_classes(true, scores)
    found = measured(one, true)
    assert found == pytest.approx(
        {
            "accuracy": 100 * np.mean(one.values == true),
            "balanced-accuracy": 100 * balanced_accuracy_score(true, one.values),
            "f1": f1_score(true, one.values, average="macro"),
            "auc": roc_auc_score(true, scores, multi_class="ovr"),
            "log-loss": log_loss(true, scores, labels=CLASSES),
        }
    )
    # An order is enough for the area, but not for the loss.
    without = measured(of_classes(true, raw * 7 - 3, are_probabilities=False), true)
    assert "log-loss" not in without


def test_classes_that_are_missing_on_one_side_do_no_harm():
    # No "c" to test on, and a "d" that nobody has learned.
    true = np.array(["a", "b", "d", "a"])
    scores = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.4, 0.3, 0.3], [0.2, 0.7, 0.1]]
    found = measured(of_classes(true, scores), true)
    assert found["accuracy"] == 50.0
    assert found["balanced-accuracy"] == pytest.approx(100 * (0.5 + 1 + 0) / 3)
    # "a" against the rest: of 0.8 and 0.2 against 0.3 and 0.4 one half is in order; "b" against the
    # rest: 0.6 is above 0.1 and 0.3, below 0.7.
    assert found["auc"] == pytest.approx((0.5 + 2 / 3) / 2)
    assert math.isfinite(found["log-loss"])
    # All of one class have no area.
    assert "auc" not in measured(of_classes(true[:1], scores[:1]), true[:1])


def test_measures_of_quantities():
    true, values = np.array([1.0, 2.0, 6.0]), np.array([2.0, 2.0, 3.0])
    found = measured(Prediction(np.arange(3), values), true)
    assert found == pytest.approx(
        {"mae": 4 / 3, "rmse": math.sqrt(10 / 3), "r2": 100 * r2_score(true, values)}
    )
    # What does not vary cannot be explained.
    assert "r2" not in measured(Prediction(np.arange(2), values[:2]), np.ones(2))


def test_guesses_know_the_target_alone():
    known = np.array(["a"] * 6 + ["b"] * 4)
    true = np.array(["a", "b", "b", "a"])
    found = guessed(known, true, "classification")
    assert found == pytest.approx(
        {
            "accuracy": 50.0,
            "balanced-accuracy": 50.0,
            "f1": 0.5,
            "auc": 0.5,
            "log-loss": -(math.log(0.6) + math.log(0.4)) / 2,
        }
    )
    quantities = guessed(np.array([0.0, 0.0, 6.0]), np.array([1.0, 3.0]), "regression")
    # The median is 0, the mean 2.
    assert quantities == pytest.approx({"mae": 2.0, "rmse": 1.0, "r2": 0.0})


def test_no_random_draw_has_a_higher_f1_than_the_guess():
    rng = np.random.default_rng(0)
    true = rng.choice(["a", "b"], 4000, p=[0.9, 0.1])
    chance = guessed(true, true, "classification")["f1"]
    for share in (0.0, 0.1, 0.5, 1.0):
        drawn = np.where(rng.random(4000) < share, "b", "a")
        assert f1_score(true, drawn, average="macro") < chance + 0.02


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_measure_has_a_guess_and_a_learner_that_can_be_measured(task):
    y = np.array([0.0, 1.0, 1.0, 0.0]) if task == "classification" else np.array([0.5, 1, 2, 3])
    names = {one.name for one in METRICS.values() if one.task == task}
    assert set(guessed(y, y, task)) == names
    for name in names:
        metric, learner = judged_by(task, name)
        assert metric.task == learner.task == task
        assert learner.has_probabilities or not metric.needs_probabilities


def test_what_does_not_go_together_is_refused():
    with pytest.raises(ValueError, match=r"svm gives none.*Take one of logistic, et, gb, mlp\."):
        judged_by("classification", "log-loss", "svm")
    with pytest.raises(ValueError, match=r"gbr is for regression.*Take one of svm, svm-balanced, "):
        judged_by("classification", None, "gbr")
    with pytest.raises(ValueError, match="There is no learner 'logistics'"):
        judged_by("classification", None, "logistics")


@pytest.mark.parametrize("learner", ["svm", "logistic", "et", "gb"])
def test_a_measure_that_minds_rare_classes_has_a_learner_that_does(learner):
    # One of twenty is "yes", and a third of the others look the same: it is never the safer guess.
    x = np.repeat([0.0, 1.0, 1.0], [130, 60, 10])[:, None]
    y = np.repeat(["no", "no", "yes"], [130, 60, 10])
    for name in ("accuracy", "log-loss") if learner != "svm" else ("accuracy",):
        metric, usual = judged_by("classification", name, learner)
        assert usual.name == learner
        assert not metric.minds_rare
    for name in ("auc", "balanced-accuracy", "f1"):
        _, minding = judged_by("classification", name, learner)
        assert minding.name == f"{learner}-balanced"
        assert minding.in_words.endswith(" with classes of equal weight")
    assert set(usual.make(0).fit(x, y).predict(x)) == {"no"}
    assert (minding.make(0).fit(x, y).predict([[0.0], [1.0]]) == ["no", "yes"]).all()
    # Who asks for one by its name has it by any measure; nearest neighbours know no weights.
    assert judged_by("classification", "accuracy", minding.name)[1] is minding
    assert judged_by("classification", "auc", "knn")[1].name == "knn"


def test_learners_have_the_probabilities_that_they_say():
    for learner in LEARNERS.values():
        has = hasattr(learner.make(0), "predict_proba")
        assert has or not learner.has_probabilities


def test_times_of_which_no_two_can_be_compared_have_no_concordance():
    times = np.column_stack([[1.0, 2.0, 3.0], [0, 0, 1]])
    assert measured(Prediction(np.arange(3), np.array([3.0, 2.0, 1.0])), times) == {}
    times[0, 1] = 1
    assert measured(Prediction(np.arange(3), np.array([3.0, 2.0, 1.0])), times) == {
        "concordance": 1.0
    }
