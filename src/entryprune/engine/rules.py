"""The rules of a training: how many candidates the input layer holds, and when to stop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from entryprune.engine.records import Progress

# Rotations without a lower loss after which flex changes the size.
_STALLED_ROTATIONS = 10
# Size changes in the second training of flex.
_N_STEPS = 10


# -- how many candidates ------------------------------------------------------------------------


def count_candidates(
    ratio: float, n_columns: int, n_selected: int, max_candidates: int | None = None
) -> int:
    """Return round(ratio (N - K)), at least one while there are features to try."""
    n_outside = n_columns - n_selected
    most = n_outside if max_candidates is None else min(n_outside, max_candidates)
    return min(max(round(ratio * n_outside), 1), most)


class SizeRule(Protocol):
    """Says how many candidates take part in the next rotation."""

    @property
    def n_candidates(self) -> int:
        """Candidates in the coming rotation."""
        ...

    def after_rotation(self, progress: Progress) -> None:
        """Take note of a rotation that is over."""
        ...


class FixedSize:
    """The same number of candidates throughout."""

    def __init__(self, n_candidates: int) -> None:
        self.n_candidates = n_candidates

    def after_rotation(self, progress: Progress) -> None:
        """Change nothing."""


class FlexSize:
    """Algorithm 2 of the paper: halve or double the candidates when the loss has stalled."""

    def __init__(
        self, ratio: float, n_columns: int, n_selected: int, max_candidates: int | None = None
    ) -> None:
        self._n_columns, self._n_selected = n_columns, n_selected
        self._max_candidates = max_candidates
        n_outside = n_columns - n_selected
        # The paper's only bound is N - K.
        self._largest = 1.0
        if max_candidates is not None and n_outside:
            self._largest = min(1.0, max_candidates / n_outside)
        self._smallest = min(n_selected / (5 * n_outside), self._largest) if n_outside else 1.0
        self._ratio = min(ratio, self._largest)
        self._shrinking = True
        self._loss_at_change = math.inf
        self._n_stalled = 0

    @property
    def n_candidates(self) -> int:
        """Candidates in the coming rotation."""
        return count_candidates(
            self._ratio, self._n_columns, self._n_selected, self._max_candidates
        )

    def after_rotation(self, progress: Progress) -> None:
        """Count the rotations without a lower loss, and change the size after ten (line 2)."""
        if progress.loss is None:
            return
        self._n_stalled = 0 if progress.is_new_low else self._n_stalled + 1
        if self._n_stalled >= _STALLED_ROTATIONS:
            self._n_stalled = 0
            self._change(progress.loss)

    def _change(self, loss: float) -> None:
        """Turn round if the last change did no good, then halve or double (lines 3 to 11)."""
        if loss > self._loss_at_change:
            self._shrinking = not self._shrinking
        self._loss_at_change = loss
        if self._shrinking:
            self._ratio = max(self._ratio / 2, self._smallest)
        else:
            self._ratio = min(self._ratio * 2, self._largest)


class SteppedSize:
    """From the first to the final number of candidates in ten equal steps.

    The eleven sizes share the rotations evenly; a run of fewer rotations passes over some.
    """

    def __init__(self, first: int, final: int, n_rotations: int) -> None:
        self._first, self._final = first, final
        self._n_rotations = n_rotations
        self._n_done = 0

    @property
    def n_candidates(self) -> int:
        """Candidates in the coming rotation."""
        if self._n_rotations > _N_STEPS:
            step = self._n_done * (_N_STEPS + 1) // self._n_rotations
        else:
            step = round(self._n_done * _N_STEPS / max(1, self._n_rotations - 1))
        return round(self._first + (self._final - self._first) * step / _N_STEPS)

    def after_rotation(self, progress: Progress) -> None:
        """Go on by one rotation, whatever the loss."""
        self._n_done = progress.rotation


# -- when to stop -------------------------------------------------------------------------------


class StoppingRule(Protocol):
    """Decides after each rotation."""

    def check(self, progress: Progress) -> str | None:
        """Return the reason to stop after this rotation, or None to go on."""
        ...

    @property
    def share_used(self) -> float:
        """How much of the patience, epochs or rotations is used up, 0 to 1."""
        ...


class Unchanged:
    """The selected set did not change for `patience` rotations: the paper's "ident"."""

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._n_unchanged = 0

    def check(self, progress: Progress) -> str | None:
        """Count the rotations in a row that changed nothing."""
        self._n_unchanged = 0 if progress.n_changed else self._n_unchanged + 1
        return "ident" if self._n_unchanged >= self._patience else None

    @property
    def share_used(self) -> float:
        """How much of the patience is used up, 0 to 1."""
        return self._n_unchanged / self._patience


class NotImproved:
    """The loss found no new low for `patience` rotations, or the set did not change for as many."""

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._unchanged = Unchanged(patience)
        self._n_worse = 0

    def check(self, progress: Progress) -> str | None:
        """Count the rotations in a row without a new low, and those without a change."""
        unchanged = self._unchanged.check(progress)
        if progress.loss is not None:
            self._n_worse = 0 if progress.is_new_low else self._n_worse + 1
        return "validation" if self._n_worse >= self._patience else unchanged

    @property
    def share_used(self) -> float:
        """How much of the patience is used up, 0 to 1."""
        return max(self._n_worse / self._patience, self._unchanged.share_used)


class Epochs:
    """A number of passes over the data."""

    def __init__(self, n_epochs: float) -> None:
        self._n_epochs = n_epochs
        self._epoch = 0.0

    def check(self, progress: Progress) -> str | None:
        """Stop with the rotation that completes the epochs."""
        self._epoch = progress.epoch
        return "epochs" if progress.epoch >= self._n_epochs else None

    @property
    def share_used(self) -> float:
        """Share of the epochs that are done."""
        return min(1.0, self._epoch / self._n_epochs)


class Rotations:
    """A number of rotations: the second training."""

    def __init__(self, n_rotations: int) -> None:
        self._n_rotations = n_rotations
        self._rotation = 0

    def check(self, progress: Progress) -> str | None:
        """Stop with the last rotation."""
        self._rotation = progress.rotation
        return "rotations" if progress.rotation >= self._n_rotations else None

    @property
    def share_used(self) -> float:
        """Share of the rotations that are done."""
        return min(1.0, self._rotation / self._n_rotations)


def _epochs(patience: int, max_epochs: float | None) -> StoppingRule:
    del patience
    if max_epochs is None:
        raise ValueError("stopping='epochs' needs max_epochs.")
    return Epochs(max_epochs)


# The rules to choose from, made of the patience and the number of epochs.
STOPPING_RULES: dict[str, Callable[[int, float | None], StoppingRule]] = {
    "validation": lambda patience, _: NotImproved(patience),
    "ident": lambda patience, _: Unchanged(patience),
    "epochs": _epochs,
}
