"""Dynamic sparse training: a layer loses its weakest connections and gets as many others.

D. C. Mocanu et al., Scalable training of artificial neural networks with adaptive sparse
connectivity inspired by network science, Nature Communications 9, 2018 (at random).
U. Evci, T. Gale, J. Menick, P. S. Castro and E. Elsen, Rigging the lottery: making all tickets
winners, ICML 2020 (by gradient).
"""

from __future__ import annotations

import torch

from entryprune.baselines._sparse_layer import SparseLayer
from entryprune.baselines._sparse_network import Signal
from entryprune.baselines._sparse_positions import (
    draw_absent,
    drop_weakest,
    drop_weakest_of_each_sign,
    steepest_absent,
)

# Size of a new connection's random weight, compared with those that a network starts with. Inputs
# are ranked by the weights that leave them, and at full size chance would make up much of those.
_SMALL = 0.1


def rewire_at_random(layer: SparseLayer, share: float, generator: torch.Generator) -> None:
    """Move the weakest connections of either sign to random places, with small random weights."""
    if layer.is_full:
        return
    kept = drop_weakest_of_each_sign(layer.values, share)
    positions = layer.positions[kept]
    count = len(layer.positions) - len(positions)
    born = draw_absent(positions, layer.n_in * layer.n_out, count, generator)
    layer.rewire(kept, born, layer.draw_weights(count, generator).mul_(_SMALL))


def rewire_by_gradient(layer: SparseLayer, share: float, signal: Signal) -> None:
    """Move the weakest connections to where the loss is steepest, with weights of zero."""
    if layer.is_full:
        return
    kept = drop_weakest(layer.values, share)
    positions = layer.positions[kept]
    count = len(layer.positions) - len(positions)
    layer.rewire(kept, steepest_absent(positions, signal.delta, signal.sent, count))
