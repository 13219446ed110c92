"""What the estimators do by default: growth and exchange."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_friedman1

from entryprune import EntryPruneClassifier, EntryPruneRegressor, NothingLearnedWarning
from entryprune.selectors._progress import describe

EMPTY = {"first": [], "second": [], "strength": [], "p_value": []}


def classifier(k, **parameters):
    return EntryPruneClassifier(k, random_state=0, **parameters)


def as_lists(columns):
    return {name: column.tolist() for name, column in columns.items()}


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def exclusive_or():
    """Two of 62 columns tell the class together, and nothing alone."""
    X = np.random.default_rng(0).normal(size=(400, 62))
    return X, (X[:, 10] * X[:, 40] > 0).astype(int)


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


# -- scores and ranks ---------------------------------------------------------------------------


def assert_all_columns_are_ranked(selector):
    n_features, chosen = selector.n_features_in_, selector.selected_indices_
    assert sorted(selector.ranking_) == list(range(1, n_features + 1))
    assert np.argsort(selector.ranking_)[: len(chosen)].tolist() == chosen.tolist()
    assert np.flatnonzero(selector.support_).tolist() == sorted(chosen)
    assert selector.scores_.shape == (n_features,)
    assert np.isfinite(selector.scores_).all()


@pytest.mark.parametrize("k", [1, 5, 29, 30])
def test_every_column_has_a_score_and_a_rank_of_its_own(cancer, k):
    selector = classifier(k).fit(*cancer)
    assert len(selector.selected_indices_) == k
    assert_all_columns_are_ranked(selector)


@pytest.mark.parametrize("k", [4, 5, 12, 30])
def test_columns_that_matter_by_their_square_are_ranked_once(k):
    X, y = make_friedman1(n_samples=300, n_features=30, random_state=0)
    selector = EntryPruneRegressor(k, random_state=0).fit(X, y)
    assert len(set(selector.selected_indices_)) == k
    assert_all_columns_are_ranked(selector)


def test_scores_tell_the_columns_that_matter_from_the_others(easy):
    selector = classifier(4).fit(*easy)
    assert set(np.argsort(-selector.scores_)[:2]) == {3, 8}
    assert selector.scores_[[3, 8]].min() > 10 * np.delete(selector.scores_, [3, 8]).max()


def test_the_rest_is_ranked_by_score(cancer):
    selector = classifier(5).fit(*cancer)
    rest = np.argsort(selector.ranking_)[5:]
    assert (np.diff(selector.scores_[rest]) <= 0).all()


def test_fewer_features_are_the_first_of_more(cancer):
    order = classifier(30).fit(*cancer).selected_indices_.tolist()
    assert sorted(order) == list(range(30))
    for k in (1, 2, 5, 11):
        assert classifier(k).fit(*cancer).selected_indices_.tolist() == order[:k]


# -- pairs --------------------------------------------------------------------------------------


def test_it_is_said_which_share_of_the_pairs_was_searched(cancer):
    assert classifier(4).fit(*cancer).pairs_searched_ == 1.0
    assert classifier(4, interactions=False).fit(*cancer).pairs_searched_ == 0.0
    wide = np.random.default_rng(0).normal(size=(300, 6000))
    share = classifier(2).fit(wide, wide[:, 0] > 0).pairs_searched_
    # What may be spent is 1e10 operations, two for each pair and case.
    n_columns = math.isqrt(int(1e10 / (2 * 300)))
    assert share == pytest.approx(math.comb(n_columns, 2) / math.comb(6000, 2))


@pytest.mark.parametrize("seed", range(3))
def test_an_exclusive_or_is_found_and_named(exclusive_or, seed):
    X, y = exclusive_or
    selector = EntryPruneClassifier(2, random_state=seed).fit(X, y)
    assert sorted(selector.selected_indices_) == [10, 40]
    pairs = pd.DataFrame(selector.interactions_)
    assert pairs[["first", "second"]].to_numpy().tolist() == [[10, 40]]
    assert pairs["strength"].iloc[0] > 10
    assert pairs["p_value"].iloc[0] < 1e-10
    assert selector.score(X, y) > 0.9


def test_an_exclusive_or_of_binary_columns_is_found_beside_a_linear_effect():
    X = np.random.default_rng(1).integers(0, 2, size=(400, 62))
    y = (X[:, 4] ^ X[:, 50]) + 0.5 * X[:, 20]
    selector = EntryPruneRegressor(3, random_state=0).fit(X, y)
    assert sorted(selector.selected_indices_) == [4, 20, 50]
    assert (selector.interactions_["first"], selector.interactions_["second"]) == ([4], [50])


def test_no_pairs_are_looked_for_where_they_are_not_wanted(exclusive_or):
    with pytest.warns(NothingLearnedWarning):
        selector = classifier(2, interactions=False).fit(*exclusive_or)
    assert as_lists(selector.interactions_) == EMPTY
    assert "pairs" not in selector.history_["phase"]


# Of twenty tables of noise one would pass for something.
@pytest.mark.parametrize("seed", range(3))
def test_pure_noise_has_no_pairs_and_warns(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(400, 60)), rng.integers(0, 2, size=400)
    with pytest.warns(NothingLearnedWarning, match="not predict the other half") as told:
        selector = classifier(5).fit(X, y)
    assert [one.filename for one in told] == [__file__]
    assert as_lists(selector.interactions_) == EMPTY
    assert {name: column.dtype.kind for name, column in selector.interactions_.items()} == {
        "first": "i", "second": "i", "strength": "f", "p_value": "f",
    }  # fmt: skip
    assert selector.support_.sum() == 5


# Warnings are errors, so that these would fail.
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("k", [1, 3])
def test_real_tables_do_not_warn(load, k):
    X, y = load(return_X_y=True)
    for seed in range(3):
        assert EntryPruneClassifier(k, random_state=seed).fit(X, y).stop_reason_ == "done"


# -- what must not matter -----------------------------------------------------------------------


def test_the_number_of_threads_changes_no_selection(easy, threads):
    X = np.column_stack([easy[0], np.random.default_rng(1).normal(size=(150, 300))])
    selected = []
    for n_threads in (1, 2):
        threads(n_threads)
        selected.append(classifier(6).fit(X, easy[1]).selected_indices_.tolist())
    assert selected[0] == selected[1]


def test_neither_the_order_of_the_columns_nor_their_sign_changes_the_selection(cancer):
    X, y = cancer
    expected = classifier(6).fit(X, y).selected_indices_
    order = np.random.default_rng(0).permutation(30)
    assert order[classifier(6).fit(X[:, order], y).selected_indices_].tolist() == expected.tolist()
    assert classifier(6).fit(-X, y).selected_indices_.tolist() == expected.tolist()


@pytest.mark.parametrize("change", [lambda X: X * 1e6, lambda X: X + 1e6], ids=["scale", "shift"])
def test_the_units_of_the_columns_do_not_change_the_selection(cancer, exclusive_or, change):
    for X, y in (cancer, exclusive_or):
        expected = classifier(6).fit(X, y)
        selector = classifier(6).fit(change(X), y)
        assert selector.selected_indices_.tolist() == expected.selected_indices_.tolist()
        assert selector.interactions_["first"].tolist() == expected.interactions_["first"].tolist()


@pytest.mark.parametrize("size", [1e-300, 1e-6, 1e6, 1e300])
def test_the_unit_of_the_target_does_not_change_the_selection(size):
    X = np.random.default_rng(0).normal(size=(150, 12))
    target = X[:, 3] - 2.0 * X[:, 8]
    expected = EntryPruneRegressor(4, random_state=0).fit(X, target)
    selector = EntryPruneRegressor(4, random_state=0).fit(X, target * size)
    assert selector.selected_indices_.tolist() == expected.selected_indices_.tolist()
    np.testing.assert_allclose(selector.predict(X) / size, expected.predict(X), atol=0.05)


# -- steps --------------------------------------------------------------------------------------


def test_the_history_tells_how_seats_were_taken(easy):
    selector = classifier(5).fit(*easy)
    frame = pd.DataFrame(selector.history_)
    growth = frame[frame["phase"] == "growth"]
    assert growth["n_changed"].sum() == growth["input_size"].iloc[-1] == 5
    assert growth["share_used"].tolist() == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert frame["rotation"].tolist() == list(range(1, len(frame) + 1))
    assert selector.n_rotations_ == len(frame)
    # The two that matter explain something.
    assert (np.diff(growth["training_loss"].iloc[:2]) < 0).all()


@pytest.mark.parametrize("n_steps", [1, 2, 7])
def test_a_callback_that_stops_still_gives_exactly_k(n_steps):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]  # some of these pixels are constant
    steps = []

    def stop(record):
        steps.append((record.phase, record.input_size))
        return len(steps) == n_steps

    selector = classifier(60, callback=stop).fit(X, y)
    assert steps == [("growth", size) for size in range(1, n_steps + 1)]
    assert selector.stop_reason_ == "callback"
    assert selector.n_rotations_ == n_steps
    assert len(set(selector.selected_indices_)) == selector.support_.sum() == 60
    assert_all_columns_are_ranked(selector)
    # Who had a seat by then comes first, and constants come last.
    whole = classifier(60).fit(X, y)
    expected = whole.selected_indices_[:n_steps]
    assert selector.selected_indices_[:n_steps].tolist() == expected.tolist()
    is_constant = np.ptp(X, axis=0) == 0
    assert is_constant[np.argsort(selector.ranking_)[-is_constant.sum() :]].all()


def test_no_exchanges_where_none_are_allowed(easy):
    # The twelve columns and all their sums: many that can stand for each other.
    X = np.column_stack([easy[0], easy[0] @ np.tri(12)])
    without = classifier(8, max_exchanges=0).fit(X, easy[1])
    assert set(without.history_["phase"]) == {"growth"}
    assert without.settings_["max_exchanges"] == 0


def test_every_phase_has_a_line(easy):
    records = []
    classifier(2, callback=records.append).fit(*easy)
    assert describe(records[0], 2).startswith("growth: 1 of 2 selected | loss ")
    for phase in ("pairs", "exchange"):
        record = type(records[0])(phase, 3, 0.0, 3, 0.5, np.nan, 1, np.nan, np.nan, 2, 1.0)
        assert describe(record, 2) == f"{phase}: 1 of 2 changed | loss 0.5000"
    search = type(records[0])("search", 12, 3.0, 60, 0.4, 0.31, 2, 1.0, 0.1, 80, 0.05)
    assert describe(search, 10) == (
        "search: rotation 12 | validation loss 0.3100 | 2 of 10 changed | patience 5 %"
    )
