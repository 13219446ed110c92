import numpy as np
import pytest

from entryprune.data import Dataset, DatasetError, get_dataset, load_dataset
from entryprune.data.distractors import add_distractors


@pytest.fixture
def table():
    """Return 2,000 cases of a constant column and three that vary on different scales."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(2000, 3.0), rng.normal(size=(2000, 3)) * [1, 10, 100]])
    return Dataset("made", "Made", X, np.arange(2000))


def parts(dataset, base):
    """Return the original columns in the original order of cases, and the added ones."""
    back = np.argsort(dataset.y)
    n_columns = base.X.shape[1]
    return dataset.X[back, :n_columns], dataset.X[back, n_columns:]


@pytest.mark.parametrize(("percent", "n_added"), [(50, 4), (75, 12), (20, 1)])
def test_so_many_columns_are_added_that_they_are_the_asked_for_share(table, percent, n_added):
    made = add_distractors(f"made+random-{percent}", table)
    original, added = parts(made, table)
    np.testing.assert_allclose(original, table.X, rtol=1e-6)
    assert added.shape == (2000, n_added)
    assert made.title == f"Made + {percent} % random"
    assert not np.array_equal(made.y, table.y)


def test_a_constant_column_is_not_expected_to_be_found(table):
    assert add_distractors("made+random-50", table).relevant == (1, 2, 3)


def test_random_columns_are_standard_normal(table):
    added = parts(add_distractors("made+random-50", table), table)[1]
    np.testing.assert_allclose(added.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(added.std(axis=0), 1, atol=0.1)


def test_corrupted_columns_are_half_a_column_and_half_noise_of_its_scale(table):
    original, added = parts(add_distractors("made+corrupted-90", table), table)
    assert added.shape[1] == 36
    for column in added.T:
        correlations = [np.corrcoef(column, x)[0, 1] for x in original[:, 1:].T]
        source = original[:, 1:][:, np.argmax(correlations)]
        noise = column - 0.5 * source
        assert abs(np.corrcoef(noise, source)[0, 1]) < 0.1
        assert noise.std() == pytest.approx(0.5 * source.std(), rel=0.1)


def test_second_order_columns_are_products_of_two(table):
    original, added = parts(add_distractors("made+second-order-80", table), table)
    products = [a * b for a in original[:, 1:].T for b in original[:, 1:].T]
    for column in added.T:
        assert any(np.allclose(column, product, rtol=1e-4) for product in products)


def test_the_name_leads_to_the_table_its_distractors_and_the_seed():
    digits, info = load_dataset("digits+random-50"), get_dataset("digits+random-50")
    assert digits.X.shape == (info.n_train, info.n_features) == (1797, 128)
    assert info.n_relevant == 64
    # Three pixels of the digits are always white.
    assert len(digits.relevant) == 61
    other = load_dataset("digits+random-50-seed1")
    assert not np.array_equal(digits.y, other.y)
    with pytest.raises(DatasetError, match=r"no data set 'digit'\. Did you mean 'digits'"):
        load_dataset("digit+random-50")
    with pytest.raises(DatasetError, match="which percentage of all columns they shall be, 1 to"):
        load_dataset("digits+random-100")
