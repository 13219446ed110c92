"""Parameters that every selector has, and what they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from sklearn.utils._param_validation import Interval

from entryprune.engine import DivergedError, TooLargeError
from entryprune.engine.columns import SCALES

# For `_parameter_constraints`: any number may pass there, because the upper bound depends on X.
N_FEATURES_TO_SELECT = [Interval(Real, None, None, closed="neither"), None]

_SCALES = f"scale={' or '.join(map(repr, SCALES))}"


def resolve_n_selected(asked: Any, n_features: int) -> int:
    """Return how many of `n_features` features are asked for.

    Examples
    --------
    >>> resolve_n_selected(3, 10), resolve_n_selected(0.25, 10), resolve_n_selected(None, 10)
    (3, 2, 5)
    """
    if asked is None:
        return max(1, n_features // 2)
    if isinstance(asked, Integral):
        if 1 <= int(asked) <= n_features:
            return int(asked)
    elif 0 < asked <= 1:
        return max(1, int(asked * n_features))
    raise ValueError(
        f"n_features_to_select must be a whole number from 1 to {n_features} (the number of "
        f"features in X), a fraction in (0, 1], or None for half of the features; "
        f"got {asked!r}."
    )


def make_rng(random_state: int | np.random.RandomState | None) -> np.random.Generator:
    """Return a generator of our own; numpy's global one is neither read nor changed."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1, size=4))
    return np.random.default_rng(random_state)


def resolve_device(device: str | torch.device) -> torch.device:
    """Return the device that is meant, or say why it cannot be used."""
    if isinstance(device, str) and device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        resolved = torch.device(device)
        torch.empty(0, device=resolved)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device={device!r} cannot be used here: {error}. Take 'auto' or 'cpu'."
        ) from error
    return resolved


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Leave `estimator` as it was if its fit fails or is interrupted.

    Of the engine's errors, those that parameters can cure come out with the parameters' names.
    """
    before = dict(estimator.__dict__)
    try:
        yield
    except BaseException as error:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        if isinstance(error, DivergedError):
            error.remedy = f"Lower learning_rate_init, or scale the data ({_SCALES})."
        elif isinstance(error, TooLargeError):
            error.remedy = f"Scale the data: {_SCALES}."
        raise
