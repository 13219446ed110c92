"""What the estimators do with what they are asked."""

import random
import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.datasets import make_friedman1
from sklearn.exceptions import ConvergenceWarning

from entryprune import EntryPruneClassifier, EntryPruneRegressor
from entryprune.engine import BodyError


def test_the_right_features_are_found_best_first(easy, quick):
    selector = EntryPruneClassifier(3, **quick).fit(*easy)
    assert set(selector.selected_indices_[:2]) == {3, 8}
    scores = selector.entry_scores_[selector.selected_indices_]
    assert (np.diff(scores) <= 0).all()
    assert selector.ranking_[selector.selected_indices_].tolist() == [1, 2, 3]
    assert (selector.ranking_[~selector.support_] == 4).all()
    assert np.isnan(selector.entry_scores_[~selector.support_]).all()
    assert np.flatnonzero(selector.support_).tolist() == sorted(selector.selected_indices_)


def test_predictions_agree_with_the_network_on_the_selected_columns(easy, quick):
    X, y = easy
    selector = EntryPruneClassifier(2, **quick).fit(X, y)
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = ((X - low) / (high - low))[:, selector.support_]
    with torch.no_grad():
        outputs = selector.network_(torch.tensor(scaled, dtype=torch.float32)).double().numpy()
    expected = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(selector.predict_proba(X), expected, atol=1e-5)
    np.testing.assert_array_equal(selector.predict(X), expected.argmax(axis=1))


def test_other_columns_do_not_touch_the_prediction(easy, quick):
    X, y = easy
    selector = EntryPruneClassifier(2, **quick).fit(X, y)
    changed = X.copy()
    changed[:, ~selector.support_] = -99
    np.testing.assert_array_equal(selector.predict_proba(changed), selector.predict_proba(X))


def test_the_regressor_finds_the_features_and_predicts_in_the_targets_units(quick):
    X, y = make_friedman1(n_samples=600, n_features=30, random_state=1)
    y = 1000.0 * y + 5.0
    quick.update(batches_per_rotation=30, patience=20)
    selector = EntryPruneRegressor(4, **quick).fit(X, y)
    assert set(selector.selected_indices_) == {0, 1, 3, 4}
    assert selector.score(X, y) > 0.7
    assert selector.predict(X).shape == (600,)


def test_several_outputs_are_predicted_together(quick):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 15))
    y = np.column_stack([3 * X[:, 2], 100 - 50 * X[:, 7]])
    quick.update(batches_per_rotation=30, patience=20)
    selector = EntryPruneRegressor(2, **quick).fit(X, y)
    assert set(selector.selected_indices_) == {2, 7}
    assert selector.predict(X).shape == (300, 2)
    assert selector.score(X, y) > 0.8


def test_the_same_seed_gives_the_same_bits_and_another_seed_others(easy, quick):
    first, again = (EntryPruneClassifier(4, **quick).fit(*easy) for _ in range(2))
    np.testing.assert_array_equal(first.entry_scores_, again.entry_scores_)
    np.testing.assert_array_equal(first.predict_proba(easy[0]), again.predict_proba(easy[0]))
    for name, values in first.history_.items():
        np.testing.assert_array_equal(values, again.history_[name])
    other = EntryPruneClassifier(4, **{**quick, "random_state": 1}).fit(*easy)
    assert not np.array_equal(other.entry_scores_, first.entry_scores_, equal_nan=True)


def test_a_random_state_object_moves_on(easy, quick):
    state = np.random.RandomState(3)
    quick["random_state"] = state
    first, second = (EntryPruneClassifier(4, **quick).fit(*easy) for _ in range(2))
    assert not np.array_equal(first.entry_scores_, second.entry_scores_, equal_nan=True)


@pytest.mark.parametrize("seed", [None, 0])
def test_global_generators_are_neither_read_nor_changed(easy, quick, seed):
    body = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(100, 3))
    for extra in ({}, {"body": body}):
        before = (torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate())  # noqa: NPY002
        EntryPruneClassifier(2, **{**quick, **extra, "random_state": seed}).fit(*easy)
        assert torch.equal(torch.get_rng_state(), before[0])
        np.testing.assert_array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002
        assert random.getstate() == before[2]


