"""What a fit refuses, in words that help."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from entryprune.encoding import Encoder


def test_gaps_are_an_error_that_names_columns_and_a_cure():
    X = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", "y"], "c": [None, None], "d": [pd.NaT, None]})
    with pytest.raises(ValueError, match="missing") as error:
        Encoder.fit(X)
    assert str(error.value) == (
        "X contains NaN or other missing values in 3 columns (how many in brackets): 'a' (1), "
        "'c' (2), 'd' (2). Set missing=\"impute\" to have them filled in, fill them in yourself, "
        "or leave out these samples or columns."
    )


def test_gaps_of_arrays_have_the_names_of_places():
    with pytest.raises(ValueError, match=r"in 1 column .*: 'x1' \(1\)\. Set missing=\"impute\""):
        Encoder.fit(np.array([[1, np.nan], [2, 3]]))


@pytest.mark.parametrize("missing", ["error", "impute"])
def test_infinity_is_an_error_that_names_columns(missing):
    X = pl.DataFrame({"a": [1.0, np.nan], "b": [np.inf, -np.inf], "c": ["x", "y"]})
    with pytest.raises(ValueError, match=r"infinity in 1 column .*: 'b' \(2\)\. Replace or clip"):
        Encoder.fit(X, missing=missing)


def test_columns_that_can_be_no_feature_are_named():
    X = pa.table({"a": [1], "b": [[1, 2]], "c": [{"x": 1}], "d": [b"x"]})
    with pytest.raises(ValueError, match="cannot be encoded") as error:
        Encoder.fit(X)
    assert str(error.value) == (
        "X has columns of types that cannot be encoded: 'b' (list<item: int64>), "
        "'c' (struct<x: int64>), 'd' (binary). Numbers, true and false, text, categories, dates "
        "and durations can. Convert these columns, or leave them out."
    )


@pytest.mark.parametrize(
    ("X", "what"),
    [
        (np.zeros((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        (pd.DataFrame(index=[1, 2]), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        (pl.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
    ],
)
def test_a_table_has_samples_and_features(X, what):
    with pytest.raises(ValueError, match=f"Found a table with {what} while a minimum of 1"):
        Encoder.fit(X)


@pytest.mark.parametrize("missing", ["drop", None, 3])
def test_gaps_are_an_error_or_filled(missing):
    with pytest.raises(ValueError, match=f'missing must be "error" or "impute", got {missing!r}'):
        Encoder.fit(np.ones((2, 2)), missing=missing)


@pytest.mark.parametrize("max_levels", [1, 2.5, True, "20"])
def test_there_are_at_least_two_levels(max_levels):
    with pytest.raises(ValueError, match="max_levels must be a whole number from 2 on, got"):
        Encoder.fit(np.ones((2, 2)), max_levels=max_levels)


def test_a_table_of_numbers_may_be_large_in_sum():
    assert Encoder.fit(np.full((2, 2), 1e308)).is_plain
