"""The window: the columns that are in the input layer now."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

if TYPE_CHECKING:
    from entryprune.engine.columns import ColumnSource

_MAX_VIEWS = 1024


class Batch(NamedTuple):
    """Some samples, for one pass through the network.

    What else there is to know of a sample gets a field here, so that it reaches the loss without
    another argument on the way.
    """

    inputs: Tensor  # feature by feature
    targets: Tensor  # sample by sample
    weights: Tensor | None = None  # how often each sample counts; once where there are none


class Window:
    """A feature-major copy of the columns in the input layer.

    A row is a feature: the first `n_selected` rows are the selected features, the rest the
    candidates, so a rotation writes one block. Along a row lie the validation samples, the training
    samples, and the first training samples once more: the training samples form a ring, every
    mini-batch is a slice of it that needs no copy, all batches are full, and over the epochs
    every sample gets the same number of turns.
    """

    def __init__(
        self,
        source: ColumnSource,
        targets: Tensor,
        *,
        n_selected: int,
        n_validation: int,
        batch_size: int,
        weights: Tensor | None = None,
    ) -> None:
        self.source = source
        self.n_selected = n_selected
        self.n_validation = n_validation
        self.n_training = source.n_cases - n_validation
        self.batch_size = min(batch_size, self.n_training)
        self._overlap = self.batch_size if self.batch_size < self.n_training else 0
        self._position = 0
        ring = targets[n_validation : n_validation + self._overlap]
        self.targets = torch.cat([targets, ring])
        self.weights = None
        if weights is not None:
            self.weights = torch.cat([weights, weights[n_validation:][: self._overlap]])
        self.n_inputs = 0
        # A view costs as much as a small operation, and the same slices come round again.
        self._views: dict[int, Batch] = {}
        self.values = torch.empty(0, source.n_cases + self._overlap, device=targets.device)

    def resize(self, n_inputs: int) -> None:
        """Make room for `n_inputs` features; the selected ones keep their rows."""
        if n_inputs > len(self.values):
            seated = self.values[: self.n_selected].clone()
            width = self.values.shape[1]
            # The old block goes before the new one comes, so that both are never held at once.
            del self.values
            self.values = torch.empty(n_inputs, width, device=seated.device)
            self.values[: len(seated)] = seated
        self.n_inputs = n_inputs
        self._views.clear()

    def fill(self, first_row: int, columns: Tensor) -> None:
        """Read `columns` into the rows from `first_row` on."""
        rows = self.values[first_row : first_row + len(columns)]
        n_cases = self.source.n_cases
        self.source.read(columns, out=rows[:, :n_cases])
        if self._overlap:
            start = self.n_validation
            rows[:, n_cases:] = rows[:, start : start + self._overlap]

    def move(self, origins: list[int], destinations: list[int]) -> None:
        """Copy each row in `origins` onto its partner in `destinations`."""
        for origin, destination in zip(origins, destinations, strict=True):
            self.values[destination].copy_(self.values[origin])

    def batch(self, rows: slice) -> Batch:
        """Return the next mini-batch of the features in `rows`, without moving on."""
        start = self.n_validation + self._position
        stop = start + self.batch_size
        return self._piece(self.values[rows, start:stop], start, stop)

    def next_batch(self) -> Batch:
        """Return the next mini-batch of the whole input layer, and move on."""
        batch = self._views.get(self._position)
        if batch is None:
            batch = self.batch(slice(self.n_inputs))
            if len(self._views) < _MAX_VIEWS:
                self._views[self._position] = batch
        self._position = (self._position + self.batch_size) % self.n_training
        return batch

    def validation_batches(self) -> list[Batch]:
        """Return the validation samples, selected features only, in pieces of at most a batch."""
        starts = range(0, self.n_validation, self.batch_size)
        stops = [min(start + self.batch_size, self.n_validation) for start in starts]
        return [
            self._piece(self.values[: self.n_selected, start:stop], start, stop)
            for start, stop in zip(starts, stops, strict=True)
        ]

    def _piece(self, inputs: Tensor, start: int, stop: int) -> Batch:
        weights = None if self.weights is None else self.weights[start:stop]
        return Batch(inputs, self.targets[start:stop], weights)
