"""When to stop rotating."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from entryprune.engine.records import Progress


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
