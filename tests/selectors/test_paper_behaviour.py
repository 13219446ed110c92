"""What the estimators do with preset="paper": rotations, stopping rules and their bounds."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from entryprune import EntryPruneClassifier


def test_scores_are_those_of_entry_and_the_rest_shares_a_rank(easy, paper):
    selector = EntryPruneClassifier(3, **paper).fit(*easy)
    scores = selector.entry_scores_[selector.selected_indices_]
    assert (np.diff(scores) <= 0).all()
    np.testing.assert_array_equal(selector.scores_, selector.entry_scores_)
    assert (selector.ranking_[~selector.support_] == 4).all()
    assert {name: len(column) for name, column in selector.interactions_.items()} == {
        "first": 0, "second": 0, "strength": 0, "p_value": 0,
    }  # fmt: skip


def test_another_seed_gives_other_scores(easy, paper):
    first = EntryPruneClassifier(4, **paper).fit(*easy)
    other = EntryPruneClassifier(4, **{**paper, "random_state": 1}).fit(*easy)
    assert not np.array_equal(other.entry_scores_, first.entry_scores_, equal_nan=True)


def test_auto_means_the_papers_settings_for_long_and_wide_data():
    rng = np.random.default_rng(0)
    for shape, ratio, batches in (((300, 200), 0.2, 100), ((30, 200), 0.5, 5)):
        X, y = rng.normal(size=shape), rng.integers(0, 2, shape[0])
        selector = EntryPruneClassifier(10, preset="paper", max_rotations=3)
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


def test_an_explicit_value_wins_over_auto(easy, paper):
    selector = EntryPruneClassifier(2, candidate_ratio=0.3, scale=None, **paper).fit(*easy)
    assert selector.settings_["candidate_ratio"] == 0.3
    assert selector.settings_["scale"] is None
    assert set(selector.history_["input_size"]) == {2 + 3}


def test_auto_takes_ten_candidates_on_a_narrow_table(easy, paper):
    selector = EntryPruneClassifier(1, **paper).fit(*easy)
    assert set(selector.history_["input_size"]) == {1 + 10}


def test_auto_bounds_the_candidates_on_a_very_wide_table(paper):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(6, 70_000), dtype=np.uint8)
    paper.update(batches_per_rotation=1, patience=1, hidden_layer_sizes=(2,))
    selector = EntryPruneClassifier(5, **paper).fit(X, [0, 1, 0, 1, 0, 1])
    assert set(selector.history_["input_size"]) == {5 + 32_768}


@pytest.mark.parametrize("bound", ["max_rotations", "max_epochs"])
def test_a_bound_that_is_reached_warns_and_says_what_to_do(easy, paper, bound):
    selector = EntryPruneClassifier(2, **{**paper, "patience": 1000, bound: 20})
    with pytest.warns(ConvergenceWarning, match=rf"{bound}=20.*'validation'.*Raise {bound}"):
        selector.fit(*easy)
    assert selector.stop_reason_ == bound


def test_stopping_by_epochs_does_not_warn(easy, paper):
    selector = EntryPruneClassifier(2, stopping="epochs", max_epochs=30, **paper)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector.fit(*easy)
    assert selector.stop_reason_ == "epochs"
    epochs = selector.history_["epoch"]
    assert epochs[-1] >= 30 > epochs[-2]
    assert set(selector.history_["phase"]) == {"final"}


def test_the_history_fits_into_a_frame_and_tells_the_trainings_apart(easy, paper):
    selector = EntryPruneClassifier(2, **paper).fit(*easy)
    frame = pd.DataFrame(selector.history_)
    assert frame["phase"].unique().tolist() == ["search", "final"]
    search = frame[frame["phase"] == "search"]
    assert search["rotation"].tolist() == list(range(1, len(search) + 1))
    assert selector.n_rotations_ == (frame["phase"] == "final").sum()
    # The lowest loss was measured for what the rotation before it had selected.
    best = search.loc[search["validation_loss"].idxmin(), "rotation"]
    assert selector.n_rotations_ == best - 1


def test_without_refit_the_first_selection_stands(easy, paper):
    selector = EntryPruneClassifier(2, refit=False, **paper).fit(*easy)
    assert set(selector.history_["phase"]) == {"search"}
    np.testing.assert_array_equal(selector.selected_indices_, selector.first_selected_indices_)


def test_a_callback_sees_every_rotation_and_may_stop(easy, paper):
    seen = []

    def stop_at_seven(record):
        seen.append(record.rotation)
        return record.rotation == 7

    selector = EntryPruneClassifier(2, callback=stop_at_seven, **paper).fit(*easy)
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert selector.stop_reason_ == "callback"
    assert selector.predict(easy[0]).shape == (150,)


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
def test_every_variant_finds_the_easy_features(easy, paper, parameters):
    paper.update(batches_per_rotation=20)
    selector = EntryPruneClassifier(3, **{**paper, **parameters}).fit(*easy)
    assert {3, 8} <= set(selector.selected_indices_)
    assert selector.settings_["entry_scores"] is (
        parameters.get("change_metric") != "molchanov" and parameters.get("entry_scores", True)
    )
