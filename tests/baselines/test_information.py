import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score

import entryprune.baselines.information as module
from entryprune.baselines import CIFESelector, ICAPSelector, MRMRSelector
from entryprune.baselines.information import Information, discretise

LOG2 = np.log(2)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, size=80)
    symbols = rng.integers(0, 4, size=(7, 80))
    symbols[2] = y
    symbols[4] = (symbols[1] + y) % 4
    symbols[5] = symbols[1]
    return symbols, y


def information_given_class(f, s, y):
    """I(f; s | y) from its definition: the mean over classes."""
    return sum(
        np.mean(y == label) * mutual_info_score(f[y == label], s[y == label])
        for label in np.unique(y)
    )


def test_values_worked_out_by_hand():
    # f is the class, s a fair coin: f tells one bit of the class, nothing of the coin, and the
    # third feature, their exclusive or, tells one bit of the coin once the class is known.
    f, s = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    information = Information(np.array([f, s, f ^ s]), f)
    assert information.relevance == pytest.approx([LOG2, 0, 0])
    shared, given_class = information.shared_with(1)
    assert shared == pytest.approx([0, LOG2, 0])
    assert given_class == pytest.approx([0, LOG2, LOG2])


def test_an_uneven_table_worked_out_by_hand():
    # Counts of (f, y): (0,0) twice, (1,0) once, (1,1) once; n = 4.
    # I = 1/2 log(2/3 / (1/2)) + 1/4 log(1/3 / (1/2)) + 1/4 log(1 / (1/2)).
    information = Information(np.array([[0, 0, 1, 1]]), np.array([0, 0, 0, 1]))
    expected = 0.5 * np.log(4 / 3) + 0.25 * np.log(2 / 3) + 0.25 * np.log(2)
    assert information.relevance == pytest.approx([expected])


@pytest.mark.parametrize("cells_per_case", [0, 10**6])
def test_both_ways_of_counting_agree_with_scikit_learn(table, cells_per_case, monkeypatch):
    monkeypatch.setattr(module, "_CELLS_PER_CASE", cells_per_case)
    monkeypatch.setattr(module, "_BLOCK", 300)
    symbols, y = table
    information = Information(symbols, y)
    relevance = mutual_info_classif(symbols.T, y, discrete_features=True)
    assert information.relevance == pytest.approx(relevance)
    for s in (1, 4):
        shared, given_class = information.shared_with(s)
        assert shared == pytest.approx([mutual_info_score(f, symbols[s]) for f in symbols])
        expected = [information_given_class(f, symbols[s], y) for f in symbols]
        assert given_class == pytest.approx(expected)


def score_by_definition(kind, f, chosen, symbols, y):
    relevance = mutual_info_score(symbols[f], y)
    shared = np.array([mutual_info_score(symbols[f], symbols[s]) for s in chosen])
    given = np.array([information_given_class(symbols[f], symbols[s], y) for s in chosen])
    if not chosen:
        return relevance
    if kind is CIFESelector:
        return relevance - shared.sum() + given.sum()
    if kind is ICAPSelector:
        return relevance - np.maximum(0, shared - given).sum()
    return relevance - shared.mean()


@pytest.mark.parametrize("kind", [CIFESelector, ICAPSelector, MRMRSelector])
def test_the_order_is_that_of_a_greedy_search_by_the_definition(kind, table):
    symbols, y = table
    selector = kind(7).fit(symbols.T, y)
    chosen = []
    while len(chosen) < 7:
        scores = {
            f: score_by_definition(kind, f, chosen, symbols, y) for f in range(7) if f not in chosen
        }
        best = max(scores.values())
        first = min(f for f, score in scores.items() if score > best - 1e-9)
        assert selector.scores_[first] == pytest.approx(scores[first])
        chosen.append(first)
    assert selector.selected_indices_.tolist() == chosen


@pytest.mark.parametrize("kind", [CIFESelector, ICAPSelector, MRMRSelector])
def test_any_increasing_transformation_leaves_the_selection(kind, easy):
    X, y = easy
    plain, bent = kind(6).fit(X, y), kind(6).fit(np.exp(3 * X), y)
    assert plain.selected_indices_.tolist() == bent.selected_indices_.tolist()


