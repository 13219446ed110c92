"""What a report tells of any run: the data that were read, and how to do it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Task = Literal["classification", "regression"]


@dataclass(frozen=True, kw_only=True)
class DataFacts:
    """What was read.

    Parameters
    ----------
    file_name : str
        As the user knows it.
    n_cases, n_features : int
        Rows, and columns to select from.
    target : str
        Name of the column that is to be predicted.
    task : {"classification", "regression"}
        What kind of target that is.
    class_counts : sequence of (str, int), default=()
        The classes and how many cases each has.
    target_range : tuple of float, optional
        Smallest and largest value of a target that is a number.
    notes : sequence of str, default=()
        What else a reader must know: columns left out and why, constant columns, guesses.

    Examples
    --------
    >>> data = DataFacts(
    ...     file_name="genes.csv", n_cases=63, n_features=2308, target="tumour",
    ...     task="classification", class_counts=[("BL", 8), ("EWS", 23), ("NB", 12), ("RMS", 20)],
    ... )
    >>> data.n_features
    2308
    """

    file_name: str
    n_cases: int
    n_features: int
    target: str
    task: Task
    class_counts: Sequence[tuple[str, int]] = ()
    target_range: tuple[float, float] | None = None
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.task not in ("classification", "regression"):
            raise ValueError(f'task must be "classification" or "regression"; got {self.task!r}.')


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """How a result came about, in full.

    Parameters
    ----------
    command : str
        The command line as it was typed.
    command_again : str, optional
        One that gives the same result, if that is another.
    settings : mapping of str to object, default={}
        Every parameter as it was used.
    seed : int, optional
        What all randomness came from.
    versions : mapping of str to str, default={}
        By package.
    machine : mapping of str to str, default={}
        Such as the processor and the operating system.
    n_threads : int, optional
        Threads that the computation used: sums in another order differ in the last digit.

    Examples
    --------
    >>> Provenance(command="entryprune select genes.csv", seed=0).seed
    0
    """

    command: str
    command_again: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)
    n_threads: int | None = None


def data_facts(data: DataFacts) -> dict[str, object]:
    """Return what was read as a plain dict."""
    return {
        "file_name": data.file_name,
        "n_cases": int(data.n_cases),
        "n_features": int(data.n_features),
        "target": data.target,
        "task": data.task,
        "classes": [{"label": str(label), "n_cases": int(n)} for label, n in data.class_counts],
        "target_range": None
        if data.target_range is None
        else [float(end) for end in data.target_range],
        "notes": list(data.notes),
    }


def provenance_facts(provenance: Provenance) -> dict[str, object]:
    """Return how to do it again as a plain dict; settings that JSON cannot hold become text."""
    return {
        "command": provenance.command,
        "command_again": provenance.command_again or provenance.command,
        "settings": {name: _plain(value) for name, value in provenance.settings.items()},
        "seed": None if provenance.seed is None else int(provenance.seed),
        "versions": dict(provenance.versions),
        "machine": dict(provenance.machine),
        "n_threads": None if provenance.n_threads is None else int(provenance.n_threads),
    }


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | str):
        return value
    # In full; and a float of NumPy's writes its type around the number.
    return repr(float(value)) if isinstance(value, float) else str(value)
