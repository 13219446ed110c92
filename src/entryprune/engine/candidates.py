"""The next candidates: which features they are, and their first weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch
from torch import Generator, Tensor

if TYPE_CHECKING:
    from entryprune.engine.network import Network
    from entryprune.engine.window import Window

# Multiplier and increment of a full-period linear congruential generator modulo 2**32.
_MULTIPLIER, _INCREMENT = 1664525, 1013904223
# Below this many outsiders per candidate a shuffle of all of them is the cheaper draw.
_SHUFFLE_RATIO = 16


def draw_outside(n_columns: int, inside: Tensor, n_draws: int, generator: Generator) -> Tensor:
    """Draw distinct columns at random from all but those in `inside`.

    The cost does not grow with `n_columns` once that is large against `n_draws`.
    """
    n_outside = n_columns - len(inside)
    ranks = _draw_distinct(n_outside, n_draws, generator)
    # The i-th smallest inside column lies before every outsider of rank >= column - i.
    steps = inside.cpu().sort().values - torch.arange(len(inside))
    return ranks + torch.searchsorted(steps, ranks, right=True)


def _draw_distinct(n: int, n_draws: int, generator: Generator) -> Tensor:
    if n <= _SHUFFLE_RATIO * n_draws:
        return torch.randperm(n, generator=generator)[:n_draws]
    # Draw with replacement and pass over what was drawn before, as one does with lottery balls.
    draws = torch.empty(0, dtype=torch.int64)
    while len(draws) < n_draws:
        more = torch.randint(n, (n_draws - len(draws) + 16,), generator=generator)
        draws = _first_occurrences(torch.cat([draws, more]))
    return draws[:n_draws]


def _first_occurrences(values: Tensor) -> Tensor:
    ordered, origin = values.sort(stable=True)
    is_first = torch.ones(len(values), dtype=torch.bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return values[origin[is_first].sort().values]


class Regrowth(Protocol):
    """Names the next candidates."""

    def __call__(
        self,
        window: Window,
        network: Network,
        seated: Tensor,
        n_candidates: int,
        generator: Generator,
    ) -> Tensor:
        """Return `n_candidates` distinct columns, none of them in `seated`."""
        ...


def random_regrowth(
    window: Window, network: Network, seated: Tensor, n_candidates: int, generator: Generator
) -> Tensor:
    """Draw from all features that are not selected, each as likely (Algorithm 1, line 13)."""
    del network
    return draw_outside(window.source.n_columns, seated, n_candidates, generator)


def gradient_regrowth(
    window: Window, network: Network, seated: Tensor, n_candidates: int, generator: Generator
) -> Tensor:
    """Take the features with the largest gradient, as RigL and NeuroFS do.

    This reads every column, so unlike random regrowth its cost grows with their number.
    """
    del generator
    metric = gradient_metric(window, network).cpu()
    metric[seated.cpu()] = -1.0
    # A stable sort lets the smaller column number win a tie, whatever the device.
    return metric.sort(descending=True, stable=True).indices[:n_candidates]


def gradient_metric(window: Window, network: Network) -> Tensor:
    """Return the largest absolute gradient among each column's weights, were it to enter now.

    It is taken on the next mini-batch, with the selected features in the network. The candidates'
    rows of the window serve as scratch: they are about to be overwritten anyway.
    """
    delta = network.hidden_gradient(window.batch(slice(window.n_selected)))
    n_columns = window.source.n_columns
    metric = torch.empty(n_columns, device=delta.device)
    room = len(window.values) - window.n_selected
    for start in range(0, n_columns, room):
        columns = torch.arange(start, min(start + room, n_columns), device=delta.device)
        window.fill(window.n_selected, columns)
        block = window.batch(slice(window.n_selected, window.n_selected + len(columns)))
        metric[columns] = torch.mm(block.inputs, delta).abs_().amax(dim=1)
    return metric


REGROWTHS: dict[str, Regrowth] = {"random": random_regrowth, "gradient": gradient_regrowth}


class TinyWeights:
    """Draws from U(-limit, limit), one per weight, for candidates that enter the network.

    Wide data redraw half a million weights every few mini-batches, for which torch's serial
    generator takes as long as two training steps. So each weight has a small generator of its
    own, started from the run's generator, and all advance together.
    """

    def __init__(self, generator: Generator, limit: float = 1e-8) -> None:
        self._generator = generator
        self._limit = limit
        self._states = torch.empty(0, dtype=torch.int32)

    def redraw(self, weights: Tensor) -> None:
        """Overwrite `weights`, a contiguous block, with fresh draws."""
        if self._states.numel() < weights.numel():
            states = torch.empty(weights.numel(), dtype=torch.int32)
            states.random_(-(2**31), 2**31, generator=self._generator)
            self._states = states.to(weights.device)
            self._increment = torch.tensor(_INCREMENT, dtype=torch.int32, device=weights.device)
        states = self._states[: weights.numel()].view_as(weights)
        torch.add(self._increment, states, alpha=_MULTIPLIER, out=states)
        # In two steps: a product of mixed types would allocate a converted copy first.
        weights.copy_(states).mul_(self._limit / 2**31)