@pytest.mark.parametrize("kind", [CIFESelector, ICAPSelector, MRMRSelector])
def test_constant_features_come_last(kind):
    X = np.array([[5.0, 1.0, 0.0], [5.0, 2.0, 1.0], [5.0, 1.0, 0.0], [5.0, 3.0, 1.0]])
    assert kind(3).fit(X, [0, 1, 0, 1]).selected_indices_.tolist()[-1] == 0


def test_bins_have_equal_frequency():
    values = np.random.default_rng(0).normal(size=(100, 1))
    symbols = discretise(values, 5)[0]
    assert np.bincount(symbols).tolist() == [20] * 5
    assert (np.argsort(values[:, 0]) == np.argsort(symbols + 1e-6 * rankdata(values))).all()


def test_equal_values_share_a_bin_and_do_not_swallow_their_neighbours():
    values = np.array([0.0] * 60 + [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10] * 4)[:, np.newaxis]
    symbols = discretise(values, 5)[0]
    assert len(set(symbols[:60])) == 1
    assert len(np.unique(symbols)) >= 3


def test_few_distinct_values_stay_as_they_are():
    assert discretise(np.array([[7.0], [-1.0], [7.0], [3.0]]), 3).tolist() == [[2, 0, 2, 1]]
    many = np.arange(300.0)[:, np.newaxis]
    assert discretise(many, None)[0].tolist() == list(range(300))


def test_a_duplicate_is_passed_over_for_something_new():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, size=400)
    noise = rng.integers(0, 2, size=400)
    X = np.column_stack([y % 2, y % 2, np.where(rng.random(400) < 0.2, noise, y // 2)])
    assert MRMRSelector(2).fit(X, y).selected_indices_.tolist() == [0, 2]


def test_the_prices_are_averaged_over_the_selected():
    # Three independent bits; y is their number. Each tells as much, and nothing of the others.
    bits = np.array([[i >> b & 1 for b in range(3)] for i in range(8)])
    selector = MRMRSelector(3).fit(bits, 4 * bits[:, 0] + 2 * bits[:, 1] + bits[:, 2])
    assert selector.scores_ == pytest.approx([np.log(2)] * 3)
    doubled = np.column_stack([bits[:, 0], bits[:, 0], bits[:, 1]])
    selector = MRMRSelector(3).fit(doubled, 2 * bits[:, 0] + bits[:, 1])
    # The copy repeats one of two selected features entirely: log 2 - (log 2 + 0) / 2.
    assert selector.scores_ == pytest.approx([np.log(2), np.log(2) / 2, np.log(2)])


def test_the_partner_of_an_exclusive_or_is_found():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(400, 8))
    y = X[:, 2] ^ X[:, 6]
    X[:, 4] = np.where(rng.random(400) < 0.1, 1 - X[:, 2], X[:, 2])
    # A little of column 2 shows in the class, so that it is taken first.
    y = np.where(rng.random(400) < 0.1, X[:, 2], y)
    assert CIFESelector(2).fit(X, y).selected_indices_.tolist() == [2, 6]


def test_a_repetition_costs_all_that_it_repeats():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=200)
    X = np.column_stack([y, y, rng.integers(0, 2, size=200)])
    selector = CIFESelector(3).fit(X, y)
    assert selector.selected_indices_.tolist() == [0, 1, 2]
    # I(f; y) - I(f; s) + I(f; s | y) = H - H + 0: a copy of the class adds nothing.
    assert abs(selector.scores_[1]) < 1e-12


def test_it_differs_from_mrmr_where_features_work_together():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(600, 5))
    y = 2 * X[:, 0] + (X[:, 1] ^ X[:, 2])
    assert set(CIFESelector(3).fit(X, y).selected_indices_) == {0, 1, 2}
    assert MRMRSelector(1).fit(X, y).selected_indices_.tolist() == [0]


def test_working_together_earns_nothing_but_costs_nothing():
    # y = f xor s: I(f; s | y) is large, I(f; s) is 0. CIFE pays a reward for it, ICAP does not.
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    y = X[:, 0] ^ X[:, 1]
    assert ICAPSelector(2).fit(X, y).scores_ == pytest.approx([0, 0])
    assert CIFESelector(2).fit(X, y).scores_ == pytest.approx([0, np.log(2)])


def test_a_copy_is_taken_after_what_is_new():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, size=400)
    X = np.column_stack([y % 2, y % 2, y // 2])
    assert ICAPSelector(3).fit(X, y).selected_indices_.tolist() == [0, 2, 1]
