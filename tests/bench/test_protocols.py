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


def test_where_each_class_has_cases_enough_the_clean_split_is_scikit_learns(dataset):
    parts = split(dataset, "clean", seed=3)
    _, expected = train_test_split(
        np.arange(100), test_size=0.2, random_state=3, stratify=dataset.y
    )
    np.testing.assert_array_equal(parts.y_test, dataset.y[expected])
    raw = dataset.X[expected]
    np.testing.assert_array_equal(np.argsort(parts.X_test[:, 0]), np.argsort(raw[:, 0]))


def test_a_class_of_one_case_is_learned_from_in_every_clean_split(dataset):
    y = dataset.y.copy()
    y[[7, 50]] = [5, 6]
    for seed in range(10):
        parts = split(Dataset("made", "Made", dataset.X, y), "clean", seed)
        assert {5, 6} <= set(parts.y_train.tolist())
        # The other classes, of 78 and 20 cases, are still spread evenly.
        np.testing.assert_array_equal(np.bincount(parts.y_test), [16, 4])


def test_with_more_classes_than_test_cases_each_class_is_still_learned_from(dataset):
    pairs = Dataset("made", "Made", dataset.X, np.repeat(np.arange(50), 2))
    for seed in range(5):
        parts = split(pairs, "clean", seed)
        assert len(parts.y_train) == 90
        assert len(parts.y_test) == 10
        assert set(parts.y_train.tolist()) == set(range(50))
    one_pair = Dataset("made", "Made", dataset.X, np.append(np.arange(99), 98))
    assert split(one_pair, "clean", 0).y_test.tolist() == [98]


def test_the_clean_split_takes_quantities_and_refuses_classes_of_one_case_only(dataset):
    quantities = Dataset("made", "Made", dataset.X, np.linspace(0.5, 1.5, 100))
    assert len(split(quantities, "clean", 7).y_test) == 20
    with pytest.raises(ValueError, match="Each of the 100 cases is a class of its own"):
        split(Dataset("made", "Made", dataset.X, np.arange(100)), "clean", 0)


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


def test_where_the_truth_is_known_folds_are_in_order_unscaled_and_columns_are_not():
    made = Dataset("made", "Made", np.arange(120.0).reshape(12, 10), np.arange(12), relevant=(3,))
    parts = [split(made, "truth", seed) for seed in range(6)]
    assert [part.y_test.tolist() for part in parts] == [[2 * i, 2 * i + 1] for i in range(6)]
    np.testing.assert_array_equal(parts[1].X_test, made.X[2:4])
    orders = [part.order.tolist() for part in parts]
    assert all(sorted(order) == list(range(10)) for order in orders)
    assert len({tuple(order) for order in orders}) == 6


def test_where_it_is_not_known_the_protocol_of_the_truth_is_refused(dataset):
    with pytest.raises(ValueError, match="Nobody knows which columns of Made matter"):
        split(dataset, "truth", 0)


def test_an_unknown_protocol_gets_the_list(dataset):
    with pytest.raises(
        ValueError, match=r"no protocol 'fair'\. The protocols are: paper, clean, cv, truth"
    ):
        split(dataset, "fair", 0)


def test_the_data_are_not_written(dataset):
    before = dataset.X.copy()
    split(dataset, "paper", 0)
    np.testing.assert_array_equal(dataset.X, before)
