"""Names and numbers in messages."""

import pytest

from entryprune._text import counted, json_text, listed, one_line, printable, some_of, suggestion


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain - 名前 é 🧬", "plain - 名前 é 🧬"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("a\r\nb\tc\x7f", r"a\r\nb\tc\x7f"),
        ("\x9b2J", r"\x9b2J"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\u2066a\u2069\u200f", r"\u2066a\u2069\u200f"),
        ("a\u2028b", r"a\u2028b"),
        ("\U000e0041", r"\U000e0041"),
        ("\ud800", r"\ud800"),
        # These belong to scripts and emoji, and steer nothing.
        ("a\u200cb 👩\u200d🔬 a\xa0b", "a\u200cb 👩\u200d🔬 a\xa0b"),
        (7, "7"),
    ],
)
def test_what_would_steer_a_terminal_is_an_escape(text, expected):
    assert printable(text) == expected
    printable(text).encode("utf-8")


def test_of_many_names_only_the_first_are_shown():
    assert some_of(["a", "b"]) == "a, b"
    assert some_of("abc", most=2) == "a, b and 1 more"
    assert listed(["a", "b", "c"], most=2) == "'a', 'b' and 1 more"
    assert listed(range(2005)).endswith("and 2,000 more")


def test_one_is_no_plural():
    found = [counted(1, "column"), counted(2000, "column"), counted(2, "class", "classes")]
    assert found == ["1 column", "2,000 columns", "2 classes"]


def test_the_nearest_name_is_suggested():
    for name in ("clas", "CLASS", " class "):
        assert suggestion(name, ["id", "class"]) == " Did you mean 'class'?"
    assert suggestion("x", ["id", "class"]) == ""


def test_a_text_becomes_one_line():
    assert one_line(" a\n  b ") == "a b"


def test_json_has_no_constants_of_its_own():
    content = {"a": [1.5, float("inf"), (float("nan"), True, None)], "b": {"c": float("-inf")}}
    assert json_text(content) == '{"a": [1.5, null, [null, true, null]], "b": {"c": null}}'
