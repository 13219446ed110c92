"""Losses in loops, and their gradients by autograd in double precision."""

from __future__ import annotations

import math

import pytest
import torch

from entryprune.engine.losses import (
    LOSSES,
    BinaryCrossEntropy,
    Cox,
    CrossEntropy,
    Huber,
    Poisson,
    Quantile,
    SquaredError,
)


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


# -- losses of other targets ----------------------------------------------------------------------


def column(*values):
    return torch.tensor(values, dtype=torch.float64).unsqueeze(1)


def test_binary_cross_entropy_of_two_labels():
    outputs = torch.tensor([[0.0, 2.0]], dtype=torch.float64)
    targets = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    expected = (math.log(2) + 2 + math.log1p(math.exp(-2))) / 2
    assert float(BinaryCrossEntropy().value(outputs, targets)) == pytest.approx(expected)


def test_huber_is_squared_nearby_and_linear_far_off():
    loss = Huber().value(column(0.0, 0.0), column(1.0, -10.0))
    assert float(loss) == pytest.approx((0.5 + 1.35 * (10 - 1.35 / 2)) / 2)
    assert Huber().responses(column(1.0, -10.0), 1).flatten().tolist() == [1.0, -1.35]


def test_a_quantile_weighs_what_is_above_it_more():
    loss = Quantile(0.9)
    assert float(loss.value(column(0.0, 0.0), column(1.0, -1.0))) == pytest.approx((0.9 + 0.1) / 2)
    assert loss.responses(column(1.0, -1.0, 0.0), 1).flatten().tolist() == [1.0, 0.0, 0.0]


def test_poisson_is_lowest_where_the_output_is_the_logarithm_of_the_mean():
    targets, loss = column(0.5, 1.5, 3.0), Poisson()
    best = torch.full_like(targets, math.log(5 / 3))
    gradient = torch.empty_like(best)
    assert float(loss.backward(best, targets, gradient)) == pytest.approx(
        5 / 3 - 5 / 3 * math.log(5 / 3)
    )
    assert float(gradient.sum()) == pytest.approx(0.0, abs=1e-12)
    deviances = loss.responses(column(0.0, 1.0, 2.0), 1).flatten().tolist()
    assert deviances == pytest.approx([-math.sqrt(2), 0.0, math.sqrt(4 * math.log(2) - 2)])


def efron_by_hand(scores, times, events):
    """Return the negative partial log likelihood, event by event."""
    total = 0.0
    for time in sorted({t for t, e in zip(times, events, strict=True) if e}):
        at_risk = sum(math.exp(s) for s, t in zip(scores, times, strict=True) if t >= time)
        tied = [s for s, t, e in zip(scores, times, events, strict=True) if e and t == time]
        leaving = sum(map(math.exp, tied))
        for turn, score in enumerate(tied):
            total += math.log(at_risk - turn / len(tied) * leaving) - score
    return total


SCORES = [0.3, -1.2, 0.8, 0.0, 2.0, -0.5, 0.1]
TIMES = [5.0, 3.0, 3.0, 3.0, 8.0, 5.0, 1.0]
EVENTS = [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]


def survival(times=TIMES, events=EVENTS):
    return torch.tensor([times, events], dtype=torch.float64).T


def test_cox_is_efrons_partial_likelihood():
    expected = efron_by_hand(SCORES, TIMES, EVENTS) / len(SCORES)
    found = Cox().value(column(*SCORES), survival())
    assert float(found) == pytest.approx(expected, rel=1e-12)


def test_what_there_is_to_explain_of_survival_are_martingale_residuals():
    # At 3 two of six are seen, one after the other: 1/6 + 1/(6 - 2/2). At 5 two of three.
    first, then, last = 1 / 6 + 1 / 5, 1 / 3 + 1 / 2, 1.0
    of_the_tied_at_3 = 1 - (1 / 6 + 0.5 / 5)
    of_the_tied_at_5 = 1 - first - (1 / 3 + 0.5 / 2)
    expected = [
        of_the_tied_at_5, of_the_tied_at_3, -first, of_the_tied_at_3,
        1 - first - then - last, of_the_tied_at_5, 0.0,
    ]  # fmt: skip
    found = Cox().responses(survival(), 1).flatten().tolist()
    assert found == pytest.approx(expected)


TARGETS = {
    "cross_entropy": torch.tensor([0, 2, 1, 0, 1, 2, 0]),
    "squared_error": draw(7, 3, seed=1).double(),
    "binary_cross_entropy": (draw(7, 3, seed=1) > 0).double(),
    "huber": 2 * draw(7, 3, seed=1).double(),
    "quantile": draw(7, 3, seed=1).double(),
    "poisson": draw(7, 3, seed=1).double().abs(),
    "cox": survival(),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_weight_of_two_is_the_sample_twice_and_zero_its_absence(name):
    outputs, targets = draw(7, 1 if name == "cox" else 3).double(), TARGETS[name]
    weights = torch.tensor([1.0, 2.0, 0.0, 1.0, 3.0, 1.0, 1.0], dtype=torch.float64)
    times = weights.long()
    repeated = torch.repeat_interleave(torch.arange(7), times)
    loss, by_weight = LOSSES[name](), torch.empty_like(outputs)
    by_copies = torch.empty(9, outputs.shape[1], dtype=torch.float64)
    value = loss.backward(outputs, targets, by_weight, weights)
    expected = LOSSES[name]().backward(outputs[repeated], targets[repeated], by_copies)
    assert float(value) == pytest.approx(float(expected), rel=1e-10)
    of_each = torch.zeros_like(outputs).index_add(0, repeated, by_copies)
    torch.testing.assert_close(by_weight, of_each, rtol=1e-9, atol=1e-12)
    assert float(loss.value(outputs, targets, weights)) == pytest.approx(float(expected), rel=1e-10)
