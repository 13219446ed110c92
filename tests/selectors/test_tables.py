"""What a table becomes for a selector and for a learner."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from entryprune import EntryPruneClassifier
from entryprune.baselines import FisherSelector
from entryprune.selectors._tables import as_table, for_learner, given_to, takes

FRAME = pa.table({"age": [41.0, None, 29.0, 30.0], "colour": ["red", "blue", "green", "red"]})
HOLES = np.array([[1.0, np.nan], [2.0, 3.0], [3.0, 5.0]])
SPARSE = sparse.csr_array(np.array([[0.0, 2], [4, 0]]))


def test_frames_of_numbers_are_arrays_and_others_stay():
    numbers = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    assert as_table(numbers).tolist() == [[1, 0.5], [2, 1.5]]
    assert as_table(FRAME) is FRAME
    assert as_table(sparse.coo_array(SPARSE)).format == "csr"
    # Numbers that know gaps of their own may be objects to numpy.
    known = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [True, False]})
    assert as_table(known) is known


@pytest.mark.parametrize("X", [FRAME, HOLES, SPARSE, np.eye(2)])
def test_a_selector_that_takes_a_table_is_given_it(X):
    selector = EntryPruneClassifier(missing="impute")
    assert takes(selector, X)
    assert given_to(selector, X)(X) is X


def test_others_are_given_one_number_for_each_feature_as_the_first_table_says():
    make = given_to(FisherSelector(1), FRAME)
    assert make(FRAME).tolist() == [[41, 0], [30, 1], [29, 2], [30, 0]]
    later = pa.table({"age": [None, 7.0], "colour": ["red", "black"]})
    with pytest.warns(UserWarning, match="levels that the fit has not seen"):
        assert make(later).tolist() == [[30, 0], [7, 3]]
    assert given_to(FisherSelector(1), HOLES)(HOLES).tolist() == [[1, 4], [2, 3], [3, 5]]
    assert given_to(FisherSelector(1), SPARSE)(SPARSE).tolist() == [[0, 2], [4, 0]]
    assert given_to(EntryPruneClassifier(), HOLES)(HOLES).tolist() == [[1, 4], [2, 3], [3, 5]]


def test_what_says_nothing_of_itself_takes_numbers_only():
    class Own:
        pass

    assert takes(Own(), np.eye(2))
    assert not takes(Own(), SPARSE)
    assert not takes(Own(), FRAME)


def test_a_learner_gets_columns_from_0_to_1_as_the_training_samples_say():
    test = pa.table({"age": [53.0, None], "colour": ["green", None]})
    train, later, feature_of = for_learner(FRAME, test)
    assert feature_of.tolist() == [0, 0, 1, 1, 1]
    # The age, whether it is missing, and blue, green and red after red, the most frequent.
    np.testing.assert_allclose(
        train,
        [[1, 0, 1, 0, 0], [1 / 12, 1, 0, 1, 0], [0, 0, 0, 0, 1], [1 / 12, 0, 1, 0, 0]],
        atol=1e-6,
    )
    np.testing.assert_allclose(later, [[2, 0, 0, 0, 1], [1 / 12, 1, 1, 0, 0]], atol=1e-6)


def test_what_is_sparse_stays_sparse():
    train, test, feature_of = for_learner(SPARSE, SPARSE * 2)
    assert feature_of is None
    assert sparse.issparse(train)
    assert train.toarray().tolist() == [[0, 1], [1, 0]]
    assert test.toarray().tolist() == [[0, 2], [2, 0]]
