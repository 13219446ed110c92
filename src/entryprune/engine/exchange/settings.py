"""What growth and exchange can be told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entryprune.engine.settings import (
    COUNT,
    POSITIVE,
    Allowed,
    NetworkSettings,
    setting,
    with_attributes,
)

if TYPE_CHECKING:
    from torch import Tensor

_FEW_CASES = 200
# How much more noise two classes or one quantity have on few samples, and how fast that fades.
_TWO_CLASSES, _ONE_QUANTITY = (10 / 3, 1.2), (10.0, 4.0)


@with_attributes
@dataclass(frozen=True)
class ExchangeSettings(NetworkSettings):
    """Every choice of a run by growth and exchange.

    Attributes
    ----------
    n_selected : int
        K, the number of features to select.
    quantile : float
        Which quantile the loss of that name is about.
    weight_decay : float
        Decay of the weights of the network that predicts.
    noise : float
        Variance of the noise that the wide network reckons with, in units of what it can explain,
        on up to 200 samples; more samples leave less to noise, two classes on few samples more, and
        one quantity still more. The larger, the less a seated column explains away, so that others
        that say something similar still count.
    reach, short_reach : float
        How far apart samples may be and still tell of each other, in units of their usual distance.
        The first is taken unless the evidence for the other is clear.
    clip : float
        Standard deviations beyond which a value counts no more.
    spread_share : float
        How much of a column's own spread, relative to its range, counts where samples are few.
    cases_per_block, max_blocks : int
        The wide network is solved for blocks of so many samples, at most so many at a time.
    n_short_list : int
        Columns that are judged again for every seat; all are judged when others may be better.
    pair_work : float
        Floating-point operations that one search for pairs may take.
    kept : tuple of int
        Features that have a seat whatever they bring; they count among the K.
    costs : Tensor of shape (n_features,), optional
        What each feature costs; features are then judged by what they promise for that.
    budget : float, optional
        The most that all selected features may cost, so that there may be fewer than K.
    {attributes}
    """

    weight_decay: float = 0.01
    noise: float = 3.0
    reach: float = 1.0
    short_reach: float = 0.4
    clip: float = 2.0
    spread_share: float = 0.5
    cases_per_block: int = 400
    max_blocks: int = 4
    n_short_list: int = 256
    pair_work: float = 1e10
    kept: tuple[int, ...] = ()
    costs: Tensor | None = None
    budget: float | None = None
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
