"""Bodies: gradients by hand against autograd, and what a user's own module may do wrong."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
import torch
from torch import nn

from entryprune.engine import BodyError
from entryprune.engine.bodies import (
    ACTIVATIONS,
    AutogradBody,
    DenseBody,
    make_body,
)
from entryprune.engine.losses import CrossEntropy, SquaredError
from entryprune.engine.window import Batch

CPU = torch.device("cpu")
N_ROWS, N_HIDDEN, N_OUTPUTS = 7, 4, 3
FURTHER_LAYERS = {0: [], 1: [5], 3: [5, 6, 2]}

# The activations again, so that the expected values owe nothing to the engine.
FUNCTIONS = {
    "relu": lambda x: x.clamp(min=0),
    "tanh": lambda x: (x.exp() - (-x).exp()) / (x.exp() + (-x).exp()),
    "logistic": lambda x: 1 / (1 + (-x).exp()),
    "identity": lambda x: x,
}


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def make_dense(activation, n_further, loss, max_rows=N_ROWS):
    body = DenseBody(
        [N_HIDDEN, *FURTHER_LAYERS[n_further], N_OUTPUTS],
        activation,
        loss,
        max_rows=max_rows,
        generator=torch.Generator().manual_seed(1),
        device=CPU,
    )
    return body, *bind(body)


def bind(body):
    parameters = torch.zeros(body.n_parameters)
    gradients = torch.full((body.n_parameters,), 99.0)
    body.bind(parameters, gradients)
    return parameters, gradients


def cases(targets):
    """Return a batch of which a body sees only the targets."""
    return Batch(torch.empty(0, len(targets)), targets)


def make_targets(loss):
    if isinstance(loss, CrossEntropy):
        return torch.arange(N_ROWS) % N_OUTPUTS
    return draw(N_ROWS, N_OUTPUTS, seed=2)


def by_autograd(layers, flat, loss, hidden, targets):
    """Return loss, gradient at `hidden` and flat gradient, in double precision."""
    activation, *widths = layers
    leaf = hidden.double().requires_grad_()
    flat = flat.double().clone().requires_grad_()
    values, start = leaf, 0
    for n_in, n_out in pairwise(widths):
        values = FUNCTIONS[activation](values)
        weights = flat[start : start + n_in * n_out].view(n_out, n_in)
        start += n_in * n_out
        values = values @ weights.T + flat[start : start + n_out]
        start += n_out
    if isinstance(loss, CrossEntropy):
        logs = values - values.exp().sum(dim=1, keepdim=True).log()
        result = -logs[torch.arange(len(values)), targets].mean()
    else:
        result = ((values - targets) ** 2).mean()
    result.backward()
    return result.detach(), leaf.grad, flat.grad


@pytest.mark.parametrize("loss", [CrossEntropy(), SquaredError()], ids=["classes", "values"])
@pytest.mark.parametrize("n_further", FURTHER_LAYERS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
class TestDenseGradients:
    def test_gradients_are_those_of_autograd(self, activation, n_further, loss):
        body, parameters, gradients = make_dense(activation, n_further, loss)
        hidden, targets = draw(N_ROWS, N_HIDDEN), make_targets(loss)
        layers = [activation, N_HIDDEN, *FURTHER_LAYERS[n_further], N_OUTPUTS]
        expected = by_autograd(layers, parameters, loss, hidden, targets)
        value, delta = body.backward(hidden.clone(), cases(targets))
        torch.testing.assert_close(value, expected[0].float(), rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(delta, expected[1].float(), rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(gradients, expected[2].float(), rtol=1e-4, atol=1e-6)
        value = body.loss(hidden.clone(), cases(targets))
        torch.testing.assert_close(value, expected[0].float(), rtol=1e-5, atol=1e-6)

    def test_a_module_of_the_same_layers_gives_the_same(self, activation, n_further, loss):
        dense, _, dense_gradients = make_dense(activation, n_further, loss)
        body = AutogradBody(
            dense.to_module(), loss.value, n_hidden=N_HIDDEN, n_outputs=N_OUTPUTS, device=CPU
        )
        _, gradients = bind(body)
        hidden, targets = draw(N_ROWS, N_HIDDEN), make_targets(loss)
        value, delta = body.backward(hidden.clone(), cases(targets))
        dense_value, dense_delta = dense.backward(hidden.clone(), cases(targets))
        torch.testing.assert_close(value, dense_value)
        torch.testing.assert_close(delta, dense_delta)
        torch.testing.assert_close(gradients, dense_gradients)


def test_the_first_layer_can_be_the_output():
    body = DenseBody(
        [N_OUTPUTS],
        "relu",
        CrossEntropy(),
        max_rows=N_ROWS,
        generator=torch.Generator(),
        device=CPU,
    )
    assert body.n_parameters == 0
    bind(body)
    outputs, targets = draw(N_ROWS, N_OUTPUTS), torch.arange(N_ROWS) % N_OUTPUTS
    leaf = outputs.clone().requires_grad_()
    expected = nn.functional.cross_entropy(leaf, targets)
    expected.backward()
    value, delta = body.backward(outputs.clone(), cases(targets))
    torch.testing.assert_close(value, expected.detach())
    torch.testing.assert_close(delta, leaf.grad)
    # No activation follows the outputs.
    assert torch.equal(body.to_module()(outputs), outputs)


def test_fewer_rows_than_the_buffers_hold_are_judged_alone():
    loss = CrossEntropy()
    body, parameters, gradients = make_dense("tanh", 1, loss, max_rows=50)
    targets = make_targets(loss)
    body.backward(draw(N_ROWS, N_HIDDEN, seed=9), cases(targets))
    hidden = draw(3, N_HIDDEN)
    expected = by_autograd(["tanh", 4, 5, 3], parameters, loss, hidden, targets[:3])
    value, delta = body.backward(hidden.clone(), cases(targets[:3]))
    torch.testing.assert_close(value, expected[0].float())
    assert delta.shape == (3, N_HIDDEN)
    torch.testing.assert_close(gradients, expected[2].float(), rtol=1e-4, atol=1e-6)


def test_dense_weights_start_as_those_of_a_torch_layer():
    body = DenseBody(
        [50, 400],
        "relu",
        CrossEntropy(),
        max_rows=1,
        generator=torch.Generator().manual_seed(0),
        device=CPU,
    )
    layer = body.to_module()[-1]
    for values in (layer.weight.detach(), layer.bias.detach()):
        # Uniform up to 1 / sqrt(inputs).
        assert 0.98 * 50**-0.5 < float(values.abs().max()) <= 50**-0.5
        assert abs(float(values.mean())) < 0.1 * 50**-0.5


def test_binding_moves_the_values_and_goes_on_from_there():
    body, first, _ = make_dense("relu", 1, CrossEntropy())
    values = first.clone()
    second = torch.zeros_like(first)
    body.bind(second, torch.zeros_like(first))
    assert torch.equal(second, values)
    second.zero_()
    outputs = body.to_module()(draw(2, N_HIDDEN))
    assert torch.equal(outputs, torch.zeros(2, N_OUTPUTS))


# -- copies that predict ------------------------------------------------------------------------


def autograd_body(module, loss=nn.functional.cross_entropy):
    return AutogradBody(module, loss, n_hidden=N_HIDDEN, n_outputs=N_OUTPUTS, device=CPU)


def seeded_linear(n_in, n_out, seed=3):
    layer = nn.Linear(n_in, n_out, device="meta").to_empty(device="cpu")
    with torch.no_grad():
        layer.weight.copy_(0.5 * draw(n_out, n_in, seed=seed))
        layer.bias.copy_(draw(n_out, seed=seed + 1))
    return layer


def small_body(kind):
    if kind == "dense":
        return make_dense("tanh", 1, CrossEntropy())[0]
    return autograd_body(nn.Sequential(nn.Tanh(), seeded_linear(4, 5), seeded_linear(5, 3)))


@pytest.mark.parametrize("kind", ["dense", "module"])
class TestCopies:
    def test_a_copy_predicts_what_the_body_is_judged_by(self, kind):
        body = small_body(kind)
        bind(body)
        hidden, targets = draw(N_ROWS, N_HIDDEN), torch.arange(N_ROWS) % N_OUTPUTS
        module = body.to_module()
        assert not module.training
        outputs = module(hidden).detach()
        assert outputs.shape == (N_ROWS, N_OUTPUTS)
        expected = nn.functional.cross_entropy(outputs, targets)
        torch.testing.assert_close(body.loss(hidden.clone(), cases(targets)), expected)

    def test_a_copy_is_not_trained_on(self, kind):
        body = small_body(kind)
        parameters, _ = bind(body)
        hidden = draw(N_ROWS, N_HIDDEN)
        module = body.to_module()
        before = module(hidden).detach()
        parameters.add_(1.0)
        assert torch.equal(module(hidden).detach(), before)
        assert not torch.allclose(body.to_module()(hidden), before)

    def test_a_copy_carries_no_other_memory(self, kind):
        body = small_body(kind)
        # The body is a small part of a large block, as in a wide input layer.
        block, gradients = torch.zeros(500_000), torch.zeros(500_000)
        n = body.n_parameters
        body.bind(block[:n], gradients[:n])
        body.backward(draw(N_ROWS, N_HIDDEN), cases(torch.arange(N_ROWS) % N_OUTPUTS))
        module = body.to_module()
        for parameter in module.parameters():
            assert parameter.untyped_storage().nbytes() == 4 * parameter.numel()
            assert parameter.grad is None
        assert len(pickle.dumps(module)) < 4 * n + 20_000


# -- a user's module ----------------------------------------------------------------------------


def test_the_users_module_is_copied():
    module = nn.Sequential(nn.Tanh(), seeded_linear(4, 3))
    weights = module[1].weight.detach().clone()
    body = autograd_body(module)
    parameters, _ = bind(body)
    body.backward(draw(N_ROWS, N_HIDDEN), cases(torch.arange(N_ROWS) % N_OUTPUTS))
    parameters.add_(1.0)
    assert torch.equal(module[1].weight, weights)
    assert module[1].weight.grad is None
    assert module.training


def test_training_starts_from_the_weights_the_module_comes_with():
    module = seeded_linear(4, 3)
    parameters, _ = bind(autograd_body(module))
    expected = torch.cat([module.weight.flatten(), module.bias])
    assert torch.equal(parameters, expected.detach())


def test_a_frozen_parameter_is_not_trained():
    module = nn.Sequential(seeded_linear(4, 5), seeded_linear(5, 3))
    module[0].requires_grad_(requires_grad=False)
    body = autograd_body(module)
    assert body.n_parameters == 5 * 3 + 3
    _, gradients = bind(body)
    _, delta = body.backward(draw(N_ROWS, N_HIDDEN), cases(torch.arange(N_ROWS) % N_OUTPUTS))
    assert gradients.abs().sum() > 0
    assert delta.abs().sum() > 0


def test_gradients_do_not_pile_up():
    body = autograd_body(seeded_linear(4, 3))
    _, gradients = bind(body)
    targets = torch.arange(N_ROWS) % N_OUTPUTS
    body.backward(draw(N_ROWS, N_HIDDEN), cases(targets))
    first = gradients.clone()
    body.backward(draw(N_ROWS, N_HIDDEN), cases(targets))
    assert torch.equal(gradients, first)


def test_an_unused_parameter_has_no_gradient():
    class Unused(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.unused = seeded_linear(4, 3), seeded_linear(4, 3)

        def forward(self, x):
            return self.used(x)

    body = autograd_body(Unused())
    _, gradients = bind(body)
    body.backward(draw(N_ROWS, N_HIDDEN), cases(torch.arange(N_ROWS) % N_OUTPUTS))
    assert torch.all(gradients[15:] == 0.0)
    assert gradients[:15].abs().sum() > 0


def test_batch_norm_learns_in_training_and_is_fixed_in_judging():
    norm = nn.BatchNorm1d(N_HIDDEN)
    body = autograd_body(nn.Sequential(norm, seeded_linear(4, 3)))
    bind(body)
    hidden = 3 + draw(N_ROWS, N_HIDDEN)
    targets = torch.arange(N_ROWS) % N_OUTPUTS
    body.backward(hidden.clone(), cases(targets))
    statistics = body.to_module()[0].running_mean.clone()
    # Momentum 0.1 from a mean of zero.
    torch.testing.assert_close(statistics, 0.1 * hidden.mean(dim=0))
    body.loss(hidden.clone(), cases(targets))
    body.to_module()(hidden)
    assert torch.equal(body.to_module()[0].running_mean, statistics)
    # The user's own module has learnt nothing.
    assert torch.equal(norm.running_mean, torch.zeros(N_HIDDEN))


def test_dropout_acts_in_training_only():
    layer = seeded_linear(4, 3)
    body = autograd_body(nn.Sequential(nn.Dropout(0.5), layer))
    bind(body)
    hidden, targets = draw(N_ROWS, N_HIDDEN), torch.arange(N_ROWS) % N_OUTPUTS
    expected = nn.functional.cross_entropy(layer(hidden), targets).detach()
    torch.testing.assert_close(body.loss(hidden.clone(), cases(targets)), expected)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        _, delta = body.backward(hidden.clone(), cases(targets))
    # What is dropped passes no gradient.
    assert 5 < int((delta == 0).sum()) < 23


def test_a_module_that_works_in_place_can_be_the_first():
    body = autograd_body(nn.Sequential(nn.ReLU(inplace=True), seeded_linear(4, 3)))
    plain = autograd_body(nn.Sequential(nn.ReLU(), seeded_linear(4, 3)))
    bind(body)
    bind(plain)
    hidden, targets = draw(N_ROWS, N_HIDDEN), torch.arange(N_ROWS) % N_OUTPUTS
    _, expected = plain.backward(hidden.clone(), cases(targets))
    _, delta = body.backward(hidden.clone(), cases(targets))
    torch.testing.assert_close(delta, expected)


def test_a_module_of_wrong_output_width_is_refused():
    with pytest.raises(BodyError, match=r"must return 3 output\(s\) per sample.*got \(2, 8\)"):
        autograd_body(seeded_linear(4, 8))


def test_a_module_without_an_output_dimension_is_refused():
    class Flat(nn.Module):
        def forward(self, x):
            return x.sum(dim=1)

    with pytest.raises(BodyError, match=r"got \(2,\)\. Change its last layer"):
        autograd_body(Flat())


def test_a_module_that_returns_no_tensor_is_refused():
    class Pair(nn.Module):
        def forward(self, x):
            return x, x

    with pytest.raises(BodyError, match="got tuple"):
        autograd_body(Pair())


def test_a_module_that_fails_is_named_with_the_shape_it_got():
    with pytest.raises(BodyError, match=r"body failed on an input of shape \(2, 4\).*mat1") as info:
        autograd_body(seeded_linear(9, 3))
    assert isinstance(info.value.__cause__, RuntimeError)
    assert "hidden_layer_sizes" in str(info.value)


@pytest.mark.parametrize(
    ("loss", "got"),
    [
        (lambda o, t: nn.functional.cross_entropy(o, t, reduction="none"), r"got \(7,\)"),
        (lambda o, t: float(nn.functional.cross_entropy(o.detach(), t)), "got float"),
    ],
    ids=["per case", "number"],
)
def test_a_loss_that_is_no_scalar_is_refused(loss, got):
    body = autograd_body(seeded_linear(4, 3), loss)
    bind(body)
    hidden, targets = draw(N_ROWS, N_HIDDEN), torch.arange(N_ROWS) % N_OUTPUTS
    with pytest.raises(BodyError, match=f"loss must return a scalar tensor.*{got}"):
        body.backward(hidden, cases(targets))
    with pytest.raises(BodyError, match=f"loss must return a scalar tensor.*{got}"):
        body.loss(hidden, cases(targets))


class Detached(nn.Module):
    """Cuts the graph between the first layer and its own."""

    def __init__(self):
        super().__init__()
        self.layer = seeded_linear(4, 3)

    def forward(self, x):
        return self.layer(x.detach())


@pytest.mark.parametrize(
    ("module", "loss"),
    [
        (Detached(), nn.functional.cross_entropy),
        (seeded_linear(4, 3), lambda o, t: (o.argmax(dim=1) != t).float().mean()),
        (seeded_linear(4, 3), lambda o, t: nn.functional.cross_entropy(o.detach(), t)),
    ],
    ids=["module detaches", "loss takes argmax", "loss detaches"],
)
def test_a_loss_that_passes_no_gradient_on_is_refused(module, loss):
    body = autograd_body(module, loss)
    bind(body)
    with pytest.raises(BodyError, match="does not depend on the first layer"):
        body.backward(draw(N_ROWS, N_HIDDEN), cases(torch.arange(N_ROWS) % N_OUTPUTS))


# -- which body is called for --------------------------------------------------------------------


def made(widths, activation="relu", loss="cross_entropy", module=None):
    body = make_body(
        widths,
        activation,
        loss=loss,
        module=module,
        max_rows=N_ROWS,
        generator=torch.Generator().manual_seed(0),
        device=CPU,
    )
    bind(body)
    return body


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, DenseBody),
        ({"loss": "squared_error"}, DenseBody),
        ({"loss": nn.functional.cross_entropy}, AutogradBody),
        ({"module": nn.Sequential(nn.ReLU(), seeded_linear(4, 3))}, AutogradBody),
    ],
)
def test_a_users_own_part_is_what_needs_autograd(changes, kind):
    body = made([4, 3], **changes)
    assert isinstance(body, kind)
    assert body.n_parameters == 4 * 3 + 3


def test_a_users_own_loss_follows_the_ordinary_layers():
    targets = torch.arange(N_ROWS) % 3
    values, hidden = [], draw(N_ROWS, 4)
    for loss in ("cross_entropy", nn.functional.cross_entropy):
        body = made([4, 6, 3], "tanh", loss=loss)
        values.append(body.backward(hidden.clone(), cases(targets)))
    torch.testing.assert_close(values[0], values[1])


def test_a_users_own_body_goes_with_the_loss_asked_for():
    layer = seeded_linear(4, 3)
    targets = draw(N_ROWS, 3, seed=5)
    body = made([4, 3], loss="squared_error", module=layer)
    hidden = draw(N_ROWS, 4)
    expected = ((layer(hidden) - targets) ** 2).mean().detach()
    torch.testing.assert_close(body.loss(hidden.clone(), cases(targets)), expected)
