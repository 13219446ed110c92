"""What a fit refuses, in words that help, and what it says of the rest."""

import datetime as dt

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


# -- notes ---------------------------------------------------------------------------------------


def notes_of(**columns):
    return Encoder.fit(pa.table(columns), missing="impute", max_levels=3).notes


@pytest.mark.parametrize(
    ("column", "note"),
    [
        (
            [1.0, 2, None, np.nan],
            "Gaps were filled in 1 column, with a column more that says where: 'a' (2 gaps: the "
            "median, 1.5).",
        ),
        (
            [dt.date(2024, 1, 1), dt.date(2024, 1, 1), None],
            "Gaps were filled in 1 column, with a column more that says where: 'a' (1 gap: the "
            "median, 2024-01-01).",
        ),
        (["x", "y", "z", None], "Gaps are a level of their own in 1 column: 'a' (1 gap)."),
        (
            pa.nulls(2, pa.string()),
            "No value at all is in 1 column, which became 0 throughout: 'a'.",
        ),
        (
            ["x", "x", "y", "z", "w"],
            "Rare levels became \"other\" in 1 column: 'a' (2 of 4 levels).",
        ),
        (
            [dt.date(2024, 1, 1), dt.date(2024, 2, 1)],
            "Dates were taken apart in 1 column: 'a' (days, month, weekday).",
        ),
        (
            [dt.timedelta(1), dt.timedelta(2)],
            "Durations and times of day became numbers in 1 column: 'a' (days).",
        ),
        (
            [dt.time(1), dt.time(2)],
            "Durations and times of day became numbers in 1 column: 'a' (hours).",
        ),
        (
            ["yes", "no"],
            "Of two levels, one is 1 and the other 0 in 1 column: 'a' ('yes', not 'no').",
        ),
    ],
)
def test_each_finding_has_its_sentence(column, note):
    assert notes_of(a=column)[0] == note


def test_of_two_levels_gaps_are_the_more_frequent():
    note, _ = notes_of(a=["yes", "yes", "no", None])
    assert note.endswith("'a' (1 gap: the more frequent, 'yes').")


def test_many_columns_are_one_sentence():
    columns = {f"c{n}": ["yes", "no"] for n in range(7)}
    (note,) = notes_of(**columns)
    assert note.startswith("Of two levels, one is 1 and the other 0 in 7 columns: 'c0' (")
    assert note.endswith(" and 2 more.")


def test_plain_numbers_need_no_words():
    assert notes_of(a=[1, 2], b=[1.5, 2]) == ()


def test_text_that_is_mostly_numbers_is_told_of():
    values = [str(n / 4) for n in range(40)]
    codes = [str(n) for n in range(40)]  # such as postcodes: all of it, so it is meant
    with pytest.warns(UserWarning, match=r"mostly numbers.*: 'a'\. Make numbers of them"):
        Encoder.fit(
            pd.DataFrame({"a": [*values, "-"], "b": [*codes, "7"], "c": ["u", "v"] * 20 + ["u"]})
        )
