"""Losses in loops, and their gradients by autograd in double precision."""

from __future__ import annotations

import math

import pytest
import torch

from entryprune.engine.bodies import CrossEntropy, SquaredError


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def cross_entropy_by_hand(outputs, targets):
    total = 0.0
    for row, target in zip(outputs.tolist(), targets.tolist(), strict=True):
        highest = max(row)
        total += highest + math.log(sum(math.exp(o - highest) for o in row)) - row[target]
    return total / len(outputs)


def squared_error_by_hand(outputs, targets):
    squares = [
        (o - t) ** 2
        for row, target in zip(outputs.tolist(), targets.tolist(), strict=True)
        for o, t in zip(row, target, strict=True)
    ]
    return sum(squares) / len(squares)


def case(name, n_outputs, n_rows=6):
    outputs = 2 * draw(n_rows, n_outputs)
    if name == "cross_entropy":
        targets = torch.arange(n_rows) % n_outputs
        return CrossEntropy(), cross_entropy_by_hand, outputs, targets
    return SquaredError(), squared_error_by_hand, outputs, draw(n_rows, n_outputs, seed=1)


CASES = [
    ("cross_entropy", 2),
    ("cross_entropy", 5),
    ("squared_error", 1),
    ("squared_error", 3),
]


@pytest.mark.parametrize(("name", "n_outputs"), CASES)
def test_the_value_is_the_mean_loss(name, n_outputs):
    loss, by_hand, outputs, targets = case(name, n_outputs)
    expected = by_hand(outputs, targets)
    gradient = torch.empty_like(outputs)
    assert float(loss.value(outputs, targets)) == pytest.approx(expected, rel=1e-6)
    assert float(loss.backward(outputs, targets, gradient)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("name", "n_outputs"), CASES)
def test_the_gradient_is_that_of_autograd(name, n_outputs):
    loss, _, outputs, targets = case(name, n_outputs)
    leaf = outputs.double().requires_grad_()
    if name == "cross_entropy":
        picked = leaf.exp()[torch.arange(len(leaf)), targets] / leaf.exp().sum(dim=1)
        (-picked.log()).mean().backward()
    else:
        ((leaf - targets) ** 2).mean().backward()
    before = outputs.clone()
    gradient = torch.full_like(outputs, math.nan)
    loss.backward(outputs, targets, gradient)
    torch.testing.assert_close(gradient, leaf.grad.float(), rtol=1e-5, atol=1e-7)
    assert torch.equal(outputs, before)


def test_the_gradient_can_go_to_part_of_a_buffer():
    loss, _, outputs, targets = case("squared_error", 3)
    buffer = torch.full((10, 3), 9.0)
    loss.backward(outputs, targets, buffer[:6])
    torch.testing.assert_close(buffer[:6], 2 * (outputs - targets) / 18)
    assert torch.all(buffer[6:] == 9.0)


@pytest.mark.parametrize("smoothing", [0.05, 0.2, 0.9])
@pytest.mark.parametrize("n_outputs", [2, 5])
def test_smoothed_cross_entropy_is_torchs(smoothing, n_outputs):
    _, _, outputs, targets = case("cross_entropy", n_outputs)
    leaf = outputs.double().requires_grad_()
    expected = torch.nn.functional.cross_entropy(leaf, targets, label_smoothing=smoothing)
    expected.backward()
    expected = expected.item()
    loss = CrossEntropy(smoothing)
    gradient = torch.full_like(outputs, math.nan)
    value = float(loss.backward(outputs, targets, gradient))
    assert value == pytest.approx(expected, rel=1e-6)
    assert float(loss.value(outputs, targets)) == pytest.approx(expected, rel=1e-6)
    torch.testing.assert_close(gradient, leaf.grad.float(), rtol=1e-5, atol=1e-7)


def test_smoothing_by_hand():
    # Both classes are as likely; the true one should have 0.9 and gets 0.5.
    gradient = torch.empty(1, 2)
    CrossEntropy(0.2).backward(torch.zeros(1, 2), torch.tensor([1]), gradient)
    torch.testing.assert_close(gradient, torch.tensor([[0.4, -0.4]]))


def test_cross_entropy_survives_large_outputs():
    outputs = torch.tensor([[1e4, 0.0], [0.0, 1e4]])
    targets = torch.tensor([1, 1])
    gradient = torch.empty(2, 2)
    assert float(CrossEntropy().backward(outputs, targets, gradient)) == 5e3
    assert gradient.tolist() == [[0.5, -0.5], [0.0, 0.0]]
