import numpy as np
import pytest
import torch

from entryprune.baselines import GradEnFSSelector
from entryprune.baselines._base import Data
from entryprune.engine import DivergedError

QUICK = {
    "hidden_layer_sizes": 30,
    "epsilon": 3,
    "learning_rate_init": 0.1,
    "batch_size": 20,
    "max_epochs": 20,
}


def test_planted_features_are_found_among_classes(easy):
    selector = GradEnFSSelector(2, **QUICK, random_state=0).fit(*easy)
    assert sorted(selector.selected_indices_) == [3, 8]


def test_planted_features_are_found_in_regression(easy_regression):
    selector = GradEnFSSelector(2, **QUICK, random_state=0).fit(*easy_regression)
    assert sorted(selector.selected_indices_) == [3, 8]


def slopes_of_an_untrained_network(selector, X, y):
    """Return the absolute gradient of the loss for each case and input, by torch itself."""
    data = Data(X, y, 3)
    # Numbers are drawn in the selector's order, so this is the network that it starts with.
    network, _, _ = selector._begin(data, np.random.default_rng(0))
    first, second = network.layers
    hidden = torch.zeros(first.n_out * first.n_in)
    hidden[first.positions] = first.values
    outputs = torch.zeros(second.n_out * second.n_in)
    outputs[second.positions] = second.values
    inputs = torch.tensor(X, dtype=torch.float32, requires_grad=True)
    units = torch.tanh(inputs @ hidden.view(first.n_out, first.n_in).t())
    sums = units @ outputs.view(second.n_out, second.n_in).t()
    torch.nn.functional.cross_entropy(sums, torch.from_numpy(y)).backward()
    return inputs.grad.abs()


def test_a_score_is_the_decayed_sum_of_absolute_gradients(easy):
    X, y = easy
    parameters = {**QUICK, "batch_size": 150, "learning_rate_init": 1e-12, "zeta": 0.0}
    selector = GradEnFSSelector(2, **{**parameters, "max_epochs": 3}, beta=0.5, scale=None)
    slopes = slopes_of_an_untrained_network(selector, X, y).sum(dim=0).numpy()
    # The network stays as it is, and one batch is all cases: each of the three steps adds the
    # same to what is left of the score, 1 + 0.5 + 0.25 times in all.
    ranking = selector._rank(Data(X, y, 3), 2, np.random.default_rng(0))
    assert ranking.scores == pytest.approx(1.75 * slopes, rel=1e-4)


def test_without_decay_all_of_the_training_counts(easy):
    scores = [
        GradEnFSSelector(2, **QUICK, beta=beta, random_state=0).fit(*easy).scores_.sum()
        for beta in (0.0, 0.9, 1.0)
    ]
    assert scores[0] < scores[1] < scores[2]


def test_a_feature_without_connections_scores_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 50)), rng.integers(0, 2, size=20)
    selector = GradEnFSSelector(
        1, hidden_layer_sizes=3, epsilon=0.1, zeta=0.0, max_epochs=2, random_state=0
    )
    assert np.count_nonzero(selector.fit(X, y).scores_) <= 5  # connections that there are


def test_divergence_is_an_error(easy):
    selector = GradEnFSSelector(2, **{**QUICK, "learning_rate_init": 1e20}, activation="relu")
    with pytest.raises(DivergedError, match="not finite"):
        selector.fit(*easy)
