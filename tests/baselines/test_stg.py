import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from entryprune.baselines import STGSelector
from entryprune.baselines._dense import Trainer, dense_network
from entryprune.baselines.gates import GatedNetwork, next_alpha, search_alpha
from entryprune.engine import DivergedError

QUICK = {"max_epochs": 20, "learning_rate_init": 0.01, "gate_learning_rate_init": 0.05}


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


def test_a_trainer_steps_like_the_adam_of_torch():
    networks = [
        dense_network((3, 4, 1), "tanh", torch.Generator().manual_seed(0)) for _ in range(2)
    ]
    trainer = Trainer(networks[0].parameters(), 0.01, weight_decay=0.1)
    reference = torch.optim.Adam(networks[1].parameters(), lr=0.01, weight_decay=0.1)
    X = torch.eye(3)
    for _ in range(3):
        for network in networks:
            network(X).square().mean().backward()
        trainer.step()
        reference.step()
        reference.zero_grad()
    for ours, theirs in zip(*(network.parameters() for network in networks), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)


class Trainings:
    """Stand-ins for trained networks that have 100 / alpha open gates."""

    def __init__(self, most=np.inf):
        self.most = most
        self.alphas, self.starts = [], []

    def __call__(self, alpha, start):
        self.alphas.append(alpha)
        self.starts.append(start and start.alpha)
        return SimpleNamespace(alpha=alpha, n_open=min(int(100 / alpha), self.most))


def test_the_search_ends_at_the_strongest_penalty_with_enough_open_gates():
    trainings = Trainings()
    found = search_alpha(trainings, 50, max_trials=20)
    # Doubled from 0.1 to 3.2, which leaves 31 gates open, then halved between 1.6 (62 gates) and
    # 3.2: 2.26 leaves 44 and 1.90 leaves 52, which is near enough.
    assert found.alpha == pytest.approx(1.6 * 2**0.25)
    assert found.network.n_open == 52
    assert len(trainings.alphas) == 8


def test_the_search_goes_on_from_the_last_network_with_enough_open_gates():
    trainings = Trainings()
    search_alpha(trainings, 50, max_trials=20, first=0.4)
    assert trainings.starts == pytest.approx([None, 0.4, 0.8, 1.6, 1.6, 1.6], nan_ok=True)


def test_the_search_is_cut_off_where_it_stands():
    trainings = Trainings()
    assert search_alpha(trainings, 50, max_trials=3).alpha == pytest.approx(0.4)
    assert trainings.alphas == pytest.approx([0.1, 0.2, 0.4])


def test_the_search_settles_for_the_weakest_penalty_if_none_leaves_enough_gates_open():
    trainings = Trainings(most=10)
    found = search_alpha(trainings, 50, max_trials=20)
    assert trainings.starts == [None] * len(trainings.alphas)
    assert found.alpha == min(trainings.alphas) < 0.001


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


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_features_that_only_tell_together_are_found(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(400, 10))
    y = (X[:, 2] > 0) ^ (X[:, 7] > 0)
    parameters = {**QUICK, "learning_rate_init": 0.02, "scale": "standard"}
    selector = STGSelector(2, **parameters, random_state=seed).fit(X, y)
    assert sorted(selector.selected_indices_) == [2, 7]


def test_a_constant_is_no_second_bias(easy):
    X, y = easy
    X = np.column_stack([np.full(len(X), 5.0), X])
    selector = STGSelector(2, **QUICK, alpha=0.01, scale=None, random_state=0).fit(X, y)
    assert selector.scores_.argmin() == 0


def test_divergence_is_told(easy):
    with pytest.raises(DivergedError, match="learning_rate_init"):
        STGSelector(2, **{**QUICK, "learning_rate_init": 1e20}, alpha=0.1).fit(*easy)


@pytest.mark.parametrize("n_features", [1, 3])
def test_two_cases_are_enough(n_features):
    X = np.eye(2, n_features)
    assert STGSelector(1, **QUICK).fit(X, [0, 1]).support_.sum() == 1


@pytest.mark.parametrize(
    ("weaker", "stronger", "alpha"),
    [(4.0, None, 8.0), (None, 4.0, 0.5), (1.0, 4.0, 2.0), (1.0, 1.05, None), (None, 1e-4, None)],
)
def test_the_next_penalty_lies_between_one_too_weak_and_one_too_strong(weaker, stronger, alpha):
    assert next_alpha(weaker, stronger) == alpha
