import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score

import entryprune.baselines._information as module
from entryprune.baselines import CIFESelector, ICAPSelector, MRMRSelector
from entryprune.baselines._information import Information, discretise

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
