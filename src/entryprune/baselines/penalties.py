"""Networks that pay for their inputs under a penalty: LassoNet and DeepLasso.

LassoNet, which features a network keeps longest as its penalty grows: I. Lemhadri, F. Ruan,
L. Abraham and R. Tibshirani, LassoNet: a neural network with feature sparsity, Journal of Machine
Learning Research 22, 2021.

DeepLasso, the input gradients of a network that is punished for having them: V. Cherepanova et al.,
A performance-driven benchmark for feature selection in tabular deep learning, NeurIPS 2023.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from sklearn.preprocessing import scale as standardised
from torch import Generator, Tensor, nn

from entryprune._progress import epochs
from entryprune.baselines._base import (
    NO_SCALE,
    NOT_NEGATIVE,
    ON_DEVICE,
    SHARE,
    WITH_BAR,
    Data,
    Floats,
    Ranking,
    RefusalError,
    ScaledSelector,
    import_peer,
)
from entryprune.baselines._dense import Cases, DenseSelector, Trainer, as_scores, train
from entryprune.engine.settings import COUNT, COUNT_OR_NONE, POSITIVE, YES_OR_NO, Allowed, setting
from entryprune.selectors._columns import random_order
from entryprune.selectors._selector import Special, constraints, estimator, resolve_device

_FIRST = 1e-6
_MOST_STEPS = 10_000
_SETTLED = 1e-5


def lambda_start(shortcut: NDArray[Any], hidden: NDArray[Any], M: float) -> float:
    """Return the last penalty in 1e-6, 2e-6, 4e-6, ... that no feature vanishes at."""
    weights = _Weights(shortcut.astype(np.float64), np.abs(hidden.astype(np.float64)), M)
    penalty = _FIRST
    while not weights.lose_a_feature(2 * penalty):
        penalty *= 2
    return penalty


class _Weights:
    """The trained weights, in the few numbers that shrinking depends on."""

    def __init__(self, shortcut: Floats, magnitudes: Floats, M: float) -> None:
        self._M = M
        self._sizes = np.linalg.norm(shortcut, axis=0)
        # Shrinking keeps the direction of a shortcut, and so its largest entry's share of the size.
        largest = np.abs(shortcut).max(axis=0)
        self._shares = largest / np.where(self._sizes > 0, self._sizes, 1.0)
        falling = -np.sort(-magnitudes, axis=0)
        nothing = np.zeros((1, falling.shape[1]))
        # Row n: the largest weight but n, and the sum of the n largest.
        self._next = np.concatenate([falling, nothing])
        self._sums = np.concatenate([nothing, np.cumsum(falling, axis=0)])
        self._features = np.arange(falling.shape[1])

    def lose_a_feature(self, penalty: float) -> bool:
        """Return whether shrinking under this penalty makes a feature vanish."""
        sizes = self._sizes
        n_cut = np.count_nonzero(self._next[:-1] >= self._M * sizes, axis=0)
        for _ in range(_MOST_STEPS):
            if not sizes.all():
                return True  # what has vanished never comes back
            shrunk, n_cut = self._shrink(sizes, n_cut, penalty)
            if np.max((sizes - shrunk) * self._shares) < _SETTLED:
                return False
            sizes = shrunk
        return not sizes.all()

    def _shrink(
        self, sizes: Floats, n_cut: NDArray[np.intp], penalty: float
    ) -> tuple[Floats, NDArray[np.intp]]:
        """Do one proximal step; `n_cut` weights of each feature are at M times its size."""
        M, features = self._M, self._features
        # If n weights are cut, the size is (b - penalty + M * sum of the n largest) / (1 + n M^2).
        rest = sizes - penalty + M * (n_cut * M * sizes - self._sums[n_cut, features])
        n_cut = n_cut.copy()
        while True:
            shrunk = np.maximum(rest + M * self._sums[n_cut, features], 0.0) / (1.0 + n_cut * M**2)
            sticks_out = self._next[n_cut, features] > M * shrunk
            if not sticks_out.any():
                return shrunk, n_cut
            n_cut += sticks_out


_ONE_OR_TWO = Special("int or pair of int", ("array-like", *constraints(COUNT)))


@estimator()
class LassoNetSelector(ScaledSelector):
    """Select the features that survive longest on the path of LassoNet.

    A network with a linear shortcut from the inputs to the outputs is trained without a penalty,
    and then again and again under a growing one. A feature whose shortcut is shrunk to 0 is cut
    off from the hidden layer too. The later it vanishes, the better it is; of features that vanish
    at the same step, the one whose shortcut weighed more before. In regression y is standardised,
    so that its unit does not matter. Needs the package `lassonet`
    (``pip install 'entryprune[peers]'``).

    A path is slow: hundreds of steps, each up to a hundred passes over the data. What makes it
    faster: a larger `path_multiplier` takes fewer and coarser steps, a larger `lambda_start` skips
    the first ones.

    {parameters and attributes}
        Here the penalty at which a feature vanished.
    n_steps_ : int
        Number of penalties on the path.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import LassoNetSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = LassoNetSelector(
    ...     1, hidden_dims=(10,), lambda_start=30, path_multiplier=1.2, n_iters=100, random_state=0
    ... )
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)']
    """

    _title = "LassoNet"
    _score_meaning = (
        "The score is the penalty at which the feature vanished from the network. All that were "
        "left when the path ended have the next penalty, and come in the order of their weights. "
        f"{NO_SCALE}"
    )
    _ranks_by_score = False

    hidden_dims: Sequence[int] = setting(
        (100,), Special("sequence of int", ("array-like",)), "Widths of the hidden layers."
    )
    M: float = setting(
        10,
        POSITIVE,
        "How much larger the weights into the hidden layer may be than those of the shortcut.",
    )
    lambda_start: float | str = setting(
        "auto",
        replace(POSITIVE, choices=("auto",)),
        'The first penalty. "auto" estimates one that no feature vanishes at yet.',
    )
    path_multiplier: float = setting(
        1.02, Allowed(float, low=1), "Factor from one penalty to the next."
    )
    full_path: bool = setting(
        False,
        YES_OR_NO,
        "Follow the path until no feature is left. Otherwise stop as soon as the selection is "
        "certain: the selected features are the same, but those that are left are ranked by the "
        "weight of their shortcut, and their score is the next penalty, the first that could have "
        "ended them.",
    )
    n_iters: int | tuple[int, int] = setting(
        (1000, 100),
        _ONE_OR_TWO,
        "Upper bound on the passes over the data: without penalty, and at each step of the path.",
    )
    patience: int | tuple[int, int] = setting(
        (100, 10),
        _ONE_OR_TWO,
        "Passes without improvement before training stops, for the same two.",
    )
    tol: float = setting(
        0.99,
        POSITIVE,
        "An improvement is a validation objective below this share of the best one so far.",
    )
    batch_size: int | None = setting(
        None, COUNT_OR_NONE, "Samples in a batch; None takes all at once."
    )
    val_size: float = setting(
        0.1,
        SHARE,
        "Share of the samples held out to see improvement; 0 looks at the training samples.",
    )
    device: str | torch.device = setting("auto", *ON_DEVICE)
    verbose: int = setting(0, *WITH_BAR)

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        model = self._model(data, rng)
        n_enough = 0 if self.full_path else n_selected
        path = _Path(data.X.shape[1], n_enough, self.path_multiplier)
        X = data.X.astype(np.float32)
        y = data.y if data.n_classes else standardised(data.y)

        def after_step(model: Any, history: list[Any]) -> None:
            if len(history) == 1:
                # The package is about to ask the network where to start, and would wait long.
                model.model.lambda_start = _quick_start(model.model)
            path(model, history)

        with ExitStack() as stack:
            stack.enter_context(torch.random.fork_rng(devices=range(torch.cuda.device_count())))
            stack.enter_context(warnings.catch_warnings())
            # That features vanish at the first steps says nothing about the best ones.
            warnings.simplefilter("ignore")
            if self.verbose:
                path.report = _status_line(stack)
            try:
                model.path(X, y, callback=after_step)
            except _CertainError:
                pass
            except AssertionError as error:
                raise RefusalError(
                    self._title,
                    "data",
                    f"its training diverged ({error}). Scale the features (scale='minmax').",
                ) from error
        self.n_steps_ = path.n_steps
        return path.ranking()

    def _model(self, data: Data, rng: np.random.Generator) -> Any:
        lassonet = import_peer("lassonet", self._title)
        kind = lassonet.LassoNetClassifier if data.n_classes else lassonet.LassoNetRegressor
        model = kind(
            hidden_dims=_whole_numbers(self.hidden_dims, "hidden_dims"),
            M=self.M,
            lambda_start=self.lambda_start,
            path_multiplier=self.path_multiplier,
            n_iters=_pair(self.n_iters, "n_iters"),
            patience=_pair(self.patience, "patience"),
            tol=self.tol,
            batch_size=self.batch_size,
            val_size=self.val_size,
            device=resolve_device(self.device),
            verbose=0,
            random_state=int(rng.integers(2**31)),
            torch_seed=int(rng.integers(2**62)),
        )
        if data.n_classes:
            # The package counts the classes in the training part, which may lack the last one.
            model._output_shape = lambda _: data.n_classes
        return model


class _CertainError(Exception):
    """Raised to leave the path."""


class _Path:
    """Notes when each feature vanishes; called by the package after every step."""

    def __init__(self, n_features: int, n_enough: int, multiplier: float) -> None:
        self.n_steps = 0
        self.report: Callable[[str], object] | None = None
        self._n_enough = n_enough
        self._multiplier = multiplier
        self._penalty = 0.0
        self._is_left = np.ones(n_features, dtype=bool)
        self._vanished_at = np.full(n_features, np.inf)
        self._last_weight = np.zeros(n_features)

    def __call__(self, model: Any, history: list[Any]) -> None:
        step = history[-1]
        is_selected = step.selected.numpy()
        self.n_steps = len(history) - 1
        # A feature may come back; as in the package, what counts is when it first vanishes.
        self._penalty = step.lambda_
        self._vanished_at[self._is_left & ~is_selected] = self._penalty
        self._is_left &= is_selected
        weight = model.model.skip.weight.detach().norm(dim=0).cpu().numpy()
        self._last_weight[self._is_left] = weight[self._is_left]
        n_left = np.count_nonzero(self._is_left)
        if self.report is not None:
            self.report(f"step {self.n_steps} | penalty {step.lambda_:.3g} | {n_left} features")
        if n_left <= self._n_enough:
            raise _CertainError

    def ranking(self) -> Ranking:
        """Return the features, the last to vanish first."""
        order = np.lexsort((-self._last_weight, -self._vanished_at))
        # What is left would have vanished at the next penalty at the earliest.
        return Ranking(np.minimum(self._vanished_at, self._penalty * self._multiplier), order)


def _quick_start(network: Any) -> Callable[[float], float]:
    shortcut, hidden = (
        layer.weight.detach().cpu().numpy() for layer in (network.skip, network.layers[0])
    )

    def start(M: float) -> float:
        return lambda_start(shortcut, hidden, M)

    return start


def _whole_numbers(value: Any, name: str) -> tuple[int, ...]:
    numbers = tuple(value)
    if not numbers or any(not isinstance(one, Integral) or one < 1 for one in numbers):
        raise ValueError(f"{name} must hold positive whole numbers, got {value!r}.")
    return tuple(map(int, numbers))


def _pair(value: Any, name: str) -> tuple[int, ...]:
    pair = _whole_numbers((value, value) if isinstance(value, Integral) else value, name)
    if len(pair) != 2:
        raise ValueError(
            f"{name} must be one number or two (without penalty, on the path), got {value!r}."
        )
    return pair


def _status_line(stack: ExitStack) -> Callable[[str], object]:
    return stack.enter_context(Console(stderr=True).status("training without penalty")).update


# -- DeepLasso -------------------------------------------------------------------------------------


@estimator()
class DeepLassoSelector(DenseSelector):
    """Select features by the gradient of a network's loss with respect to them.

    A network is trained on the loss plus `alpha` times the sum over features of the L2 norm, over
    the samples of the mini-batch, of the gradient of their mean loss with respect to the feature.
    For a linear model this is a group lasso on the features. The score of a feature is the same
    norm for the trained network on held-out samples.

    {parameters and attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import DeepLassoSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = DeepLassoSelector(n_features_to_select=2, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "DeepLasso"
    _score_meaning = (
        "The score is how steeply the loss of the network changes with the feature, on samples "
        f"that were held out if any could be spared. {NO_SCALE}"
    )

    alpha: float = setting(
        0.5,
        NOT_NEGATIVE,
        "Weight of the penalty. If it is too strong for the data, the network learns nothing, and "
        "the scores are noise.",
    )
    max_epochs: int = setting(100, COUNT, "Passes over the data.")
    validation_fraction: float = setting(
        0.2,
        Allowed(float, low=0, high=1),
        "Share of the samples that is held out for the scores, the same of each class. Where no "
        "sample can be spared, the scores come from the training samples.",
    )

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        cases, network, generator = self._begin(data, rng)
        training, held_out = self._split(cases, data, rng)
        self._train(network, training, generator)
        norms = importance(network, held_out, self.batch_size)
        # The loss does not train the weights of a constant feature, so its gradient means nothing.
        return Ranking(as_scores(norms * cases.X.any(dim=0)))

    def _split(self, cases: Cases, data: Data, rng: np.random.Generator) -> tuple[Cases, Cases]:
        """Return samples for training, and others for the scores."""
        classes = data.y if data.n_classes else None
        order, n_held_out = random_order(len(cases), self.validation_fraction, rng, classes)
        rows = torch.from_numpy(order).to(cases.X.device)
        training = cases.take(rows[n_held_out:])
        return training, cases.take(rows[:n_held_out]) if n_held_out else training

    def _train(self, network: nn.Module, cases: Cases, generator: Generator) -> None:
        def objective(X: Tensor, y: Tensor) -> Tensor:
            loss, gradient = loss_and_input_gradient(network, X, y, cases)
            penalty: Tensor = torch.linalg.vector_norm(gradient, dim=0).sum()
            return loss + self.alpha * penalty

        train(
            cases,
            objective,
            [Trainer(network.parameters(), self.learning_rate_init, self.weight_decay)],
            batch_size=self.batch_size,
            epochs=epochs(self.max_epochs, self._title, self.verbose),
            generator=generator,
        )


def loss_and_input_gradient(
    network: nn.Module, X: Tensor, y: Tensor, cases: Cases
) -> tuple[Tensor, Tensor]:
    """Return the mean loss and its gradient with respect to `X`; both can be differentiated."""
    X = X.detach().requires_grad_()
    loss = cases.loss(network(X), y)
    (gradient,) = torch.autograd.grad(loss, X, create_graph=True)
    return loss, gradient


def importance(network: nn.Module, cases: Cases, batch_size: int) -> Tensor:
    """Return for each feature the norm of the gradient of the mean loss over all `cases`."""
    squares = torch.zeros_like(cases.X[0])
    for start in range(0, len(cases), batch_size):
        X, y = cases.X[start : start + batch_size], cases.y[start : start + batch_size]
        _, gradient = loss_and_input_gradient(network, X, y, cases)
        squares += (gradient.detach() * len(X)).square_().sum(dim=0)
    return squares.sqrt_() / len(cases)
