"""A run's history: what it reports step by step, and what that comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from entryprune.report.base import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]

_NUMBERS = ("training_loss", "validation_loss", "n_changed", "min_entry_score", "input_size")


@dataclass(frozen=True, eq=False)
class History:
    """The arrays of a history, an entry for each rotation, seat or exchange.

    What is not known or infinite is NaN.
    """

    # "search" and "final" for the two trainings of the paper's algorithm; "growth", "pairs" and
    # "exchange" where features take seats, are traded for pairs, and are exchanged.
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


def read_history(history: Mapping[str, ArrayLike] | History) -> History:
    """Check a history and turn it into numbers, unless that was done before."""
    if isinstance(history, History):
        return history
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


@dataclass(frozen=True, kw_only=True)
class Convergence:
    """How the paper's algorithm settled, in rotations of the search and of the final training.

    `last_change` is the last rotation of the search that changed the set.
    """

    n_rotations: int
    n_search: int
    n_final: int
    first_n_changed: float | None
    last_n_changed: float | None
    last_change: int | None
    last_training_loss: float | None
    has_validation_loss: bool
    has_loss: bool
    has_threshold: bool
    last_threshold: float | None
    largest_input: int | None


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How features took seats one after the other, and were exchanged."""

    n_seats: int | None
    n_steps: int
    n_pairs: int
    n_exchanges: int
    n_exchanged: int
    first_loss: float | None
    last_loss: float | None
    seats_at_lowest: int | None
    has_plot: bool


def convergence_of(steps: History) -> Convergence | None:
    """Return how the selection settled; None if features took seats."""
    if steps.is_growth:
        return None
    changes = np.flatnonzero(steps.n_changed[: steps.n_search] > 0)
    has_training_loss, has_validation_loss, has_threshold = (
        bool(np.isfinite(values).any())
        for values in (steps.training_loss, steps.validation_loss, steps.min_entry_score)
    )
    sizes = steps.input_size[np.isfinite(steps.input_size)]
    return Convergence(
        n_rotations=len(steps),
        n_search=steps.n_search,
        n_final=len(steps) - steps.n_search,
        first_n_changed=plain(steps.n_changed[0]),
        last_n_changed=plain(steps.n_changed[-1]),
        last_change=int(changes[-1]) + 1 if len(changes) else None,
        last_training_loss=plain(steps.training_loss[-1]),
        has_validation_loss=has_validation_loss,
        has_loss=has_training_loss or has_validation_loss,
        has_threshold=has_threshold,
        last_threshold=plain(steps.min_entry_score[-1]),
        largest_input=int(sizes.max()) if len(sizes) else None,
    )


def growth_of(steps: History) -> Growth | None:
    """Return how features took seats; None where there are no losses to tell of."""
    losses = steps.training_loss
    if not steps.is_growth or not np.isfinite(losses).any():
        return None
    is_exchange = steps.phase == "exchange"
    n_seats = [None if np.isnan(size) else int(size) for size in steps.input_size]
    return Growth(
        n_seats=n_seats[-1],
        n_steps=int(np.count_nonzero(steps.phase == "growth")),
        n_pairs=int(np.count_nonzero(steps.phase == "pairs")),
        n_exchanges=int(np.count_nonzero(is_exchange)),
        n_exchanged=int(np.nansum(steps.n_changed[is_exchange])),
        first_loss=plain(losses[0]),
        last_loss=plain(losses[-1]),
        seats_at_lowest=n_seats[int(np.nanargmin(losses))],
        has_plot=bool(np.count_nonzero(np.isfinite(losses)) > 1),
    )
