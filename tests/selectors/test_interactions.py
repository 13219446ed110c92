"""The paper's toy problem: features that matter only together."""

import numpy as np
from sklearn.feature_selection import f_classif

from entryprune import EntryPruneClassifier

LINEAR, INTERACTING, NOISE = slice(0, 6), slice(6, 12), slice(12, 20)


def make_toy(seed, n_cases=3000):
    """Six linear features, three pairs of binary features joined by XOR, eight of noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_cases, 20))
    X[:, INTERACTING] = rng.integers(0, 2, size=(n_cases, 6))
    pairs = X[:, INTERACTING].reshape(n_cases, 3, 2)
    xor = np.where(pairs[:, :, 0] != pairs[:, :, 1], 1.0, -1.0).sum(axis=1)
    signal = X[:, LINEAR].sum(axis=1) / np.sqrt(6) + xor
    return X, (signal + rng.normal(scale=0.3, size=n_cases) > 0).astype(int)


def test_interacting_features_are_found_by_default():
    for seed in range(5):
        X, y = make_toy(seed, n_cases=1000)
        selector = EntryPruneClassifier(12, random_state=seed).fit(X, y)
        assert selector.support_[LINEAR].all()
        assert selector.support_[INTERACTING].all()
        pairs = zip(selector.interactions_["first"], selector.interactions_["second"], strict=True)
        assert set(pairs) <= {(6, 7), (8, 9), (10, 11)}


def test_interacting_features_are_found_that_a_univariate_test_misses():
    n_complete, univariate_ranks = 0, []
    for seed in range(10):
        X, y = make_toy(seed)
        f_values = f_classif(X, y)[0]
        ranks = np.argsort(np.argsort(-f_values))
        # Ranked among the fourteen features without a linear effect, noise included.
        univariate_ranks.append(ranks[INTERACTING].mean() - ranks[NOISE].mean())
        selector = EntryPruneClassifier(
            12,
            preset="paper",
            # Small batches and large steps: it takes a fifth of the time to learn as much.
            batch_size=64,
            learning_rate_init=0.003,
            batches_per_rotation=30,
            patience=30,
            random_state=seed,
        ).fit(X, y)
        n_complete += selector.support_[INTERACTING].all()
    assert n_complete >= 9
    # No better than the noise: the mean rank of seven or so on either side, give or take.
    assert np.mean(univariate_ranks) > -1.5
