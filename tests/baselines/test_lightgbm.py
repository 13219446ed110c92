import numpy as np
import pandas as pd
import pytest

from entryprune.baselines import LightGBMSelector, RefusalError

lightgbm = pytest.importorskip("lightgbm")

QUICK = {"n_estimators": 10, "n_jobs": 1}


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_scores_are_the_total_gain_of_the_packages_model(easy, easy_regression, task):
    X, y = easy if task == "classification" else easy_regression
    kind = lightgbm.LGBMClassifier if task == "classification" else lightgbm.LGBMRegressor
    model = kind(n_estimators=10, force_col_wise=True, verbosity=-1, n_jobs=1).fit(X, y)
    gain = model.booster_.feature_importance("gain")
    selector = LightGBMSelector(2, **QUICK).fit(X, y)
    assert np.nan_to_num(selector.scores_) == pytest.approx(gain)
    assert set(selector.selected_indices_) == {3, 8}
    assert selector.task_ == task


def test_gain_of_one_split_worked_out_by_hand():
    # One tree, one split: about the mean of 2 the cases deviate by -2 and 2, so the sums of the
    # gradients are 4 and -4 with two cases on each side: 4^2 / 2 + 4^2 / 2 - 0 = 16.
    X = np.array([[0.0, 5.0], [0.0, 5.0], [1.0, 5.0], [1.0, 5.0]])
    selector = LightGBMSelector(1, n_estimators=1, min_child_samples=1, task="regression")
    assert selector.fit(X, [0, 0, 4, 4]).scores_[0] == pytest.approx(16.0)
    assert np.isnan(selector.scores_[1])


def test_number_of_threads_does_not_matter(easy):
    X, y = easy
    one, two = (
        LightGBMSelector(2, n_estimators=20, n_jobs=n_jobs).fit(X, y).scores_ for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


def test_the_same_again_and_generators_stay(easy):
    X, y = easy
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    one, two = (LightGBMSelector(2, random_state=0, **QUICK).fit(X, y).scores_ for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_parameters_reach_the_package(easy):
    X, y = easy
    plain = LightGBMSelector(2, **QUICK).fit(X, y).scores_
    for changed in ({"learning_rate": 0.5}, {"min_child_samples": 40}, {"n_estimators": 11}):
        other = LightGBMSelector(2, **{**QUICK, **changed}).fit(X, y).scores_
        assert not np.array_equal(plain, other, equal_nan=True)


def test_odd_column_names_do_not_matter(easy):
    X, y = easy
    table = pd.DataFrame(X, columns=[f'{{"x": [{i}, é]}}:,' for i in range(12)])
    selector = LightGBMSelector(2, **QUICK).fit(table, y)
    plain = LightGBMSelector(2, **QUICK).fit(X, y)
    np.testing.assert_array_equal(selector.scores_, plain.scores_)
    assert selector.get_feature_names_out().tolist() == [table.columns[3], table.columns[8]]


def test_features_without_gain_are_not_found(easy):
    X, y = easy
    X = X.copy()
    X[:, 5] = 1.0
    with pytest.raises(RefusalError, match="were asked for") as refusal:
        LightGBMSelector(12, **QUICK).fit(X, y)
    assert refusal.value.reason == "too_few"


def test_too_few_cases_for_a_split_are_refused(capfd):
    X = np.random.default_rng(0).normal(size=(30, 4))
    with pytest.raises(RefusalError, match="no feature that helps"):
        LightGBMSelector(1, **QUICK).fit(X, np.arange(30) % 2)
    assert capfd.readouterr() == ("", "")
