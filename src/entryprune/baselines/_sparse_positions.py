"""Which connections a sparse layer loses, and which it gets instead.

A position is a number: output unit times the number of input units, plus input unit.
"""

from __future__ import annotations

import torch
from torch import Tensor

# Gradients of absent connections are looked through in pieces of about so many.
_PIECE = 2**18


def drop_weakest(values: Tensor, share: float) -> Tensor:
    """Return which connections stay when a share of them, the smallest weights, is dropped.

    Examples
    --------
    >>> drop_weakest(torch.tensor([0.1, -3.0, 2.0, -0.2]), share=0.5).tolist()
    [False, True, True, False]
    """
    return _all_but_smallest(values.abs(), int(share * len(values)))


def drop_weakest_of_each_sign(values: Tensor, share: float) -> Tensor:
    """Return which connections stay when of either sign the same share is dropped.

    Examples
    --------
    >>> drop_weakest_of_each_sign(torch.tensor([0.1, -3.0, 0.2, -2.0]), share=0.5).tolist()
    [False, True, True, False]
    """
    kept = torch.ones_like(values, dtype=torch.bool)
    is_negative = values < 0
    for part in (is_negative, ~is_negative):
        kept[part] = drop_weakest(values[part], share)
    return kept


def _all_but_smallest(sizes: Tensor, count: int) -> Tensor:
    kept = torch.ones_like(sizes, dtype=torch.bool)
    kept[sizes.topk(count, largest=False, sorted=False).indices] = False
    return kept


def draw_absent(
    present: Tensor | None, n_positions: int, count: int, generator: torch.Generator
) -> Tensor:
    """Draw different positions at random, all of them absent.

    Parameters
    ----------
    present : Tensor of int64 or None
        Positions that are taken, in rising order.
    n_positions : int
        Positions go from 0 to this number, exclusively.
    count : int
        How many to draw; at most as many as are free.
    generator : torch.Generator
        Source of randomness; the result is on its device.

    Returns
    -------
    positions : Tensor of int64
        In rising order.
    """
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
    """Return all positions that are not present, in rising order.

    Examples
    --------
    >>> absent(torch.tensor([0, 2]), 5).tolist()
    [1, 3, 4]
    """
    is_free = torch.ones(n_positions, dtype=torch.bool, device=present.device)
    is_free[present] = False
    return is_free.nonzero().view(-1)


def is_in(positions: Tensor, present: Tensor) -> Tensor:
    """Return for each position whether it is among those present, which are in rising order.

    Examples
    --------
    >>> is_in(torch.tensor([4, 0, 2]), torch.tensor([0, 2, 3])).tolist()
    [False, True, True]
    """
    if not len(present):
        return torch.zeros_like(positions, dtype=torch.bool)
    place = torch.searchsorted(present, positions).clamp_(max=len(present) - 1)
    return present[place] == positions


def steepest_absent(present: Tensor, delta: Tensor, inputs: Tensor, count: int) -> Tensor:
    """Return the absent positions whose weights have the largest absolute gradients.

    Parameters
    ----------
    present : Tensor of int64
        Positions that are taken, in rising order.
    delta : Tensor of shape (n_out, n_cases)
        Gradient of the output units' sums.
    inputs : Tensor of shape (n_in, n_cases)
        What the input units send.
    count : int
        How many to return; fewer if not so many are free.

    Returns
    -------
    positions : Tensor of int64
        In no particular order.
    """
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
    """Return for each input unit the largest absolute gradient of a weight that leaves it.

    Parameters
    ----------
    delta : Tensor of shape (n_out, n_cases)
        Gradient of the output units' sums.
    inputs : Tensor of shape (n_in, n_cases)
        What the input units send.

    Examples
    --------
    >>> delta = torch.tensor([[1.0, 0.0], [0.0, -2.0]])
    >>> steepest_of_each_input(delta, torch.tensor([[1.0, 1.0], [3.0, 0.0]])).tolist()
    [2.0, 3.0]
    """
    steepest = torch.empty(len(inputs), device=inputs.device)
    n_units = max(1, _PIECE // len(delta))
    for first in range(0, len(inputs), n_units):
        piece = slice(first, first + n_units)
        steepest[piece] = (delta @ inputs[piece].t()).abs_().amax(dim=0)
    return steepest
