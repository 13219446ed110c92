"""Errors keep what they say on their way between processes."""

import pickle

import pytest

from entryprune.engine import DivergedError, TooLargeError


@pytest.mark.parametrize("error", [DivergedError("weights"), TooLargeError()])
def test_an_error_comes_out_of_a_pickle_with_the_same_words(error):
    error.remedy = "Do something else."
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert str(copy).endswith("Do something else.")


def test_a_remedy_in_other_words_is_of_one_error_only():
    DivergedError("weights").remedy = "Do something else."
    assert str(DivergedError("scores")) == (
        "The training diverged: scores are not finite. Lower the learning rate, or scale the data."
    )
