import numpy as np
import pytest
import torch

from entryprune.baselines import SANDSelector
from entryprune.baselines.gates import distort, normalised_gains
from entryprune.engine import DivergedError

QUICK = {"hidden_layer_sizes": 20, "max_epochs": 100, "learning_rate_init": 0.01}


def test_the_gains_by_hand():
    # Absolute values, cut off at 1: 1, 0.5, 0.5, 0. Their squares sum to 1.5 and are doubled.
    gains = normalised_gains(torch.tensor([-3.0, 0.5, -0.5, 0.0]), 3)
    assert gains.tolist() == pytest.approx([2**0.5, 0.5**0.5, 0.5**0.5, 0.0])


@pytest.mark.parametrize("n_selected", [1, 7, 40])
def test_the_squares_of_the_gains_sum_to_k(n_selected):
    raw = torch.randn(40, generator=torch.Generator().manual_seed(0))
    gains = normalised_gains(raw, n_selected)
    assert float(gains.square().sum()) == pytest.approx(n_selected, rel=1e-5)
    assert (gains >= 0).all()


def test_one_gain_can_rise_only_at_the_cost_of_the_others():
    raw = torch.tensor([0.5, 0.5, 0.5], requires_grad=True)
    normalised_gains(raw, 1)[0].backward()
    assert raw.grad[0] > 0
    assert (raw.grad[1:] < 0).all()
    # Along the gains themselves nothing changes.
    assert float(raw.grad.sum()) == pytest.approx(0.0, abs=1e-6)


def test_distortion_by_hand_and_its_slope():
    gains = torch.tensor([1.0, 0.0, 0.25], requires_grad=True)
    distorted = distort(torch.full((2, 3), 8.0), torch.full((2, 3), 4.0), gains)
    assert distorted.tolist() == [[8.0, 4.0, 5.0]] * 2
    distorted.sum().backward()
    # x - z for each of the two cases.
    assert gains.grad.tolist() == [8.0, 8.0, 8.0]


def test_planted_features_get_nearly_all_of_the_gain(easy_regression):
    X, y = easy_regression
    selector = SANDSelector(2, **QUICK, gain_learning_rate_init=0.03, random_state=0).fit(X, y)
    assert sorted(selector.selected_indices_) == [3, 8]
    assert np.square(selector.scores_).sum() == pytest.approx(2, rel=1e-5)
    assert np.square(selector.scores_[[3, 8]]).sum() > 1.8


def test_without_noise_the_gains_do_not_part(easy_regression):
    X, y = easy_regression
    spread = [
        np.std(SANDSelector(2, sigma=sigma, **QUICK, random_state=0).fit(X, y).scores_)
        for sigma in (0.0, 1.5)
    ]
    assert spread[0] < spread[1]


def test_all_features_have_gain_1_if_all_are_asked_for(easy):
    scores = SANDSelector(12, **QUICK, random_state=0).fit(*easy).scores_
    assert scores == pytest.approx(np.ones(12), abs=0.2)


def test_auto_epochs_go_by_the_mini_batches():
    for n_cases, n_features, n_epochs in ((150, 12, 1000), (1001, 12, 182), (30, 30, 500)):
        rng = np.random.default_rng(0)
        selector = SANDSelector(1)
        data = selector._prepare(rng.normal(size=(n_cases, n_features)), np.arange(n_cases) % 2)
        assert selector._n_epochs(selector._begin(data, rng)[0]) == n_epochs


def test_divergence_is_told(easy):
    with pytest.raises(DivergedError):
        SANDSelector(1, **{**QUICK, "learning_rate_init": 1e30}).fit(*easy)
