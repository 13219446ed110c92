import numpy as np
import pytest
from sklearn.feature_selection import f_classif, f_regression

from entryprune.data import Dataset, DatasetError, get_dataset, load_dataset
from entryprune.data.synthetic import RECIPES, add_distractors


@pytest.mark.parametrize("kind", RECIPES)
def test_what_is_made_is_as_described_and_follows_the_seed(kind):
    name = f"{kind}-40"
    made, info = load_dataset(name), get_dataset(name)
    assert made.X.shape == (info.n_train, info.n_features) == (RECIPES[kind].n_cases, 40)
    assert len(made.relevant) == info.n_relevant
    assert made.title == info.title
    np.testing.assert_array_equal(made.X, load_dataset(name).X)
    other = load_dataset(f"{name}-seed1")
    assert not np.array_equal(made.X, other.X)
    if made.task == "classification":
        assert 0.4 < np.mean(made.y == made.y.max()) < 0.6


def test_the_classes_follow_their_formulas():
    # On [-1, 1]: the ring has a radius of .7 and a width of .2302 to each side.
    ring = load_dataset("ring-16")
    radius = np.hypot(ring.X[:, 0], ring.X[:, 1])
    np.testing.assert_array_equal(ring.y, np.abs(radius - 0.7) <= 0.2302)
    xor = load_dataset("xor-16")
    np.testing.assert_array_equal(xor.y, xor.X[:, 0] * xor.X[:, 1] <= 0)
    both = load_dataset("ring-xor-16")
    ring_part = np.abs(np.hypot(both.X[:, 0], both.X[:, 1]) - 0.7) <= 0.1408
    xor_part = -both.X[:, 2] * both.X[:, 3] >= 4 * 0.0337
    np.testing.assert_array_equal(both.y, ring_part | xor_part)


def test_the_sum_is_noisy_but_decides_where_it_is_large():
    made = load_dataset("ring-xor-sum-16")
    total = (made.X[:, 4] + made.X[:, 5]) / 2 + 1
    assert made.y[total > 1.8].mean() > 0.95
    assert 0.25 < made.y[total < 1.0].mean() < 0.5


def test_all_values_lie_in_the_published_range():
    X = load_dataset("ring-xor-sum-64").X
    assert X.min() >= -1
    assert X.max() <= 1
    assert abs(X.mean()) < 0.01


def test_the_causes_of_the_dag_are_seven_of_its_columns_that_tell_of_the_target():
    made = load_dataset("dag-2000")
    assert len(set(made.relevant)) == 7
    F = f_classif(made.X, made.y)[0]
    assert np.median(F[list(made.relevant)]) > 5 * np.median(F)
    # Half of the columns have neither causes nor effects: their correlations are chance.
    correlations = np.abs(np.corrcoef(made.X.T)) - np.eye(2000)
    assert 950 <= np.sum(correlations.max(axis=0) < 0.18) <= 1150


@pytest.mark.parametrize(("name", "F"), [("linear", f_regression), ("logistic", f_classif)])
def test_an_f_test_finds_all_ten_effects_in_five_sixths_of_the_cases(name, F):
    made = load_dataset(f"{name}-50000")
    assert made.X.shape == (200, 50_000)
    scores = F(made.X[:166], made.y[:166])[0]
    assert set(np.argsort(-scores)[:10].tolist()) == set(made.relevant) == set(range(10))


def test_friedmans_target_is_the_published_function_and_unit_noise():
    made = load_dataset("friedman1-105")
    x = made.X.astype(float).T
    known = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
    assert 0.9 < np.std(made.y - known) < 1.1
    assert made.task == "regression"


def test_noise_has_nothing_to_find():
    made = load_dataset("noise-500")
    assert made.relevant == ()
    assert f_classif(made.X, made.y)[1].min() > 1e-6


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("xor-1", "XOR needs at least 2 columns, of which 2 matter; got 1"),
        ("dag-13", "DAG needs at least 14 columns"),
        ("xorr-16", "There is no data set 'xorr-16'.*those that are made, such as xor-64"),
    ],
)
def test_what_cannot_be_made_is_said(name, message):
    with pytest.raises(DatasetError, match=message):
        load_dataset(name)


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
