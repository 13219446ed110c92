"""Candidates by gradient, as autograd gives it for a network as wide as the data."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from entryprune.engine import ArrayColumns
from entryprune.engine.adam import Adam
from entryprune.engine.bodies import AutogradBody, DenseBody
from entryprune.engine.losses import CrossEntropy
from entryprune.engine.network import Network
from entryprune.engine.regrowth import gradient_metric, gradient_regrowth, random_regrowth
from entryprune.engine.window import Window

CPU = torch.device("cpu")
N_COLUMNS, N_SEATS, N_CASES, N_VALIDATION = 11, 2, 14, 3


def setup(make_values, n_candidates, own_module=False, batch_size=4, n_steps=2):
    """Return a window and a network that have been trained a little."""
    generator = torch.Generator().manual_seed(0)
    values = make_values(N_COLUMNS, N_CASES)
    targets = (values[0] + values[3] > 0).long()
    window = Window(
        ArrayColumns(values),
        targets,
        n_seats=N_SEATS,
        n_validation=N_VALIDATION,
        batch_size=batch_size,
    )
    features = torch.tensor([9, 3, 1, 0, 2, 4, 5, 6, 7, 8, 10])[: N_SEATS + n_candidates]
    window.resize(len(features))
    window.fill(0, features)
    loss = CrossEntropy()
    body = DenseBody([4, 2], "tanh", loss, max_rows=N_CASES, generator=generator, device=CPU)
    if own_module:
        body = AutogradBody(body.to_module(), loss.value, n_hidden=4, n_outputs=2, device=CPU)
    network = Network(
        body,
        n_hidden=4,
        n_inputs=len(features),
        max_rows=N_CASES,
        optimizer=Adam(0.05),
        generator=generator,
        device=CPU,
    )
    for _ in range(n_steps):
        network.backward(window.next_batch())
        network.step()
    return window, network, features[:N_SEATS]


def by_autograd(values, targets, network, seated, cases):
    """Return the largest absolute gradient per column, those outside having zero weights."""
    weights = torch.zeros(len(values), network.n_hidden)
    weights[seated] = network.weights[: len(seated)]
    weights.requires_grad_()
    outputs = network.body.to_module()(values[:, cases].t() @ weights + network.bias)
    nn.functional.cross_entropy(outputs, targets[cases]).backward()
    return weights.grad.abs().amax(dim=1)


@pytest.mark.parametrize("own_module", [False, True])
@pytest.mark.parametrize("n_candidates", [1, 2, 5, 9])
def test_the_metric_is_the_largest_gradient_of_a_full_network(
    make_values, n_candidates, own_module
):
    # Nine candidates have room for nine of eleven columns at once, one candidate for one.
    window, network, seated = setup(make_values, n_candidates, own_module)
    # Two batches of four are done; the next one goes round the ring of eleven training cases.
    cases = [N_VALIDATION + i % 11 for i in range(8, 12)]
    expected = by_autograd(window.source.values, window.targets, network, seated, cases)
    torch.testing.assert_close(gradient_metric(window, network), expected, rtol=1e-4, atol=1e-6)


def test_the_metric_has_more_room_in_a_layer_that_was_larger_before(make_values):
    window, network, seated = setup(make_values, 9)
    window.resize(N_SEATS + 1)
    network.resize(N_SEATS + 1, n_kept=N_SEATS)
    cases = [N_VALIDATION + i % 11 for i in range(8, 12)]
    expected = by_autograd(window.source.values, window.targets, network, seated, cases)
    torch.testing.assert_close(gradient_metric(window, network), expected, rtol=1e-4, atol=1e-6)


def test_the_metric_is_taken_on_all_cases_when_they_are_one_batch(make_values):
    window, network, seated = setup(make_values, 2, batch_size=100)
    cases = list(range(N_VALIDATION, N_CASES))
    expected = by_autograd(window.source.values, window.targets, network, seated, cases)
    torch.testing.assert_close(gradient_metric(window, network), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("n_candidates", [1, 4, 9])
def test_the_candidates_are_the_best_outside_the_seated(make_values, n_candidates):
    window, network, seated = setup(make_values, n_candidates)
    cases = [N_VALIDATION + i % 11 for i in range(8, 12)]
    metric = by_autograd(window.source.values, window.targets, network, seated, cases).tolist()
    outside = [column for column in range(N_COLUMNS) if column not in seated.tolist()]
    expected = sorted(outside, key=lambda column: -metric[column])[:n_candidates]
    generator = torch.Generator()
    chosen = gradient_regrowth(window, network, seated, n_candidates, generator)
    assert chosen.tolist() == expected


def test_the_smaller_column_number_wins_a_tie(make_values):
    window, network, seated = setup(make_values, 4)
    window.source.values[[4, 6, 8]] = 0.0
    chosen = gradient_regrowth(window, network, seated, 9, torch.Generator()).tolist()
    assert chosen[-3:] == [4, 6, 8]


def test_looking_for_candidates_disturbs_neither_the_seated_nor_the_order_of_batches(make_values):
    window, network, seated = setup(make_values, 3)
    rows, weights = window.values[:N_SEATS].clone(), network.weights.clone()
    gradient_regrowth(window, network, seated, 3, torch.Generator())
    assert torch.equal(window.values[:N_SEATS], rows)
    assert torch.equal(network.weights, weights)
    inputs, _ = window.next_batch()
    cases = [N_VALIDATION + i % 11 for i in range(8, 12)]
    assert torch.equal(inputs[:N_SEATS], window.source.values[seated][:, cases])


def test_random_candidates_come_from_the_generator_alone(make_values):
    window, network, seated = setup(make_values, 3)
    draws = []
    for seed in (0, 0, 1, 2, 3):
        generator = torch.Generator().manual_seed(seed)
        draws.append(random_regrowth(window, network, seated, 3, generator).tolist())
        assert len({*draws[-1], *seated.tolist()}) == 5
    assert draws[0] == draws[1]
    assert len({tuple(draw) for draw in draws}) > 1


def test_a_training_lets_the_features_of_largest_gradient_in(
    make_problem, tiny_settings, make_training, watch
):
    problem = make_problem(n_columns=9, n_cases=15, n_validation=4)
    settings = tiny_settings(regrowth="gradient")
    training = make_training(problem, settings, n_rotations=4)
    watched = watch(training)
    training.run()
    X = problem.source.values.double()
    for index in range(1, 4):
        start = watched.starts[index]
        # Two batches of four a rotation, in a ring of eleven training cases.
        cases = [4 + (8 * index + i) % 11 for i in range(4)]
        weights = torch.zeros(9, 3, dtype=torch.float64)
        weights[start.features[:2]] = torch.from_numpy(start.weights[:2])
        weights.requires_grad_()
        hidden = (X[:, cases].t() @ weights + torch.from_numpy(start.bias)).clamp(min=0)
        outputs = hidden @ torch.from_numpy(start.out_weights).T + torch.from_numpy(start.out_bias)
        nn.functional.cross_entropy(outputs, problem.targets[cases]).backward()
        metric = weights.grad.abs().amax(dim=1).numpy()
        metric[start.features[:2]] = -1.0
        assert start.features[2:] == np.argsort(-metric, kind="stable")[:2].tolist()
