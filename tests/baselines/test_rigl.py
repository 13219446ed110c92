import numpy as np
import pytest

from entryprune.baselines import RigLSelector
from entryprune.engine import DivergedError

QUICK = {
    "hidden_layer_sizes": (30, 20),
    "epsilon": 3,
    "learning_rate_init": 0.1,
    "batch_size": 20,
    "max_epochs": 25,
}


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_planted_features_are_found_among_classes(easy, activation):
    selector = RigLSelector(2, **QUICK, activation=activation, random_state=0).fit(*easy)
    assert sorted(selector.selected_indices_) == [3, 8]
    assert selector.task_ == "classification"


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_planted_features_are_found_in_regression_wherever_the_target_lies(easy_regression, offset):
    X, y = easy_regression
    selector = RigLSelector(2, **QUICK, random_state=0).fit(X, 100 * y + offset)
    assert sorted(selector.selected_indices_) == [3, 8]
    assert selector.task_ == "regression"


def test_scores_are_the_same_for_a_seed_and_others_for_another(easy):
    first, same, other = (
        RigLSelector(2, **{**QUICK, "max_epochs": 3}, random_state=seed).fit(*easy).scores_
        for seed in (0, 0, 1)
    )
    assert (first == same).all()
    assert (first != other).any()


def test_without_rewiring_the_network_ends_elsewhere(easy):
    rewired, fixed = (
        RigLSelector(2, **{**QUICK, "max_epochs": 3}, zeta=zeta, random_state=0).fit(*easy).scores_
        for zeta in (0.3, 0.0)
    )
    assert (rewired != fixed).any()


def test_a_constant_target_and_two_cases_do_no_harm():
    X = np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 0.5]])
    selector = RigLSelector(
        1, hidden_layer_sizes=5, max_epochs=3, task="regression", random_state=0
    )
    assert np.isfinite(selector.fit(X, [2.0, 2.0]).scores_).all()
    assert RigLSelector(3, hidden_layer_sizes=5, max_epochs=3).fit(X, [0, 1]).support_.all()


def test_divergence_is_an_error_and_leaves_no_selection(easy):
    selector = RigLSelector(2, **{**QUICK, "learning_rate_init": 1e20}, activation="relu")
    with pytest.raises(DivergedError, match="Lower learning_rate_init"):
        selector.fit(*easy)
    assert not hasattr(selector, "support_")


def test_values_too_large_for_single_precision_are_a_divergence(easy):
    X, y = easy
    with pytest.raises(DivergedError, match="not finite"):
        RigLSelector(2, **QUICK, scale=None).fit(X * 1e200, y)


def test_the_bar_is_on_the_error_stream_only_if_asked_for(easy, capsys):
    RigLSelector(2, **{**QUICK, "max_epochs": 2}, verbose=1).fit(*easy)
    assert capsys.readouterr().out == ""
    RigLSelector(2, **{**QUICK, "max_epochs": 2}).fit(*easy)
    assert capsys.readouterr() == ("", "")
