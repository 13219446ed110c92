"""What learners say of samples that they have not seen, and how good that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, roc_auc_score

from entryprune._survival import concordance
from entryprune.bench.models import PerOutput
from entryprune.methods import SURVIVAL

# The least probability that a class counts with, so that no loss is infinite.
_LEAST = 1e-15


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a learner says of the test samples of one fold."""

    samples: NDArray[np.intp]  # their rows in the table
    values: NDArray[Any]  # the predicted labels, or quantities
    classes: NDArray[Any] | None = None  # that the learner knows; None for quantities
    # A column for each class, larger where the class is likelier: probabilities, or where a learner
    # has none its decision function. None for quantities.
    scores: NDArray[np.float64] | None = None
    are_probabilities: bool = False
    # Of several outputs: what is said of each.
    outputs: tuple[Prediction, ...] = ()


def predict(model: Any, X: NDArray[Any], samples: NDArray[np.intp]) -> Prediction:
    """Ask a fitted model for all that it says of some samples."""
    if isinstance(model, PerOutput):
        outputs = tuple(predict(one, X, samples) for one in model.models)
        return Prediction(samples, np.column_stack([o.values for o in outputs]), outputs=outputs)
    values = model.predict(X)
    classes = getattr(model, "classes_", None)
    if classes is None:
        return Prediction(samples, values)
    are_probabilities = hasattr(model, "predict_proba")
    scores = model.predict_proba(X) if are_probabilities else model.decision_function(X)
    if scores.ndim == 1:  # of two classes: how much likelier the second is
        scores = np.column_stack([-scores, scores])
    return Prediction(samples, values, classes, scores.astype(np.float64), are_probabilities)


def measured(prediction: Prediction, true: NDArray[Any]) -> dict[str, float]:
    """Return every measure that can be taken of a prediction, by its name in `METRICS`.

    Of several outputs it is the mean of theirs.
    """
    if prediction.outputs:
        pairs = zip(prediction.outputs, true.T, strict=True)
        return _means([measured(one, column) for one, column in pairs])
    if true.ndim > 1:
        share = concordance(true[:, 0], true[:, 1] > 0, prediction.values)
        return {} if math.isnan(share) else {"concordance": share}  # no pair can be compared
    values, classes, scores = prediction.values, prediction.classes, prediction.scores
    if classes is None or scores is None:
        return _of_quantities(true, values)
    is_right = values == true
    found = {
        "accuracy": 100.0 * is_right.mean(),
        "balanced-accuracy": 100.0 * np.mean([is_right[true == c].mean() for c in np.unique(true)]),
        "f1": f1_score(true, values, average="macro", zero_division=0.0),
    }
    areas = [
        roc_auc_score(is_one, scores[:, column])
        for column, is_one in enumerate(true == label for label in classes)
        if 0 < is_one.sum() < len(true)
    ]
    if areas:  # else all are of one class, or of classes that the learner does not know
        found["auc"] = np.mean(areas)
    if prediction.are_probabilities:
        found["log-loss"] = _log_loss(true, classes, scores)
    return {name: float(value) for name, value in found.items()}


def guessed(known: NDArray[Any], true: NDArray[Any], task: str) -> dict[str, float]:
    """Return every measure of the best guess that knows the training target and no feature."""
    if task == SURVIVAL:
        return {"concordance": 0.5}
    if true.ndim > 1:
        pairs = zip(known.T, true.T, strict=True)
        return _means([guessed(one, other, task) for one, other in pairs])
    if task != "classification":
        mean, median = (np.full(len(true), one) for one in (known.mean(), np.median(known)))
        return _of_quantities(true, mean) | {"mae": float(np.abs(true - median).mean())}
    classes, counts = np.unique(known, return_counts=True)
    n_classes = len(np.unique(true))
    shares = np.tile(counts / len(known), (len(true), 1))
    return {
        "accuracy": 100.0 * float((true == classes[counts.argmax()]).mean()),
        "balanced-accuracy": 100.0 / n_classes,
        # Of all ways to draw classes at random, by their shares gives the highest: precision and
        # recall of a class are then its share.
        "f1": 1.0 / n_classes,
        "auc": 0.5,
        "log-loss": _log_loss(true, classes, shares),
    }


def _means(by_output: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over the outputs that have it."""
    names = dict.fromkeys(name for found in by_output for name in found)
    return {name: fmean([found[name] for found in by_output if name in found]) for name in names}


def _of_quantities(true: NDArray[Any], values: NDArray[Any]) -> dict[str, float]:
    errors = true - values
    squares, spread = float((errors**2).mean()), float(((true - true.mean()) ** 2).mean())
    found = {"mae": float(np.abs(errors).mean()), "rmse": squares**0.5}
    return found | {"r2": 100.0 * (1.0 - squares / spread)} if spread > 0 else found


def _log_loss(
    true: NDArray[Any], classes: NDArray[Any], probabilities: NDArray[np.float64]
) -> float:
    of_true = np.zeros(len(true))
    for column, label in enumerate(classes):
        is_one = true == label
        of_true[is_one] = probabilities[is_one, column]
    return float(-np.log(np.clip(of_true, _LEAST, 1.0)).mean())
