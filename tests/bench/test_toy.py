import numpy as np
import pytest
import torch

from entryprune.bench.toy import gradient_metric, kinds, measure_toy, toy_data


def test_linear_features_are_correlated_with_the_class_and_the_others_are_not():
    X, y = toy_data(0)
    correlation = np.abs(np.corrcoef(X.T, y)[-1, :-1])
    assert correlation[kinds() == "linear"].min() > 0.1
    assert correlation[kinds() != "linear"].max() < 0.1


def test_pairs_of_interaction_features_tell_what_neither_does():
    X, y = toy_data(0)
    for one in (6, 8, 10):
        assert abs(np.corrcoef(X[:, one] * X[:, one + 1], y)[0, 1]) > 0.2


def test_the_gradient_metric_by_hand():
    # Two inputs, the first selected; one hidden unit h = 2 x, and the outputs (0, h).
    class Selector:
        support_ = np.array([True, False])
        network_ = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Linear(1, 2))

    first, second = Selector.network_
    with torch.no_grad():
        first.weight.fill_(2.0)
        first.bias.fill_(0.0)
        second.weight.copy_(torch.tensor([[0.0], [1.0]]))
        second.bias.fill_(0.0)
    X = np.array([[1.0, 3.0], [-1.0, 1.0]])
    y = np.array([1, 0])
    # The loss's slope in h is (p - y) / 2 with p = 1 / (1 + exp(-h)).
    slope = (1 / (1 + np.exp(-2 * X[:, 0])) - y) / 2
    metric = gradient_metric(Selector, X, y)
    assert np.isnan(metric[0])
    np.testing.assert_allclose(metric[1], abs(X[:, 1] @ slope), rtol=1e-5)


def test_a_first_gradient_sees_linear_features_and_takes_interactions_for_noise():
    pytest.importorskip("lightgbm")
    found = measure_toy(0)
    assert len(found) == 12
    gradient = {
        kind: found[f"gradient metric of {kind}"] for kind in ("linear", "interaction", "noise")
    }
    assert gradient["linear"] > 2 * gradient["interaction"]
    # The entry score, taken after some mini-batches, tells them from noise.
    assert found["entry score of interaction"] > found["entry score of noise"]
    assert found["gain of interaction"] > found["gain of noise"]
