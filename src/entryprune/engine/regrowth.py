"""Which features become the next candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch

from entryprune.engine.draws import draw_outside

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from entryprune.engine.network import Network
    from entryprune.engine.window import Window


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
    """Draw from all features that are not selected, each as likely as the other."""
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
    delta = network.hidden_gradient(window.batch(slice(window.n_seats)))
    n_columns = window.source.n_columns
    metric = torch.empty(n_columns, device=delta.device)
    room = len(window.values) - window.n_seats
    for start in range(0, n_columns, room):
        columns = torch.arange(start, min(start + room, n_columns), device=delta.device)
        window.fill(window.n_seats, columns)
        block = window.batch(slice(window.n_seats, window.n_seats + len(columns)))
        metric[columns] = torch.mm(block.inputs, delta).abs_().amax(dim=1)
    return metric


REGROWTHS: dict[str, Regrowth] = {"random": random_regrowth, "gradient": gradient_regrowth}
