"""What came of a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from entryprune.bench.cases import Case

DONE, REFUSED, FAILED, OVERDUE = "done", "refused", "failed", "overdue"


@dataclass(frozen=True)
class Record:
    """One line of the store.

    Attributes
    ----------
    case : Case
        What was asked.
    status : {"done", "refused", "failed", "overdue"}
        Whether there is a selection, and if not, what happened.
    reason : str
        Why there is no selection; empty if there is one.
    seconds : float or None
        Wall-clock time of the selection alone.
    is_alone : bool
        Whether no other case ran beside it; only then its time counts.
    n_threads : int
        Threads that it might use.
    load : float
        Load of the machine over the minute before it began.
    selected : sequence of int
        The selected columns, best first.
    accuracies : mapping
        Percent of test cases that each learner got right; of variance, for quantities.
    measures : mapping
        Further numbers: "epochs", "rotations", "own_accuracy" (of the selector's own network),
        "recall" (share of the columns that are known to matter that was selected).
    curves : mapping
        What a selector reports by rotation: numbers, and the name of the phase.
    shape : mapping
        "n_features", "n_train", "n_test".
    title : str
        What tables call the data set.
    subset : str
        What part of the data set was used; empty if all of it.
    settings : mapping
        Every parameter of the selector.
    versions, machine : mapping
        What it ran on.
    started : str
        When, in UTC.
    """

    case: Case
    status: str
    reason: str = ""
    seconds: float | None = None
    is_alone: bool = False
    n_threads: int = 1
    load: float = 0.0
    selected: Sequence[int] = ()
    accuracies: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    shape: Mapping[str, int] = field(default_factory=dict)
    title: str = ""
    subset: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    started: str = ""

    @property
    def is_done(self) -> bool:
        """Whether there is a selection."""
        return self.status == DONE

    def to_json(self) -> dict[str, Any]:
        """Return plain data, without what is empty.

        Examples
        --------
        >>> Record(Case("digits", "fisher", 5, 0), "done", selected=[3, 1]).to_json()["selected"]
        [3, 1]
        """
        plain = asdict(self)
        plain["case"] = _without_empty(plain["case"], keep=("k", "seed"))
        return _without_empty(plain, keep=("case", "status"))

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Record:
        """Return the record that `to_json` was called on."""
        return cls(**{**plain, "case": Case(**plain["case"])})


def _without_empty(mapping: dict[str, Any], keep: tuple[str, ...]) -> dict[str, Any]:
    return {
        name: value
        for name, value in mapping.items()
        if name in keep or not (value is None or value is False or value in ("", [], {}, ()))
    }
