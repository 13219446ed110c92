import re

import pytest

from entryprune.report.text import (
    capitalise,
    clean,
    column_texts,
    label_text,
    number_text,
    pairs_text,
    probability_text,
    seconds_text,
    share_text,
    shorten,
    spread_text,
)

# -- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x00\x1b\x7f\x9f", "\ufffd" * 4),
        ("\ud800 \uffff", "\ufffd \ufffd"),
        ("名前 🧬", "名前 🧬"),
        (7, "7"),
    ],
)
def test_signs_that_no_page_can_hold_are_replaced(text, expected):
    assert clean(text) == expected


def test_short_names_stay_and_long_ones_keep_both_ends():
    assert shorten("radius") == "radius"
    assert shorten("x" * 28) == "x" * 28
    short = shorten("begin" + "x" * 300 + "end")
    assert len(short) == 28
    assert short.startswith("begin")
    assert short.endswith("end")


def test_a_shortened_name_is_one_line():
    assert shorten(" a\n\tb  c ") == "a b c"


def test_a_sentence_begins_with_a_capital_and_keeps_the_others():
    assert capitalise("mean error of k-NN") == "Mean error of k-NN"


def test_a_class_that_is_a_whole_number_has_no_decimals():
    assert [label_text(label) for label in (1.0, 1.5, "benign")] == ["1", "1.5", "benign"]


# -- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "—"),
        (float("nan"), "—"),
        (float("inf"), "∞"),
        (float("-inf"), "-∞"),
        (0, "0"),
        (0.0, "0"),
        (-0.25, "-0.25"),
        (1234567, "1,234,567"),
        (1234.567, "1,235"),
        (0.0000123456, "1.235e-05"),
        (1e300, "1e+300"),
    ],
)
def test_numbers_are_short(value, expected):
    assert number_text(value) == expected


@pytest.mark.parametrize(
    ("mean", "sd", "expected"),
    [
        (0.95123, 0.0123, "0.951 ± 0.012"),
        (1234.5, 56.7, "1,234 ± 57"),
        (0.95, 0.0, "0.95 ± 0"),
        (0.95, float("nan"), "0.95"),
        (None, 0.1, "—"),
        (3e-9, 1e-10, "3e-09 ± 1e-10"),
    ],
)
def test_a_mean_has_the_digits_that_its_spread_allows(mean, sd, expected):
    assert spread_text(mean, sd) == expected


def test_how_small_a_p_value_is_does_not_matter():
    values = (2e-59, 0.0312, None, float("nan"))
    assert [probability_text(value) for value in values] == ["< 0.0001", "0.031", "—", "—"]


def test_times_are_as_people_say_them():
    assert [seconds_text(s) for s in (0.42, 12.3, 133, 7260)] == [
        "0.4 s",
        "12 s",
        "2 min 13 s",
        "2 h 1 min",
    ]


def test_times_are_rounded_without_sixty_seconds():
    assert [seconds_text(s) for s in (59.4, 59.6, 119.7, 3599.9)] == [
        "59 s",
        "1 min 0 s",
        "2 min 0 s",
        "1 h 0 min",
    ]


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.9999, "99 %"),
        (0.29, "29 %"),
        (0.0996, "10 %"),
        (0.0204, "2 %"),
        (0.00149, "0.1 %"),
        (0.000999, "less than 0.1 %"),
    ],
)
def test_a_share_is_never_shown_as_all_or_nothing(share, expected):
    assert share_text(share) == expected


# -- pairs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("searched", "facts", "expected"),
    [
        (1.0, {}, r"No two features were .* together\. All pairs were looked at\."),
        (1.0, {"n_found": 2}, r"All pairs were looked at\."),
        (
            0.0001,
            {"n_found": 2, "option": "--drop"},
            r"Less than 0.1 % of all pairs were .* \(--drop\) .*",
        ),
        (0.12, {}, r"No two features were .* together\. 12 % of all pairs were looked at; .*"),
        (0.0, {}, r"Pairs of features were not looked for: there are too few samples .*"),
        (0.0, {"is_interrupted": True}, r".* not looked for: the run was interrupted .*"),
        (1.0, {"is_interrupted": True}, r"No two features were .* together\. All pairs .*"),
        (None, {}, ""),
        (1.0, {"n_selected": 1}, ""),
        (0.0, {"n_selected": 1}, ""),
    ],
)
def test_it_is_said_how_thoroughly_pairs_were_looked_for(searched, facts, expected):
    said = pairs_text(searched, **{"n_found": 0, "n_selected": 3, **facts})
    assert re.fullmatch(expected, said)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.00252, 2.178e-05, -7.9e-05, None], ["0.00252", "0.00002", "-0.00008", "—"]),
        ([1.0, 0.55, -0.001], ["1.00", "0.55", "0.00"]),
        ([12345.6, 2.0, float("nan")], ["12,346", "2", "—"]),
        ([3e-9, 1e-9], ["3e-09", "1e-09"]),
        ([0.0, None], ["0", "—"]),
        ([float("inf"), 12.0, 3.0], ["∞", "12.0", "3.0"]),
        ([0.0132, 0.0, -0.0, 1e-7], ["0.0132", "0", "0", "0.0000"]),
    ],
)
def test_the_numbers_of_a_column_have_the_same_decimals(values, texts):
    assert column_texts(values) == texts
