"""What the estimators do with what they are asked."""

import random

import numpy as np
import pytest
import torch
from sklearn.datasets import make_friedman1

from entryprune import EntryPruneClassifier, EntryPruneRegressor
from entryprune.engine import BodyError


def test_the_right_features_are_found_best_first(easy, quick):
    selector = EntryPruneClassifier(3, **quick).fit(*easy)
    assert set(selector.selected_indices_[:2]) == {3, 8}
    assert np.isfinite(selector.entry_scores_[selector.support_]).all()
    assert selector.ranking_[selector.selected_indices_].tolist() == [1, 2, 3]
    assert np.isnan(selector.entry_scores_[~selector.support_]).all()
    assert np.flatnonzero(selector.support_).tolist() == sorted(selector.selected_indices_)


def test_predictions_agree_with_the_network_on_the_selected_columns(easy, quick):
    X, y = easy
    selector = EntryPruneClassifier(2, **quick).fit(X, y)
    if "preset" in quick:
        shift, width = X.min(axis=0), np.ptp(X, axis=0)
    else:
        shift, width = X.mean(axis=0), X.std(axis=0)
    scaled = ((X - shift) / width)[:, selector.support_]
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


def test_the_regressor_finds_the_features_and_predicts_in_the_targets_units(thorough):
    X, y = make_friedman1(n_samples=600, n_features=30, random_state=1)
    y = 1000.0 * y + 5.0
    selector = EntryPruneRegressor(4, **thorough).fit(X, y)
    assert set(selector.selected_indices_) == {0, 1, 3, 4}
    assert selector.score(X, y) > 0.7
    assert selector.predict(X).shape == (600,)


def test_several_outputs_are_predicted_together(thorough):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 15))
    y = np.column_stack([3 * X[:, 2], 100 - 50 * X[:, 7]])
    selector = EntryPruneRegressor(2, **thorough).fit(X, y)
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
    assert not np.array_equal(other.predict_proba(easy[0]), first.predict_proba(easy[0]))


def test_a_random_state_object_moves_on(easy, quick):
    state = np.random.RandomState(3)
    quick["random_state"] = state
    first, second = (EntryPruneClassifier(4, **quick).fit(*easy) for _ in range(2))
    assert not np.array_equal(first.predict_proba(easy[0]), second.predict_proba(easy[0]))


@pytest.mark.parametrize("seed", [None, 0])
def test_global_generators_are_neither_read_nor_changed(easy, quick, seed):
    body = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(100, 3))
    for extra in ({}, {"body": body}):
        before = (torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate())  # noqa: NPY002
        EntryPruneClassifier(2, **{**quick, **extra, "random_state": seed}).fit(*easy)
        assert torch.equal(torch.get_rng_state(), before[0])
        np.testing.assert_array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002
        assert random.getstate() == before[2]


def test_an_interrupted_fit_leaves_nothing_behind(easy, quick):
    def interrupt(record):
        if record.rotation == 2:
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
    papers, usual = ("final: rotation", "of 2 changed", "done 100 %"), ("growth: 2 of 2 selected",)
    assert all(words in err for words in (papers if "preset" in quick else usual))


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
