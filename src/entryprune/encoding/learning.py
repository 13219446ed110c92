"""What becomes of each feature, learned from one table, and what there is to say of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyarrow import types

from entryprune._text import counted, some_of
from entryprune.encoding.arrow import is_date, is_number, is_text
from entryprune.encoding.kinds import (
    Categories,
    Date,
    Empty,
    Levels,
    Rule,
    YesNo,
    fit_date,
    fit_levels,
)
from entryprune.encoding.table import Numbers, Table, refuse_gaps

# Values that show what a column of text is, and the share of numbers that is no chance.
_ENOUGH, _NEARLY_ALL = 1000, 0.9
_SMALL = np.dtype(np.float32)
_LARGE = np.dtype(np.float64)


MISSING = ("error", "impute")


def check_settings(missing: object, max_levels: object) -> None:
    """Refuse settings of an encoder that are none."""
    if not isinstance(missing, str) or missing not in MISSING:
        raise ValueError(f'missing must be "error" or "impute", got {missing!r}.')
    is_number = isinstance(max_levels, (int, np.integer)) and not isinstance(max_levels, bool)
    if not is_number or max_levels < 2:  # type: ignore[operator]
        raise ValueError(f"max_levels must be a whole number from 2 on, got {max_levels!r}.")


def learned(X: Any, missing: str, max_levels: int) -> dict[str, Any]:
    """Return all that an encoder keeps of a table."""
    check_settings(missing, max_levels)
    table = Table.of(X)
    n_samples, n_features = table.shape
    if not n_samples or not n_features:
        what = "sample" if not n_samples else "feature"
        raise ValueError(
            f"Found a table with 0 {what}(s) (shape={table.shape}) while a minimum of 1 is "
            f"required."
        )
    findings = Findings()
    n_gaps = np.zeros(n_features, np.int64)
    rules: dict[int, Rule] = {}
    block = table.block()
    if block is not None:
        numbers = Numbers.of(range(n_features), block)
    else:
        columns = table.columns(range(n_features))
        _check_types(table, columns)
        rules = _rules(table, columns, max_levels, n_gaps, findings)
        places = [place for place in range(n_features) if place not in rules]
        values = table.numbers(places, [columns[place] for place in places])
        numbers = Numbers.of(places, values)
    numbers.refuse_infinite(table.name)
    n_gaps[numbers.features] = numbers.n_gaps
    if missing == "error":
        refuse_gaps(n_gaps, table.name)
    is_empty = n_gaps == n_samples
    rules |= {int(place): Empty() for place in np.flatnonzero(is_empty)}
    fills = np.full(n_features if missing == "impute" else 0, np.nan)
    if missing == "impute":
        fills[numbers.features] = numbers.medians()
        fills[is_empty] = np.nan
    is_flagged = (n_gaps > 0) & ~is_empty
    is_flagged[[place for place, rule in rules.items() if rule.has_own_gaps]] = False
    for place in np.flatnonzero(n_gaps).tolist():
        filled = rules.get(place) or float(fills[place])
        findings.add_gaps(table.name(place), int(n_gaps[place]), filled)
    has_dates = any(isinstance(rule, Date) for rule in rules.values())
    dtype = _LARGE if has_dates else _floating(numbers.values.dtype)
    return {
        "n_features": n_features,
        "names": table.names,
        "missing": missing,
        "max_levels": max_levels,
        "dtype": dtype,
        "rules": rules,
        "fills": fills,
        "is_flagged": is_flagged,
        "notes": findings.sentences(),
    }


def _check_types(table: Table, columns: Sequence[Any]) -> None:
    """Refuse columns of types that can be no feature, and name them."""
    odd = []
    for place, column in enumerate(columns):
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if not (is_text(kind) or is_number(kind) or is_date(kind)):
            odd.append(f"{table.name(place)!r} ({column.type})")
    if odd:
        raise ValueError(
            f"X has columns of types that cannot be encoded: {some_of(odd)}. Numbers, true and "
            f"false, text, categories, dates and durations can. Convert these columns, or leave "
            f"them out."
        )


def _rules(
    table: Table,
    columns: Sequence[Any],
    max_levels: int,
    n_gaps: NDArray[np.int64],
    findings: Findings,
) -> dict[int, Rule]:
    """Return the rules of all columns that are not numbers, and count gaps and findings."""
    rules: dict[int, Rule] = {}
    misread = []
    for place, column in enumerate(columns):
        name = table.name(place)
        if is_date(column.type):
            rules[place], n_gaps[place] = fit_date(column, name)
        elif not is_number(column.type):
            rules[place], levels = fit_levels(column, max_levels)
            n_gaps[place] = levels.n_gaps
            findings.add_levels(name, rules[place], levels)
            if levels.n_levels > max_levels and _are_mostly_numbers(column):
                misread.append(repr(name))
        findings.add_kind(name, column.type, rules.get(place))
    if misread:
        warnings.warn(
            f"X has columns of text that is mostly numbers, and as text it is levels: "
            f"{some_of(misread)}. Make numbers of them, as with pandas.to_numeric(column, "
            f"errors='coerce').",
            UserWarning,
            stacklevel=2,
        )
    return rules


def _are_mostly_numbers(column: Any) -> bool:
    """Tell whether text, of which files tell themselves what it is, looks like numbers."""
    if not is_text(column.type):
        return False
    words = {word for word in column.slice(0, _ENOUGH).to_pylist() if word}
    n_numbers = sum(map(_is_written_number, words))
    return n_numbers < len(words) and n_numbers >= _NEARLY_ALL * len(words)


def _is_written_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _floating(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of floats that holds all values of a type of numbers."""
    return _SMALL if np.result_type(dtype, _SMALL) == _SMALL else _LARGE


