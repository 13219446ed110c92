"""What a run is asked to do: the data as the engine sees it, and every setting."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeVar

from entryprune.engine.bodies import ACTIVATIONS
from entryprune.engine.candidates import CHANGE_METRICS, REGROWTHS
from entryprune.engine.rules import STOPPING_RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor, nn

    from entryprune.engine.columns import ColumnSource, Grouping
    from entryprune.engine.losses import LossFunction

T = TypeVar("T")


@dataclass(frozen=True)
class Problem:
    """The data of a run.

    Attributes
    ----------
    source : ColumnSource
        The features. Samples are in random order, the validation samples first.
    targets : Tensor
        Class numbers of shape (n_samples,), or values of shape (n_samples, n_outputs). The device
        they are on is the device of the run.
    n_outputs : int
        Number of classes or of values to predict.
    n_validation : int
        How many of the first samples the search keeps for validation. With none, the training loss
        takes the place of the validation loss.
    weights : Tensor of shape (n_samples,), optional
        How often each sample counts, above 0.
    grouping : Grouping, optional
        Which columns make a feature; by default every column is one.
    middle : int, optional
        Samples before this one are of other people, places or times than those from it on, so that
        what is learned from one side can be tried on the other; by default half of the samples.
    """

    source: ColumnSource
    targets: Tensor
    n_outputs: int
    n_validation: int
    weights: Tensor | None = None
    grouping: Grouping | None = None
    middle: int | None = None


# -- how a setting is declared ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Allowed:
    """The values that a setting may have, in terms that any caller can check."""

    # bool, int, float, str for nothing but `choices`, or tuple for one or several int
    kind: type
    choices: tuple[str, ...] = ()
    # bounds of a number, or of each number in a tuple, and which of them are allowed themselves:
    # "left", "right", "both" or "neither"
    low: float | None = None
    high: float | None = None
    closed: str = "neither"
    or_none: bool = False

    def __str__(self) -> str:
        names = [f'"{name}"' for name in self.choices] + ["None"] * self.or_none
        if self.kind is str:
            return "{" + ", ".join(names) + "}"
        kinds = ["int", "sequence of int"] if self.kind is tuple else [self.kind.__name__]
        *most, last = kinds + names
        return f"{', '.join(most)} or {last}" if most else last


YES_OR_NO = Allowed(bool)
COUNT = Allowed(int, low=1, closed="left")
COUNT_OR_NONE = Allowed(int, low=1, closed="left", or_none=True)
POSITIVE = Allowed(float, low=0)
WIDTHS = Allowed(tuple, low=1, closed="left")


def one_of(names: Iterable[str], *, or_none: bool = False) -> Allowed:
    """Allow the names in a registry."""
    return Allowed(str, choices=tuple(names), or_none=or_none)


def setting(default: T, allowed: object, text: str) -> T:
    """Declare what users choose: its default, its values and its documentation.

    Estimators derive their parameters' checks and documentation from it.
    """
    declared: T = field(default=default, metadata={"allowed": allowed, "text": text})
    return declared


def with_attributes(cls: type[T]) -> type[T]:
    """Put the declared settings of a dataclass into its docstring."""
    entries = []
    for one in fields(cls):  # type: ignore[arg-type]
        if "text" in one.metadata:
            text = textwrap.fill(one.metadata["text"], 91)
            entry = f"{one.name} : {one.metadata['allowed']}\n{textwrap.indent(text, ' ' * 4)}"
            entries.append(textwrap.indent(entry, " " * 4))
    cls.__doc__ = (cls.__doc__ or "").replace("    {attributes}", "\n".join(entries))
    return cls


# -- the settings -------------------------------------------------------------------------------


@dataclass(frozen=True)
class NetworkSettings:
    """What every run is told: how many features, and the network to predict with."""

    n_selected: int
    body: nn.Module | None = None
    loss: str | LossFunction = "cross_entropy"
    quantile: float = 0.5
    hidden_layer_sizes: tuple[int, ...] = setting(
        (100,),
        WIDTHS,
        "Widths of the hidden layers; with a `body`, the first is the width of the first layer.",
    )
    activation: str = setting("relu", one_of(ACTIVATIONS), "Follows each hidden layer.")
    learning_rate: float = setting(1e-3, POSITIVE, "Step size of the Adam optimiser.")
    batch_size: int = setting(1024, COUNT, "Samples in a mini-batch, or all where there are fewer.")


@with_attributes
@dataclass(frozen=True)
class Settings(NetworkSettings):
    """Every choice of a run; the defaults are the paper's for data with more samples than features.

    Attributes
    ----------
    n_selected : int
        K, the number of features to select.
    body : torch.nn.Module, optional
        Replaces everything after the first layer.
    loss : str or callable
        A name in `LOSSES`, or a function of outputs and targets.
    quantile : float
        Which quantile the loss of that name is about.
    max_candidates : int, optional
        Upper bound on the number of candidates.
    finish_rotations : int
        How long, counted in rotations, the network is trained on the selected features alone
        before it is handed out.
    {attributes}
    """

    max_candidates: int | None = None
    finish_rotations: int = 10
    candidate_ratio: float = setting(
        0.2,
        Allowed(float, low=0, high=1, closed="right"),
        "Share of the features not selected that stand in the input layer as candidates, in "
        "(0, 1].",
    )
    batches_per_rotation: int = setting(
        100, COUNT, "Mini-batches after which candidates are judged and replaced."
    )
    flex: bool = setting(
        False,
        YES_OR_NO,
        "Let the number of candidates follow the loss (EntryPrune flex).",
    )
    change_metric: str = setting(
        "gradient",
        one_of(CHANGE_METRICS),
        "What a feature's score is made of: the sum of its gradients, the change of its weights, "
        "the size of its weights, or Molchanov's importance.",
    )
    entry_scores: bool = setting(
        True,
        YES_OR_NO,
        "Judge a feature by its score when it entered; else every feature by its latest score.",
    )
    regrowth: str = setting(
        "random",
        one_of(REGROWTHS),
        "Draw candidates at random, or take those with the largest gradient.",
    )
    reset_optimizer: bool = setting(
        True,
        YES_OR_NO,
        "Re-initialise the optimiser at every rotation; else only new candidates start afresh.",
    )
    stopping: str = setting(
        "validation",
        one_of(STOPPING_RULES),
        '"validation": when the validation loss found no new low for `patience` rotations, or '
        'the selected set did not change for as many. "ident": when the set did not change for '
        '`patience` rotations. "epochs": after `max_epochs`.',
    )
    patience: int = setting(100, COUNT, "Rotations without progress that end the search.")
    max_rotations: int | None = setting(
        None, COUNT_OR_NONE, "Bound on the rotations of a training."
    )
    max_epochs: float | None = setting(None, COUNT_OR_NONE, "Bound on the passes over the data.")
    refit: bool = setting(
        True,
        YES_OR_NO,
        'After a search by "validation", select again on all samples for the number of rotations '
        "found.",
    )
