"""Small problems, and a look inside a training at the turns of its rotations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from entryprune.engine import ArrayColumns, Problem, Settings
from entryprune.engine.rules import FixedSize, Rotations
from entryprune.engine.training import Training


@pytest.fixture
def make_values():
    """Return a function that draws a feature-major matrix of normal values."""

    def make(n_columns, n_cases, seed=0):
        generator = torch.Generator().manual_seed(seed)
        return torch.randn(n_columns, n_cases, generator=generator)

    return make


@pytest.fixture
def make_problem(make_values):
    """Return a function that makes a two-class problem in which columns 1 and 4 count."""

    def make(n_columns=6, n_cases=13, n_validation=5, seed=0):
        values = make_values(n_columns, n_cases, seed)
        signal = values[1 % n_columns] + 0.7 * values[4 % n_columns]
        return Problem(ArrayColumns(values), (signal > 0).long(), 2, n_validation)

    return make


@pytest.fixture
def tiny_settings():
    """Return a function that makes settings for networks small enough to follow by hand."""

    def make(**changes):
        defaults = {
            "n_selected": 2,
            "batches_per_rotation": 2,
            "hidden_layer_sizes": (3,),
            "batch_size": 4,
            "learning_rate": 0.05,
        }
        return Settings(**(defaults | changes))

    return make


@pytest.fixture
def make_training():
    """Return a function that makes one training of fixed size and length."""

    def make(problem, settings, n_candidates=2, n_rotations=1, seed=0):
        return Training(
            problem,
            settings,
            n_validation=problem.n_validation,
            size_rule=FixedSize(n_candidates),
            stopping_rule=Rotations(n_rotations),
            seed=seed,
            phase="search",
        )

    return make


@dataclass(frozen=True)
class State:
    """Copies of all that changes in a training with one hidden layer."""

    features: list[int]
    entry_scores: np.ndarray
    weights: np.ndarray
    bias: np.ndarray
    out_weights: np.ndarray
    out_bias: np.ndarray
    first_moment: np.ndarray
    second_moment: np.ndarray
    window: np.ndarray


def _copy(training):
    network = training.network
    layer = network.body.to_module()[-1]
    return State(
        features=training.features.tolist(),
        entry_scores=_double(training.entry_scores),
        weights=_double(network.weights),
        bias=_double(network.bias),
        out_weights=_double(layer.weight),
        out_bias=_double(layer.bias),
        first_moment=_double(network.optimizer.first_moment),
        second_moment=_double(network.optimizer.second_moment),
        window=_double(training.window.values[: network.n_inputs]),
    )


def _double(tensor):
    return tensor.detach().numpy().astype(np.float64)


class Watched:
    """Stands in for a training's change metric and keeps the states it is called at.

    Attributes
    ----------
    starts : list of State
        Before the first mini-batch of each rotation.
    trained : list of State
        After the last mini-batch of each rotation, before the selection.
    ends : list of State
        After the selection of each rotation, before the draw of new candidates.
    """

    def __init__(self, training):
        self._training = training
        self._metric = training.metric
        self.starts, self.trained, self.ends = [], [], []
        training.metric = self
        training.callback = self._after_selection

    def begin(self, network):
        self.starts.append(_copy(self._training))
        self._metric.begin(network)

    def add(self, network, inputs, delta):
        self._metric.add(network, inputs, delta)

    def total(self, network):
        self.trained.append(_copy(self._training))
        return self._metric.total(network)

    def _after_selection(self, record):
        self.ends.append(_copy(self._training))


@pytest.fixture
def watch():
    """Return a function that keeps a training's states while it runs."""
    return Watched
