"""Does each kind of target lead to the features that made it, also those that matter together?

    python benchmarks/targets.py                 # ten of each kind, eight CPU minutes
    python benchmarks/targets.py counts survival --first 0 --problems 3

Each problem has 500 samples (one kind 2,000) and 100 features. Three features act by themselves and
two only together, as a product; the other 95 make nothing, but all are correlated with some others.
What they add up to becomes a target of each kind. Printed is the share of the five among the first
five that each method selects, the mean of ten problems, and in how many of these all five are.
Beside the default there are

- a linear model: of the same loss with an L1 penalty on each feature (on all its coefficients
  together, where the target has several outputs); the first five that enter as it is relaxed. For a
  quantile scikit-learn's `QuantileRegressor`. Ordered classes are taken as the numbers 0, 1, 2, ...
- a random forest of scikit-learn, 300 trees, by impurity. Survival times, which it cannot take, are
  replaced by martingale residuals: events seen less those expected of samples all alike. For a
  quantile it tells the samples above from those below.

The problems with the numbers 0 to 9 were looked at while this was written; those that are measured,
from 100 on, were not.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from machine import announce
from rich.console import Console
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import QuantileRegressor

from entryprune import EntryPruneClassifier, EntryPruneRegressor, EntryPruneSurvival
from entryprune.engine.losses import Cox, make_loss
from entryprune.report.table import Table, to_markdown

N_FEATURES, N_TRUE = 100, 5
LEVEL = 0.9
# Penalties on a path, as shares of the one that keeps all features out.
PENALTIES = np.geomspace(1.0, 0.01, 60)
Array = Any


@dataclass(frozen=True)
class Made:
    """Features, and what each of the five that matter contributes."""

    X: Array
    true: Array
    rng: np.random.Generator
    # Three that act alone and the product of the other two.
    alone: Array
    product: Array

    @property
    def score(self) -> Array:
        """What they add up to."""
        return self.alone @ [1.0, -0.8, 0.6] + self.product

    def noise(self, size: float = 0.7) -> Array:
        return size * self.rng.normal(size=len(self.X))


def made(number: int, n_samples: int = 500) -> Made:
    """Return a problem in which each feature has the correlation 0.5 with the next."""
    rng = np.random.default_rng(number)
    X = rng.normal(size=(n_samples, N_FEATURES))
    for place in range(1, N_FEATURES):
        X[:, place] = 0.5 * X[:, place - 1] + np.sqrt(0.75) * X[:, place]
    # Far enough from each other to be nearly independent.
    true = rng.choice(N_FEATURES // 5, N_TRUE, replace=False) * 5 + rng.integers(0, 2)
    first, second = X[:, true[3]], X[:, true[4]]
    return Made(X, true, rng, X[:, true[:3]], first * second)


# -- targets --------------------------------------------------------------------------------------


def two_classes(one: Made) -> Array:
    return (one.score + one.noise() > 0).astype(int)


def several_classes(one: Made) -> Array:
    first, second, third = one.alone.T
    likings = np.column_stack([first, second - third, third, one.product])
    return (1.5 * likings + one.rng.gumbel(size=likings.shape)).argmax(axis=1)


def ordered_classes(one: Made) -> Array:
    return np.digitize(one.score + one.noise(), [-2.0, -0.7, 0.7, 2.0])


def several_labels(one: Made) -> Array:
    first, second, third = one.alone.T
    scores = [first - second, third + one.noise(), one.product + 0.5 * second]
    return np.column_stack([score + one.noise() > 0 for score in scores]).astype(int)


def a_quantity(one: Made) -> Array:
    return one.score + one.noise()


def a_skewed_quantity(one: Made) -> Array:
    """Return amounts of money: the largest are 100,000 times the smallest and more."""
    return 1e6 * np.exp(one.score + one.noise())


def counts(one: Made) -> Array:
    return one.rng.poisson(np.exp(0.5 + 0.5 * one.score))


def a_quantile(one: Made) -> Array:
    """Return numbers whose spread the features make, and not their middle."""
    return one.noise(1.0) * np.exp(0.7 * one.score)


def several_outputs(one: Made) -> Array:
    first, second, third = one.alone.T
    outputs = [first - second, 1000 * (third + one.product), 0.01 * (one.product - first)]
    return np.column_stack([output + output.std() * one.noise() for output in outputs])


def survival(one: Made) -> Array:
    """Return times in whole weeks, so that many are the same, and who was watched to the end."""
    weeks = np.ceil(10 * one.rng.exponential(np.exp(-one.score)))
    watched = np.ceil(20 * one.rng.exponential(1.0, size=len(weeks)))
    return np.column_stack([np.minimum(weeks, watched), weeks <= watched])


# -- methods --------------------------------------------------------------------------------------


def enter_first(X: Array, y: Array, loss: str) -> list[int]:
    """Return the features that enter a linear model first as an L1 penalty on each is relaxed."""
    scaled = torch.from_numpy((X - X.mean(axis=0)) / X.std(axis=0))
    inputs = torch.cat([scaled, torch.ones(len(X), 1)], dim=1)
    targets = torch.from_numpy(np.asarray(y))
    if loss != "cross_entropy":
        targets = targets.double().reshape(len(targets), -1)
    if loss == "squared_error":
        targets = (targets - targets.mean(dim=0)) / targets.std(dim=0)
    if loss == "poisson":
        targets = targets / targets.mean()
    n_outputs = {"cross_entropy": int(targets.max()) + 1, "cox": 1}.get(loss, targets.shape[-1])
    a_loss = make_loss(loss)

    def loss_and_slope(weights: torch.Tensor) -> tuple[float, torch.Tensor]:
        outputs = inputs @ weights
        slope = torch.empty_like(outputs)
        value = a_loss.backward(outputs, targets, slope)
        return float(value), inputs.mT @ slope

    weights = torch.zeros(inputs.shape[1], n_outputs, dtype=inputs.dtype)
    weights = descended(loss_and_slope, weights, torch.inf)
    highest = float(loss_and_slope(weights)[1][:-1].norm(dim=1).max())
    entered: list[int] = []
    for share in PENALTIES:
        weights = descended(loss_and_slope, weights, share * highest)
        sizes = weights[:-1].norm(dim=1)
        new = set(sizes.nonzero().view(-1).tolist()).difference(entered)
        entered += sorted(new, key=lambda one: -float(sizes[one]))
        if len(entered) >= N_TRUE:
            break
    return entered[:N_TRUE]


def descended(
    loss_and_slope: Callable[[torch.Tensor], tuple[float, torch.Tensor]],
    weights: torch.Tensor,
    penalty: float,
) -> torch.Tensor:
    """Return the weights at the bottom, given a penalty on each row of them but the last."""
    step = 1.0
    for _ in range(200):
        value, slope = loss_and_slope(weights)
        while True:
            new = weights - step * slope
            sizes = new[:-1].norm(dim=1, keepdim=True).clamp(min=1e-300)
            new[:-1] *= (1 - step * penalty / sizes).clamp(min=0)
            change = new - weights
            most = value + float((slope * change).sum() + change.square().sum() / (2 * step))
            if loss_and_slope(new)[0] <= most + 1e-12:
                break
            step /= 2
        weights = new
        if float(change.abs().max()) < 1e-5:
            break
    return weights


def enter_a_quantile_first(X: Array, y: Array) -> list[int]:
    """Do the same for a quantile."""
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    entered: list[int] = []
    highest = np.abs(scaled.T @ ((y > np.quantile(y, LEVEL)) - (1 - LEVEL))).max() / len(y)
    for share in PENALTIES[::3]:
        model = QuantileRegressor(quantile=LEVEL, alpha=share * highest).fit(scaled, y)
        sizes = np.abs(model.coef_)
        new = set(np.flatnonzero(sizes > 1e-9).tolist()).difference(entered)
        entered += sorted(new, key=lambda one: -sizes[one])
        if len(entered) >= N_TRUE:
            break
    return entered[:N_TRUE]


def forest(X: Array, y: Array, loss: str) -> list[int]:
    """Return the features that a random forest finds most important."""
    kind: Any = RandomForestRegressor
    more: dict[str, Any] = {}
    if loss in {"cross_entropy", "binary_cross_entropy"}:
        kind = RandomForestClassifier
    elif loss == "poisson":
        more = {"criterion": "poisson"}
    elif loss == "quantile":
        kind, y = RandomForestClassifier, y > np.quantile(y, LEVEL)
    elif loss == "cox":
        y = Cox().responses(torch.from_numpy(y), 1).numpy()[:, 0]
    elif y.ndim > 1:
        y = y / y.std(axis=0)
    found = kind(300, random_state=0, n_jobs=1, **more).fit(X, y)
    return np.argsort(-found.feature_importances_)[:N_TRUE].tolist()


@dataclass(frozen=True)
class Kind:
    """A kind of target, how it is made, and what selects for it."""

    title: str
    make: Callable[[Made], Array]
    ours: Any
    code: str
    # Of the linear model and of the forest.
    loss: str
    n_samples: int = 500


KINDS = {
    "two": Kind(
        "two classes",
        two_classes,
        EntryPruneClassifier(),
        "EntryPruneClassifier(5)",
        "cross_entropy",
    ),
    "several": Kind(
        "four classes",
        several_classes,
        EntryPruneClassifier(),
        "EntryPruneClassifier(5)",
        "cross_entropy",
    ),
    "ordered": Kind(
        "five classes in an order",
        ordered_classes,
        EntryPruneClassifier(ordinal=True),
        "EntryPruneClassifier(5, ordinal=True)",
        "squared_error",
    ),
    "labels": Kind(
        "three labels, any of them",
        several_labels,
        EntryPruneClassifier(),
        "EntryPruneClassifier(5)",
        "binary_cross_entropy",
    ),
    "quantity": Kind(
        "a quantity", a_quantity, EntryPruneRegressor(), "EntryPruneRegressor(5)", "squared_error"
    ),
    "skewed": Kind(
        "amounts with a very long tail",
        a_skewed_quantity,
        EntryPruneRegressor(),
        "EntryPruneRegressor(5)",
        "squared_error",
    ),
    "huber": Kind(
        "the same amounts",
        a_skewed_quantity,
        EntryPruneRegressor(loss="huber"),
        'EntryPruneRegressor(5, loss="huber")',
        "squared_error",
    ),
    "counts": Kind(
        "counts",
        counts,
        EntryPruneRegressor(loss="poisson"),
        'EntryPruneRegressor(5, loss="poisson")',
        "poisson",
    ),
    "quantile": Kind(
        "what nine of ten stay below",
        a_quantile,
        EntryPruneRegressor(loss="quantile", quantile=LEVEL),
        'EntryPruneRegressor(5, loss="quantile", quantile=0.9)',
        "quantile",
    ),
    "more": Kind(
        "the same, of 2,000 samples",
        a_quantile,
        EntryPruneRegressor(loss="quantile", quantile=LEVEL),
        'EntryPruneRegressor(5, loss="quantile", quantile=0.9)',
        "quantile",
        2000,
    ),
    "outputs": Kind(
        "three outputs",
        several_outputs,
        EntryPruneRegressor(),
        "EntryPruneRegressor(5)",
        "squared_error",
    ),
    "survival": Kind(
        "survival in whole weeks",
        survival,
        EntryPruneSurvival(),
        "EntryPruneSurvival(5)",
        "cox",
    ),
}


def selections(kind: Kind, one: Made, seed: int) -> tuple[list[int], list[int], list[int]]:
    """Return what ours, a linear model and a forest select."""
    y = kind.make(one)
    ours = kind.ours.set_params(n_features_to_select=N_TRUE, random_state=seed)
    mine = ours.fit(one.X, y).selected_indices_.tolist()
    if kind.loss == "quantile":
        linear = enter_a_quantile_first(one.X, y)
    else:
        linear = enter_first(one.X, y, kind.loss)
    return mine, linear, forest(one.X, y, kind.loss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--first", type=int, default=100, help="number of the first problem")
    parser.add_argument("--problems", type=int, default=10)
    asked = parser.parse_args()
    if unknown := set(asked.kinds).difference(KINDS):
        parser.error(f"unknown: {', '.join(unknown)}. There are {', '.join(KINDS)}.")
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    console = Console(width=200)
    announce(console, f"torch {torch.__version__}, one thread")
    start = time.process_time()
    rows = []
    for name in asked.kinds or KINDS:
        kind = KINDS[name]
        right: list[list[int]] = []
        for number in range(asked.first, asked.first + asked.problems):
            one = made(number, kind.n_samples)
            chosen = selections(kind, one, seed=number)
            right.append([len(set(one.true.tolist()) & set(each)) for each in chosen])
        counts_of = np.array(right).T
        cells = [f"{100 * n.mean() / N_TRUE:.0f} ({(n == N_TRUE).sum()})" for n in counts_of]
        rows.append((kind.title, f"`{kind.code}`", *cells))
        print(*rows[-1], f"{time.process_time() - start:.0f} s", sep=" | ", flush=True)
    heads = ("target", "selector", "EntryPrune exchange", "linear, L1", "random forest")
    print(to_markdown(Table("Share of the true features found", heads, tuple(rows))))
    print(f"\n{time.process_time() - start:.0f} CPU seconds")


if __name__ == "__main__":
    main()
