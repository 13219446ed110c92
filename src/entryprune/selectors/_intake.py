"""How a table becomes the engine's columns: encoded, grouped, and without what is barred."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from entryprune._text import listed, some_of, suggestion
from entryprune.encoding import Encoder, is_frame
from entryprune.engine import Grouping

Array = NDArray[Any]
Indices = NDArray[np.intp]
# A feature that may not be selected.
BARRED = -1
# Objects in a table of pandas that an encoder makes something of; the first has times, too.
_NO_NUMBERS = (datetime.date, datetime.time, datetime.timedelta, str)


@dataclass(frozen=True, eq=False)
class Intake:
    """Which columns the engine sees, and which features they are of.

    What is seated, and counted by K, is a *unit*: a feature, or a group of features.
    """

    n_features: int
    encoder: Encoder | None = None  # None where every feature is a column as it is
    unit_of: Indices | None = None  # the unit of each feature; None where each is one
    is_single: bool = False  # whether every feature is one column, also if it is encoded

    @property
    def is_plain(self) -> bool:
        """Whether the engine's columns are the features as they are."""
        return self.encoder is None and self.unit_of is None

    @cached_property
    def units(self) -> list[Indices]:
        """The features of each unit, ascending."""
        if self.unit_of is None:
            return [np.array([feature]) for feature in range(self.n_features)]
        order = np.argsort(self.unit_of, kind="stable")
        n_barred = int((self.unit_of == BARRED).sum())
        sizes = np.bincount(self.unit_of[order[n_barred:]])
        return np.split(order[n_barred:], np.cumsum(sizes)[:-1])

    @property
    def n_units(self) -> int:
        """How many units there are to select from."""
        return self.n_features if self.unit_of is None else len(self.units)

    def features_of(self, units: Iterable[int]) -> Indices:
        """Return the features of units, unit by unit."""
        if self.unit_of is None:
            return np.fromiter(units, dtype=np.intp)
        found = [self.units[unit] for unit in units]
        return np.concatenate(found) if found else np.empty(0, dtype=np.intp)

    def spread(self, of_units: Array, otherwise: Any) -> Array:
        """Return for each feature the value of its unit, `otherwise` for barred ones."""
        if self.unit_of is None:
            return of_units
        return np.where(self.unit_of == BARRED, otherwise, of_units[self.unit_of])

    def n_columns_of(self, units: Iterable[int]) -> int:
        """Return how many columns the engine has for some units."""
        features = self.features_of(units)
        if self.encoder is None or self.is_single:
            return len(features)
        return int(self.encoder.widths[features].sum())

    def to_state(self) -> dict[str, Any]:
        """Return all of it as texts, numbers and arrays."""
        encoder = None if self.encoder is None else self.encoder.to_state()
        return {
            "n_features": self.n_features,
            "encoder": encoder,
            "unit_of": self.unit_of,
            "is_single": self.is_single,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Intake:
        """Return what `to_state` was told, from a file that anyone may have written."""
        match state:
            case {
                "n_features": int(n_features), "encoder": None | tuple() as parts,
                "unit_of": None | np.ndarray() as unit_of, "is_single": bool(is_single),
                **others,
            } if not others:  # fmt: skip
                encoder = None if parts is None else Encoder.from_state(*parts)
            case _:
                raise ValueError("it lacks something, or has something else.")
        if encoder is not None and encoder.n_features != n_features:
            raise ValueError(f"{encoder.n_features} features are encoded, of {n_features}.")
        if unit_of is not None:
            is_valid = unit_of.shape == (n_features,) and unit_of.dtype.kind == "i"
            known = np.unique(unit_of[unit_of != BARRED]) if is_valid else unit_of
            if not is_valid or not len(known) or not np.array_equal(known, np.arange(len(known))):
                raise ValueError("the groups of its features are not numbered from 0.")
        return cls(n_features, encoder, unit_of, is_single)

    def columns(self, table: Array, encoded: Any) -> tuple[Array, Grouping | None]:
        """Return the engine's columns, unit by unit, and which unit each is of.

        `table` has the numbers, `encoded` what is known of them if they were encoded.
        """
        is_as_it_is = self.encoder is None or self.encoder.is_plain
        if is_as_it_is and self.unit_of is None:
            return table, None
        feature_of = np.arange(self.n_features) if encoded is None else encoded.feature_of
        unit_of = feature_of if self.unit_of is None else self.unit_of[feature_of]
        order = np.argsort(unit_of, kind="stable")
        order = order[unit_of[order] != BARRED]
        is_indicator = None
        if encoded is not None:
            is_indicator = torch.from_numpy(encoded.is_indicator[order])
        is_as_it_was = np.array_equal(order, np.arange(table.shape[1]))
        values = table if is_as_it_was else table[:, order]
        return values, Grouping(torch.from_numpy(unit_of[order]), is_indicator)

    def read(self, X: Any, units: Iterable[int]) -> tuple[Array, list[int]]:
        """Return the columns of some units, unit by unit, and how many each has."""
        wanted = list(units)
        features = np.sort(self.features_of(wanted))
        if self.encoder is None:
            values, feature_of = dense(X[:, features]), features
        elif self.is_single:
            values, feature_of = self.encoder.one_column_each(X, features), features
        else:
            encoded = self.encoder.encode(X, features)
            values, feature_of = encoded.values, encoded.feature_of
        unit_of = feature_of if self.unit_of is None else self.unit_of[feature_of]
        place = {unit: number for number, unit in enumerate(wanted)}
        numbers = np.array([place[int(unit)] for unit in unit_of], dtype=np.intp)
        order = np.argsort(numbers, kind="stable")
        counts: list[int] = np.bincount(numbers, minlength=len(wanted)).tolist()
        return values[:, order], counts


def dense(values: Any) -> Array:
    """Return an array of a few columns, also of a sparse table."""
    return values.toarray() if sparse.issparse(values) else np.asarray(values)


def is_mixed(X: Any) -> bool:
    """Say whether a table is a frame that holds more than numbers, or none that sklearn knows."""
    return is_frame(X) and not _has_numbers_only(X)


def _has_numbers_only(frame: Any) -> bool:
    """Say whether scikit-learn, too, sees nothing but numbers in a frame."""
    if hasattr(frame, "iloc"):
        return all(map(_is_number_to_pandas, (frame.iloc[:, i] for i in range(frame.shape[1]))))
    if hasattr(frame, "null_count"):  # polars
        return all(kind.is_numeric() or str(kind) == "Boolean" for kind in frame.dtypes)
    return False  # Arrow's tables are nothing to scikit-learn


def _is_number_to_pandas(column: Any) -> bool:
    kind = getattr(column.dtype, "kind", "O")
    if kind != "O" or str(column.dtype) == "category":
        return kind in "biuf"
    # Objects may be numbers; what else is among them, the check of numbers says.
    return not any(isinstance(value, _NO_NUMBERS) for value in column)


# -- names and numbers of features ----------------------------------------------------------------


def number_features(asked: Any, names: Sequence[str] | None, n_features: int, what: str) -> Indices:
    """Return the numbers of features that are given by their names or numbers."""
    ones = [asked] if isinstance(asked, str | int | np.integer) else list(asked)
    place = {name: number for number, name in enumerate(names or ())}
    found, unknown = [], []
    for one in ones:
        if isinstance(one, str):
            if one in place:
                found.append(place[one])
            else:
                unknown.append(one)
        elif isinstance(one, int | np.integer) and not isinstance(one, bool):
            if not 0 <= one < n_features:
                raise ValueError(
                    f"{what} has the feature number {one}, but X has {n_features}: numbers go from "
                    f"0 to {n_features - 1}."
                )
            found.append(int(one))
        else:
            raise TypeError(
                f"{what} must hold names of features or their numbers, got {one!r}, a "
                f"{type(one).__name__}."
            )
    if unknown:
        if not place:
            raise ValueError(
                f"{what} has names ({listed(unknown)}), but X has none. Give numbers from 0 to "
                f"{n_features - 1}, or X as a table with names."
            )
        raise ValueError(
            f"{what} has names that are not in X: {some_of(map(repr, unknown))}."
            f"{suggestion(unknown[0], tuple(place))}"
        )
    return np.array(list(dict.fromkeys(found)), dtype=np.intp)


def units_of(
    feature_groups: Any, bar: Any, names: Sequence[str] | None, n_features: int
) -> Indices | None:
    """Return the unit of each feature, or None where every feature is one.

    Units are numbered in the order of their first features; those not in any group are their own.
    """
    if feature_groups is None and bar is None:
        return None
    label = np.arange(n_features)
    if feature_groups is not None:
        groups = feature_groups
        if isinstance(groups, Mapping):
            groups = groups.values()
        taken: dict[int, int] = {}
        for number, group in enumerate(groups):
            members = number_features(group, names, n_features, "feature_groups")
            for member in members.tolist():
                if member in taken:
                    which = repr(names[member]) if names is not None else f"number {member}"
                    raise ValueError(
                        f"feature_groups has the feature {which} in two groups. A feature can be "
                        f"in one group only."
                    )
                taken[member] = number
            if len(members):
                label[members] = members.min()
    if bar is not None:
        barred = number_features(bar, names, n_features, "bar")
        label[barred] = BARRED
        if (label == BARRED).all():
            raise ValueError("bar has all features of X. At least one must be left to select.")
    is_barred = label == BARRED
    _, unit = np.unique(label, return_inverse=True)
    return unit.reshape(-1) - (1 if is_barred.any() else 0)


def by_number(selector: Any, names: Sequence[str] | None, n_features: int) -> dict[str, Any]:
    """Return what a selector was told of features, by their numbers; only what it was told."""
    told: dict[str, Any] = {}
    for what in ("keep", "bar"):
        if (asked := getattr(selector, what, None)) is not None:
            told[what] = number_features(asked, names, n_features, what).tolist()
    if (groups := getattr(selector, "feature_groups", None)) is not None:
        ones = groups.values() if isinstance(groups, Mapping) else groups
        told["feature_groups"] = [
            number_features(one, names, n_features, "feature_groups").tolist() for one in ones
        ]
    if (costs := getattr(selector, "costs", None)) is not None:
        told["costs"] = costs_of_features(costs, names, n_features)
    return told


def costs_of_features(
    costs: Any, names: Sequence[str] | None, n_features: int
) -> NDArray[np.float64]:
    """Return what each feature costs, 1 where that is not said."""
    if isinstance(costs, Mapping):
        each = np.ones(n_features)
        keys = list(costs)
        places = number_features(keys, names, n_features, "costs")
        each[places] = [float(costs[key]) for key in keys]
    else:
        each = np.asarray(costs, dtype=np.float64)
        if each.shape != (n_features,):
            raise ValueError(
                f"costs must have one number for each of the {n_features} features of X, got the "
                f"shape {each.shape}. A dict by name may name only some; the others cost 1."
            )
    if not (np.isfinite(each).all() and (each > 0).all()):
        raise ValueError("costs must be finite and above 0.")
    return each


def costs_of_units(
    costs: Any, names: Sequence[str] | None, intake: Intake
) -> NDArray[np.float64] | None:
    """Return what each unit costs: the sum over its features, 1 for those that are not named."""
    if costs is None:
        return None
    each = costs_of_features(costs, names, intake.n_features)
    return np.array([each[members].sum() for members in intake.units])
