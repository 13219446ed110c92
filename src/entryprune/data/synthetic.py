"""Data sets that are made, or added to, so that it is known which of their columns matter.

A name says what is made: ``xor-2048`` has 2,048 columns, ``xor-2048-seed3`` has other numbers. The
first ones, up to "dag", are the tests of Passemiers et al. (2024) for selectors that are neural
networks: 1,000 samples, columns uniform on [0, 1] and stretched to [-1, 1] when the class is set.

Real tables get columns that tell nothing new (distractors), as in Cherepanova et al. (NeurIPS
2023): ``digits+random-50`` are the digits and as many columns of noise, so that these are 50 % of
all. The samples are shuffled, for the rows of a real table may be sorted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from entryprune.data.dataset import CLASSIFICATION, REGRESSION, Dataset, DatasetError, DatasetInfo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Columns = NDArray[np.float32]
    # Columns, targets, and which columns matter.
    Made = tuple[Floats, NDArray[Any], tuple[int, ...]]

_NAME = re.compile(r"(?P<kind>[a-z][a-z0-9-]*?)-(?P<m>\d+)(?:-seed(?P<seed>\d+))?")
_PASSEMIERS = (
    "Passemiers et al. (2024). A quantitative benchmark of neural network feature selection "
    "methods for detecting nonlinear signals. Scientific Reports 14"
)
# Each of ten columns is seen by an F-test among 50,000 in 5/6 of 200 samples: its t-value is about
# 0.65 sqrt(166) = 8.4, and that of the luckiest of the others about 4.6.
_EFFECT = 0.65
_N_TRUE = 10
_N_CAUSES = 7
_DENSITY = 0.004


@dataclass(frozen=True)
class Recipe:
    """How a kind of data set is made."""

    title: str
    formula: str  # what the target is, in one line
    # Given a generator, the number of samples and the number of columns.
    make: Callable[[np.random.Generator, int, int], Made]
    n_relevant: int
    n_cases: int = 1000
    task: str = CLASSIFICATION
    reference: str = ""


def _ring(X: Floats, i: int, j: int, width: float) -> NDArray[np.bool_]:
    import numpy as np

    near: NDArray[np.bool_] = np.abs(np.hypot(X[:, i] - 0.5, X[:, j] - 0.5) - 0.35) <= width
    return near


def _xor(X: Floats, i: int, j: int, margin: float) -> NDArray[np.bool_]:
    apart: NDArray[np.bool_] = (X[:, i] - 0.5) * (0.5 - X[:, j]) >= margin
    return apart


def _uniform(
    rule: Callable[[Floats, np.random.Generator], NDArray[np.bool_]], n_relevant: int
) -> Callable[[np.random.Generator, int, int], Made]:
    def make(rng: np.random.Generator, n: int, m: int) -> Made:
        X = rng.random((n, m))
        y = rule(X, rng).astype(int)
        return 2.0 * X - 1.0, y, tuple(range(n_relevant))

    return make


def _ring_xor_sum(X: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
    total = X[:, 4] + X[:, 5] + rng.normal(scale=0.2, size=len(X))
    return _ring(X, 0, 1, 0.0479) | _xor(X, 2, 3, 0.0598) | (total >= 1.4074)


def _dag(rng: np.random.Generator, n: int, m: int) -> Made:
    """Half of the columns cause each other; the target has seven of them for causes."""
    import numpy as np

    X = np.empty((n, m))
    connected = np.sort(rng.choice(m, m // 2, replace=False))
    parents: list[NDArray[np.intp]] = [np.array([], dtype=np.intp) for _ in range(m)]
    for place, j in enumerate(connected):
        parents[j] = connected[:place][rng.random(place) < _DENSITY]
    for j in range(m):
        X[:, j] = _node(X[:, parents[j]], rng)
    causes = np.sort(rng.choice(connected, _N_CAUSES, replace=False))
    target = _node(X[:, causes], rng)
    return X, (target > np.median(target)).astype(int), tuple(int(j) for j in causes)


def _node(parents: Floats, rng: np.random.Generator) -> Floats:
    import numpy as np

    values = rng.normal(scale=0.2, size=len(parents))
    if parents.shape[1]:
        values += (parents * rng.uniform(-1.0, 1.0, parents.shape[1])).mean(axis=1)
    node: Floats = 1.0 / (1.0 + np.exp(-2.0 * (values - values.mean()) / values.std()))
    return node


def _friedman1(rng: np.random.Generator, n: int, m: int) -> Made:
    import numpy as np

    X = rng.random((n, m))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    y += 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n)
    return X, y, tuple(range(5))


def _shifted(rng: np.random.Generator, y: NDArray[Any], m: int) -> Made:
    X = rng.normal(size=(len(y), m))
    X[:, :_N_TRUE] += _EFFECT * y[:, None]
    return X, y, tuple(range(_N_TRUE))


def _linear(rng: np.random.Generator, n: int, m: int) -> Made:
    return _shifted(rng, rng.normal(size=n), m)


def _logistic(rng: np.random.Generator, n: int, m: int) -> Made:
    import numpy as np

    return _shifted(rng, rng.permutation(np.arange(n) % 2 * 2 - 1), m)


def _noise(rng: np.random.Generator, n: int, m: int) -> Made:
    import numpy as np

    return rng.normal(size=(n, m)), rng.permutation(np.arange(n) % 2), ()


RECIPES = {
    "ring": Recipe(
        "RING",
        "r(0, 1) <= .1151 with r(i, j) = | sqrt((x_i - .5)^2 + (x_j - .5)^2) - .35 |",
        _uniform(lambda X, _: _ring(X, 0, 1, 0.1151), 2),
        2,
        reference=_PASSEMIERS,
    ),
    "xor": Recipe(
        "XOR",
        "(x_0 - .5)(.5 - x_1) >= 0",
        _uniform(lambda X, _: _xor(X, 0, 1, 0.0), 2),
        2,
        reference=_PASSEMIERS,
    ),
    "ring-xor": Recipe(
        "RING+XOR",
        "r(0, 1) <= .0704 or (x_2 - .5)(.5 - x_3) >= .0337",
        _uniform(lambda X, _: _ring(X, 0, 1, 0.0704) | _xor(X, 2, 3, 0.0337), 4),
        4,
        reference=_PASSEMIERS,
    ),
    "ring-xor-sum": Recipe(
        "RING+XOR+SUM",
        "r(0, 1) <= .0479 or (x_2 - .5)(.5 - x_3) >= .0598 or x_4 + x_5 + N(0, .2) >= 1.4074",
        _uniform(_ring_xor_sum, 6),
        6,
        reference=_PASSEMIERS,
    ),
    "dag": Recipe(
        "DAG",
        "above its median, a node with 7 causes; node = sigmoid(2 z), z = standardised mean of "
        "parents x U(-1, 1) + N(0, .2); half of the columns alone, the others joined with .004",
        _dag,
        _N_CAUSES,
        reference=_PASSEMIERS,
    ),
    "friedman1": Recipe(
        "Friedman 1",
        "10 sin(pi x_0 x_1) + 20 (x_2 - .5)^2 + 10 x_3 + 5 x_4 + N(0, 1), x uniform on [0, 1]",
        _friedman1,
        5,
        task=REGRESSION,
        reference="Friedman (1991). Multivariate adaptive regression splines. Annals of Statistics",
    ),
    "linear": Recipe(
        "ten linear effects",
        "y = N(0, 1); x_j = .65 y + N(0, 1) for ten columns, N(0, 1) for all others: given x, y is "
        "linear in the ten with equal weights",
        _linear,
        _N_TRUE,
        n_cases=200,
        task=REGRESSION,
    ),
    "logistic": Recipe(
        "ten logistic effects",
        "y = -1 or 1; x_j = .65 y + N(0, 1) for ten columns, N(0, 1) for all others: given x, the "
        "log odds are 1.3 times the sum of the ten",
        _logistic,
        _N_TRUE,
        n_cases=200,
    ),
    "noise": Recipe("noise", "0 or 1, whatever x is; x = N(0, 1)", _noise, 0, n_cases=200),
}


def is_synthetic(name: str) -> bool:
    """Tell the name of a made data set from others."""
    match = _NAME.fullmatch(name)
    return match is not None and match["kind"] in RECIPES


def describe_synthetic(name: str) -> DatasetInfo:
    """Return the entry that the catalogue would have for a made data set."""
    recipe, m, _ = _request(name)
    return DatasetInfo(
        name,
        recipe.title,
        "artificial",
        n_train=recipe.n_cases,
        n_test=None,
        n_features=m,
        n_classes=2 if recipe.task == CLASSIFICATION else 0,
        licence="none needed",
        reference=recipe.reference,
        n_relevant=recipe.n_relevant,
    )


def load_synthetic(name: str) -> Dataset:
    """Make a data set."""
    import numpy as np

    recipe, m, seed = _request(name)
    X, y, relevant = recipe.make(np.random.default_rng(seed), recipe.n_cases, m)
    return Dataset(
        name,
        recipe.title,
        X.astype(np.float32),
        y,
        origin=f"made, seed {seed}: {recipe.formula}",
        relevant=relevant,
        task=recipe.task,
    )


def _request(name: str) -> tuple[Recipe, int, int]:
    """Return how to make what a name says, of how many columns, and from which seed."""
    match = _NAME.fullmatch(name)
    if match is None or match["kind"] not in RECIPES:
        raise DatasetError(
            f"There is no way to make {name!r}. What can be made: "
            f"{', '.join(f'{kind}-M' for kind in RECIPES)}, where M is the number of columns."
        )
    recipe, m = RECIPES[match["kind"]], int(match["m"])
    # Half of the columns of a DAG are alone.
    least = max(1, recipe.n_relevant * (2 if match["kind"] == "dag" else 1))
    if m < least:
        raise DatasetError(
            f"{name}: {recipe.title} needs at least {least} columns, of which {recipe.n_relevant} "
            f"matter; got {m}."
        )
    return recipe, m, int(match["seed"] or 0)


# -- distractors -----------------------------------------------------------------------------------

_DISTRACTED_NAME = re.compile(
    r"(?P<base>.+)\+(?P<kind>random|corrupted|second-order)-(?P<percent>\d+)(?:-seed(?P<seed>\d+))?"
)
_REFERENCE = "Cherepanova et al. (2023). A performance-driven benchmark for feature selection"


def _random(X: Columns, n_added: int, rng: np.random.Generator) -> Columns:
    return rng.standard_normal((len(X), n_added), dtype="float32")


def _corrupted(X: Columns, n_added: int, rng: np.random.Generator) -> Columns:
    chosen = X[:, rng.choice(X.shape[1], n_added)]
    copies: Columns = 0.5 * chosen + 0.5 * chosen.std(axis=0) * _random(X, n_added, rng)
    return copies


def _second_order(X: Columns, n_added: int, rng: np.random.Generator) -> Columns:
    one, other = rng.choice(X.shape[1], (2, n_added))
    products: Columns = X[:, one] * X[:, other]
    return products


# What is added, given the columns that vary.
KINDS: dict[str, tuple[str, Callable[[Columns, int, np.random.Generator], Columns]]] = {
    "random": ("N(0, 1)", _random),
    "corrupted": (".5 x_j + .5 sd(x_j) N(0, 1)", _corrupted),
    "second-order": ("x_i x_j", _second_order),
}


def is_distracted(name: str) -> bool:
    """Tell the name of a table with distractors from others."""
    return _DISTRACTED_NAME.fullmatch(name) is not None


def base_of(name: str) -> str:
    """Return the name of the table that distractors are added to."""
    return _distraction(name)[0]


def describe_distracted(name: str, base: DatasetInfo) -> DatasetInfo:
    """Return the entry that the catalogue would have for a table with distractors."""
    _, kind, percent, _ = _distraction(name)
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

    _, kind, percent, seed = _distraction(name)
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


def _distraction(name: str) -> tuple[str, str, int, int]:
    match = _DISTRACTED_NAME.fullmatch(name)
    percent = int(match["percent"]) if match else 0
    if match is None or not 1 <= percent <= 99:
        raise DatasetError(
            f"{name!r} does not say which columns to add. Write, such as 'digits+random-50', one "
            f"of {', '.join(KINDS)} and which percentage of all columns they shall be, 1 to 99."
        )
    return match["base"], match["kind"], percent, int(match["seed"] or 0)
