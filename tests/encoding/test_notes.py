"""Sentences on what was found."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from entryprune.encoding import Encoder


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
