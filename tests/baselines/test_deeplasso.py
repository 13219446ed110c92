import numpy as np
import pytest
import torch
from torch import nn

from entryprune.baselines import DeepLassoSelector
from entryprune.baselines._dense import Cases
from entryprune.baselines.penalties import importance, loss_and_input_gradient
from entryprune.engine import DivergedError

QUICK = {"max_epochs": 40, "hidden_layer_sizes": 20, "learning_rate_init": 0.01}


@pytest.fixture
def linear():
    """The model 2 a - 3 b and two cases with residuals 1 and -2."""
    network = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        network.weight.copy_(torch.tensor([[2.0, -3.0]]))
    X = torch.tensor([[1.0, 1.0], [2.0, 0.0]])
    y = torch.tensor([[-2.0], [6.0]])
    return network, Cases(X, y, 1, nn.functional.mse_loss)


def test_the_gradient_by_hand(linear):
    # d/dx of (r1^2 + r2^2) / 2 is r w for each case: 1 (2, -3) and -2 (2, -3).
    network, cases = linear
    loss, gradient = loss_and_input_gradient(network, cases.X, cases.y, cases)
    assert loss.item() == pytest.approx((1 + 4) / 2)
    assert gradient.tolist() == [[2.0, -3.0], [-4.0, 6.0]]


@pytest.mark.parametrize("batch_size", [1, 2])
def test_the_importance_by_hand_and_whatever_the_batch(linear, batch_size):
    # The norm over the cases: sqrt(4 + 16) and sqrt(9 + 36).
    network, cases = linear
    expected = [20**0.5, 45**0.5]
    assert importance(network, cases, batch_size).tolist() == pytest.approx(expected)


def test_the_penalty_can_be_differentiated(linear):
    network, cases = linear

    def penalty(weight):
        with torch.no_grad():
            network.weight.copy_(weight)
        _, gradient = loss_and_input_gradient(network, cases.X, cases.y, cases)
        return torch.linalg.vector_norm(gradient, dim=0).sum()

    start = torch.tensor([[2.0, -3.0]])
    penalty(start).backward()
    step = 1e-2
    for column in range(2):
        offset = torch.zeros_like(start)
        offset[0, column] = step
        slope = (penalty(start + offset) - penalty(start - offset)).item() / (2 * step)
        assert float(network.weight.grad[0, column]) == pytest.approx(slope, rel=1e-3, abs=1e-2)


def test_the_slope_of_the_penalty_by_hand(linear):
    # With s = sqrt(r1^2 + r2^2) the penalty is s (|w1| + |w2|), its slope in w1 is
    # (r1 x11 + r2 x21) / s (|w1| + |w2|) + s sign(w1), and in w2 likewise.
    network, cases = linear
    _, gradient = loss_and_input_gradient(network, cases.X, cases.y, cases)
    penalty = torch.linalg.vector_norm(gradient, dim=0).sum()
    s = 5**0.5
    assert penalty.item() == pytest.approx(5 * s)
    penalty.backward()
    assert network.weight.grad[0].tolist() == pytest.approx(
        [-3 / s * 5 + s, 1 / s * 5 - s], abs=1e-5
    )


def test_planted_features_are_found(easy, easy_regression):
    for X, y in (easy, easy_regression):
        selector = DeepLassoSelector(2, **QUICK, random_state=0).fit(X, y)
        assert sorted(selector.selected_indices_) == [3, 8]


def test_the_penalty_quietens_features_that_do_not_matter(easy_regression):
    X, y = easy_regression
    noise = [i for i in range(12) if i not in (3, 8)]
    shares = []
    for alpha in (0.0, 1.0):
        scores = DeepLassoSelector(2, alpha=alpha, **QUICK, random_state=0).fit(X, y).scores_
        shares.append(scores[noise].sum() / scores.sum())
    assert shares[1] < shares[0]


def test_the_seed_decides(easy):
    first, again, other = (
        DeepLassoSelector(2, **QUICK, random_state=seed).fit(*easy).scores_ for seed in (0, 0, 1)
    )
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_divergence_is_told(easy):
    with pytest.raises(DivergedError):
        DeepLassoSelector(1, **{**QUICK, "learning_rate_init": 1e20}).fit(*easy)


def test_a_constant_scores_nothing(easy):
    X, y = easy
    X = np.column_stack([np.full(len(X), 5.0), X])
    scores = DeepLassoSelector(2, **QUICK, scale=None, random_state=0).fit(X, y).scores_
    assert scores[0] == 0
    assert (scores[1:] > 0).all()


def test_scores_come_from_held_out_cases_alone(easy):
    # A network that is not trained gives the held-out cases' own gradients; another share held
    # out gives other scores.
    parameters = {**QUICK, "max_epochs": 1, "learning_rate_init": 1e-20, "random_state": 0}
    few, many = (
        DeepLassoSelector(2, **parameters, validation_fraction=share).fit(*easy).scores_
        for share in (0.2, 0.8)
    )
    # The norm of a mean over n cases shrinks like n^-1/2.
    assert few / many == pytest.approx(np.full(12, 2.0), rel=0.25)


def test_two_cases_are_enough():
    assert DeepLassoSelector(1, **QUICK).fit(np.eye(2), [0, 1]).support_.sum() == 1
