"""Adam on a flat block, compared with torch's own."""

from __future__ import annotations

import pytest
import torch

from entryprune.engine.network import Adam


@pytest.fixture(params=["kernel", "formula"])
def make_adam(request):
    """Return a function that makes an optimiser, with torch's kernel or the formula."""

    def make(learning_rate, parameters, weight_decay=0.0):
        adam = Adam(learning_rate, weight_decay)
        if request.param == "formula":
            adam._fused = None
        adam.allocate(parameters)
        return adam

    return make


def draw(n, seed):
    return torch.randn(n, generator=torch.Generator().manual_seed(seed))


def gradients(n, n_steps, seed=10):
    # Of very different sizes, so that epsilon and the bias corrections matter; one is always 0.
    sizes = torch.logspace(-9, 3, n)
    sizes[n // 2] = 0.0
    return [draw(n, seed + step) * sizes for step in range(n_steps)]


def by_torch(start, steps, learning_rate, weight_decay=None):
    parameter = torch.nn.Parameter(start.clone())
    options = {"lr": learning_rate, "foreach": False, "fused": False}
    if weight_decay is None:
        optimizer = torch.optim.Adam([parameter], **options)
    else:
        optimizer = torch.optim.AdamW([parameter], weight_decay=weight_decay, **options)
    for gradient in steps:
        parameter.grad = gradient.clone()
        optimizer.step()
    return parameter.detach()


@pytest.mark.parametrize("learning_rate", [1e-3, 0.3])
@pytest.mark.parametrize("n_steps", [1, 2, 25])
def test_steps_equal_torchs(make_adam, learning_rate, n_steps):
    start = draw(11, 0)
    parameters = start.clone()
    adam = make_adam(learning_rate, parameters)
    steps = gradients(11, n_steps)
    for gradient in steps:
        adam.step(parameters, gradient)
    expected = by_torch(start, steps, learning_rate)
    assert not torch.allclose(expected, start, rtol=1e-4)
    torch.testing.assert_close(parameters, expected, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("weight_decay", [0.01, 0.5])
@pytest.mark.parametrize("n_steps", [1, 25])
def test_steps_with_decay_equal_torchs_adamw(make_adam, weight_decay, n_steps):
    start = draw(11, 0)
    parameters = start.clone()
    adam = make_adam(0.1, parameters, weight_decay)
    steps = gradients(11, n_steps)
    for gradient in steps:
        adam.step(parameters, gradient)
    expected = by_torch(start, steps, 0.1, weight_decay)
    assert not torch.allclose(expected, by_torch(start, steps, 0.1), rtol=1e-4)
    torch.testing.assert_close(parameters, expected, rtol=2e-6, atol=1e-7)


def test_without_a_gradient_decay_alone_shrinks_the_parameters(make_adam):
    parameters = torch.tensor([2.0, -4.0])
    make_adam(0.1, parameters, 0.5).step(parameters, torch.zeros(2))
    torch.testing.assert_close(parameters, torch.tensor([1.9, -3.8]))


def test_a_reset_forgets_everything(make_adam):
    parameters = draw(11, 0)
    adam = make_adam(0.1, parameters)
    for gradient in gradients(11, 6):
        adam.step(parameters, gradient)
    assert adam.first_moment.any()
    assert adam.second_moment.any()
    adam.reset()
    assert not adam.first_moment.any()
    assert not adam.second_moment.any()
    middle = parameters.clone()
    steps = gradients(11, 6, seed=50)
    for gradient in steps:
        adam.step(parameters, gradient)
    torch.testing.assert_close(parameters, by_torch(middle, steps, 0.1), rtol=2e-6, atol=1e-7)


def test_a_shorter_block_trains_alone(make_adam):
    parameters = draw(11, 0)
    adam = make_adam(0.1, parameters)
    for gradient in gradients(11, 3):
        adam.step(parameters, gradient)
    adam.reset()
    middle = parameters.clone()
    steps = gradients(4, 5, seed=50)
    adam.use(4)
    for gradient in steps:
        adam.step(parameters[:4], gradient)
    torch.testing.assert_close(
        parameters[:4], by_torch(middle[:4], steps, 0.1), rtol=2e-6, atol=1e-7
    )
    assert torch.equal(parameters[4:], middle[4:])
    assert not adam.first_moment[4:].any()
    assert not adam.second_moment[4:].any()


def test_the_gradient_is_left_as_it_is(make_adam):
    parameters = draw(5, 0)
    adam = make_adam(0.1, parameters)
    gradient = draw(5, 1)
    adam.step(parameters, gradient)
    assert torch.equal(gradient, draw(5, 1))


def test_new_moments_are_zero_and_as_many_as_the_parameters(make_adam):
    parameters = draw(3, 0)
    adam = make_adam(0.1, parameters)
    adam.step(parameters, draw(3, 1))
    larger = draw(7, 2)
    adam.allocate(larger)
    assert adam.first_moment.tolist() == [0.0] * 7
    start, gradient = larger.clone(), draw(7, 3)
    adam.step(larger, gradient)
    torch.testing.assert_close(larger, by_torch(start, [gradient], 0.1), rtol=2e-6, atol=1e-7)
