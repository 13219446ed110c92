"""Which cases are held out for validation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def random_order(
    n_cases: int,
    fraction: float,
    rng: np.random.Generator,
    classes: NDArray[np.intp] | None = None,
) -> tuple[NDArray[np.intp], int]:
    """Shuffle the cases, validation cases first.

    Parameters
    ----------
    n_cases : int
        Number of cases.
    fraction : float
        Share of the cases to hold out; none with 0.
    rng : numpy.random.Generator
        Shuffles.
    classes : array of shape (n_cases,), optional
        Class numbers. With them the split is stratified, and every class keeps at least one
        case to train on; a class with a single case is never held out.

    Returns
    -------
    order : array of shape (n_cases,)
        The case numbers.
    n_validation : int
        How many of the first are held out; 0 where no case can be spared.
    """
    shuffled = rng.permutation(n_cases)
    strata = np.zeros(n_cases, dtype=np.intp) if classes is None else classes[shuffled]
    sizes = np.bincount(strata)
    n_held_out = _held_out_per_stratum(sizes, fraction)
    # Number the cases of each stratum in their shuffled order; the first ones are held out.
    by_stratum = np.argsort(strata, kind="stable")
    first_of_stratum = np.cumsum(sizes) - sizes
    number = np.empty(n_cases, dtype=np.intp)
    number[by_stratum] = np.arange(n_cases) - np.repeat(first_of_stratum, sizes)
    is_held_out = number < n_held_out[strata]
    order = np.concatenate([shuffled[is_held_out], shuffled[~is_held_out]])
    return order, int(is_held_out.sum())


def _held_out_per_stratum(sizes: NDArray[np.intp], fraction: float) -> NDArray[np.intp]:
    """Share out the held-out cases by the largest remainder, sparing the last of each stratum."""
    if not fraction:
        return np.zeros_like(sizes)
    wanted = max(1, round(fraction * int(sizes.sum())))
    can_spare = np.maximum(sizes - 1, 0)
    shares = fraction * sizes
    held_out: NDArray[np.intp] = np.minimum(np.floor(shares).astype(np.intp), can_spare)
    remainders = shares - held_out
    for stratum in np.argsort(-remainders, kind="stable"):
        if held_out.sum() >= wanted:
            break
        held_out[stratum] += held_out[stratum] < can_spare[stratum]
    return held_out
