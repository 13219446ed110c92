"""Columns that came as text: those that are numbers or dates with words for gaps among them."""

from __future__ import annotations

import re
import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from entryprune.data.tables.csv_text import COMMA, GAPS, MISSING, POINT, TEXT_GAPS

# Of words, so many are enough to see that they are words.
_ENOUGH = 1000
_TIME = r"(?:[ T](?P<hour>[0-9]{1,2}):(?P<rest>[0-9]{2}(?::[0-9]{2})?))?"
# 2024-03-01, also with other signs, and 1.3.2024, 01/03/2024, 3-1-2024: two letters between are
# the same one. What follows a date is a time, and nothing can be matched in two ways.
_YEAR_FIRST = re.compile(
    rf"(?P<year>[0-9]{{4}})(?P<sign>[-/.])(?P<one>[0-9]{{1,2}})(?P<again>[-/.])"
    rf"(?P<two>[0-9]{{1,2}}){_TIME}"
)
_YEAR_LAST = re.compile(
    rf"(?P<one>[0-9]{{1,2}})(?P<sign>[-/.])(?P<two>[0-9]{{1,2}})(?P<again>[-/.])"
    rf"(?P<year>[0-9]{{4}}){_TIME}"
)
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9:.]{2,15}(?:Z|[+-][0-9:]{2,5})?")
# 1.234,5: pyarrow knows the comma, but no points between thousands.
_COMMA_NUMBER = r"^[+-]?(([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?$"


def _texts(words: Collection[bytes]) -> Any:
    """Return words as Arrow has them; by way of memory, as pyarrow's own way imports pandas."""
    ends = struct.pack(f"={len(words) + 1}i", 0, *accumulate(map(len, words)))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(words))]
    return pa.Array.from_buffers(pa.string(), len(words), buffers)


_MISSING, _TEXT_GAPS, _GAPS = map(_texts, map(sorted, (MISSING, TEXT_GAPS, GAPS)))


@dataclass(frozen=True, eq=False)
class Recognised:
    """Columns with the types that their values have."""

    columns: tuple[Any, ...]  # the values
    gap_words: Mapping[int, tuple[str, ...]]  # by column: which words were read as gaps
    ambiguous: Mapping[int, str]  # by column: a date of which day and month cannot be told apart


def recognised(
    columns: Sequence[Any],
    *,
    labels: Collection[int] = (),
    left_alone: Collection[int | None] = (),
    gaps_in_text: bool = False,
    decimal: bytes = POINT,
) -> Recognised:
    """Find numbers and dates among columns of text; the others stay as they are.

    The `labels` may be numbers, but words and dates stay text in them. In words only the clear ones
    are gaps, and only if that is asked for.
    """
    found, gap_words, ambiguous = [], {}, {}
    for number, column in enumerate(columns):
        chosen, words = column, None
        if pa.types.is_string(column.type) and number not in left_alone:
            is_label = number in labels
            chosen, words, unclear = _typed(column, decimal, may_be_date=not is_label)
            if unclear is not None:
                ambiguous[number] = unclear
            if words is None and gaps_in_text and not is_label:
                chosen, words = without_gaps(column, _TEXT_GAPS)
        if words:
            gap_words[number] = words
        found.append(chosen)
    return Recognised(tuple(found), gap_words, ambiguous)


def words_for_gaps(column: Any) -> tuple[str, ...]:
    """Return the words of a column of text that are gaps wherever they stand."""
    return without_gaps(column, _MISSING)[1]


def without_gaps(column: Any, gaps: Any) -> tuple[Any, tuple[str, ...]]:
    """Return text in which words for gaps are gaps, and these words."""
    trimmed = pc.utf8_trim_whitespace(column)
    is_gap = pc.is_in(trimmed, value_set=gaps)
    if not pc.any(is_gap).as_py():
        return column, ()
    words = pc.unique(trimmed.filter(is_gap)).to_pylist()
    return pc.if_else(is_gap, pa.nulls(len(column), pa.string()), column), tuple(
        filter(None, words)
    )


