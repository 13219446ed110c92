"""Why a column is taken for text: often it is nearly numbers, and saying so saves a search."""

from __future__ import annotations

from typing import Any

_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
# 1,5 and 1,234.5 and 1.234,5
_COMMAS = r"^\s*[+-]?\d[\d.]*(,\d+)+(\.\d+)?([eE][+-]?\d+)?\s*$"


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
    from pyarrow import compute

    column = column.filter(compute.not_equal(column, ""))  # which drops missing ones too
    is_plain = compute.match_substring_regex(column, _NUMBER)
    others = column.filter(compute.invert(is_plain))
    n, n_others = len(column), len(others)
    if n_others == 0:
        return "text, though all values look like numbers; store them as numbers" if n else "text"
    if compute.all(compute.match_substring_regex(others, _COMMAS)).as_py():
        return (
            "text: numbers with commas; write them with a decimal point and without thousands "
            "separators"
        )
    if 2 * n_others <= n:
        example = _short(others[0].as_py())
        return f"text: mostly numbers, but also {example!r}; leave missing values empty"
    return "text"


def _short(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:19]}…"
