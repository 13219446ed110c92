"""Dynamic sparse training: a layer loses its weakest connections and gets as many others.

D. C. Mocanu et al., Scalable training of artificial neural networks with adaptive sparse
connectivity inspired by network science, Nature Communications 9, 2018 (at random).
U. Evci, T. Gale, J. Menick, P. S. Castro and E. Elsen, Rigging the lottery: making all tickets
winners, ICML 2020 (by gradient).

The position of a connection is a number: output unit times the number of input units, plus input
unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from entryprune.baselines._sparse import Signal, SparseLayer

# Gradients of absent connections are looked through in pieces of about so many.
_PIECE = 2**18


def drop_weakest(values: Tensor, share: float) -> Tensor:
    """Return which connections stay when a share of them, the smallest weights, is dropped."""
    kept = torch.ones_like(values, dtype=torch.bool)
    n_dropped = int(share * len(values))
    kept[values.abs().topk(n_dropped, largest=False, sorted=False).indices] = False
    return kept


def drop_weakest_of_each_sign(values: Tensor, share: float) -> Tensor:
    """Return which connections stay when of either sign the same share is dropped."""
    kept = torch.ones_like(values, dtype=torch.bool)
    is_negative = values < 0
    for part in (is_negative, ~is_negative):
        kept[part] = drop_weakest(values[part], share)
    return kept


def draw_absent(
    present: Tensor | None, n_positions: int, count: int, generator: torch.Generator
) -> Tensor:
    """Draw positions at random, none of which is present; all are in rising order."""
    if present is None:
        present = torch.empty(0, dtype=torch.int64, device=generator.device)
    n_free = n_positions - len(present)
    if 2 * (n_free - count) < n_positions:
        # Most draws would hit what is taken, but then a list of all positions is not long either.
        free = absent(present, n_positions)
        chosen = torch.randperm(n_free, generator=generator, device=generator.device)[:count]
        return free[chosen].sort().values
    drawn = present[:0]
    while len(drawn) < count:
        more = torch.randint(
            n_positions,
            (count - len(drawn) + 16,),
            generator=generator,
            device=generator.device,
        )
        drawn = _without_doubles(torch.cat([drawn, more[~is_in(more, present)]]))
    # Which of the surplus goes must not depend on the order of positions.
    surplus = torch.randperm(len(drawn), generator=generator, device=generator.device)[:count]
    return drawn[surplus].sort().values


def _without_doubles(positions: Tensor) -> Tensor:
    positions = positions.sort().values
    is_first = torch.ones_like(positions, dtype=torch.bool)
    is_first[1:] = positions[1:] != positions[:-1]
    return positions[is_first]


def absent(present: Tensor, n_positions: int) -> Tensor:
    """Return all positions that are not present, in rising order."""
    is_free = torch.ones(n_positions, dtype=torch.bool, device=present.device)
    is_free[present] = False
    return is_free.nonzero().view(-1)


def is_in(positions: Tensor, present: Tensor) -> Tensor:
    """Return for each position whether it is among those present, which are in rising order."""
    if not len(present):
        return torch.zeros_like(positions, dtype=torch.bool)
    place = torch.searchsorted(present, positions).clamp_(max=len(present) - 1)
    return present[place] == positions


def steepest_absent(present: Tensor, delta: Tensor, inputs: Tensor, count: int) -> Tensor:
    """Return the absent positions whose weights have the largest absolute gradients."""
    n_in, n_out = len(inputs), len(delta)
    count = min(count, n_in * n_out - len(present))
    best, best_positions = delta.new_empty(0), present[:0]
    # A size below which nothing is worth a look any more; at first only what is present.
    threshold = -0.5
    n_units = max(1, _PIECE // n_in)
    for first in range(0, n_out, n_units):
        sizes = (delta[first : first + n_units] @ inputs.t()).abs_().view(-1)
        low = first * n_in
        bounds = torch.tensor([low, low + len(sizes)], device=present.device)
        start, stop = torch.searchsorted(present, bounds).tolist()
        sizes[present[start:stop] - low] = -1.0
        found = (sizes > threshold).nonzero().view(-1)
        best = torch.cat([best, sizes[found]])
        best_positions = torch.cat([best_positions, found + low])
        if len(best) > 2 * count:
            best, order = best.topk(count, sorted=False)
            best_positions = best_positions[order]
            threshold = float(best.min()) if count else torch.inf
    # Gradients that are not numbers are never found.
    return best_positions[best.topk(min(count, len(best)), sorted=False).indices]


def steepest_of_each_input(delta: Tensor, inputs: Tensor) -> Tensor:
    """Return for each input unit the largest absolute gradient of a weight that leaves it."""
    steepest = torch.empty(len(inputs), device=inputs.device)
    n_units = max(1, _PIECE // len(delta))
    for first in range(0, len(inputs), n_units):
        piece = slice(first, first + n_units)
        steepest[piece] = (delta @ inputs[piece].t()).abs_().amax(dim=0)
    return steepest


# Size of a new connection's random weight, compared with those that a network starts with. Inputs
# are ranked by the weights that leave them, and at full size chance would make up much of those.
_SMALL = 0.1


def rewire_at_random(
    layers: Iterable[SparseLayer], share: float, generator: torch.Generator
) -> None:
    """Move the weakest connections of either sign to random places, with small random weights."""
    for layer in layers:
        if layer.is_full:
            continue
        kept = drop_weakest_of_each_sign(layer.values, share)
        positions = layer.positions[kept]
        count = len(layer.positions) - len(positions)
        born = draw_absent(positions, layer.n_in * layer.n_out, count, generator)
        layer.rewire(kept, born, layer.draw_weights(count, generator).mul_(_SMALL))


def rewire_by_gradient(
    layers: Iterable[SparseLayer], share: float, signals: Iterable[Signal]
) -> None:
    """Move the weakest connections to where the loss is steepest, with weights of zero."""
    for layer, signal in zip(layers, signals, strict=True):
        if layer.is_full:
            continue
        kept = drop_weakest(layer.values, share)
        positions = layer.positions[kept]
        count = len(layer.positions) - len(positions)
        layer.rewire(kept, steepest_absent(positions, signal.delta, signal.sent, count))
