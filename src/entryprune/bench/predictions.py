"""What learners say of samples that they have not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


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


def predict(model: Any, X: NDArray[Any], samples: NDArray[np.intp]) -> Prediction:
    """Ask a fitted model for all that it says of some samples."""
    values = model.predict(X)
    classes = getattr(model, "classes_", None)
    if classes is None:
        return Prediction(samples, values)
    are_probabilities = hasattr(model, "predict_proba")
    scores = model.predict_proba(X) if are_probabilities else model.decision_function(X)
    if scores.ndim == 1:  # of two classes: how much likelier the second is
        scores = np.column_stack([-scores, scores])
    return Prediction(samples, values, classes, scores.astype(np.float64), are_probabilities)