def test_auto_means_the_papers_settings_for_long_and_wide_data(quick):
    rng = np.random.default_rng(0)
    for shape, ratio, batches in (((300, 200), 0.2, 100), ((30, 200), 0.5, 5)):
        X, y = rng.normal(size=shape), rng.integers(0, 2, shape[0])
        selector = EntryPruneClassifier(10, max_rotations=3)
        with pytest.warns(ConvergenceWarning):
            selector.fit(X, y)
        used = selector.settings_
        assert used["candidate_ratio"] == ratio
        assert used["batches_per_rotation"] == batches
        assert used["patience"] == 100
        assert used["hidden_layer_sizes"] == (100,)
        assert used["scale"] == "minmax"
        assert used["stopping"] == "validation"
        assert set(selector.history_["input_size"]) == {10 + round(ratio * 190)}


def test_an_explicit_value_wins_over_auto(easy, quick):
    selector = EntryPruneClassifier(2, candidate_ratio=0.3, scale=None, **quick).fit(*easy)
    assert selector.settings_["candidate_ratio"] == 0.3
    assert selector.settings_["scale"] is None
    assert set(selector.history_["input_size"]) == {2 + 3}


def test_auto_takes_ten_candidates_on_a_narrow_table(easy, quick):
    selector = EntryPruneClassifier(1, **quick).fit(*easy)
    assert set(selector.history_["input_size"]) == {1 + 10}


def test_auto_bounds_the_candidates_on_a_very_wide_table(quick):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(6, 70_000), dtype=np.uint8)
    quick.update(batches_per_rotation=1, patience=1, hidden_layer_sizes=(2,))
    selector = EntryPruneClassifier(5, **quick).fit(X, [0, 1, 0, 1, 0, 1])
    assert set(selector.history_["input_size"]) == {5 + 32_768}


@pytest.mark.parametrize("bound", ["max_rotations", "max_epochs"])
def test_a_bound_that_is_reached_warns_and_says_what_to_do(easy, quick, bound):
    selector = EntryPruneClassifier(2, **{**quick, "patience": 1000, bound: 20})
    with pytest.warns(ConvergenceWarning, match=rf"{bound}=20.*'validation'.*Raise {bound}"):
        selector.fit(*easy)
    assert selector.stop_reason_ == bound


def test_stopping_by_epochs_does_not_warn(easy, quick):
    selector = EntryPruneClassifier(2, stopping="epochs", max_epochs=30, **quick)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector.fit(*easy)
    assert selector.stop_reason_ == "epochs"
    epochs = selector.history_["epoch"]
    assert epochs[-1] >= 30 > epochs[-2]
    assert set(selector.history_["phase"]) == {"final"}


def test_the_history_fits_into_a_frame_and_tells_the_trainings_apart(easy, quick):
    selector = EntryPruneClassifier(2, **quick).fit(*easy)
    frame = pd.DataFrame(selector.history_)
    assert frame["phase"].unique().tolist() == ["search", "final"]
    search = frame[frame["phase"] == "search"]
    assert search["rotation"].tolist() == list(range(1, len(search) + 1))
    assert selector.n_rotations_ == (frame["phase"] == "final").sum()
    # The lowest loss was measured for what the rotation before it had selected.
    best = search.loc[search["validation_loss"].idxmin(), "rotation"]
    assert selector.n_rotations_ == best - 1


def test_without_refit_the_first_selection_stands(easy, quick):
    selector = EntryPruneClassifier(2, refit=False, **quick).fit(*easy)
    assert set(selector.history_["phase"]) == {"search"}
    np.testing.assert_array_equal(selector.selected_indices_, selector.first_selected_indices_)


def test_a_callback_sees_every_rotation_and_may_stop(easy, quick):
    seen = []

    def stop_at_seven(record):
        seen.append(record.rotation)
        return record.rotation == 7

    selector = EntryPruneClassifier(2, callback=stop_at_seven, **quick).fit(*easy)
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert selector.stop_reason_ == "callback"
    assert selector.predict(easy[0]).shape == (150,)


