"""What a run is asked to do: the data as the engine sees it, and every setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from entryprune.engine.bodies import AutogradBody, Body, DenseBody
from entryprune.engine.losses import CrossEntropy, Loss, SquaredError

if TYPE_CHECKING:
    from torch import Generator, nn

    from entryprune.engine.columns import ColumnSource

LossFunction = Callable[[Tensor, Tensor], Tensor]

LOSSES: dict[str, type[Loss]] = {"cross_entropy": CrossEntropy, "squared_error": SquaredError}


@dataclass(frozen=True)
class Problem:
    """The data of a run.

    Attributes
    ----------
    source : ColumnSource
        The features. Cases are in random order, the validation cases first.
    targets : Tensor
        Class numbers of shape (n_cases,), or values of shape (n_cases, n_outputs). The device
        they are on is the device of the run.
    n_outputs : int
        Number of classes or of values to predict.
    n_validation : int
        How many of the first cases the search keeps for validation. With none, the training loss
        takes the place of the validation loss.
    """

    source: ColumnSource
    targets: Tensor
    n_outputs: int
    n_validation: int


@dataclass(frozen=True)
class Settings:
    """Every choice of a run; the defaults are the paper's for data with more cases than features.

    Attributes
    ----------
    n_selected : int
        K, the number of features to select.
    candidate_ratio : float
        Share of the features not selected that are candidates in each rotation.
    max_candidates : int, optional
        Upper bound on the number of candidates.
    batches_per_rotation : int
        Mini-batches after which features are judged and candidates replaced.
    flex : bool
        Let the number of candidates follow the loss.
    change_metric : {"gradient", "weight_change", "magnitude", "molchanov"}
        What a feature's score is made of.
    entry_scores : bool
        Judge features by their score at entry; else all by their latest score.
    regrowth : {"random", "gradient"}
        How candidates are chosen.
    reset_optimizer : bool
        Re-initialise the optimiser at every rotation; else only new candidates start afresh.
    hidden_layer_sizes : tuple of int
        Widths of the hidden layers; with a `body`, the first is the width of the first layer.
    activation : {"relu", "tanh", "logistic", "identity"}
        Follows each hidden layer.
    body : torch.nn.Module, optional
        Replaces everything after the first layer.
    loss : str or callable
        "cross_entropy", "squared_error", or a function of outputs and targets.
    learning_rate : float
        Adam's step size.
    batch_size : int
        Cases in a mini-batch.
    stopping : {"validation", "ident", "epochs"}
        When to stop.
    patience : int
        Rotations without progress that end the search.
    max_rotations, max_epochs : int, optional
        Bounds on the search; "epochs" stops by the second.
    refit : bool
        After a search with validation cases, train again on all cases.
    finish_rotations : int
        How long, counted in rotations, the network is trained on the selected features alone
        before it is handed out.
    """

    n_selected: int
    candidate_ratio: float = 0.2
    max_candidates: int | None = None
    batches_per_rotation: int = 100
    flex: bool = False
    change_metric: str = "gradient"
    entry_scores: bool = True
    regrowth: str = "random"
    reset_optimizer: bool = True
    hidden_layer_sizes: tuple[int, ...] = (100,)
    activation: str = "relu"
    body: nn.Module | None = None
    loss: str | LossFunction = "cross_entropy"
    learning_rate: float = 1e-3
    batch_size: int = 1024
    stopping: str = "validation"
    patience: int = 100
    max_rotations: int | None = None
    max_epochs: float | None = None
    refit: bool = True
    finish_rotations: int = 10

    def n_hidden(self, n_outputs: int) -> int:
        """Return the width of the first layer."""
        return self.hidden_layer_sizes[0] if self.hidden_layer_sizes else n_outputs

    def make_body(self, problem: Problem, max_rows: int, generator: Generator) -> Body:
        """Build what follows the first layer, with fresh weights."""
        n_outputs, device = problem.n_outputs, problem.targets.device
        widths = [*self.hidden_layer_sizes, n_outputs]
        dense = partial(DenseBody, widths, self.activation, generator=generator)
        loss: LossFunction
        if isinstance(self.loss, str):
            known_loss = LOSSES[self.loss]()
            if self.body is None:
                return dense(known_loss, max_rows=max_rows, device=device)
            loss = known_loss.value
        else:
            loss = self.loss
        module = self.body
        if module is None:
            # The user's own loss comes after the ordinary layers.
            module = dense(CrossEntropy(), max_rows=0, device=torch.device("cpu")).to_module()
        return AutogradBody(module, loss, n_hidden=widths[0], n_outputs=n_outputs, device=device)
