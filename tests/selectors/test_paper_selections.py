"""The selections that the paper's algorithm made when they were written down.

A change of the code must not change them. The cases were chosen so that the answers do not hang
on rounding: they were the same with one and with two threads, and with the values perturbed by up
to 1e-7 of their size.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
from sklearn.datasets import load_breast_cancer, load_digits, make_friedman1

from entryprune import EntryPruneClassifier, EntryPruneRegressor


def breast_cancer():
    """Return 569 cases of 30 columns, two classes."""
    return load_breast_cancer(return_X_y=True)


def digits():
    """Return 400 cases of 64 columns, four classes."""
    X, y = load_digits(return_X_y=True)
    return X[y < 4][:400], y[y < 4][:400]


def few_digits():
    """Return 50 cases of 64 columns, three classes: wide data."""
    X, y = load_digits(return_X_y=True)
    return X[y < 3][:50], y[y < 3][:50]


def friedman():
    """Return 300 cases of 30 columns, the first five of which make the target."""
    return make_friedman1(n_samples=300, n_features=30, random_state=0)


def wide_friedman():
    """Return 80 cases of 200 columns, the first five of which make the target."""
    return make_friedman1(n_samples=80, n_features=200, random_state=0)


@dataclass(frozen=True)
class Case:
    name: str
    data: Callable[[], tuple[Any, Any]]
    settings: dict[str, Any] = field(repr=False)
    first_selected: list[int] = field(repr=False)
    selected: list[int] = field(repr=False)


LONG = {"batches_per_rotation": 10}
MINI = {**LONG, "batch_size": 128}
TWO_LAYERS = {"hidden_layer_sizes": (30, 20), "activation": "tanh"}
CASES = [
    Case("long", breast_cancer, LONG, [21, 27, 9, 7, 20], [4, 7, 21, 20, 27]),
    Case(
        "long, flex",
        digits,
        {**MINI, "patience": 15, "flex": True},
        [44, 43, 4, 28, 10, 45, 26, 27],
        [45, 10, 44, 59, 28, 43, 36, 18],
    ),
    Case(
        "change of the weights",
        digits,
        {**MINI, "change_metric": "weight_change"},
        [43, 38, 9, 27, 44, 46, 33, 45],
        [34, 1, 30, 46, 19, 62, 45, 37],
    ),
    Case(
        "size of the weights",
        digits,
        {**MINI, "change_metric": "magnitude"},
        [29, 7, 10, 0, 36, 26, 25, 37],
        [54, 11, 9, 52, 18, 15, 12, 6],
    ),
    Case(
        "Molchanov's importance",
        digits,
        {**MINI, "change_metric": "molchanov"},
        [10, 26, 28, 36, 45, 37, 50, 13],
        [34, 27, 19, 18, 42, 44, 11, 52],
    ),
    Case(
        "gradient regrowth",
        digits,
        {**MINI, "regrowth": "gradient"},
        [45, 26, 43, 37, 27, 42, 10, 28],
        [26, 44, 10, 28, 27, 43, 45, 37],
    ),
    Case(
        "standardised, optimiser kept",
        digits,
        {**MINI, "scale": "standard", "reset_optimizer": False},
        [27, 43, 26, 48, 36, 61, 10, 52],
        [27, 33, 19, 43, 51, 37, 1, 10],
    ),
    Case(
        "two layers",
        digits,
        {**MINI, **TWO_LAYERS},
        [27, 10, 19, 28, 37, 36, 44, 43],
        [36, 43, 2, 28, 26, 45, 42, 27],
    ),
    Case(
        "until unchanged",
        digits,
        {**MINI, "stopping": "ident"},
        [3, 19, 27, 43, 37, 28, 45, 44],
        [3, 19, 27, 43, 37, 28, 45, 44],
    ),
    Case(
        "for 60 epochs",
        digits,
        {**MINI, "stopping": "epochs", "max_epochs": 60},
        [37, 19, 27, 34, 4, 28, 10, 35],
        [37, 19, 27, 34, 4, 28, 10, 35],
    ),
    Case("wide", few_digits, {}, [42, 11, 28, 26, 50, 36], [50, 42, 26, 36, 28, 27]),
    Case(
        "wide, flex",
        few_digits,
        {"patience": 25, "flex": True},
        [62, 26, 36, 28, 42, 19],
        [26, 28, 50, 27, 36, 62],
    ),
    Case(
        "long, regression",
        friedman,
        {"batches_per_rotation": 20},
        [4, 0, 6, 3, 1],
        [4, 0, 3, 1, 14],
    ),
    Case(
        "long, regression, flex",
        friedman,
        {**MINI, "patience": 25, "flex": True},
        [4, 1, 3, 21, 0],
        [3, 0, 1, 8, 4],
    ),
    Case("wide, regression", wide_friedman, {}, [3, 21, 4, 1, 0], [3, 4, 1, 0, 127]),
]


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_papers_algorithm_selects_what_it_always_did(case):
    X, y = case.data()
    selector = EntryPruneRegressor if y.dtype.kind == "f" else EntryPruneClassifier
    settings = {"patience": 10, "random_state": 0, "device": "cpu"} | case.settings
    fitted = selector(len(case.selected), preset="paper", **settings).fit(X, y)
    assert fitted.first_selected_indices_.tolist() == case.first_selected
    assert fitted.selected_indices_.tolist() == case.selected
