"""Half samples: what they share, and that selections do not depend on how they are run."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.feature_selection import SelectorMixin

from entryprune import EntryPruneClassifier, EntryPruneRegressor
from entryprune.baselines import make_selector
from entryprune.baselines._base import RefusalError
from entryprune.confidence.subsamples import (
    Task,
    choose_among_frequent,
    complementary_pairs,
    select_on_each,
)


@pytest.mark.parametrize("n_samples", [10, 11])
def test_halves_are_disjoint_and_of_one_size(n_samples):
    pairs = list(complementary_pairs(5, n_samples, None, np.random.default_rng(0)))
    assert len(pairs) == 5
    for one, other in pairs:
        assert len(one) == len(other) == n_samples // 2
        assert len(set(one) | set(other)) == 2 * (n_samples // 2)


def test_classes_are_shared_out_evenly():
    classes = np.repeat([0, 1, 2], [20, 7, 2])
    for pair in complementary_pairs(20, 29, classes, np.random.default_rng(0)):
        sizes = np.array([np.bincount(classes[half], minlength=3) for half in pair])
        assert (np.abs(sizes[0] - sizes[1]) <= 1).all()
        assert sizes[0, 2] + sizes[1, 2] >= 1


def test_chance_decides_which_half_a_sample_is_in():
    counts = np.zeros(9)
    classes = np.repeat([0, 1], [4, 5])
    for one, _ in complementary_pairs(3000, 9, classes, np.random.default_rng(0)):
        counts[one] += 1
    # One of the five is left out each time; three standard errors are 0.027.
    assert counts / 3000 == pytest.approx(np.repeat([0.5, 0.4], [4, 5]), abs=0.03)


@pytest.fixture
def table():
    X, y = make_classification(60, 12, n_informative=3, shuffle=False, random_state=0)
    rng = np.random.default_rng(0)
    halves = [half for pair in complementary_pairs(3, 60, y, rng) for half in pair]
    return X, y, [Task(half, number) for number, half in enumerate(halves)]


def test_each_task_selects_as_a_fit_on_its_samples_does(table):
    X, y, tasks = table
    selector = make_selector("fisher", 3)
    for number, selected in select_on_each(selector, X, y, tasks):
        half = tasks[number].samples
        alone = make_selector("fisher", 3).fit(X[half], y[half])
        assert set(selected) == set(alone.selected_indices_)


def test_several_processes_find_the_same(table):
    X, y, tasks = table
    selector = make_selector("extra-trees", 3)
    alone = dict(select_on_each(selector, X, y, tasks))
    together = dict(select_on_each(selector, X, y, tasks, n_jobs=2))
    assert {number: set(one) for number, one in alone.items()} == {
        number: set(one) for number, one in together.items()
    }


def test_shadows_are_the_columns_with_samples_in_another_order(table):
    X, y, tasks = table
    order = np.random.default_rng(1).permutation(60)
    with_shadows = dict(select_on_each(make_selector("fisher", 3), X, y, tasks, shadow_order=order))
    by_hand = np.hstack([X, X[order]])
    for number, task in enumerate(tasks):
        half = task.samples
        alone = make_selector("fisher", 3).fit(by_hand[half], y[half])
        assert set(with_shadows[number]) == set(alone.selected_indices_)


def test_a_selector_that_finds_too_few_has_those(table):
    X, y, tasks = table
    pytest.importorskip("lightgbm")
    found = dict(select_on_each(make_selector("lightgbm", 12), X, y, tasks[:1]))
    assert len(found[0]) < 12


@pytest.mark.filterwarnings("ignore::entryprune.NothingLearnedWarning")
@pytest.mark.parametrize("kind", [EntryPruneClassifier, EntryPruneRegressor])
@pytest.mark.parametrize("n_selected", [3, 12])
def test_half_samples_select_what_a_whole_fit_does(table, kind, n_selected):
    X, y, tasks = table
    X[:, 5] = 1.0  # constants are selected when no others are left
    selector = kind(n_selected)
    for number, selected in select_on_each(selector, X, y, tasks[:2]):
        half, seed = tasks[number].samples, tasks[number].seed
        whole = kind(n_selected, random_state=seed).fit(X[half], y[half])
        assert selected.tolist() == whole.selected_indices_.tolist()


def test_half_samples_do_without_a_network(table, monkeypatch):
    X, y, tasks = table
    monkeypatch.setattr("entryprune.engine.exchange.search.train_predictor", None)
    ((_, selected),) = select_on_each(EntryPruneClassifier(2), X, y, tasks[:1])
    assert len(selected) == 2


def test_parameters_of_the_selector_are_checked(table):
    X, y, tasks = table
    with pytest.raises(ValueError, match="'max_exchanges' parameter"):
        list(select_on_each(EntryPruneClassifier(2, max_exchanges=-1), X, y, tasks[:1]))


class Choosy(SelectorMixin, BaseEstimator):
    """Selects the columns with values above a bar, or refuses if these are too few."""

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y):
        self.found_ = np.flatnonzero(X.max(axis=0) > 5)[: self.n_features_to_select]
        if len(self.found_) < self.n_features_to_select:
            raise RefusalError("Choosy", "too_few", "too few", found=self.found_.tolist())
        self.support_ = np.isin(np.arange(X.shape[1]), self.found_)
        return self

    def _get_support_mask(self):
        return self.support_


@pytest.mark.parametrize(
    ("large", "chosen"),
    [
        ((0, 5, 7), [5, 7]),  # 0 was never selected
        ((7,), [3, 7]),  # too few: the most frequent of the others fills up, and stands first
        ((), [3, 5]),
    ],
)
def test_a_selector_chooses_among_the_most_frequent(large, chosen):
    X = np.zeros((6, 9))
    X[0, list(large)] = 9.0
    frequencies = np.array([0, 0, 0, 0.9, 0.1, 0.8, 0, 0.3, 0.2])
    everyone = Task(np.arange(6), 0)
    found = choose_among_frequent(frequencies, Choosy(2), X, np.arange(6), everyone)
    assert found.tolist() == chosen
