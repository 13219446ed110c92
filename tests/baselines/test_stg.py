import math

import numpy as np
import pytest
import torch

from entryprune.baselines import STGSelector
from entryprune.baselines._dense import dense_network
from entryprune.baselines.stg import GatedNetwork, search_alpha

QUICK = {"max_epochs": 40, "hidden_layer_sizes": 20, "learning_rate_init": 0.01}


@pytest.fixture
def network():
    gated = GatedNetwork(
        dense_network((2, 3, 1), "relu", torch.Generator().manual_seed(0)), sigma=0.5
    )
    with torch.no_grad():
        gated.mu.copy_(torch.tensor([0.5, -0.25]))
    return gated


def normal_cdf(x):
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def test_the_penalty_and_its_slope_by_hand(network):
    # The mean of Phi(mu / sigma) over two gates, and half of phi(mu / sigma) / sigma.
    penalty = network.penalty()
    assert penalty.item() == pytest.approx((normal_cdf(1.0) + normal_cdf(-0.5)) / 2)
    penalty.backward()
    slopes = [0.5 * math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) / 0.5 for z in (1.0, -0.5)]
    assert network.mu.grad.tolist() == pytest.approx(slopes)


def test_gates_are_clipped_with_and_without_noise(network):
    assert network.expected_gates().tolist() == [0.5, 0.0]
    generator = torch.Generator().manual_seed(0)
    draws = torch.stack([network.draw_gates(generator) for _ in range(4000)])
    assert (draws >= 0).all()
    assert (draws <= 1).all()
    # P(gate > 0) = Phi(mu / sigma).
    share_open = (draws > 0).float().mean(dim=0).tolist()
    assert share_open == pytest.approx([normal_cdf(1.0), normal_cdf(-0.5)], abs=0.03)


def test_a_gate_multiplies_its_input(network):
    X, gates = torch.tensor([[1.0, 2.0], [3.0, -1.0]]), torch.tensor([0.3, 0.9])
    open_gates = torch.ones(2)
    assert torch.allclose(network(X, gates), network(X * gates, open_gates))


def test_shut_inputs_leave_and_keep_their_last_score(network):
    with torch.no_grad():
        network.mu.copy_(torch.tensor([0.2, -1.6]))
    left = network.without_shut_inputs()
    assert len(left.mu) == 1
    assert left.all_mu().tolist() == pytest.approx([0.2, -1.6])
    # The penalty remains a mean over both features.
    assert left.penalty().item() == pytest.approx(normal_cdf(0.4) / 2)


def test_the_search_ends_at_the_strongest_penalty_with_enough_open_gates():
    class Counted:
        def __init__(self, alpha):
            self.n_open = int(100 / alpha)

    tried = []

    def train_with(alpha, start):
        tried.append(alpha)
        return Counted(alpha)

    found = search_alpha(train_with, 50, max_trials=20)
    assert 50 <= found.network.n_open <= 52
    assert len(tried) <= 12
    tried.clear()
    search_alpha(train_with, 50, max_trials=3)
    assert tried == pytest.approx([0.1, 0.2, 0.4])


def test_planted_features_are_found(easy, easy_regression):
    for X, y in (easy, easy_regression):
        selector = STGSelector(2, **QUICK, random_state=0).fit(X, y)
        assert sorted(selector.selected_indices_) == [3, 8]
        assert selector.n_open_gates_ >= 2


def test_a_penalty_that_is_given_is_used(easy):
    weak, strong = (
        STGSelector(2, alpha=alpha, **QUICK, random_state=0).fit(*easy) for alpha in (0.01, 20.0)
    )
    assert (weak.alpha_, strong.alpha_) == (0.01, 20.0)
    assert strong.n_open_gates_ < weak.n_open_gates_


def test_the_seed_decides(easy):
    first, again, other = (
        STGSelector(2, alpha=0.1, **QUICK, random_state=seed).fit(*easy).scores_
        for seed in (0, 0, 1)
    )
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


@pytest.mark.parametrize("n_features", [1, 3])
def test_two_cases_are_enough(n_features):
    X = np.eye(2, n_features)
    assert STGSelector(1, **QUICK).fit(X, [0, 1]).support_.sum() == 1
