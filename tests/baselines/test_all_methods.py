"""What scikit-learn, and a user who swaps one method for another, expect of every baseline."""

import ast
import inspect
import pickle
import re

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from entryprune.baselines import METHODS, make_selector

# Small enough to be quick, large enough to find what is planted.
SPARSE = {
    "hidden_layer_sizes": 30,
    "epsilon": 3,
    "learning_rate_init": 0.1,
    "batch_size": 20,
    "max_epochs": 25,
}
DENSE = {"hidden_layer_sizes": 20, "learning_rate_init": 0.01, "max_epochs": 40}
QUICK = {
    "stg": DENSE,
    "deeplasso": DENSE,
    "sand": {**DENSE, "gain_learning_rate_init": 0.03},
    "sequential-attention": {
        "hidden_layer_sizes": 20,
        "learning_rate_init": 0.01,
        "epochs_per_phase": 20,
    },
    "neurofs": SPARSE,
    "rigl": SPARSE,
    "gradenfs": SPARSE,
    "quickselection": SPARSE,
    "lassonet": {
        "hidden_dims": (10,),
        "lambda_start": 10.0,
        "path_multiplier": 1.2,
        "n_iters": (300, 10),
    },
    "lightgbm": {"n_estimators": 10, "min_child_samples": 1, "n_jobs": 1},
    "lightgbm-shap": {"n_estimators": 10, "min_child_samples": 1, "n_jobs": 1},
    "extra-trees": {"n_estimators": 20},
    "forest-permutation": {"n_estimators": 20},
    "boruta": {"n_estimators": 5, "max_iter": 12},
    "autonfs": {"balance": 0.1, "epochs": 40, "batch_size": 16},
}
# On the checks' noise AutoNFS finds nothing worth keeping unless that costs nothing.
FOR_CHECKS = {**QUICK, "autonfs": {"balance": 0.0, "epochs": 5, "batch_size": 16}}
# How good the answer is does not matter to scikit-learn's checks, of which there are many.
CHECKED = {
    **FOR_CHECKS,
    "stg": {**DENSE, "max_epochs": 10},
    "lassonet": {**QUICK["lassonet"], "path_multiplier": 1.5, "n_iters": (100, 5)},
}
BASELINES = [
    name
    for name, method in METHODS.items()
    if "entryprune" not in name and "classification" in method.tasks
]
FOR_REGRESSION = [name for name in BASELINES if "regression" in METHODS[name].tasks]
# They do not look at the target.
BLIND = {"quickselection", "variance", "random"}
RANDOM = [name for name in BASELINES if METHODS[name].is_random]


def make(name, k=None, quick=FOR_CHECKS, **parameters):
    return make_selector(name, k, **{"random_state": 0, **quick.get(name, {}), **parameters})


def failures_with_a_reason(selector):
    if type(selector).__name__ == "AutoNFSSelector":
        fewer = "picks its own number of features, here fewer than the half that is asked for"
        return {"check_n_features_in_after_fitting": fewer}
    return {}


