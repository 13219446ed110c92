"""What levels, parts of dates and gaps tell of the target, against figures worked out by hand."""

import numpy as np
import pytest

from entryprune.report.levels import Dates, Outcome, broken_down, scored

NAN = np.nan
# 100 samples of three levels: 10 of 20, 6 of 60 and 4 of 20 are bad.
CODES = np.repeat([0.0, 1.0, 2.0], [20, 60, 20])
BAD = np.array(
    ["bad"] * 10 + ["good"] * 10 + ["bad"] * 6 + ["good"] * 54 + ["bad"] * 4 + ["good"] * 16
)
LABELS = ("car", "house", "boat")


def of(y, task="classification"):
    return Outcome.of(y, task, "loan")


def test_of_two_classes_the_rarer_one_is_told():
    found = broken_down((2, "purpose"), CODES, of(BAD), LABELS)
    assert (found.rank, found.name, found.kind) == (3, "purpose", "levels")
    assert found.what == "share with loan = bad"
    assert {one.name: (one.n_samples, one.outcome) for one in found.levels} == {
        "car": (20, 0.5),
        "house": (60, pytest.approx(0.1)),
        "boat": (20, 0.2),
    }
    # The level that is furthest from the others comes first.
    assert [one.name for one in found.levels] == ["car", "house", "boat"]
    assert (found.high.name, found.low.name) == ("car", "house")
    assert found.text.replace("\u00a0", " ") == (
        "loan = bad: 50 % where it is car (20 samples), 10 % where it is house (60); 20 % of all."
    )


def test_levels_with_few_samples_are_in_the_table_but_not_in_the_sentence():
    codes = np.append(CODES, [3.0, 3.0])
    found = broken_down(
        (0, "purpose"), codes, of(np.append(BAD, ["bad", "bad"])), (*LABELS, "tank")
    )
    assert "tank" in [one.name for one in found.levels]
    assert "tank" not in found.text
    assert found.high.name == "car"


def test_no_two_levels_with_enough_samples_is_told():
    found = broken_down((0, "id"), np.array([0.0] * 98 + [1, 2]), of(BAD), LABELS)
    assert found.text.startswith("Hardly any two of its levels have enough samples")


def test_what_chance_would_show_is_told_as_such():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 100).astype(float)
    assert broken_down((0, "x"), codes, of(BAD), LABELS).text.endswith("chance would show.")
    assert "chance" not in broken_down((0, "x"), CODES, of(BAD), LABELS).text


def test_quantities_have_means():
    found = broken_down((0, "x"), CODES, of(CODES * 10 + 1, "regression"), LABELS)
    assert found.text == (
        "Mean of loan: 21 where it is boat (20 samples), 1 where it is car (20); 11 of all."
    )


def test_of_several_classes_each_level_names_its_own():
    y = np.repeat(["a", "b", "c"], [20, 60, 20])
    found = broken_down((0, "x"), CODES, of(y), LABELS)
    assert {one.name: (one.label, one.outcome) for one in found.levels} == {
        "car": ("a", 1),
        "house": ("b", 1),
        "boat": ("c", 1),
    }
    assert (found.high, found.low) == (None, None)
    assert found.text.startswith("Most typical: ")


def test_times_have_the_share_of_the_event():
    y = np.column_stack([np.arange(100), BAD == "bad"]).astype(float)
    found = broken_down((0, "x"), CODES, of(y, "survival"), LABELS)
    assert found.text.startswith("the event: 50")


def test_gaps_are_told_with_what_is_there():
    values = np.where(np.arange(100) < 20, NAN, 3.5)
    found = broken_down((0, "income"), values, of(BAD))
    assert found.kind == "gaps"
    assert found.text.replace("\u00a0", " ") == (
        "Missing in 20 samples (20 %): 50 % of these have loan = bad, and 12.5 % of the others."
    )
    found = broken_down((0, "income"), values, of(np.arange(100.0), "regression"))
    assert found.text.replace("\u00a0", " ") == (
        "Missing in 20 samples (20 %): mean of loan 9.5 in these, 59.5 in the others."
    )


def test_a_level_that_is_missing_is_a_level():
    codes = np.where(np.arange(100) < 20, NAN, CODES)
    found = broken_down((0, "x"), codes, of(BAD), LABELS)
    assert {one.name for one in found.levels} == {"missing", "house", "boat"}
    assert found.high.name == "missing"


def test_of_a_date_the_part_that_tells_most_is_told():
    days = np.arange(100.0)
    parts = {"days": days, "weekday": days % 7, "month": 1 + days // 31}
    bad = np.where(days % 7 == 5, "bad", "good")
    found = broken_down((0, "opened"), days, of(bad), dates=Dates("2024-01-01", parts))
    assert (found.kind, found.part) == ("date", "weekday")
    assert found.text.startswith("Of the date, the weekday tells most. loan = bad: 100")
    assert found.high.name == "Saturday"
    late = np.where(days >= 88, "bad", "good")
    found = broken_down((0, "opened"), days, of(late), dates=Dates("2024-01-01", parts))
    assert found.part == "days"
    assert found.high.name == "2024-03-28 to 2024-04-09"


def test_a_level_counts_as_the_share_of_the_class():
    X = np.column_stack([CODES, np.arange(100.0)])
    found = scored(X, {0: LABELS}, of(BAD))
    assert np.unique(found[:, 0]).tolist() == pytest.approx([0.1, 0.2, 0.5])
    assert found[:, 1].tolist() == X[:, 1].tolist()
    assert scored(X, {}, of(BAD)) is X


def test_of_several_classes_levels_count_as_what_sets_the_classes_apart():
    y = np.repeat(["a", "b", "b", "c"], 25)
    codes = np.repeat([0.0, 1.0, 2.0, 3.0], 25)
    found = scored(codes[:, None], {0: ("k", "l", "m", "n")}, of(y))[:, 0]
    # The two levels of one class are alike.
    assert found[25] == pytest.approx(found[50])
    assert len(np.unique(found.round(6))) == 3


def test_a_constant_target_tells_nothing_of_levels():
    found = broken_down((0, "x"), CODES, of(np.ones(100), "regression"), LABELS)
    assert found.text.endswith("chance would show.")
