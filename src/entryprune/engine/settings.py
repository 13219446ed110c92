"""What a run is asked to do: the data as the engine sees it, and every setting."""

from __future__ import annotations

import math
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
    """The data of a run."""

    source: ColumnSource  # samples are in random order, the validation samples first
    # Class numbers, or a row of values for each sample. The run is on the device that they are on.
    targets: Tensor
    n_outputs: int  # classes, or values to predict
    # How many of the first samples the search keeps for validation. With none, the training loss
    # takes the place of the validation loss.
    n_validation: int
    weights: Tensor | None = None  # how often each sample counts, above 0
    grouping: Grouping | None = None  # which columns make a feature; by default every column is one
    # Samples before this one are of other people, places or times than those from it on, so that
    # what is learned from one side can be tried on the other; by default half of the samples.
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


# -- growth and exchange ---------------------------------------------------------------------------


_FEW_CASES = 200
# How much more noise two classes or one quantity have on few samples, and how fast that fades.
_TWO_CLASSES, _ONE_QUANTITY = (10 / 3, 1.2), (10.0, 4.0)


@dataclass(frozen=True)
class ExchangeSettings(NetworkSettings):
    """Every choice of a run by growth and exchange."""

    weight_decay: float = 0.01  # of the network that predicts
    # The variance of the noise that the wide network reckons with, in units of what it can explain,
    # on up to 200 samples; more samples leave less to noise, two classes on few samples more, and
    # one quantity still more. The larger, the less a seated column explains away, so that others
    # that say something similar still count.
    noise: float = 3.0
    # How far apart samples may be and still tell of each other, in units of their usual distance.
    # The first is taken unless the evidence for the other is clear.
    reach: float = 1.0
    short_reach: float = 0.4
    clip: float = 2.0  # standard deviations beyond which a value counts no more
    # How much of a column's own spread, relative to its range, counts where samples are few.
    spread_share: float = 0.5
    # The wide network is solved for blocks of so many samples, at most so many at a time.
    cases_per_block: int = 400
    max_blocks: int = 4
    # Columns that are judged again for every seat; all are judged when others may be better.
    n_short_list: int = 256
    pair_work: float = 1e10  # floating-point operations that one search for pairs may take
    kept: tuple[int, ...] = ()  # features that have a seat whatever they bring, among the K
    costs: Tensor | None = None  # of each feature, judged by what it promises for that
    budget: float | None = None  # the most that all may cost, so that there may be fewer than K
    interactions: bool = setting(
        True,
        Allowed(bool),
        "Look for pairs of features that matter only together, and seat partners together.",
    )
    max_exchanges: int = setting(
        20,
        Allowed(int, low=0, closed="left"),
        "Rounds in which seats may be exchanged after all are taken.",
    )
    learning_rate: float = setting(6e-3, POSITIVE, "Step size of the Adam optimiser.")
    batch_size: int = setting(256, COUNT, "Samples in a mini-batch, or all where there are fewer.")

    def noise_for(self, n_cases: float, n_directions: int, n_outputs: int) -> float:
        """Return the noise to reckon with, given all samples and the dimension of their targets.

        Two classes are two outputs that differ in one direction, a quantity is one output.
        """
        few = min(1.0, _FEW_CASES / n_cases)
        noise = self.noise * math.cbrt(few)
        if n_directions > 1:
            return noise
        # A handful of columns explains a single direction of few samples; the next ones would be
        # chosen by chance unless columns that say much the same still counted.
        more, power = _TWO_CLASSES if n_outputs > 1 else _ONE_QUANTITY
        return max(noise, more * self.noise * math.pow(few, power))
