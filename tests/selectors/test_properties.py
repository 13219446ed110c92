"""What must hold for tables of any kind, tried on tables that hypothesis makes up.

The same ones each time, and few: a table that fails is made as small as it can be.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from entryprune import EntryPruneClassifier, EntryPruneRegressor

pytestmark = pytest.mark.filterwarnings("ignore::entryprune.NothingLearnedWarning")

few = settings(
    max_examples=8,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@st.composite
def tables(draw):
    """Return a table with some zeros, a target that two of its columns decide, and a selector."""
    n_samples = draw(st.integers(24, 90))
    n_features = draw(st.integers(3, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.7)
    X *= draw(st.sampled_from([1.0, 1e-3, 1e5]))
    score = X[:, 0] - X[:, 1] + 0.3 * X.std() * rng.normal(size=n_samples)
    k = draw(st.integers(1, n_features - 1))
    if draw(st.booleans()):
        return X, score, EntryPruneRegressor(k, random_state=0)
    return X, (score > np.median(score)).astype(int), EntryPruneClassifier(k, random_state=0)


def same_selection(one, other, places=None):
    """Assert that two fits say the same; `places` are the columns of the first in the second."""
    places = np.arange(one.n_features_in_) if places is None else places
    expected = sorted(places[one.selected_indices_].tolist())
    np.testing.assert_allclose(other.scores_[places], one.scores_, rtol=0.02, atol=1e-3)
    if sorted(other.selected_indices_.tolist()) != expected:
        # Where two columns bring the same, rounding decides.
        mine, theirs = set(expected), set(other.selected_indices_.tolist())
        scores = other.scores_
        for left, entered in zip(sorted(mine - theirs), sorted(theirs - mine), strict=True):
            assert scores[left] == pytest.approx(scores[entered], abs=1e-3)


@few
@given(tables(), st.sampled_from([sparse.csr_matrix, sparse.csc_array, sparse.coo_array]))
def test_sparse_equals_dense(table, convert):
    X, y, selector = table
    dense = selector.fit(X, y)
    order, scores = dense.selected_indices_.tolist(), dense.scores_
    found = selector.fit(convert(X), y)
    assert found.selected_indices_.tolist() == order
    np.testing.assert_allclose(found.scores_, scores, rtol=1e-4, atol=1e-6)


@few
@given(tables())
def test_one_group_for_each_column_equals_no_groups(table):
    X, y, selector = table
    plain = selector.fit(X, y)
    order, scores, ranks = plain.selected_indices_.tolist(), plain.scores_, plain.ranking_
    found = selector.set_params(feature_groups=[[one] for one in range(X.shape[1])]).fit(X, y)
    assert found.selected_indices_.tolist() == order
    np.testing.assert_array_equal(found.scores_, scores)
    np.testing.assert_array_equal(found.ranking_, ranks)


@few
@given(tables(), st.data())
def test_repeated_rows_equal_weights_and_no_weight_equals_absence(table, data):
    X, y, selector = table
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X))))
    weights[[y.argmin(), y.argmax()]] = 1  # so that there is something to tell apart
    weights[:20] = np.maximum(weights[:20], 1)
    rows = np.repeat(np.arange(len(X)), weights)
    repeated = type(selector)(**selector.get_params()).fit(X[rows], y[rows])
    same_selection(repeated, selector.fit(X, y, sample_weight=weights))


@few
@given(tables(), st.sampled_from([0.0, 1.0, -1e6]))
def test_a_constant_column_is_never_selected_and_changes_nothing_but_rounding(table, value):
    X, y, selector = table
    plain = type(selector)(**selector.get_params()).fit(X, y)
    both = np.hstack([np.full((len(X), 1), value), X])
    found = selector.fit(both, y)
    assert 0 not in found.selected_indices_
    same_selection(plain, found, np.arange(X.shape[1]) + 1)


@few
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_columns_decides_ties_only(table, random):
    X, y, selector = table
    order = list(range(X.shape[1]))
    random.shuffle(order)
    plain = type(selector)(**selector.get_params()).fit(X, y)
    found = selector.fit(X[:, order], y)
    same_selection(plain, found, np.argsort(order))
