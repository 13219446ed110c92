"""The first layer by hand, and one flat block for everything."""

from __future__ import annotations

import pickle

import pytest
import torch
from torch import nn

from entryprune.engine.bodies import AutogradBody, DenseBody
from entryprune.engine.losses import CrossEntropy
from entryprune.engine.network import Adam, Network
from entryprune.engine.window import Batch

CPU = torch.device("cpu")
N_HIDDEN, N_CLASSES, N_ROWS = 4, 3, 9


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def make_network(n_inputs=5, activation="tanh", widths=(N_HIDDEN, N_CLASSES), own_module=False):
    generator = torch.Generator().manual_seed(0)
    loss = CrossEntropy()
    body = DenseBody(widths, activation, loss, max_rows=N_ROWS, generator=generator, device=CPU)
    if own_module:
        body = AutogradBody(
            body.to_module(), loss.value, n_hidden=widths[0], n_outputs=widths[-1], device=CPU
        )
    return Network(
        body,
        n_hidden=widths[0],
        n_inputs=n_inputs,
        max_rows=N_ROWS,
        optimizer=Adam(0.01),
        generator=generator,
        device=CPU,
    )


def batch(n_inputs=5):
    return draw(n_inputs, N_ROWS, seed=1), torch.arange(N_ROWS) % N_CLASSES


def by_autograd(network, inputs, targets):
    """Return the loss, the first layer's gradients and the body's, from torch's own layers."""
    weights = network.weights[: len(inputs)].clone().requires_grad_()
    bias = network.bias.clone().requires_grad_()
    body = network.body.to_module()
    loss = nn.functional.cross_entropy(body(inputs.t() @ weights + bias), targets)
    loss.backward()
    return loss.detach(), weights.grad, bias.grad, [p.grad for p in body.parameters()]


