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
    weights: Tensor | None


@torch.no_grad()
def outputs_by_size(
    mine: Tensor,
    targets: Tensor,
    theirs: Tensor,
    sizes: Sequence[int],
    *,
    n_columns: Sequence[int] | None = None,
    weights: Tensor | None = None,
) -> list[Tensor]:
    """Return, for each rising size, the outputs for other samples of a network on so many features.

    `mine` and `theirs` have a row for each column, best feature first, with its values for the
    samples to learn from and for the others, scaled to mean 0 and variance 1. `targets` has a row
    for each sample to learn from, which counts as often as `weights` say; of more than 1,600
    samples the first count. `n_columns` are those of each feature, one where it is not given.

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
    if weights is None:
        mean, in_blocks = targets.mean(dim=0), None
    else:
        weights = weights[:n_samples]
        mean = (weights @ targets) / weights.sum()
        in_blocks = weights.view(n_blocks, block_size)
    mine, theirs = mine[:, :n_samples].clamp(-_CLIP, _CLIP), theirs.clamp(-_CLIP, _CLIP)
    blocks = _Blocks(
        (targets - mean).view(n_blocks, block_size, -1), n_blocks, block_size, in_blocks
    )
    network = WideNetwork(blocks, _NOISE)
    widths = [1] * len(mine) if n_columns is None else list(n_columns)
    outputs: list[Tensor] = []
    n_rows = 0
    for size in sizes:
        if outputs and size == network.n_seats:
            outputs.append(outputs[-1])
            continue
        for width in widths[network.n_seats : size]:
            network.add(mine[n_rows : n_rows + width])
            n_rows += width
        found = network.predict(network.solve(), mine[:n_rows], theirs[:n_rows])
        outputs.append(found + mean)
    return outputs
