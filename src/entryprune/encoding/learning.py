"""What becomes of each feature, learned from one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyarrow import types

from entryprune._text import some_of
from entryprune.encoding.arrow import is_date, is_number, is_text
from entryprune.encoding.kinds import Date, Empty, Rule, fit_date, fit_levels
from entryprune.encoding.notes import Findings
from entryprune.encoding.numeric import Numbers, refuse_gaps
from entryprune.encoding.state import check_settings
from entryprune.encoding.table import Table

_SMALL = np.dtype(np.float32)
_LARGE = np.dtype(np.float64)


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
    for place, column in enumerate(columns):
        name = table.name(place)
        if is_date(column.type):
            rules[place], n_gaps[place] = fit_date(column, name)
        elif not is_number(column.type):
            rules[place], levels = fit_levels(column, max_levels)
            n_gaps[place] = levels.n_gaps
            findings.add_levels(name, rules[place], levels)
        findings.add_kind(name, column.type, rules.get(place))
    return rules


def _floating(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of floats that holds all values of a type of numbers."""
    return _SMALL if np.result_type(dtype, _SMALL) == _SMALL else _LARGE