@pytest.mark.parametrize("own_module", [False, True])
@pytest.mark.parametrize("widths", [(4, 3), (4, 6, 3), (3,)])
def test_the_first_layers_gradients_are_those_of_autograd(widths, own_module):
    network = make_network(widths=widths, own_module=own_module)
    inputs, targets = batch()
    expected_loss, weights, bias, _ = by_autograd(network, inputs, targets)
    loss, delta = network.backward(Batch(inputs, targets))
    torch.testing.assert_close(loss, expected_loss)
    torch.testing.assert_close(network.weights_gradient, weights)
    torch.testing.assert_close(network.bias_gradient, bias)
    torch.testing.assert_close(inputs @ delta, weights)
    torch.testing.assert_close(
        torch.tensor(network.loss(Batch(inputs, targets))), expected_loss, rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("own_module", [False, True])
def test_a_step_trains_the_whole_network(own_module):
    network = make_network(own_module=own_module)
    inputs, targets = batch()
    module = network.to_module(torch.arange(5)).train()
    optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
    for _ in range(4):
        network.backward(Batch(inputs, targets))
        network.step()
        optimizer.zero_grad()
        nn.functional.cross_entropy(module(inputs.t()), targets).backward()
        optimizer.step()
    trained = network.to_module(torch.arange(5)).state_dict()
    for name, expected in module.state_dict().items():
        torch.testing.assert_close(trained[name], expected, rtol=1e-4, atol=1e-5)


def test_fewer_inputs_than_features_leave_the_rest_out():
    network = make_network()
    inputs, targets = batch()
    masked = inputs.clone()
    masked[2:] = 0.0
    assert network.loss(Batch(inputs[:2], targets)) == pytest.approx(
        network.loss(Batch(masked, targets)), rel=1e-6
    )
    assert network.loss(Batch(inputs[:2], targets)) != pytest.approx(
        network.loss(Batch(inputs, targets))
    )


def test_the_gradient_at_the_first_layers_outputs():
    network = make_network()
    inputs, targets = batch()
    hidden = (inputs[:2].t() @ network.weights[:2] + network.bias).requires_grad_()
    nn.functional.cross_entropy(network.body.to_module()(hidden), targets).backward()
    torch.testing.assert_close(network.hidden_gradient(Batch(inputs[:2], targets)), hidden.grad)


def test_first_weights_are_those_of_a_torch_layer():
    network = make_network(n_inputs=400)
    for values in (network.weights, network.bias):
        assert float(values.abs().max()) <= 400**-0.5
    assert float(network.weights.abs().max()) > 0.98 * 400**-0.5
    assert abs(float(network.weights.mean())) < 0.1 * 400**-0.5


@pytest.mark.parametrize("own_module", [False, True])
@pytest.mark.parametrize("n_inputs", [2, 3, 12])
def test_resizing_keeps_the_first_features_and_the_rest_of_the_network(n_inputs, own_module):
    network = make_network(own_module=own_module)
    inputs, targets = batch(12)
    network.backward(Batch(inputs[:5], targets))
    network.step()
    weights, bias = network.weights[:2].clone(), network.bias.clone()
    loss = network.loss(Batch(inputs[:2], targets))

    network.resize(n_inputs, n_kept=2)
    assert network.n_inputs == n_inputs
    assert network.weights.shape == network.weights_gradient.shape == (n_inputs, N_HIDDEN)
    assert torch.equal(network.weights[:2], weights)
    assert torch.equal(network.bias, bias)
    assert network.loss(Batch(inputs[:2], targets)) == loss


@pytest.mark.parametrize("own_module", [False, True])
@pytest.mark.parametrize("n_inputs", [3, 12])
def test_training_goes_on_after_a_resize(n_inputs, own_module):
    network = make_network(own_module=own_module)
    inputs, targets = batch(12)
    network.backward(Batch(inputs[:5], targets))
    network.step()
    network.resize(n_inputs, n_kept=2)
    network.optimizer.reset()
    network.weights[2:] = draw(n_inputs - 2, N_HIDDEN, seed=3)
    module = network.to_module(torch.arange(n_inputs)).train()
    optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
    nn.functional.cross_entropy(module(inputs[:n_inputs].t()), targets).backward()
    optimizer.step()
    network.backward(Batch(inputs[:n_inputs], targets))
    network.step()
    trained = network.to_module(torch.arange(n_inputs)).state_dict()
    for name, expected in module.state_dict().items():
        torch.testing.assert_close(trained[name], expected, rtol=1e-4, atol=1e-5)


def test_moving_takes_weights_and_moments_along():
    network = make_network()
    network.backward(Batch(*batch()))
    network.step()
    rows = slice(-5 * N_HIDDEN, None)
    blocks = [
        network.weights,
        network.optimizer.first_moment[rows].view(5, N_HIDDEN),
        network.optimizer.second_moment[rows].view(5, N_HIDDEN),
    ]
    before = [block.clone() for block in blocks]
    network.move([4, 2], [0, 1])
    for block, old in zip(blocks, before, strict=True):
        assert torch.equal(block, old[[4, 2, 2, 3, 4]])


def test_moving_nothing_changes_nothing():
    network = make_network()
    before = network.weights.clone()
    network.move([], [])
    assert torch.equal(network.weights, before)


def test_moments_are_forgotten_from_a_row_on():
    network = make_network()
    network.backward(Batch(*batch()))
    network.step()
    both = (network.optimizer.first_moment, network.optimizer.second_moment)
    copies = [moments.clone() for moments in both]
    network.forget_moments(2)
    for moments, before in zip(both, copies, strict=True):
        assert before[-3 * N_HIDDEN :].all()
        assert not moments[-3 * N_HIDDEN :].any()
        assert torch.equal(moments[: -3 * N_HIDDEN], before[: -3 * N_HIDDEN])


@pytest.mark.parametrize("own_module", [False, True])
def test_a_copy_predicts_from_the_rows_asked_for(own_module):
    network = make_network(own_module=own_module)
    inputs, _ = batch()
    module = network.to_module(torch.tensor([3, 0]))
    hidden = inputs[[3, 0]].t() @ network.weights[[3, 0]] + network.bias
    torch.testing.assert_close(module(inputs[[3, 0]].t()), network.body.to_module()(hidden))
    assert not module.training


@pytest.mark.parametrize("own_module", [False, True])
def test_a_copy_shares_no_memory_and_is_small(own_module):
    network = make_network(n_inputs=50_000, own_module=own_module)
    module = network.to_module(torch.tensor([3, 0]))
    before = [parameter.detach().clone() for parameter in module.parameters()]
    network.weights.zero_()
    network.bias.zero_()
    network.backward(Batch(draw(50_000, N_ROWS), torch.zeros(N_ROWS).long()))
    network.step()
    for parameter, old in zip(module.parameters(), before, strict=True):
        assert torch.equal(parameter, old)
        assert parameter.untyped_storage().nbytes() == 4 * parameter.numel()
    assert len(pickle.dumps(module)) < 20_000


def test_a_copy_does_not_draw_from_torchs_generator():
    network = make_network()
    state = torch.get_rng_state()
    network.to_module(torch.arange(2))
    assert torch.equal(torch.get_rng_state(), state)
