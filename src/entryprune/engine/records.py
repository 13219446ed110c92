"""What the engine reports: a record per step, and the selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor, nn

    from entryprune.engine.exchange.pairs import Interaction


@dataclass(frozen=True, slots=True)
class Record:
    """One step of a run: a rotation of the input layer or, with growth and exchange, some seats."""

    # "search" for the training with validation samples, "final" for the one on all samples. With
    # growth and exchange, whether seats were taken ("growth"), were taken anew because pairs
    # explain more ("pairs"), or were exchanged ("exchange").
    phase: str
    rotation: int  # the number of the step, from 1
    epoch: float  # passes over the training samples so far; 0 with growth and exchange
    n_steps: int  # mini-batches so far; with growth and exchange the number of the step
    # The mean loss over the rotation's mini-batches, candidates included. With growth and exchange
    # the negative log evidence per sample.
    training_loss: float
    # The loss on the validation samples, of the features that were selected when the rotation began
    # and without any candidates. NaN in the first rotation, and where nothing is held out.
    validation_loss: float
    n_changed: int  # features that are new among the selected ones
    # The smallest score, and the smallest sum of absolute first-layer weights, among the selected
    # features; NaN with growth and exchange.
    min_entry_score: float
    min_weight_sum: float
    input_size: int  # features in the input layer, candidates included; or the seats taken
    share_used: float  # of the patience, of a fixed length or of the seats, 0 to 1


@dataclass(frozen=True, slots=True)
class Progress:
    """What the rules for stopping and for the input layer's size go by."""

    rotation: int
    epoch: float
    n_changed: int
    # On the validation samples if there are any, else on the training samples; of the features
    # selected *before* this rotation, so the first may have none.
    loss: float | None
    is_new_low: bool


# Called after each rotation; anything true ends the run.
Callback = Callable[[Record], object]


@dataclass(frozen=True)
class Chosen:
    """A set of selected features, best first, with the scores that seated them."""

    features: Tensor
    scores: Tensor


@dataclass(frozen=True)
class Selection:
    """The outcome of a run."""

    chosen: Chosen
    first_chosen: Chosen  # by the first training; the same where there was only one
    # Predicts from the selected features in ascending order of their column, on the CPU.
    network: nn.Module
    history: tuple[Record, ...]  # a record for each rotation, of both trainings
    n_rotations: int  # of the training whose selection counts
    # What ended the search: "validation", "ident", "epochs", "max_rotations", "max_epochs" or
    # "callback"; "done" where growth and exchange came to their end.
    stop_reason: str
    # All features, best first, and what each brings, where those not selected are judged too.
    ranked: Tensor | None = None
    scores: Tensor | None = None
    interactions: tuple[Interaction, ...] = ()  # pairs of features that matter together
    pairs_searched: float = 0.0  # which share of all pairs was looked at
    # Whether what was learned from some samples held for others; None where that is not known.
    learned: bool | None = None
