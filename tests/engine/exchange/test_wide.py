"""The wide network against formulas worked out by hand, and impressions against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from entryprune.engine import ArrayColumns, ExchangeSettings
from entryprune.engine.exchange.hands import Deck, Table
from entryprune.engine.exchange.wide import WideNetwork, impressions, outputs_by_size


def make_hand(values, targets, **settings):
    """Return a hand of all cases; values are one row a column."""
    chosen = ExchangeSettings(n_selected=1, spread_share=0.0, clip=100.0, **settings)
    return Deck(Table(ArrayColumns(values), targets), chosen).deal()


@pytest.fixture
def hand():
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(6, 40, generator=generator)
    targets = torch.stack([values[0] * values[1], values[2]], dim=1)
    return make_hand(values, targets + torch.randn(40, 2, generator=generator) / 5)


def test_two_cases_by_hand():
    # Standardised, the two cases are at -1 and 1: their squared distance is 4 and the spread 1.
    hand = make_hand(torch.tensor([[3.0, 7.0]]), torch.tensor([[0.0], [2.0]]))
    network = WideNetwork(hand, noise=3.0, reach=2.0)
    network.add(hand.read(torch.tensor([0])))
    solution = network.solve()
    likeness = math.exp(-4 / (2 * 2.0**2))
    expected = torch.tensor([[[1.0, likeness], [likeness, 1.0]]])
    torch.testing.assert_close(solution.kernel, expected)
    # The centred targets (-1, 1) are an eigenvector with the eigenvalue 4 - likeness.
    residual = 1 / (4 - likeness)
    expected = torch.tensor([[[-residual], [residual]]])
    torch.testing.assert_close(solution.residuals, expected)
    log_determinant = math.log((4 - likeness) * (4 + likeness))
    evidence = -0.5 * 2 * math.log(2 * residual / 2) - 0.5 * log_determinant
    assert solution.evidence == pytest.approx(evidence, rel=1e-5)


def test_evidence_is_the_likelihood_of_a_gaussian_process(hand):
    network = WideNetwork(hand, noise=3.0)
    seats = hand.read(torch.tensor([0, 3]))
    for values in seats:
        network.add(values.unsqueeze(0))
    exact = seats.double()
    distance = (exact.unsqueeze(2) - exact.unsqueeze(1)).square().sum(dim=0)
    covariance = torch.exp(-distance / (2 * exact.square().mean(dim=1).sum())) + 3 * torch.eye(40)
    targets = hand.targets[0].double()
    variance = (targets * torch.linalg.solve(covariance, targets)).sum() / 40
    evidence = -20 * variance.log() - 0.5 * torch.linalg.slogdet(covariance).logabsdet
    assert network.solve().evidence == pytest.approx(float(evidence), rel=1e-5)


@pytest.fixture
def double_precision():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("seats", [[2], [0, 2], [0, 1, 2, 5]])
def test_an_impression_is_how_fast_the_evidence_grows_as_a_column_enters(seats):
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(6, 40, generator=generator)
    hand = make_hand(values, torch.stack([values[0] * values[1], values[2]], dim=1))
    reach, step = 0.8, 1e-5
    network = WideNetwork(hand, noise=3.0, reach=reach)
    for values in hand.read(torch.tensor(seats)):
        network.add(values.unsqueeze(0))
    spread = float(hand.read(torch.tensor(seats)).square().mean(dim=1).sum())
    shown = impressions(hand.read(torch.arange(6)), network.solve().form)

    def evidence_with(values, weight):
        trial = network.copy()
        trial._distance += weight * trial._differences(values)
        return trial.solve().evidence

    for column in set(range(6)) - set(seats):
        values = hand.read(torch.tensor([column]))[0]
        slope = (evidence_with(values, step) - evidence_with(values, -step)) / (2 * step)
        expected = float(shown[column]) / (2 * reach**2 * spread)
        assert slope == pytest.approx(expected, rel=1e-4)


def test_blocks_are_networks_of_their_own(hand):
    del hand
    generator = torch.Generator().manual_seed(1)
    values, targets = torch.randn(3, 20, generator=generator), torch.randn(20, 1)
    both = make_hand(values, targets, cases_per_block=10)
    assert (both.n_blocks, both.block_size) == (2, 10)
    network = WideNetwork(both, noise=1.0)
    network.add(both.read(torch.tensor([0])))
    together = network.solve()
    alone = torch.linalg.inv(together.kernel + torch.eye(10)) @ both.targets
    torch.testing.assert_close(together.residuals, alone, rtol=1e-4, atol=1e-5)


def test_a_column_that_leaves_is_forgotten(hand):
    network = WideNetwork(hand, noise=3.0)
    first, second = hand.read(torch.tensor([0, 1])).split(1)
    network.add(first)
    before = network.solve().evidence
    network.add(second)
    assert network.solve().evidence != pytest.approx(before, abs=1e-3)
    network.remove(second)
    assert network.solve().evidence == pytest.approx(before, abs=1e-3)


def test_parts_of_the_hidden_layer_share_its_units(hand):
    network = WideNetwork(hand, noise=3.0)
    first, second, third = hand.read(torch.tensor([0, 1, 2])).split(1)
    network.add(third)
    pair = network.pair_kernel(torch.cat([first, second]), reach=0.5)
    torch.testing.assert_close(pair.diagonal(dim1=1, dim2=2), torch.ones(1, 40))
    tried = network.solve(trial=pair)
    network.add_pair(pair)
    added = network.solve()
    assert tried.evidence == added.evidence
    # One seat of three is in the main part.
    torch.testing.assert_close(added.kernel.diagonal(dim1=1, dim2=2), torch.full((1, 40), 1 / 3))
    without = network.solve(trial=pair, sign=-1.0)
    alone = WideNetwork(hand, noise=3.0)
    alone.add(third)
    assert without.evidence == pytest.approx(alone.solve().evidence, abs=1e-2)


def test_predictions_are_the_kernel_times_the_residuals(hand):
    network = WideNetwork(hand, noise=0.01)
    seats = hand.read(torch.tensor([0, 1]))
    for values in seats:
        network.add(values.unsqueeze(0))
    solution = network.solve()
    predicted = network.predict(solution, seats, seats)
    torch.testing.assert_close(
        predicted, (solution.kernel @ solution.residuals)[0], rtol=1e-3, atol=1e-3
    )


def test_the_slope_is_how_fast_evidence_grows_with_the_first_units_of_a_pair(hand):
    network = WideNetwork(hand, noise=3.0)
    first, second, third = hand.read(torch.tensor([0, 1, 2])).split(1)
    network.add(third)
    solution = network.solve()
    pair = network.pair_kernel(torch.cat([first, second]), reach=0.5).double()
    total = (solution.kernel + 3.0 * torch.eye(solution.kernel.shape[1])).double()

    def evidence(weight):
        kernel = total + weight * pair
        residuals = torch.linalg.solve(kernel, hand.targets.double())
        size = hand.block_size
        variance = (hand.targets.double() * residuals).sum(dim=(1, 2)) / size
        return float((-0.5 * size * variance.log() - 0.5 * torch.logdet(kernel)).sum())

    numerical = (evidence(1e-5) - evidence(-1e-5)) / 2e-5
    assert 0.5 * float((pair * solution.slope).sum()) == pytest.approx(numerical, rel=1e-3)


def test_outputs_are_those_of_ridge_regression_with_a_gaussian_kernel():
    rng = np.random.default_rng(0)
    mine, theirs = rng.normal(size=(3, 20)), 2 * rng.normal(size=(3, 6))
    targets = rng.normal(size=(20, 2))

    found = outputs_by_size(*(torch.from_numpy(v) for v in (mine, targets, theirs)), [2, 3, 3])

    for size, outputs in zip([2, 3, 3], found, strict=True):
        a, b = mine.T.clip(-2, 2)[:, :size], theirs.T.clip(-2, 2)[:, :size]

        def kernel(one, other, size=size, a=a):
            distance = ((one[:, None] - other[None]) ** 2).sum(axis=2)
            return np.exp(-0.5 * distance / (a**2).mean(axis=0).sum())

        weights = np.linalg.solve(kernel(a, a) + 0.3 * np.eye(20), targets - targets.mean(axis=0))
        np.testing.assert_allclose(outputs, kernel(b, a) @ weights + targets.mean(axis=0), 1e-6)


def test_many_samples_are_taken_in_blocks_and_a_constant_column_tells_nothing():
    x = torch.linspace(-1, 1, 1001)[torch.randperm(1001, generator=torch.Generator())].repeat(2, 1)
    x[0] = 0.0

    constant, both = outputs_by_size(x, (x[1:] > 0).float().T, torch.tensor([[0.0], [1.0]]), [1, 2])

    assert abs(float(constant) - 0.5) < 0.01
    assert float(both) > 0.9