@parametrize_with_checks(
    [type(make(name))(**CHECKED.get(name, {})) for name in BASELINES],
    expected_failed_checks=failures_with_a_reason,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", BASELINES)
def test_documented_defaults_are_those_of_the_signature(name):
    cls = type(make(name))
    found = re.findall(r"^ {4}(\w+) : .*?default=(.+)$", cls.__doc__, flags=re.MULTILINE)
    documented = {name: ast.literal_eval(value) for name, value in found}
    assert documented == {
        name: parameter.default for name, parameter in inspect.signature(cls).parameters.items()
    }


@pytest.mark.parametrize("name", BASELINES)
def test_every_fitted_attribute_is_documented(name, easy):
    fitted = make(name, 2).fit(pd.DataFrame(easy[0]).add_prefix("c"), easy[1])
    public = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    lines = re.findall(r"^ {4}(\w+_(?:, \w+_)*) : ", type(fitted).__doc__, flags=re.MULTILINE)
    documented = {name for line in lines for name in line.split(", ")}
    assert documented == {*public, "k_curve_"}  # which is there with "auto" only


@pytest.mark.parametrize("name", BASELINES)
def test_the_module_cites_where_the_method_comes_from(name):
    assert re.search(r"\b(19|20)\d\d\b", inspect.getmodule(type(make(name))).__doc__)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_what_its_scores_mean(name):
    said = make_selector(name, 3)._score_meaning
    assert re.match(r"(The score|What a feature brings)\b.* is .*\.$", said)
    assert "  " not in said


@pytest.mark.parametrize("name", BASELINES)
def test_features_are_ranked_as_it_is_declared(name, easy):
    selector = make(name, 2, QUICK).fit(*easy)
    chosen = selector.scores_[selector.selected_indices_]
    others = selector.scores_[~selector.support_]
    is_by_score = np.all(np.diff(chosen) <= 0) and not np.any(others > chosen[-1])
    # Features that have no score because they have nothing to score for are below all others.
    assert is_by_score or not selector._ranks_by_score


@pytest.mark.parametrize("name", [name for name in BASELINES if name not in BLIND])
def test_planted_features_are_found_among_classes(name, easy):
    assert sorted(make(name, 2, QUICK).fit(*easy).selected_indices_) == [3, 8]


@pytest.mark.parametrize("name", [name for name in FOR_REGRESSION if name not in BLIND])
def test_planted_features_are_found_in_regression(name, easy_regression):
    selector = make(name, 2, QUICK, task="regression").fit(*easy_regression)
    assert sorted(selector.selected_indices_) == [3, 8]
    assert selector.task_ == "regression"


@pytest.mark.parametrize("name", BASELINES)
def test_the_same_seed_gives_the_same_answer_and_no_global_generator_is_touched(name, easy):
    np.random.seed(7)  # noqa: NPY002
    torch.manual_seed(7)
    before = np.random.get_state()[1].copy(), torch.get_rng_state()  # noqa: NPY002
    first, second = make(name, 4).fit(*easy), make(name, 4).fit(*easy)
    assert first.selected_indices_.tolist() == second.selected_indices_.tolist()
    assert np.array_equal(first.scores_, second.scores_, equal_nan=True)
    assert (np.random.get_state()[1] == before[0]).all()  # noqa: NPY002
    assert (torch.get_rng_state() == before[1]).all()


@pytest.mark.parametrize("name", RANDOM)
def test_the_seed_matters_where_the_registry_says_so(name, easy):
    first, *others = (make(name, 4, random_state=seed) for seed in range(6))
    scores = first.fit(*easy).scores_.tolist()
    assert any(other.fit(*easy).scores_.tolist() != scores for other in others)


@pytest.mark.parametrize("name", BASELINES)
def test_constant_and_duplicate_columns_do_no_harm(name, easy):
    X, y = easy
    X = np.column_stack([np.full(len(X), 0.1), X, X[:, 3], np.zeros(len(X))])
    selector = make(name, 4).fit(X, y)
    assert selector.support_.sum() == 4
    if name != "random":
        assert not selector.support_[[0, 14]].any()


@pytest.mark.parametrize("name", BASELINES)
def test_it_stands_in_a_pipeline_and_keeps_names(name, easy):
    X = pd.DataFrame(easy[0], columns=[f"gene {i}" for i in range(12)])
    pipeline = make_pipeline(clone(make(name, 3)), SVC()).fit(X, easy[1])
    names = pipeline[0].get_feature_names_out()
    assert set(names) <= set(X.columns)
    assert len(names) == 3
    assert pipeline[:-1].set_output(transform="pandas").transform(X).columns.tolist() == [*names]


@pytest.mark.parametrize("name", BASELINES)
def test_a_pickled_selector_selects_the_same(name, easy):
    selector = make(name, 3).fit(*easy)
    again = pickle.loads(pickle.dumps(selector))
    assert np.array_equal(again.transform(easy[0]), selector.transform(easy[0]))
