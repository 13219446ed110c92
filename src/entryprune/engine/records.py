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
    """One step of a run: a rotation of the input layer or, with growth and exchange, some seats.

    Attributes
    ----------
    phase : {"search", "final", "growth", "pairs", "exchange"}
        The training with validation samples, or the one on all samples. With growth and exchange,
        whether seats were taken, were taken anew because pairs explain more, or were exchanged.
    rotation : int
        Number of the step, from 1.
    epoch : float
        Passes over the training samples so far; 0 with growth and exchange.
    n_steps : int
        Mini-batches so far; with growth and exchange the number of the step.
    training_loss : float
        Mean loss over the rotation's mini-batches, candidates included. With growth and exchange
        the negative log evidence per sample.
    validation_loss : float
        Loss on the validation samples, of the features that were selected when the rotation began
        and without any candidates. NaN in the first rotation, and where nothing is held out.
    n_changed : int
        Features that are new among the selected ones.
    min_entry_score : float
        Smallest score among the selected features; NaN with growth and exchange.
    min_weight_sum : float
        Smallest sum of absolute first-layer weights among the selected features; NaN with growth
        and exchange.
    input_size : int
        Features in the input layer, candidates included; with growth and exchange the seats taken.
    share_used : float
        How much of the patience, of a fixed length or of the seats is used up, 0 to 1.
    """

    phase: str
    rotation: int
    epoch: float
    n_steps: int
    training_loss: float
    validation_loss: float
    n_changed: int
    min_entry_score: float
    min_weight_sum: float
    input_size: int
    share_used: float


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
    """The outcome of a run.

    Attributes
    ----------
    chosen : Chosen
        The selected features, best first.
    first_chosen : Chosen
        What the first training selected; the same where there was only one.
    network : torch.nn.Module
        Predicts from the selected features in ascending order of their column, on the CPU.
    history : tuple of Record
        One record per rotation, of both trainings.
    n_rotations : int
        Rotations of the training whose selection counts.
    stop_reason : str
        What ended the search: "validation", "ident", "epochs", "max_rotations", "max_epochs" or
        "callback"; "done" where growth and exchange came to their end.
    ranked : Tensor of shape (n_columns,), optional
        All features, best first, where those not selected are judged too.
    scores : Tensor of shape (n_columns,), optional
        What each feature brings, where those not selected are judged too.
    interactions : tuple of Interaction
        Pairs of features that matter together.
    pairs_searched : float
        Which share of all pairs was looked at; 0 where none was.
    learned : bool, optional
        Whether what was learned from some samples held for others; None where that is not known.
    """

    chosen: Chosen
    first_chosen: Chosen
    network: nn.Module
    history: tuple[Record, ...]
    n_rotations: int
    stop_reason: str
    ranked: Tensor | None = None
    scores: Tensor | None = None
    interactions: tuple[Interaction, ...] = ()
    pairs_searched: float = 0.0
    learned: bool | None = None