@dataclass
class Findings:
    """What was found in a table, column by column, put into a few sentences."""

    _gaps: list[str] = field(default_factory=list)
    _own_gaps: list[str] = field(default_factory=list)
    _empty: list[str] = field(default_factory=list)
    _yes_no: list[str] = field(default_factory=list)
    _other: list[str] = field(default_factory=list)
    _dates: list[str] = field(default_factory=list)
    _spans: list[str] = field(default_factory=list)

    def add_kind(self, name: str, kind: Any, rule: Rule | None) -> None:
        """Note what a column is, where that is not plain to see."""
        if isinstance(rule, Date):
            self._dates.append(f"{name!r} ({', '.join(('days', *rule.parts))})")
        elif isinstance(rule, YesNo):
            self._yes_no.append(f"{name!r} ({rule.levels[1]!r}, not {rule.levels[0]!r})")
        elif types.is_duration(kind):
            self._spans.append(f"{name!r} (days)")
        elif types.is_time(kind):
            self._spans.append(f"{name!r} (hours)")

    def add_levels(self, name: str, rule: Rule, found: Levels) -> None:
        """Note levels that were put together."""
        if isinstance(rule, Categories) and rule.has_other:
            n_rare = found.n_levels - len(rule.levels)
            self._other.append(f"{name!r} ({n_rare:,} of {found.n_levels:,} levels)")

    def add_gaps(self, name: str, n_gaps: int, filled: Rule | float) -> None:
        """Note what became of gaps."""
        gaps = counted(n_gaps, "gap")
        if isinstance(filled, Empty):
            self._empty.append(repr(name))
        elif isinstance(filled, Categories):
            self._own_gaps.append(f"{name!r} ({gaps})")
        elif isinstance(filled, YesNo):
            level = filled.levels[filled.fill]
            self._gaps.append(f"{name!r} ({gaps}: the more frequent, {level!r})")
        elif isinstance(filled, Date):
            self._gaps.append(f"{name!r} ({gaps}: the median, {filled.fill_shown})")
        else:
            self._gaps.append(f"{name!r} ({gaps}: the median, {filled:.6g})")

    def sentences(self) -> tuple[str, ...]:
        """Return what was found, the most important first."""
        said = (
            (self._gaps, "Gaps were filled in {n}, with a column more that says where: {names}."),
            (self._own_gaps, "Gaps are a level of their own in {n}: {names}."),
            (self._empty, "No value at all is in {n}, which became 0 throughout: {names}."),
            (self._other, 'Rare levels became "other" in {n}: {names}.'),
            (self._dates, "Dates were taken apart in {n}: {names}."),
            (self._spans, "Durations and times of day became numbers in {n}: {names}."),
            (self._yes_no, "Of two levels, one is 1 and the other 0 in {n}: {names}."),
        )
        return tuple(
            text.format(n=counted(len(names), "column"), names=some_of(names))
            for names, text in said
            if names
        )
