import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from entryprune.bench.protocols import split
from entryprune.data import Dataset


@pytest.fixture
def dataset():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [80, 20])
    return Dataset("made", "Made", rng.normal(size=(100, 3)) * [1, 10, 100], y)


def test_the_papers_split_is_fixed_and_scaled_together(dataset):
    parts = split(dataset, "paper", seed=5)
    _, expected = train_test_split(dataset.y, test_size=0.2, random_state=42)
    np.testing.assert_array_equal(parts.y_test, expected)
    both = np.concatenate([parts.X_train, parts.X_test])
    np.testing.assert_allclose(both.min(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(both.max(axis=0), 1, atol=1e-6)
    np.testing.assert_array_equal(parts.X_train, split(dataset, "paper", seed=6).X_train)


def test_the_clean_split_follows_the_seed_keeps_the_classes_and_scales_by_training_cases(dataset):
    parts = split(dataset, "clean", seed=5)
    np.testing.assert_array_equal(np.bincount(parts.y_test), [16, 4])
    np.testing.assert_allclose(parts.X_train.max(axis=0), 1, atol=1e-6)
    assert not np.array_equal(parts.X_train, split(dataset, "clean", seed=6).X_train)
    np.testing.assert_array_equal(parts.X_train, split(dataset, "clean", seed=5).X_train)


def test_an_official_test_part_is_kept_in_the_papers_protocol_and_pooled_in_the_clean(dataset):
    official = Dataset(
        "made", "Made", dataset.X[:90], dataset.y[:90], dataset.X[90:], dataset.y[90:]
    )
    assert len(split(official, "paper", 0).y_test) == 10
    assert len(split(official, "clean", 0).y_test) == 20


def test_a_data_set_may_ask_to_be_standardised(dataset):
    standard = Dataset("made", "Made", dataset.X, dataset.y, scale="standard")
    parts = split(standard, "clean", 0)
    np.testing.assert_allclose(parts.X_train.std(axis=0), 1, rtol=1e-4)


def test_five_seeds_are_the_folds_of_a_cross_validation_and_the_next_five_of_another(dataset):
    tested = [split(dataset, "cv", seed).X_test for seed in range(10)]
    assert sum(map(len, tested[:5])) == sum(map(len, tested[5:])) == 100
    assert [np.bincount(split(dataset, "cv", seed).y_test).tolist() for seed in range(5)] == [
        [16, 4]
    ] * 5
    assert not np.array_equal(tested[0], tested[5])


def test_cross_validation_takes_quantities_and_rare_classes(dataset):
    quantities = Dataset("made", "Made", dataset.X, np.linspace(0.5, 1.5, 100))
    assert len(split(quantities, "cv", 7).y_test) == 20
    rare = Dataset("made", "Made", dataset.X, np.repeat([0, 1], [97, 3]))
    assert len(split(rare, "cv", 0).y_test) == 20


def test_an_unknown_protocol_gets_the_list(dataset):
    with pytest.raises(
        ValueError, match=r"no protocol 'fair'\. The protocols are: paper, clean, cv"
    ):
        split(dataset, "fair", 0)


def test_the_data_are_not_written(dataset):
    before = dataset.X.copy()
    split(dataset, "paper", 0)
    np.testing.assert_array_equal(dataset.X, before)
