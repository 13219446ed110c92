"""What a file holds, before it is decided which of it are features, labels and ids."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entryprune.data.dataset import DatasetError
from entryprune.data.tables.request import LeftOut

Array = NDArray[Any]
# So many letters may be wasted on empty places.
_FEW_LETTERS, _LONG = 2**20, 1000


@dataclass(frozen=True, eq=False)
class Labels:
    """One value a sample."""

    values: Array  # text, booleans or numbers. What stands where one is missing means nothing
    is_missing: NDArray[np.bool_]  # where one is missing


@dataclass(frozen=True, eq=False)
class Numbers:
    """The columns that are features: numbers, or of all types."""

    X: Any  # the values of numbers
    names: tuple[str, ...]  # their names
    left_out: tuple[LeftOut, ...] = ()  # the others
    notes: tuple[str, ...] = ()  # what was converted
    frame: Any = None  # the values where not all are numbers, or where there are gaps


@dataclass(frozen=True, eq=False)
class Table(ABC):
    """A file's columns, and what it has besides."""

    path: Path
    # The columns, each of which may turn out to be a feature, the labels or ids.
    names: tuple[str, ...]
    n_rows: int  # the number of samples
    # Labels that are not columns: other arrays of the file, or rows of text where features are
    # rows. Only those that were asked for need be here.
    labels: Mapping[str, Labels] = field(default_factory=dict)
    label_names: tuple[str, ...] = ()  # what labels there are that are not columns
    own_labels: str | None = None  # those that the format itself calls the labels
    ids: tuple[str, ...] | None = None  # the samples' names, where they are not a column
    id_name: str | None = None  # what they are called
    # The column that numbers or names the samples, as far as the file itself says so.
    index: int | None = None
    left_out: tuple[LeftOut, ...] = ()  # what is not among the columns, and why
    notes: tuple[str, ...] = ()  # what was guessed

    @abstractmethod
    def column(self, number: int) -> Labels:
        """Return a column as labels."""

    @abstractmethod
    def text(self, number: int) -> tuple[str, ...]:
        """Return a column as ids."""

    @abstractmethod
    def numbers(self, columns: Sequence[int]) -> Numbers:
        """Return those of the columns that are numbers."""

    @abstractmethod
    def mixed(self, columns: Sequence[int]) -> Numbers:
        """Return all of the columns that can be features, as numbers if that is what they are."""


@dataclass(frozen=True, eq=False)
class MatrixTable(Table):
    """Columns of one type."""

    # Their values, all numbers: an array, or a sparse matrix by rows.
    matrix: Any = field(default_factory=lambda: np.empty((0, 0)))

    def column(self, number: int) -> Labels:
        """Return a column as labels."""
        return array_labels(self._values(number))

    def text(self, number: int) -> tuple[str, ...]:
        """Return a column as ids."""
        return tuple(str(value) for value in self._values(number))

    def _values(self, number: int) -> Array:
        some = self.matrix[:, [number]] if is_sparse(self.matrix) else self.matrix[:, number]
        return np.asarray(some.toarray() if is_sparse(some) else some).ravel()

    def numbers(self, columns: Sequence[int]) -> Numbers:
        """Return the columns, but for those without any value."""
        X, notes = native(self.matrix), []
        if self.matrix.dtype.kind == "b":
            notes.append("True and false became 1 and 0.")
        elif X.dtype.itemsize != self.matrix.dtype.itemsize:
            notes.append(f"The values were converted from {self.matrix.dtype} to {X.dtype}.")
        empty = set(columns_without_values(X))
        kept = [number for number in columns if number not in empty]
        if len(kept) < X.shape[1]:
            X = X[:, kept]
        return Numbers(
            X,
            tuple(self.names[number] for number in kept),
            tuple(LeftOut(self.names[n], "all values missing") for n in columns if n in empty),
            tuple(notes),
        )

    def mixed(self, columns: Sequence[int]) -> Numbers:
        """Return the columns, with gaps if there are any."""
        found = self.numbers(columns)
        if is_sparse(found.X) or found.X.dtype.kind != "f" or not np.isnan(found.X).any():
            return found
        # Only now: it imports pyarrow, for which numbers need not wait.
        from entryprune.data.tables.arrow_columns import matrix_frame

        return matrix_frame(found)


def is_sparse(matrix: Any) -> bool:
    """Tell a sparse matrix from an array."""
    return hasattr(matrix, "tocsr")


def native(values: Any) -> Any:
    """Return numbers in a type that all that follows knows, unchanged if they are in one."""
    if values.dtype.kind == "b" and is_sparse(values):
        return values.astype(np.uint8)
    if values.dtype.kind == "b":
        return values.view(np.uint8)
    if values.dtype.kind == "f" and values.dtype.itemsize == 2:
        return values.astype(np.float32)
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        return values.astype(np.float64)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def columns_without_values(X: Any) -> list[int]:
    """Return the columns in which all is NaN."""
    if X.dtype.kind != "f" or not X.shape[0]:
        return []
    if is_sparse(X):
        counts = np.bincount(X.indices[np.isnan(X.data)], minlength=X.shape[1])
        return [int(n) for n in np.flatnonzero(counts == X.shape[0])]
    # Few columns begin with NaN, so the rest is hardly ever looked at.
    return [int(n) for n in np.flatnonzero(np.isnan(X[0])) if np.isnan(X[:, n]).all()]


def text_array(texts: Iterable[str]) -> Array:
    """Return texts as an array in which one long text does not make all places as wide."""
    texts = list(texts)
    longest, total = max(map(len, texts), default=0), sum(map(len, texts))
    n_letters = len(texts) * longest
    # Of long texts, many may be one and the same.
    if n_letters <= _FEW_LETTERS or (n_letters <= 4 * total and longest <= _LONG):
        return np.array(texts, dtype=str)
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def decoded_bytes(values: Array, where: str) -> Array:
    """Return bytes as text, or say that they are not UTF-8."""
    try:
        return np.char.decode(values, "utf-8")
    except UnicodeDecodeError as error:
        raise DatasetError(
            f"{where} has text that is not in the encoding UTF-8 ({error.object[:20]!r}). If it is "
            f"in Latin-1, convert it before it is saved: numpy.char.decode(array, 'latin-1')."
        ) from error


def check_letters(values: Array, where: str) -> None:
    """Refuse numbers that stand for no letter: Python cannot make text of them."""
    codes = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("=")).ravel()
    numbers = codes.view(np.uint32)
    if ((numbers > 0x10FFFF) | ((numbers >= 0xD800) & (numbers < 0xE000))).any():
        raise DatasetError(f"{where} has text with letters that there are not. Save it again.")


def array_labels(values: Array, where: str = "a column") -> Labels:
    """Return an array as labels: NaN and empty text are missing."""
    if values.dtype.kind == "S":
        values = decoded_bytes(values, where)
    if values.dtype.kind == "f":
        return Labels(values, np.isnan(values))
    if values.dtype.kind in "UO":
        return Labels(values, values == "")
    return Labels(values, np.zeros(len(values), dtype=bool))
