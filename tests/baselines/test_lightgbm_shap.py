import numpy as np
import pytest

from entryprune.baselines import LightGBMSelector, LightGBMSHAPSelector, RefusalError
from entryprune.baselines import trees as module

lightgbm = pytest.importorskip("lightgbm")

QUICK = {"n_estimators": 10, "n_jobs": 1}


def test_one_split_worked_out_by_hand():
    # One tree of one split with a rate of 0.5: half of the deviations of -2 and 2 from the mean.
    X = np.array([[0.0, 5.0], [0.0, 5.0], [1.0, 5.0], [1.0, 5.0]])
    selector = LightGBMSHAPSelector(
        1, n_estimators=1, learning_rate=0.5, min_child_samples=1, task="regression", n_jobs=1
    )
    assert selector.fit(X, [0, 0, 4, 4]).scores_[0] == pytest.approx(1.0)
    assert np.isnan(selector.scores_[1])


@pytest.mark.parametrize("block", [module._CONTRIBUTIONS, 200])
@pytest.mark.parametrize("task", ["two classes", "three classes", "regression"])
def test_scores_are_the_packages_contributions(easy, easy_regression, task, block, monkeypatch):
    monkeypatch.setattr(module, "_CONTRIBUTIONS", block)
    X, y = easy_regression if task == "regression" else easy
    if task == "two classes":
        y = y == 1
    kind = lightgbm.LGBMRegressor if task == "regression" else lightgbm.LGBMClassifier
    model = kind(n_estimators=10, force_col_wise=True, verbosity=-1, n_jobs=1).fit(X, y)
    contributions = model.booster_.predict(X, pred_contrib=True)
    n_models = 3 if task == "three classes" else 1
    assert contributions.shape == (150, 13 * n_models)
    by_class = np.abs(contributions).mean(axis=0).reshape(n_models, 13)
    selector = LightGBMSHAPSelector(1, **QUICK).fit(X, y)
    assert np.nan_to_num(selector.scores_) == pytest.approx(by_class.sum(axis=0)[:-1])


def test_the_contributions_and_the_mean_make_up_the_prediction(easy_regression):
    # What the scores are made of: without it, a wrong column could be left out unnoticed.
    X, y = easy_regression
    model = lightgbm.LGBMRegressor(verbosity=-1, **QUICK).fit(X, y)
    contributions = model.predict(X, pred_contrib=True)
    np.testing.assert_allclose(contributions.sum(axis=1), model.predict(X))
    assert np.ptp(contributions[:, -1]) == 0


def test_it_differs_from_the_gain(easy):
    shap, gain = (kind(2, **QUICK).fit(*easy) for kind in (LightGBMSHAPSelector, LightGBMSelector))
    assert sorted(shap.selected_indices_) == sorted(gain.selected_indices_) == [3, 8]
    assert not np.allclose(shap.scores_, gain.scores_, equal_nan=True)
    np.testing.assert_array_equal(np.isnan(shap.scores_), np.isnan(gain.scores_))


def test_features_without_a_split_are_not_found(easy):
    X, y = easy
    X = X.copy()
    X[:, 5] = 1.0
    with pytest.raises(RefusalError, match="were asked for") as refusal:
        LightGBMSHAPSelector(12, **QUICK).fit(X, y)
    assert refusal.value.reason == "too_few"
    assert refusal.value.method == "LightGBM SHAP"
