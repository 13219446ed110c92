import numpy as np

from entryprune.baselines import RandomSelector


def test_every_feature_is_as_likely():
    X, y = np.zeros((4, 5)), [0, 1, 0, 1]
    counts = sum(RandomSelector(2, random_state=seed).fit(X, y).support_ for seed in range(500))
    assert counts.sum() == 1000
    # 200 expected, with a standard deviation of 11.
    assert (np.abs(counts - 200) < 44).all()


def test_a_larger_selection_contains_the_smaller(easy):
    small, large = (
        RandomSelector(k, random_state=3).fit(*easy).selected_indices_.tolist() for k in (4, 7)
    )
    assert large[:4] == small


def test_neither_the_values_nor_the_target_matter(easy):
    X, y = easy
    one = RandomSelector(4, random_state=3).fit(X, y)
    other = RandomSelector(4, random_state=3).fit(X[::-1] ** 2, X[:, 0])
    assert one.selected_indices_.tolist() == other.selected_indices_.tolist()
