"""A mixed table as numbers: what each column becomes is learned once, and then stays."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entryprune._text import counted, listed, some_of, suggestion
from entryprune.encoding.kinds import NUMBER, Categories, Date, Reading, Rule, YesNo
from entryprune.encoding.learning import learned
from entryprune.encoding.table import Numbers, Table, refuse_gaps

if TYPE_CHECKING:
    from entryprune.encoding.state import State

Array = NDArray[Any]


class UnseenLevelsWarning(UserWarning):
    """A table has levels that the fit has not seen, and that have no column."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table as numbers.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_columns)
        The numbers: float64, or float32 if that holds all of them as they are. Where every feature
        is a column as it is, the caller's own values in their own type.
    feature_of : ndarray of shape (n_columns,)
        The feature that each column belongs to, ascending.
    is_indicator : ndarray of shape (n_columns,)
        Whether a column is 0 or 1: of a level, or of where a value is missing.
    names : tuple of str
        What each column is, such as "income", "income is missing", "colour = red" or
        "opened: weekday".
    """

    values: Array
    feature_of: NDArray[np.intp]
    is_indicator: NDArray[np.bool_]
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Encoder:
    """What a table's features become as numbers, learned from one table for all others.

    Made by `Encoder.fit`, or by `Encoder.from_state` from what `to_state` returned.

    Numbers stay as they are (true and false are 1 and 0, durations are in days, times of day in
    hours). Text and categories with two levels are one column of 0 and 1; the level that comes
    second in alphabetical order is 1. Those with other numbers of levels have one column of 0 and 1
    for each, the most frequent first. Categories that are ordered keep their order instead. Dates
    are the days since the earliest date of the fit, the year, the month (from 1), the weekday (from
    0, a Monday) and the hour, without those that are the same in all of them.

    Gaps are filled with what the fit has: the median of numbers and dates, the more frequent of two
    levels. Among more levels a gap is one of its own if there were any in the fit, and else the
    most frequent. Of the other kinds, a feature with gaps in the fit has one more column, which
    says where they are.

    Attributes
    ----------
    n_features : int
        How many features there are.
    names : tuple of str or None
        Their names; None if the fit had a table without.
    missing : {"error", "impute"}
        What becomes of gaps.
    max_levels : int
        The most levels of one feature.
    dtype : numpy.dtype
        The type of encoded values.
    rules : mapping of int to Rule
        What the features become that are not numbers already.
    fills : ndarray of shape (n_features,)
        What is filled in for numbers, NaN for other features; empty if nothing is.
    is_flagged : ndarray of shape (n_features,)
        Which features have a column that says where they are missing.
    notes : tuple of str
        Sentences for people on what was found and done.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from entryprune.encoding import Encoder
    >>> table = pa.table({"age": [41, None, 29], "colour": ["red", "blue", "green"]})
    >>> encoder = Encoder.fit(table, missing="impute")
    >>> encoder.kinds
    ('number', 'categories')
    >>> encoded = encoder.encode(table)
    >>> encoded.names
    ('age', 'age is missing', 'colour = blue', 'colour = green', 'colour = red')
    >>> encoded.values
    array([[41.,  0.,  0.,  0.,  1.],
           [35.,  1.,  1.,  0.,  0.],
           [29.,  0.,  0.,  1.,  0.]])
    >>> print(*encoder.notes)
    Gaps were filled in 1 column, with a column more that says where: 'age' (1 gap: the median, 35).
    """

    n_features: int
    names: tuple[str, ...] | None
    missing: str
    max_levels: int
    dtype: np.dtype[Any]
    rules: Mapping[int, Rule]
    fills: NDArray[np.float64]
    is_flagged: NDArray[np.bool_]
    notes: tuple[str, ...]

    @classmethod
    def fit(cls, X: Any, *, missing: str = "error", max_levels: int = 20) -> Encoder:
        """Learn from a table what its features become.

        Of more than `max_levels` levels the most frequent are kept (of those that are equally
        frequent, the first by name), and all the rest become one, "other".
        """
        return cls(**learned(X, missing, max_levels))

    # -- what was learned ------------------------------------------------------------------------

    @property
    def is_plain(self) -> bool:
        """Whether every feature is one column, as it is."""
        return not self.rules and not self.is_flagged.any()

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The name of each feature; "x0", "x1" and so on if they have none."""
        return self.names or tuple(f"x{feature}" for feature in range(self.n_features))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """What each feature is: "number", "yes/no", "categories" or "date"."""
        found = [NUMBER] * self.n_features
        for feature, rule in self.rules.items():
            found[feature] = rule.kind
        return tuple(found)

    def levels(self, feature: int) -> tuple[str, ...]:
        """Return the levels of a feature.

        Of categories in the order of their columns and codes, "other" and "missing" behind the
        rest; of two levels first the one that is 0. Nothing for other kinds.
        """
        rule = self.rules.get(feature)
        if isinstance(rule, Categories):
            return rule.all_levels
        return rule.levels if isinstance(rule, YesNo) else ()

    def earliest(self, feature: int) -> str:
        """Return the earliest date of a feature, as text; nothing for other kinds."""
        rule = self.rules.get(feature)
        return rule.earliest_shown if isinstance(rule, Date) else ""

    # -- encoding --------------------------------------------------------------------------------

    def encode(self, X: Any, features: ArrayLike | None = None) -> Encoded:
        """Return a table as numbers.

        If both tables have names, columns are found by them, in any order and among any others;
        else by their place. Of a table with names, only the columns of `features` (ascending) are
        needed. Levels that the fit has not seen count as "other" if the feature has that, else they
        are 0 in all its columns, with a warning.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from entryprune.encoding import Encoder
        >>> table = pa.table({"age": [41, 29, 35], "colour": ["red", "blue", "green"]})
        >>> encoder = Encoder.fit(table)
        >>> encoder.encode(pa.table({"colour": ["red"], "id": [7]}), features=[1]).values
        array([[0., 0., 1.]])
        """
        chosen = self._chosen(features)
        numbers, readings = self._read(X, chosen)
        if not readings and not numbers.n_gaps.any() and not self.is_flagged[chosen].any():
            return Encoded(numbers.values, *self._columns(chosen))
        widths = self.widths[chosen]
        ends = np.cumsum(widths)
        values = np.zeros((numbers.n_samples, int(widths.sum())), self.dtype, order="F")
        spans = zip(chosen.tolist(), (ends - widths).tolist(), ends.tolist(), strict=True)
        outs = {feature: values[:, start:end] for feature, start, end in spans}
        for feature, column, is_gap in numbers.filled(self.fills):
            outs[feature][:, 0] = column
            if is_gap is not None and self.is_flagged[feature]:
                outs[feature][:, -1] = is_gap
        for feature, reading in readings.items():
            self.rules[feature].write(reading, outs[feature])
            if self.is_flagged[feature]:
                outs[feature][:, -1] = reading.is_gap
        return Encoded(values, *self._columns(chosen))

    def one_column_each(
        self, X: Any, features: ArrayLike | None = None, *, shows_gaps: bool = False
    ) -> Array:
        """Return a table with one number for each feature, for methods that know nothing else.

        Levels are their numbers in `levels` (the most frequent is 0, unseen ones are behind all
        others), dates are days. `features` are as for `encode`; gaps are filled or, if they are to
        be shown, NaN.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from entryprune.encoding import Encoder
        >>> table = pa.table({"age": [41, 29, 35, 30], "colour": ["red", "blue", "green", "red"]})
        >>> Encoder.fit(table).one_column_each(table)
        array([[41.,  0.],
               [29.,  1.],
               [35.,  2.],
               [30.,  0.]])
        """
        chosen = self._chosen(features)
        numbers, readings = self._read(X, chosen)
        if not readings and (shows_gaps or not numbers.n_gaps.any()):
            return numbers.values
        values = np.empty((numbers.n_samples, len(chosen)), self.dtype, order="F")
        outs = {feature: values[:, place] for place, feature in enumerate(chosen.tolist())}
        for feature, column, is_gap in numbers.filled(self.fills):
            outs[feature][...] = column
            if shows_gaps and is_gap is not None:
                outs[feature][is_gap] = np.nan
        for feature, reading in readings.items():
            outs[feature][...] = self.rules[feature].one_column(reading)
            if shows_gaps:
                outs[feature][reading.is_gap] = np.nan
        return values

    def _chosen(self, features: ArrayLike | None) -> NDArray[np.intp]:
        if features is None:
            return np.arange(self.n_features)
        chosen = np.asarray(features)
        is_valid = chosen.ndim == 1 and (chosen.dtype.kind in "iu" or not len(chosen))
        if not is_valid or (chosen[1:] <= chosen[:-1]).any():
            raise ValueError(f"features must be ascending whole numbers, got {features!r}.")
        if len(chosen) and not 0 <= chosen[0] <= chosen[-1] < self.n_features:
            raise ValueError(
                f"features must be numbers from 0 to {self.n_features - 1}, got {features!r}."
            )
        return chosen.astype(np.intp)

    def _read(self, X: Any, chosen: NDArray[np.intp]) -> tuple[Numbers, dict[int, Reading]]:
        """Return the values of features that are numbers, and what the others have."""
        table = Table.of(X)
        if self.is_plain and len(chosen) == self.n_features and table.names == self.names:
            # The usual case, for which nothing need be done feature by feature.
            self._check_width(table)
            block = table.block()
            if block is not None:
                numbers = Numbers.of(range(self.n_features), block)
                self._check_values(numbers, {})
                return numbers, {}
        places = self._places(table, chosen)
        plain = [feature for feature in places if feature not in self.rules]
        numbers = Numbers.of(plain, table.numbers([places[feature] for feature in plain]))
        others = [feature for feature in places if feature in self.rules]
        columns = table.columns([places[feature] for feature in others]) if others else []
        readings = {
            feature: self.rules[feature].read(column, self.feature_names[feature])
            for feature, column in zip(others, columns, strict=True)
        }
        self._check_values(numbers, readings)
        self._warn_of_unseen(readings)
        return numbers, readings

    def _check_values(self, numbers: Numbers, readings: Mapping[int, Reading]) -> None:
        """Refuse infinite values, and missing ones if they are not filled in."""
        numbers.refuse_infinite(self._name)
        if self.missing == "error":
            n_gaps = np.zeros(self.n_features, np.int64)
            n_gaps[numbers.features] = numbers.n_gaps
            for feature, reading in readings.items():
                n_gaps[feature] = np.count_nonzero(reading.is_gap)
            refuse_gaps(n_gaps, self._name)

    def _name(self, feature: int) -> str:
        return self.feature_names[feature]

    def _check_width(self, table: Table) -> None:
        if table.shape[1] != self.n_features:
            raise ValueError(
                f"X has {table.shape[1]} features, but Encoder is expecting {self.n_features} "
                f"features as input."
            )

    def _places(self, table: Table, chosen: NDArray[np.intp]) -> dict[int, int]:
        """Return where in a table the chosen features are."""
        if self.names is None or table.names is None:
            self._check_width(table)
            return {feature: feature for feature in chosen.tolist()}
        if table.names == self.names:
            return {feature: feature for feature in chosen.tolist()}
        place_of = {name: place for place, name in enumerate(table.names)}
        needed = {feature: self.names[feature] for feature in chosen.tolist()}
        absent = [name for name in needed.values() if name not in place_of]
        if absent:
            raise ValueError(
                f"X lacks {counted(len(absent), 'column')} of the fit: {listed(absent)}."
                f"{suggestion(absent[0], place_of)}"
            )
        return {feature: place_of[name] for feature, name in needed.items()}

    def _warn_of_unseen(self, readings: Mapping[int, Reading]) -> None:
        unseen = {feature: reading.n_unseen for feature, reading in readings.items()}
        shown = [f"{self.feature_names[f]!r} ({n:,})" for f, n in unseen.items() if n]
        if shown:
            warnings.warn(
                f"X has levels that the fit has not seen, in {counted(len(shown), 'column')} "
                f"(number of samples in brackets): {some_of(shown)}. They count as none of the "
                f"known ones, and where there are two only, as the more frequent.",
                UnseenLevelsWarning,
                stacklevel=4,
            )

    @cached_property
    def widths(self) -> NDArray[np.intp]:
        """How many columns each feature becomes."""
        widths = 1 + self.is_flagged.astype(np.intp)
        for feature, rule in self.rules.items():
            widths[feature] += len(rule.suffixes) - 1
        return widths

    def _columns(
        self, chosen: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_], tuple[str, ...]]:
        """Return of which features the columns are, which are indicators, and their names."""
        widths = self.widths[chosen]
        feature_of = np.repeat(chosen, widths)
        if len(chosen) == self.n_features:
            return feature_of, self._all_columns[0].copy(), self._all_columns[1]
        is_chosen = np.zeros(self.n_features, np.bool_)
        is_chosen[chosen] = True
        kept = np.flatnonzero(np.repeat(is_chosen, self.widths))
        is_indicator, names = self._all_columns
        return feature_of, is_indicator[kept], tuple(names[column] for column in kept)

    @cached_property
    def _all_columns(self) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
        """Which columns are indicators, and what all are called."""
        if self.is_plain:
            return np.zeros(self.n_features, np.bool_), self.feature_names
        is_indicator: list[bool] = []
        names: list[str] = []
        for feature, name in enumerate(self.feature_names):
            rule = self.rules.get(feature)
            suffixes = ("",) if rule is None else rule.suffixes
            is_indicator += [rule is not None and rule.is_indicator] * len(suffixes)
            names += [name + suffix for suffix in suffixes]
            if self.is_flagged[feature]:
                is_indicator.append(True)
                names.append(f"{name} is missing")
        return np.array(is_indicator), tuple(names)

    # -- saving ----------------------------------------------------------------------------------

    def to_state(self) -> State:
        """Return everything that was learned, in a form that a file can hold."""
        from entryprune.encoding.state import to_state

        return to_state(self)

    @classmethod
    def from_state(cls, description: Any, arrays: Any) -> Encoder:
        """Return an encoder from its state.

        The description may have come by way of a file that anyone may have written.
        """
        from entryprune.encoding.state import from_state

        return cls(**from_state(description, arrays))
