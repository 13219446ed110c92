"""The network behind predictions: an ordinary one, trained on the selected columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from entryprune.engine.network import Adam, make_network
from entryprune.engine.window import Window

if TYPE_CHECKING:
    from torch import Generator, Tensor, nn

    from entryprune.engine.settings import NetworkSettings, Problem

_N_EPOCHS = 40
_FEWEST_STEPS, _MOST_STEPS = 200, 4000


@torch.no_grad()
def train_predictor(
    problem: Problem,
    settings: NetworkSettings,
    columns: Tensor,
    *,
    weight_decay: float,
    generator: Generator,
) -> nn.Module:
    """Train a network on `columns`, given in ascending order, and return it on the CPU.

    The step size falls to nothing towards the end, so that the last mini-batches do not decide.
    """
    device = problem.targets.device
    window = Window(
        problem.source,
        problem.targets,
        n_selected=len(columns),
        n_validation=0,
        batch_size=settings.batch_size,
        weights=problem.weights,
    )
    window.resize(len(columns))
    window.fill(0, columns.to(device))
    optimizer = Adam(settings.learning_rate, weight_decay)
    network = make_network(
        settings,
        problem.n_outputs,
        n_inputs=len(columns),
        max_rows=window.batch_size,
        optimizer=optimizer,
        generator=generator,
        device=device,
    )
    n_steps = _N_EPOCHS * window.n_training // window.batch_size
    n_steps = min(max(n_steps, _FEWEST_STEPS), _MOST_STEPS)
    for step in range(n_steps):
        optimizer.learning_rate = settings.learning_rate * (1.0 - step / n_steps)
        network.backward(window.next_batch())
        network.step()
    network.refuse_divergence()
    return network.to_module(torch.arange(len(columns)))
