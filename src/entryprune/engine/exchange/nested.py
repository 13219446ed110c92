"""What the wide network says of other samples, with ever more columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from entryprune.engine.exchange.wide import WideNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

# Blocks of the size that growth has, and less noise than it reckons with: columns that are seated
# one by one must not explain each other away, here all that they tell together counts.
_BLOCK_SIZE, _MOST_BLOCKS = 400, 4
_NOISE = 0.3
# Standard deviations beyond which a value counts no more.
_CLIP = 2.0


@dataclass(frozen=True)
class _Blocks:
    """The samples that a network learns from."""

    targets: Tensor
    n_blocks: int
    block_size: int


@torch.no_grad()
def outputs_by_size(
    mine: Tensor, targets: Tensor, theirs: Tensor, sizes: Sequence[int]
) -> list[Tensor]:
    """Return, for each rising size, the outputs for other samples of a network on so many columns.

    `mine` and `theirs` have a row for each column, best first, with its values for the samples to
    learn from and for the others, scaled to mean 0 and variance 1. `targets` has a row for each
    sample to learn from; of more than 1,600 samples the first count.

    Examples
    --------
    The second column tells the target, the first nothing.

    >>> import torch
    >>> x = torch.tensor([[-1.0, 1, -1, 1, -1, 1, -1, 1], [-1, -1, -1, -1, 1, 1, 1, 1]])
    >>> for outputs in outputs_by_size(x, x[1:].T, torch.tensor([[-1.0, 1], [-1, 1]]), [1, 2]):
    ...     print([round(output, 2) + 0.0 for output in outputs.flatten().tolist()])
    [0.0, 0.0]
    [-0.85, 0.85]
    """
    n_blocks = min(-(-len(targets) // _BLOCK_SIZE), _MOST_BLOCKS)
    block_size = min(len(targets) // n_blocks, _BLOCK_SIZE)
    n_samples = n_blocks * block_size
    targets = targets[:n_samples]
    mean = targets.mean(dim=0)
    mine, theirs = mine[:, :n_samples].clamp(-_CLIP, _CLIP), theirs.clamp(-_CLIP, _CLIP)
    blocks = _Blocks((targets - mean).view(n_blocks, block_size, -1), n_blocks, block_size)
    network = WideNetwork(blocks, _NOISE)
    outputs: list[Tensor] = []
    for size in sizes:
        if outputs and size == network.n_columns:
            outputs.append(outputs[-1])
            continue
        for column in mine[network.n_columns : size]:
            network.add(column)
        found = network.predict(network.solve(), mine[:size], theirs[:size])
        outputs.append(found + mean)
    return outputs