def _typed(
    column: Any, decimal: bytes, *, may_be_date: bool
) -> tuple[Any, tuple[str, ...] | None, str | None]:
    """Return text as numbers or dates, and the words that are gaps in it; None if it is neither.

    The last is a date that could be two, if that is why it stays text.
    """
    first, _ = without_gaps(column.slice(0, _ENOUGH), _GAPS)
    if _as_numbers(pc.utf8_trim_whitespace(first), decimal) is None:
        seen = (word.strip() for word in first.to_pylist() if word is not None)
        if not (may_be_date and all(map(_looks_like_date, seen))):
            return column, None, None
    values, words = without_gaps(column, _GAPS)
    if values.null_count == len(values):
        return pa.chunked_array([pa.nulls(len(values))]), words, None
    values = pc.utf8_trim_whitespace(values)
    numbers = _as_numbers(values, decimal)
    if numbers is not None or not may_be_date:
        return (column, None, None) if numbers is None else (numbers, words, None)
    dates, unclear = _as_dates(values)
    return (column, None, unclear) if dates is None else (dates, words, None)


def _as_numbers(values: Any, decimal: bytes) -> Any:
    if decimal == COMMA:
        is_number = pc.match_substring_regex(values, _COMMA_NUMBER)
        if not pc.all(is_number, min_count=0).as_py():
            return None
        values = pc.replace_substring(pc.replace_substring(values, ".", ""), ",", ".")
    return _cast(values, pa.int64(), pa.float64())


def _cast(values: Any, *kinds: Any) -> Any:
    """Return text as the first type that all of it fits, or None."""
    for kind in kinds:
        try:
            return values.cast(kind)
        except pa.ArrowInvalid:
            pass  # not all are of this type
    return None


# -- dates ----------------------------------------------------------------------------------------


def _looks_like_date(word: str) -> bool:
    return any(known.fullmatch(word) for known in (_YEAR_FIRST, _YEAR_LAST, _ISO))


def _as_dates(values: Any) -> tuple[Any, str | None]:
    """Return text as dates or times, or None; and a date that could be two, if there are such."""
    zoned = (pa.timestamp("s", "UTC"), pa.timestamp("ns", "UTC"))
    found = _cast(values, pa.date32(), pa.timestamp("s"), pa.timestamp("ns"), *zoned)
    if found is not None:
        return found, None
    for known in (_YEAR_FIRST, _YEAR_LAST):
        parts = pc.extract_regex(values, pattern=f"^{known.pattern}$")
        if parts.null_count > values.null_count:
            continue
        part = {name: pc.struct_field(parts, name) for name in known.groupindex}
        if len(pc.unique(part["sign"].drop_null())) > 1 or not part["sign"].equals(part["again"]):
            return None, None
        if known is _YEAR_FIRST:
            return _joined(part, "one", "two"), None
        one, two = (pc.max(part[name].cast(pa.int32())).as_py() for name in ("one", "two"))
        if max(one, two) <= 12:
            return None, values.drop_null()[0].as_py()
        return (_joined(part, "two", "one") if one > 12 else _joined(part, "one", "two")), None
    return None, None


def _joined(part: Mapping[str, Any], month: str, day: str) -> Any:
    """Return dates as they are written in ISO 8601, read as such: no 30th of February is one."""
    two = (pc.utf8_lpad(part[name], 2, "0") for name in (month, day))
    days = pc.binary_join_element_wise(part["year"], *two, "-")
    if not pc.any(pc.not_equal(part["hour"], "")).as_py():
        return _cast(days, pa.date32())
    has_time = pc.not_equal(part["hour"], "")
    times = pc.binary_join_element_wise(pc.utf8_lpad(part["hour"], 2, "0"), part["rest"], ":")
    whole = pc.if_else(has_time, pc.binary_join_element_wise(days, times, " "), days)
    return _cast(whole, pa.timestamp("s"))
