"""An encoder as plain data for a file, and back: a file from a stranger is checked in full."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune._text import listed
from entryprune.encoding.kinds import PARTS, Categories, Date, Empty, Rule, YesNo
from entryprune.encoding.learning import check_settings

Array = NDArray[Any]
State = tuple[dict[str, Any], dict[str, Array]]
_ENTRIES = {
    *("dtype", "features", "max_levels", "missing", "n_features", "names", "notes", "version"),
}
_VERSION = 1
_DTYPES = ("float32", "float64")
# Names and offsets such as Europe/Berlin and +01:00, but nothing that leads out of a folder.
_ZONE = re.compile(r"[A-Za-z0-9_+:-]{1,40}(/[A-Za-z0-9_+-]{1,40}){0,2}")
_HALF = re.compile("[\ud800-\udfff]")
# Points in time, in microseconds since 1970, that calendars have: years 1 to 9999, and more.
_FARTHEST = 2**60


def to_state(encoder: Any) -> State:
    """Return an encoder as JSON and arrays."""
    description = {
        "version": _VERSION,
        "n_features": encoder.n_features,
        "names": None if encoder.names is None else list(encoder.names),
        "missing": encoder.missing,
        "max_levels": int(encoder.max_levels),
        "dtype": encoder.dtype.name,
        "features": [
            [feature, _described(rule)] for feature, rule in sorted(encoder.rules.items())
        ],
        "notes": list(encoder.notes),
    }
    return description, {"fills": encoder.fills.copy(), "is_flagged": encoder.is_flagged.copy()}


def _described(rule: Rule) -> dict[str, Any]:
    match rule:
        case YesNo(levels=levels, fill=fill):
            return {"kind": "yes/no", "levels": list(levels), "fill": fill}
        case Categories(levels=levels, fill=fill):
            return {
                "kind": "categories",
                "levels": list(levels),
                "fill": fill,
                "has_other": rule.has_other,
                "has_missing": rule.has_missing,
            }
        case Date(earliest=earliest, fill=fill):
            return {
                "kind": "date",
                "earliest": earliest,
                "fill": fill,
                "zone": rule.zone,
                "parts": list(rule.parts),
            }
    return {"kind": "empty"}


def from_state(description: Any, arrays: Any) -> dict[str, Any]:
    """Return what an encoder is made of, or say why the state is that of none."""
    if not isinstance(description, dict) or description.keys() != _ENTRIES:
        raise ValueError(
            f"The state of an encoder must have exactly the entries {listed(sorted(_ENTRIES), 9)}."
        )
    if description["version"] != _VERSION or type(description["version"]) is not int:
        raise _odd("version", description["version"], f"{_VERSION}, the only one known here")
    n_features, names = description["n_features"], description["names"]
    if type(n_features) is not int or n_features < 1:
        raise _odd("n_features", n_features, "a whole number from 1 on")
    if names is not None and not (_are_texts(names) and len(names) == n_features):
        raise _odd("names", names, f"None or {n_features} different texts")
    check_settings(description["missing"], description["max_levels"])
    if not isinstance(description["dtype"], str) or description["dtype"] not in _DTYPES:
        raise _odd("dtype", description["dtype"], f"one of {listed(_DTYPES)}")
    notes = description["notes"]
    if not isinstance(notes, list) or not all(type(note) is str for note in notes):
        raise _odd("notes", notes, "a list of texts")
    rules = _rules(description["features"], n_features, description["max_levels"])
    fills, is_flagged = _arrays(arrays, n_features, description["missing"], rules)
    return {
        "n_features": n_features,
        "names": None if names is None else tuple(names),
        "missing": description["missing"],
        "max_levels": description["max_levels"],
        "dtype": np.dtype(description["dtype"]),
        "rules": rules,
        "fills": fills,
        "is_flagged": is_flagged,
        "notes": tuple(notes),
    }


def _arrays(
    arrays: Any, n_features: int, missing: str, rules: dict[int, Rule]
) -> tuple[Array, Array]:
    """Return fills and flags, which must go with one another and with the rules."""
    if not isinstance(arrays, dict) or arrays.keys() != {"fills", "is_flagged"}:
        raise ValueError("The state of an encoder must have the arrays 'fills' and 'is_flagged'.")
    n_fills = n_features if missing == "impute" else 0
    shapes = {"fills": ("float64", n_fills), "is_flagged": ("bool", n_features)}
    for name, (dtype, length) in shapes.items():
        array = arrays[name]
        is_right = isinstance(array, np.ndarray) and array.dtype == dtype
        if not is_right or array.shape != (length,):
            raise _odd(name, array, f"an array of {length} values of type {dtype}")
    fills, is_flagged = arrays["fills"].copy(), arrays["is_flagged"].copy()
    others = list(rules)
    is_number = np.ones(n_features, np.bool_)
    is_number[others] = False
    if len(fills) and not np.array_equal(np.isfinite(fills), is_number):
        raise _odd("fills", fills, "finite for numbers, and for nothing else")
    silent = [feature for feature, rule in rules.items() if isinstance(rule, (Categories, Empty))]
    gaps = [feature for feature in silent if isinstance(rules[feature], Empty)]
    gaps += [feature for feature, rule in rules.items() if rule.has_own_gaps]
    if is_flagged[silent].any() or (missing == "error" and (gaps or is_flagged.any())):
        raise _odd("is_flagged", is_flagged, "true only for features whose gaps are filled")
    return fills, is_flagged


def _rules(codes: object, n_features: int, max_levels: int) -> dict[int, Rule]:
    if not isinstance(codes, list):
        raise _odd("features", codes, "a list")
    rules: dict[int, Rule] = {}
    for code in codes:
        match code:
            case [int(feature), dict(content)] if (
                type(feature) is int and max(rules, default=-1) < feature < n_features
            ):
                rules[feature] = _rule(content, max_levels)
            case _:
                raise _odd("features", code, "ascending numbers of features, each with a rule")
    return rules


def _rule(code: dict[str, Any], max_levels: int) -> Rule:
    match code:
        case {"kind": "empty"} if len(code) == 1:
            return Empty()
        case {"kind": "yes/no", "levels": list(levels), "fill": int(fill)} if (
            len(code) == 3 and _are_levels(levels) and len(levels) == 2 and _is_in(fill, 2)
        ):
            return YesNo((levels[0], levels[1]), fill)
        case {
            "kind": "categories",
            "levels": list(levels),
            "fill": int(fill),
            "has_other": bool(has_other),
            "has_missing": bool(has_missing),
        } if (
            len(code) == 5
            and _are_levels(levels)
            and len(levels) + has_other <= max_levels
            and _is_in(fill, len(levels))
        ):
            return Categories(tuple(levels), fill, has_other, has_missing)
        case {
            "kind": "date",
            "earliest": int(earliest),
            "fill": int(fill),
            "zone": None | str() as zone,
            "parts": list(parts),
        } if (
            len(code) == 5
            and all(type(point) is int and abs(point) < _FARTHEST for point in (earliest, fill))
            and (zone is None or _ZONE.fullmatch(zone))
            and parts == [part for part in PARTS if part in parts]
        ):
            return Date(earliest, fill, zone, tuple(parts))
    raise _odd("features", code, "rules that are known here")


def _are_texts(values: object) -> bool:
    """Tell whether these are texts, none of them twice."""
    if not isinstance(values, list) or not all(type(value) is str for value in values):
        return False
    return len(set(values)) == len(values)


def _are_levels(values: object) -> bool:
    """Tell whether these can be levels: texts without halves of characters."""
    return _are_texts(values) and not any(map(_HALF.search, values))  # type: ignore[call-overload]


def _is_in(number: object, n: int) -> bool:
    return type(number) is int and 0 <= number < n


def _odd(name: str, value: object, allowed: str) -> ValueError:
    shown = " ".join(repr(value).split())
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return ValueError(f"In the state of an encoder, {name} must be {allowed}; got {shown}.")
