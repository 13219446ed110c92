"""Real tables with columns added that tell nothing new, as in Cherepanova et al. (NeurIPS 2023).

A name says what is added: ``digits+random-50`` are the digits and as many columns of noise, so that
these are 50 % of all. The samples are shuffled, for the rows of a real table may be sorted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from entryprune.data.dataset import Dataset
from entryprune.data.info import DatasetError, DatasetInfo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_NAME = re.compile(
    r"(?P<base>.+)\+(?P<kind>random|corrupted|second-order)-(?P<percent>\d+)(?:-seed(?P<seed>\d+))?"
)
_REFERENCE = "Cherepanova et al. (2023). A performance-driven benchmark for feature selection"


def _random(X: Floats, n_added: int, rng: np.random.Generator) -> Floats:
    return rng.standard_normal((len(X), n_added), dtype="float32")


def _corrupted(X: Floats, n_added: int, rng: np.random.Generator) -> Floats:
    chosen = X[:, rng.choice(X.shape[1], n_added)]
    copies: Floats = 0.5 * chosen + 0.5 * chosen.std(axis=0) * _random(X, n_added, rng)
    return copies


def _second_order(X: Floats, n_added: int, rng: np.random.Generator) -> Floats:
    one, other = rng.choice(X.shape[1], (2, n_added))
    products: Floats = X[:, one] * X[:, other]
    return products


# What is added, given the columns that vary.
KINDS: dict[str, tuple[str, Callable[[Floats, int, np.random.Generator], Floats]]] = {
    "random": ("N(0, 1)", _random),
    "corrupted": (".5 x_j + .5 sd(x_j) N(0, 1)", _corrupted),
    "second-order": ("x_i x_j", _second_order),
}


def is_distracted(name: str) -> bool:
    """Tell the name of a table with distractors from others."""
    return _NAME.fullmatch(name) is not None


def base_of(name: str) -> str:
    """Return the name of the table that distractors are added to."""
    return _request(name)[0]


def describe_distracted(name: str, base: DatasetInfo) -> DatasetInfo:
    """Return the entry that the catalogue would have for a table with distractors."""
    _, kind, percent, _ = _request(name)
    return replace(
        base,
        name=name,
        title=_title(base.title, kind, percent),
        n_test=None,
        n_features=base.n_features + _n_added(base.n_features, percent),
        reference=f"{base.reference}; {_REFERENCE}",
        sources=(),
        fingerprint=None,
        image_shape=None,
        is_papers=False,
        is_embedded=False,
        file_format="",
        n_relevant=base.n_features,
    )


def add_distractors(name: str, base: Dataset) -> Dataset:
    """Add columns to a table: the first ones, as far as they vary, are those that count."""
    import numpy as np

    _, kind, percent, seed = _request(name)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(base.y))
    X = base.X[rows].astype(np.float32)
    # A constant column tells nothing, nor do copies of it.
    varying = np.flatnonzero(np.ptp(X, axis=0))
    formula, make = KINDS[kind]
    added = make(X[:, varying], _n_added(X.shape[1], percent), rng)
    return Dataset(
        name,
        _title(base.title, kind, percent),
        np.hstack([X, added]),
        base.y[rows],
        scale=base.scale,
        subset=base.subset,
        origin=f"{base.origin}; {percent} % of the columns made, seed {seed}: {formula}",
        relevant=tuple(varying.tolist()),
        task=base.task,
    )


def _title(base: str, kind: str, percent: int) -> str:
    return f"{base} + {percent} % {kind}"


def _n_added(n_columns: int, percent: int) -> int:
    return round(n_columns * percent / (100 - percent))


def _request(name: str) -> tuple[str, str, int, int]:
    match = _NAME.fullmatch(name)
    percent = int(match["percent"]) if match else 0
    if match is None or not 1 <= percent <= 99:
        raise DatasetError(
            f"{name!r} does not say which columns to add. Write, such as 'digits+random-50', one "
            f"of {', '.join(KINDS)} and which percentage of all columns they shall be, 1 to 99."
        )
    return match["base"], match["kind"], percent, int(match["seed"] or 0)
