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
        As the user knows it; empty if the data came from memory.
    n_samples, n_features : int
        Rows, and columns to select from.
    target : str
        Name of the column that is to be predicted.
    task : {"classification", "regression"}
        What kind of target that is.
    class_counts : sequence of (str, int), default=()
        The classes and how many samples each has.
    target_range : tuple of float, optional
        Smallest and largest value of a target that is a number.
    notes : sequence of str, default=()
        What else a reader must know: columns left out and why, constant columns, guesses.

    Examples
    --------
    >>> data = DataFacts(
    ...     file_name="genes.csv", n_samples=63, n_features=2308, target="tumour",
    ...     task="classification", class_counts=[("BL", 8), ("EWS", 23), ("NB", 12), ("RMS", 20)],
    ... )
    >>> data.n_features
    2308
    """

    file_name: str
    n_samples: int
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
    command : str, default=""
        The command line as it was typed; empty if there was none.
    command_again : str, optional
        One that gives the same result, if that is another.
    code : str, default=""
        The selector as Python writes it, where there was no command line.
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

    command: str = ""
    command_again: str | None = None
    code: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)
    n_threads: int | None = None
