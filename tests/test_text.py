"""Names in messages."""

import pytest

from entryprune._text import printable


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
