"""What came of a case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from entryprune.bench.cases import Case

if TYPE_CHECKING:
    from entryprune.bench.predictions import Prediction

DONE, REFUSED, FAILED, OVERDUE = "done", "refused", "failed", "overdue"


@dataclass(frozen=True)
class Record:
    """One line of the store."""

    case: Case
    status: str  # "done", "refused", "failed" or "overdue"
    reason: str = ""  # why there is no selection
    seconds: float | None = None  # of the selection alone
    is_alone: bool = False  # no other case ran beside it; only then its time counts
    n_threads: int = 1
    load: float = 0.0  # of the machine, over the minute before
    selected: Sequence[int] = ()  # columns, best first
    # By learner: percent of test cases that it got right; of variance, for quantities.
    accuracies: Mapping[str, float] = field(default_factory=dict)
    # By learner: what each measure is. Of tables of the user's own only.
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    # "epochs", "rotations", "own_accuracy" (of the selector's own network), "recall" (share of
    # the columns that are known to matter that was selected).
    measures: Mapping[str, float] = field(default_factory=dict)
    # What a selector reports by rotation: numbers, and the name of the phase.
    curves: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    # "n_features", "n_train", "n_test".
    shape: Mapping[str, int] = field(default_factory=dict)
    title: str = ""  # what tables call the data set
    subset: str = ""  # what part of the data set was used; empty if all of it
    # Every parameter of the selector.
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    started: str = ""  # when, in UTC
    # By learner: what it says of each test sample. Only where that is asked for, and never stored.
    predictions: Mapping[str, Prediction] = field(default_factory=dict, repr=False)

    @property
    def is_done(self) -> bool:
        """Whether there is a selection."""
        return self.status == DONE

    def to_json(self) -> dict[str, Any]:
        """Return plain data, without what is empty."""
        plain = asdict(replace(self, predictions={}))
        plain["case"] = _without_empty(plain["case"], keep=("k", "seed"))
        return _without_empty(plain, keep=("case", "status"))

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Record:
        """Return the record that `to_json` was called on; JSON has null for what is no number."""
        curves = {
            name: [math.nan if value is None else value for value in values]
            for name, values in plain.get("curves", {}).items()
        }
        return cls(**{**plain, "case": Case(**plain["case"]), "curves": curves})


def _without_empty(mapping: dict[str, Any], keep: tuple[str, ...]) -> dict[str, Any]:
    return {
        name: value
        for name, value in mapping.items()
        if name in keep or not (value is None or value is False or value in ("", [], {}, ()))
    }
