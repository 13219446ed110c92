"""A run's history: what it reports, rotation by rotation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]

_NUMBERS = ("training_loss", "validation_loss", "n_changed", "min_entry_score", "input_size")


@dataclass(frozen=True, eq=False)
class History:
    """The arrays of a history, an entry for each rotation, portion of seats or exchange.

    Attributes
    ----------
    phase : array of str
        "search" and "final" for the two trainings of the paper's algorithm, "growth", "pairs"
        and "exchange" where features take seats, are traded for pairs, and are exchanged.
    training_loss, validation_loss, n_changed, min_entry_score, input_size : array
        As a selector reports them; what is not known or infinite is NaN.
    """

    phase: NDArray[np.str_]

    training_loss: FloatArray
    validation_loss: FloatArray
    n_changed: FloatArray
    min_entry_score: FloatArray
    input_size: FloatArray

    def __len__(self) -> int:
        return len(self.n_changed)

    @property
    def n_search(self) -> int:
        """Rotations of the search; those after it belong to the final training."""
        is_final = self.phase == "final"
        return int(is_final.argmax()) if is_final.any() else len(self)

    @property
    def is_growth(self) -> bool:
        """Whether features took seats, and not turns in an input layer."""
        return bool(np.isin(self.phase, ("growth", "pairs", "exchange")).all())


def read_history(history: Mapping[str, ArrayLike]) -> History:
    """Check a history and turn it into numbers.

    Parameters
    ----------
    history : mapping of str to array
        By name, as a selector's ``history_``.

    Raises
    ------
    ValueError
        If an array is missing, empty, or of another length than the others.

    Examples
    --------
    >>> names = ("training_loss", "validation_loss", "n_changed", "min_entry_score", "input_size")
    >>> history = read_history({"phase": ["search", "final"], **{name: [2, 1] for name in names}})
    >>> len(history), history.n_search
    (2, 1)
    """
    missing = [name for name in ("phase", *_NUMBERS) if name not in history]
    if missing:
        raise ValueError(
            f"The history has no {', '.join(missing)}. Give the history_ of a selector, or arrays "
            f"with the names phase, {', '.join(_NUMBERS)}."
        )
    phases = np.asarray(history["phase"]).astype(str)
    lengths = {name: np.shape(history[name]) for name in _NUMBERS}
    if len(phases) == 0 or any(shape != phases.shape for shape in lengths.values()):
        raise ValueError(
            "All arrays of a history have one length, at least 1; got "
            f"phase {phases.shape}, {', '.join(f'{n} {shape}' for n, shape in lengths.items())}."
        )
    return History(phases, **{name: _numbers(history[name]) for name in _NUMBERS})


def _numbers(values: ArrayLike) -> FloatArray:
    numbers = np.array(values, dtype=np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers
