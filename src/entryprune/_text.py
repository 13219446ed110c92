"""Names and numbers in messages."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any

# Names shown in a message before the rest is only counted.
_MOST_NAMES = 5


def some_of(
    texts: Iterable[str], most: int = _MOST_NAMES, *, separator: str = ", ", last: str = " and "
) -> str:
    """Return the first few texts in full, and how many more there are."""
    texts = list(texts)
    shown = separator.join(texts[:most])
    rest = len(texts) - most
    return shown if rest <= 0 else f"{shown}{last}{rest:,} more"


def listed(names: Iterable[object], most: int = _MOST_NAMES) -> str:
    """Return the first few names in quotes, and how many more there are."""
    return some_of((repr(name) for name in names), most)


def counted(n: int, what: str, more: str | None = None) -> str:
    """Return how many there are of something."""
    return f"{n:,} {what if n == 1 else more or what + 's'}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a question that names the nearest of the known names, or nothing."""
    known = list(known)
    same = [other for other in known if other.strip().casefold() == name.strip().casefold()]
    near = same or difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def one_line(text: object) -> str:
    """Return a text without line breaks and double spaces."""
    return " ".join(str(text).split())


def json_text(content: Any, **details: Any) -> str:
    """Return JSON that every program can read: null for what is infinite or no number."""
    import json

    return json.dumps(_finite(content), allow_nan=False, **details)


def _finite(content: Any) -> Any:
    if isinstance(content, dict):
        return {name: _finite(value) for name, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_finite(value) for value in content]
    is_odd = isinstance(content, float) and not math.isfinite(content)
    return None if is_odd else content


# Signs of this kind join letters and emoji, and belong to many scripts.
_JOINERS = "\u200c\u200d"


def printable(text: object) -> str:
    """Return a text for a terminal: signs that would steer it are shown as escapes.

    Control characters, marks that turn the direction of writing, line separators and halves of
    characters; all others stay as they are.
    """
    written = str(text)
    if written.isprintable():
        return written
    import unicodedata

    return "".join(
        sign.encode("unicode_escape").decode("ascii")
        if sign not in _JOINERS and unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else sign
        for sign in written
    )
