"""Levels and dates, by hand."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from entryprune.encoding.kinds import Categories, Date, Empty, YesNo, fit_date, fit_levels


def levels_of(values, max_levels=20, kind=None):
    return fit_levels(pa.chunked_array([pa.array(values, kind)]), max_levels)[0]


def written(rule, values):
    column = pa.chunked_array([pa.array(values)])
    out = np.zeros((len(values), len(rule.suffixes)))
    reading = rule.read(column, "a")
    rule.write(reading, out)
    return out.tolist(), rule.one_column(reading).tolist()


# -- levels --------------------------------------------------------------------------------------


def test_the_most_frequent_level_is_first_and_ties_go_by_name():
    rule = levels_of(["c", "b", "b", "a", "d", "d"])
    assert rule == Categories(("b", "d", "a", "c"), 0, has_other=False, has_missing=False)
    assert rule.suffixes == (" = b", " = d", " = a", " = c")


def test_as_many_levels_as_allowed_are_kept():
    values = ["a", "a", "b", "c"]
    assert levels_of(values, 3).levels == ("a", "b", "c")
    assert levels_of(values, 2) == Categories(("a",), 0, has_other=True, has_missing=False)


def test_the_rest_is_other_and_so_is_what_was_not_seen():
    rule = levels_of(["a", "a", "b", "b", "c", "d"], 3)
    assert rule.all_levels == ("a", "b", "other")
    columns, codes = written(rule, ["b", "c", "new", "a"])
    assert columns == [[0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]]
    assert codes == [1, 2, 2, 0]


def test_without_other_unseen_levels_have_no_column():
    rule = levels_of(["a", "b", "c"])
    assert rule.read(pa.chunked_array([["new", None, "b", "new"]]), "a").n_unseen == 2
    assert written(rule, ["new", "b"]) == ([[0, 0, 0], [0, 1, 0]], [3, 1])


def test_gaps_of_the_fit_are_a_level():
    rule = levels_of(["a", None, "b", "c"])
    assert rule.all_levels == ("a", "b", "c", "missing")
    assert rule.suffixes[-1] == " is missing"
    assert written(rule, [None, "b"]) == ([[0, 0, 0, 1], [0, 1, 0, 0]], [3, 1])


def test_later_gaps_are_the_most_frequent_level():
    assert written(levels_of(["c", "c", "b", "a"]), [None, "a"]) == ([[1, 0, 0], [0, 1, 0]], [0, 1])


def test_labels_differ_from_levels():
    rule = levels_of(["other", "other", "missing", "missing", "a", "b", None], 3)
    assert rule.all_levels == ("missing", "other", "(other)", "(missing)")
    assert levels_of(["", "", "a", "b"]).suffixes[0] == " = (empty)"


def test_of_two_levels_the_second_by_name_is_1():
    rule = levels_of(["yes", "yes", "no", None])
    assert rule == YesNo(("no", "yes"), 1)
    assert rule.suffixes == (" = yes",)
    columns, codes = written(rule, ["no", "yes", None, "perhaps"])
    assert columns == [[0], [1], [1], [1]]
    assert codes == [0, 1, 1, 1]


def test_of_two_levels_that_are_as_frequent_gaps_are_the_first():
    assert levels_of(["yes", "no"]).fill == 0


def test_one_level_has_one_column():
    rule = levels_of(["a", "a"])
    assert rule == Categories(("a",), 0, has_other=False, has_missing=False)
    assert written(rule, ["a", "b"])[0] == [[1], [0]]


@pytest.mark.parametrize("values", [[None, None], []])
def test_no_level_is_nothing(values):
    rule = levels_of(values, kind=pa.string())
    assert rule == Empty()
    assert written(rule, ["a", None]) == ([[0], [0]], [0, 0])


def test_categories_with_an_order_keep_it():
    sizes = pd.Categorical(["l", "l", "m", "s", "s", "xl"], ["s", "m", "l", "xl"], ordered=True)
    column = pa.chunked_array([pa.DictionaryArray.from_pandas(sizes)])
    assert fit_levels(column, 20)[0].levels == ("s", "m", "l", "xl")
    assert fit_levels(column, 3)[0].levels == ("s", "l")
    two = pa.chunked_array([pa.DictionaryArray.from_pandas(sizes[[0, 3]])])
    assert fit_levels(two, 20)[0].levels == ("s", "l")


def test_categories_of_numbers_stay_categories():
    column = pa.chunked_array([pa.array([3, 1, 3, 2]).dictionary_encode()])
    rule = fit_levels(column, 20)[0]
    assert rule.levels == ("3", "1", "2")
    assert written(rule, [2, 3])[1] == [2, 0]
    assert written(rule, [2.0, 3.0])[1] == [2, 0]
    assert written(rule, ["2", "3"])[1] == [2, 0]


def test_nan_among_categories_is_missing():
    column = pa.DictionaryArray.from_arrays([0, 1, 2, 3], pa.array([1.0, np.nan, 2.0, 3.0]))
    rule, found = fit_levels(pa.chunked_array([column]), 20)
    assert rule.all_levels == ("1", "2", "3", "missing")
    assert found.n_gaps == 1
    assert written(rule, [np.nan, 2.0])[1] == [3, 1]


def test_levels_that_do_not_occur_have_no_column():
    column = pa.DictionaryArray.from_arrays([0, 1, 3], ["a", "b", "c", "d"])
    assert fit_levels(pa.chunked_array([column]), 20)[0].levels == ("a", "b", "d")


def test_what_had_levels_cannot_have_lists():
    with pytest.raises(
        ValueError, match="'a' had text or categories in fit, and now has values of"
    ):
        levels_of(["a", "b"]).read(pa.chunked_array([[[1]]]), "a")


# -- dates ---------------------------------------------------------------------------------------


def date_of(values, kind=None):
    return fit_date(pa.chunked_array([pa.array(values, kind)]), "a")


def test_dates_are_days_since_the_earliest_and_parts():
    days = [dt.date(2023, 12, 31), dt.date(2024, 2, 29), None]  # a Sunday and a Thursday
    rule, n_gaps = date_of(days)
    assert n_gaps == 1
    assert rule.parts == ("year", "month", "weekday")
    assert rule.suffixes == (": days", ": year", ": month", ": weekday")
    columns, one = written(rule, days)
    assert columns[:2] == [[0, 2023, 12, 6], [60, 2024, 2, 3]]
    assert columns[2] == columns[0]  # the lower one of the two in the middle
    assert one == [0, 60, 0]


def test_times_count_as_parts_of_days_and_as_hours():
    rule, _ = date_of([dt.datetime(2024, 3, 1, 6), dt.datetime(2024, 3, 1, 18, 30)])
    assert rule.parts == ("hour",)
    columns, _ = written(rule, [dt.datetime(2024, 2, 29, 6), dt.datetime(2024, 3, 1, 18)])
    assert columns == [[-1, 6], [0.5, 18]]


def test_parts_that_do_not_vary_are_left_out_but_days_stay():
    rule, _ = date_of([dt.date(2024, 3, 1)])
    assert rule.parts == ()
    assert written(rule, [dt.date(2024, 3, 3)]) == ([[2]], [2])


def test_dates_before_1970_are_as_good():
    rule, _ = date_of([dt.datetime(1969, 12, 31, 23), dt.datetime(1900, 1, 1)])
    columns, _ = written(rule, [dt.datetime(1969, 12, 31, 23)])
    # A Wednesday; 1900-01-01 was a Monday.
    assert columns[0][1:] == [1969, 12, 2, 23]
    assert written(rule, [dt.datetime(1900, 1, 1)])[0] == [[0, 1900, 1, 0, 0]]


def test_clocks_are_those_of_the_time_zone():
    kind = pa.timestamp("s", "Europe/Berlin")
    evening = dt.datetime(2024, 6, 30, 22, tzinfo=dt.UTC)
    morning = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)
    rule, _ = date_of([evening, morning], kind)
    assert rule.zone == "Europe/Berlin"
    column = pa.chunked_array([pa.array([evening, morning], pa.timestamp("ns", "UTC"))])
    out = np.zeros((2, 4))
    rule.write(rule.read(column, "a"), out)
    # Midnight in summer, one o'clock in winter.
    assert rule.suffixes == (": days", ": month", ": weekday", ": hour")
    assert out.tolist() == [[180 + 22 / 24, 7, 0, 0], [0, 1, 1, 1]]


@pytest.mark.parametrize(
    ("fitted", "now", "message"),
    [
        (None, "UTC", "had dates without a time zone in fit, and now has dates with one."),
        ("UTC", None, "had dates with a time zone in fit, and now has dates without one."),
    ],
)
def test_time_zones_must_be_there_or_not(fitted, now, message):
    rule, _ = date_of([dt.datetime(2024, 1, 1)], pa.timestamp("us", fitted))
    with pytest.raises(ValueError, match=message):
        rule.read(
            pa.chunked_array([pa.array([dt.datetime(2024, 1, 1)], pa.timestamp("us", now))]), "a"
        )


def test_dates_cannot_become_text():
    rule, _ = date_of([dt.date(2024, 1, 1)])
    with pytest.raises(
        ValueError, match=r"'a' had dates .* now has text such as '2024-01-01'\. .* as 2"
    ):
        rule.read(pa.chunked_array([["2024-01-01"]]), "a")


def test_dates_beyond_all_calendars_are_refused():
    with pytest.raises(ValueError, match="'a' has dates hundreds of thousands of years away"):
        date_of([2**62], pa.timestamp("s"))


def test_time_zones_must_be_known():
    with pytest.raises(
        ValueError, match="'a' has dates in the time zone 'Mars/Base', which is not"
    ):
        date_of([1], pa.timestamp("s", "Mars/Base"))


def test_what_is_finer_than_a_microsecond_is_cut_off():
    assert date_of([1999], pa.timestamp("ns"))[0].fill == 1


def test_no_date_is_nothing():
    assert date_of([None, None], pa.date32()) == (Empty(), 2)


def test_only_gaps_are_the_median():
    rule, _ = date_of([dt.date(2024, 1, 1), dt.date(2024, 1, 3), dt.date(2024, 1, 9)])
    assert written(rule, [None, None])[1] == [2, 2]


@pytest.mark.parametrize(
    ("moment", "zone", "shown"),
    [
        (dt.datetime(2024, 1, 3), None, "2024-01-03"),
        (dt.datetime(2024, 1, 3, 12, 30), None, "2024-01-03 12:30:00"),
        (dt.datetime(2024, 1, 3, 23), "Europe/Berlin", "2024-01-04"),
    ],
)
def test_what_is_filled_in_has_a_text(moment, zone, shown):
    assert date_of([moment], pa.timestamp("us", zone))[0].fill_shown == shown


def test_a_date_is_a_rule_that_can_be_compared():
    assert Date(0, 1, None, ()) == Date(0, 1, None, ())