def test_an_interrupted_fit_leaves_nothing_behind(easy, quick):
    def interrupt(record):
        if record.rotation == 3:
            raise KeyboardInterrupt

    selector = EntryPruneClassifier(2, callback=interrupt, verbose=1, **quick)
    before = dict(vars(selector))
    with pytest.raises(KeyboardInterrupt):
        selector.fit(*easy)
    assert vars(selector) == before


def test_an_interrupted_second_fit_leaves_the_first_as_it_was(easy, quick):
    X, y = easy
    selector = EntryPruneClassifier(2, **quick).fit(X, y)
    expected = selector.predict_proba(X)

    def interrupt(record):
        raise KeyboardInterrupt

    selector.callback = interrupt
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X[:, :5], y)
    assert selector.n_features_in_ == 12
    np.testing.assert_array_equal(selector.predict_proba(X), expected)


def test_verbose_shows_a_line_on_the_error_stream(easy, quick, capfd):
    EntryPruneClassifier(2, verbose=1, **quick).fit(*easy)
    out, err = capfd.readouterr()
    assert out == ""
    assert "final: rotation" in err
    assert "of 2 changed" in err
    assert "done 100 %" in err


def test_a_users_own_body_and_loss_are_used(easy, quick):
    X, y = easy
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        body = torch.nn.Sequential(
            torch.nn.GELU(), torch.nn.Linear(16, 8), torch.nn.GELU(), torch.nn.Linear(8, 3)
        )
    start = [p.detach().clone() for p in body.parameters()]

    def smoothed(outputs, targets):
        return torch.nn.functional.cross_entropy(outputs, targets, label_smoothing=0.1)

    quick.update(learning_rate_init=0.01)
    selector = EntryPruneClassifier(
        2, hidden_layer_sizes=16, body=body, loss=smoothed, **quick
    ).fit(X, y)
    assert set(selector.selected_indices_) == {3, 8}
    assert selector.score(X, y) > 0.7
    assert isinstance(selector.network_[1][0], torch.nn.GELU)
    for parameter, old in zip(body.parameters(), start, strict=True):
        assert torch.equal(parameter, old)


def test_a_body_of_the_wrong_width_is_refused(easy, quick):
    with pytest.raises(BodyError, match=r"must return 3 output\(s\).*got \(2, 4\)"):
        EntryPruneClassifier(2, body=torch.nn.Linear(100, 4), **quick).fit(*easy)
    with pytest.raises(BodyError, match=r"failed on an input of shape \(2, 100\)"):
        EntryPruneClassifier(2, body=torch.nn.Linear(7, 3), **quick).fit(*easy)


def test_a_users_own_loss_sees_the_target_as_it_is(quick):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    y = 1000.0 + X[:, 1]
    seen = []

    def absolute(outputs, targets):
        seen.append(float(targets.mean()))
        return (outputs - targets).abs().mean()

    EntryPruneRegressor(1, loss=absolute, **quick).fit(X, y)
    assert min(seen) > 990


@pytest.mark.parametrize(
    "parameters",
    [
        {"flex": True},
        {"change_metric": "weight_change"},
        {"change_metric": "magnitude", "learning_rate_init": 0.01},
        {"change_metric": "magnitude", "entry_scores": False, "learning_rate_init": 0.01},
        {"change_metric": "molchanov"},
        {"regrowth": "gradient"},
        {"reset_optimizer": False},
        {"hidden_layer_sizes": ()},
        {"hidden_layer_sizes": (20, 10)},
        {"activation": "tanh"},
        {"scale": "standard"},
        {"stopping": "ident"},
    ],
    ids=lambda p: ",".join(f"{k}={v}" for k, v in p.items()),
)
def test_every_variant_finds_the_easy_features(easy, quick, parameters):
    quick.update(batches_per_rotation=20)
    selector = EntryPruneClassifier(3, **{**quick, **parameters}).fit(*easy)
    assert {3, 8} <= set(selector.selected_indices_)
    assert selector.settings_["entry_scores"] is (
        parameters.get("change_metric") != "molchanov" and parameters.get("entry_scores", True)
    )
