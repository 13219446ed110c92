"""Learners for times until an event and for several outputs."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from entryprune.bench.models import CoxRegression, PerOutput
from entryprune.bench.predictions import guessed, measured, predict


@pytest.fixture
def patients():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * (1, 10, 0) + 5
    times, watched = rng.exponential(np.exp(-X[:, 0])), rng.exponential(np.exp(-5), size=200)
    return X, np.column_stack([np.minimum(times, watched), times <= watched])


def test_a_ridge_stands_where_its_slope_meets_the_likelihood(patients):
    # Of one feature of two values: the slope of the log likelihood at the end is the weight.
    X = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    y = np.column_stack([np.arange(4.0), np.ones(4)])
    weight = float(CoxRegression().fit(X, y).weights[0])
    high, low = np.exp(weight), np.exp(-weight)
    slopes = [
        x - (n_high * high - n_low * low) / (n_high * high + n_low * low)
        for x, n_high, n_low in ((-1, 2, 2), (1, 2, 1), (-1, 1, 1), (1, 1, 0))
    ]
    assert sum(slopes) == pytest.approx(weight, abs=1e-4)


def test_risks_are_found_at_any_scale(patients):
    X, y = patients
    model = CoxRegression().fit(X, y)
    assert model.weights[0] > 10 * abs(model.weights[1:]).max()
    assert model.weights[2] == 0
    assert model.score(X, y) > 0.7
    shifted = CoxRegression().fit(X * 1000 - 7, y)
    assert shifted.predict(X * 1000 - 7) == pytest.approx(model.predict(X), abs=1e-4)


def test_without_features_or_events_all_are_alike(patients):
    X, y = patients
    assert CoxRegression().fit(X[:, :0], y).score(X[:, :0], y) == 0.5
    assert not CoxRegression().fit(X, y * (1, 0)).predict(X).any()


def test_concordance_is_measured_and_guessed(patients):
    X, y = patients
    model = CoxRegression().fit(X, y)
    found = measured(predict(model, X, np.arange(200)), y)
    assert found == {"concordance": model.score(X, y)}
    assert guessed(y, y, "survival") == {"concordance": 0.5}


def test_several_quantities_are_measured_by_the_mean_of_their_measures():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.column_stack([2 * X[:, 0], [0.0, 0.0, 1.0, 1.0]])
    model = PerOutput(LinearRegression).fit(X, y)
    found = predict(model, X, np.arange(4))
    assert found.values.shape == (4, 2)
    # The line through the second explains 80 % of it, and is off by 0.1 and 0.3.
    assert measured(found, y)["r2"] == pytest.approx((100 + 80) / 2)
    assert measured(found, y)["mae"] == pytest.approx((0 + 0.2) / 2)
    assert guessed(y, y, "regression")["mae"] == pytest.approx((2 + 0.5) / 2)


def test_several_labels_are_measured_likewise_also_if_one_does_not_vary():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    y = np.column_stack([[0, 0, 1, 1], [1, 1, 1, 1]])
    model = PerOutput(LogisticRegression).fit(X, y)
    found = measured(predict(model, X, np.arange(4)), y)
    assert (found["accuracy"], found["auc"]) == (100, 1)
    assert guessed(y, y, "classification")["accuracy"] == (50 + 100) / 2
