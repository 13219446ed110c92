import numpy as np
import pytest
import torch

from entryprune.baselines import QuickSelectionSelector
from entryprune.baselines._sparse import Batches
from entryprune.baselines.sparse_networks import NoisyBatches
from entryprune.engine import DivergedError

QUICK = {"hidden_layer_sizes": 30, "epsilon": 3, "batch_size": 20, "max_epochs": 30}


@pytest.fixture
def structured():
    """Three of twelve columns say the same and vary much, the others are faint noise."""
    rng = np.random.default_rng(0)
    X = 0.1 * rng.normal(size=(150, 12))
    X[:, [1, 5, 9]] += rng.normal(size=(150, 1))
    return X, rng.integers(0, 2, size=150)


def test_features_worth_restoring_are_found_without_the_target(structured):
    X, y = structured
    parameters = {**QUICK, "learning_rate_init": 0.1, "scale": None, "random_state": 0}
    selector = QuickSelectionSelector(3, **parameters).fit(X, y)
    assert sorted(selector.selected_indices_) == [1, 5, 9]
    other = QuickSelectionSelector(3, **parameters).fit(X, y[::-1])
    assert (selector.scores_ == other.scores_).all()
    fractions = QuickSelectionSelector(3, **parameters).fit(X, y + 0.5 * X[:, 0])
    assert (selector.scores_ == fractions.scores_).all()
    assert fractions.task_ == "regression"


def test_noise_is_normal_of_the_size_asked_for_and_targets_are_clean():
    X = np.full((400, 50), 7.0)
    generator = torch.Generator().manual_seed(0)
    batches = NoisyBatches(Batches(X, np.zeros(400), 100, generator), 0.2, generator)
    for _ in range(2):
        pairs = list(batches)
        assert len(pairs) == 4
        noise = torch.cat([(noisy - clean).view(-1) for noisy, clean in pairs])
        assert float(noise.mean()) == pytest.approx(0.0, abs=0.01)
        assert float(noise.std()) == pytest.approx(0.2, rel=0.03)
        assert float((noise.abs() > 0.4).float().mean()) == pytest.approx(0.0455, abs=0.01)
        assert all((clean == 7).all() for _, clean in pairs)


def test_the_answer_hangs_on_the_seed_alone(structured):
    first, same, other = (
        QuickSelectionSelector(3, **{**QUICK, "max_epochs": 3}, random_state=seed)
        .fit(*structured)
        .scores_
        for seed in (0, 0, 1)
    )
    assert (first == same).all()
    assert (first != other).any()


def test_a_constant_feature_comes_last(structured):
    X, y = structured
    X = np.column_stack([np.full(len(X), 3.0), X])
    selector = QuickSelectionSelector(3, **QUICK, random_state=0).fit(X, y)
    assert selector.scores_[0] == 0
    assert selector.ranking_[0] == 13


def test_one_feature_and_two_cases_do_no_harm():
    selector = QuickSelectionSelector(1, hidden_layer_sizes=4, max_epochs=2)
    assert selector.fit([[0.0], [1.0]], [0, 1]).support_.all()


def test_divergence_is_an_error(structured):
    selector = QuickSelectionSelector(2, **QUICK, learning_rate_init=1e10)
    with pytest.raises(DivergedError, match="not finite"):
        selector.fit(*structured)
