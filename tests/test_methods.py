import subprocess
import sys

import pytest

from entryprune import baselines
from entryprune.baselines import METHODS, get_method, make_selector

THE_PAPERS = {
    "fisher", "cife", "icap", "rfs", "quickselection", "stg", "lassonet", "rigl", "neurofs",
}  # fmt: skip
RELATED = {"gradenfs", "deeplasso", "sand", "sequential-attention"}
USED_TODAY = {
    "l1", "extra-trees", "lightgbm", "lightgbm-shap", "forest-permutation", "mrmr", "mrmr-fcq",
    "boruta", "autonfs",
}  # fmt: skip
FOR_SURVIVAL = {"cox-score"}
CONTROLS = {"variance", "random"}


def test_all_methods_are_there():
    ours = {"entryprune-exchange", "entryprune", "entryprune-flex"}
    assert set(METHODS) == THE_PAPERS | RELATED | USED_TODAY | FOR_SURVIVAL | CONTROLS | ours


@pytest.mark.parametrize("name", METHODS)
def test_every_name_makes_a_selector_that_takes_the_common_parameters(name):
    selector = make_selector(name, 7, random_state=3)
    parameters = selector.get_params()
    assert parameters["n_features_to_select"] == 7
    assert parameters["random_state"] == 3


@pytest.mark.parametrize("name", [name for name in METHODS if "entryprune" not in name])
def test_the_registry_and_the_class_agree(name):
    method = get_method(name)
    selector = make_selector(name, 7)
    assert selector._tasks == method.tasks
    assert selector._title == method.title
    assert selector._takes_several == method.takes_several
    assert getattr(baselines, method.class_name) is type(selector)
    assert selector.get_params() == {
        **type(selector)(7).get_params(),
        **method.settings,
        "task": "classification",
    }


def test_the_task_decides_the_class_of_entryprune():
    assert type(make_selector("entryprune")).__name__ == "EntryPruneClassifier"
    flex = make_selector("entryprune-flex", task="regression")
    assert type(flex).__name__ == "EntryPruneRegressor"
    assert flex.flex is True
    assert type(make_selector("entryprune", task="survival")).__name__ == "EntryPruneSurvival"


def test_the_names_of_entryprune_say_which_algorithm_runs():
    presets = {
        name: make_selector(name).get_params()["preset"] for name in METHODS if "entryprune" in name
    }
    assert presets == {
        "entryprune-exchange": "exchange",
        "entryprune": "paper",
        "entryprune-flex": "paper",
    }
    assert type(make_selector("entryprune-exchange"))().preset == "exchange"


def test_further_parameters_win_over_the_published_ones():
    assert make_selector("entryprune-flex", flex=False, patience=7).get_params()["patience"] == 7
    assert make_selector("entryprune-flex", flex=False).flex is False


def test_an_unknown_name_gets_the_nearest_and_all():
    with pytest.raises(ValueError, match=r"no method 'fischer'. Did you mean 'fisher'\?.*mrmr"):
        get_method("fischer")
    with pytest.raises(ValueError, match="task must be one of"):
        make_selector("fisher", task="ranking")


def test_the_list_of_methods_needs_neither_torch_nor_scikit_learn():
    code = (
        "import sys; from entryprune.baselines import METHODS, get_method; len(METHODS); "
        "print([m for m in ('torch', 'sklearn', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        baselines.Nothing  # noqa: B018
