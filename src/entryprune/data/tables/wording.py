"""Why a column is taken for text: often it is nearly numbers, and saying so saves a search."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
# 1,5 and 1,234.5 and 1.234,5
_COMMAS = re.compile(r"\s*[+-]?\d[\d.]*(,\d+)+(\.\d+)?([eE][+-]?\d+)?\s*", re.ASCII)
# Of words, so many are enough to see that they are words.
_ENOUGH = 1000


def why_text(column: Any) -> str:
    """Return why an Arrow column of text is no feature.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        A column of text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> why_text(pa.chunked_array([["red", "blue"]]))
    'text'
    >>> why_text(pa.chunked_array([["1,5", "2"]]))
    'text: numbers with commas; write them with a decimal point and without thousands separators'
    >>> why_text(pa.chunked_array([["1.5", "?", "3"]]))
    "text: mostly numbers, but also '?'; leave missing values empty"
    """
    for part in (column.slice(0, _ENOUGH), column):
        values = [value for value in part.to_pylist() if value]
        others = [value for value in values if not _NUMBER.fullmatch(value)]
        has_commas = bool(others) and all(map(_COMMAS.fullmatch, others))
        if not has_commas and 2 * len(others) > len(values):
            return "text"
    if has_commas:
        return (
            "text: numbers with commas; write them with a decimal point and without thousands "
            "separators"
        )
    if others:
        return f"text: mostly numbers, but also {_short(others[0])!r}; leave missing values empty"
    return "text, though all values look like numbers; store them as numbers" if values else "text"


def _short(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:19]}…"
