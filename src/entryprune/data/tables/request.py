"""What a user asks for, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class TableRequest:
    """A table, and what is what in it.

    Attributes
    ----------
    path : Path
        The file.
    format : str or None
        A key of `FORMATS`; by default what the file's name ends with decides.
    target : str or None
        The column with the labels: a column's name, the name of an array of an .npz or .mat file,
        or a column of an .h5ad file's obs. With `target_file`, a column of that file. A LIBSVM
        file has its labels at a place of their own and needs none.
    target_file : Path or None
        A file with the labels: text (.csv, .tsv, .txt), .npy, Parquet or Feather. With one column
        they are in the order of the samples; with two, the first has the samples' ids.
    drop : tuple of str
        Columns to leave out.
    id_column : str or None
        The column that names the samples.
    transpose : bool
        Whether features are rows: then the first column names them, the header names the samples,
        and the labels are the row named `target` or come from `target_file`.
    array : str or None
        The array of an .npz or .mat file, or the layer of an .h5ad file, that holds the values.
    header : bool or None
        Whether the first line of a text file has the columns' names; None to guess.

    Examples
    --------
    >>> TableRequest(Path("cells.csv"), target="type", drop=("batch",)).target
    'type'
    """

    path: Path
    format: str | None = None
    target: str | None = None
    target_file: Path | None = None
    drop: tuple[str, ...] = ()
    id_column: str | None = None
    transpose: bool = False
    array: str | None = None
    header: bool | None = None


def as_request(request: TableRequest | Path | str) -> TableRequest:
    """Return what is asked for if only a path is given.

    Examples
    --------
    >>> as_request("cells.csv").path.name
    'cells.csv'
    """
    return request if isinstance(request, TableRequest) else TableRequest(Path(request))


@dataclass(frozen=True)
class LeftOut:
    """A column that is no feature, and why.

    Examples
    --------
    >>> LeftOut("town", "text").why
    'text'
    """

    column: str
    why: str


# Arrays have no single answer to "are you equal", so neither has a table.
@dataclass(frozen=True, eq=False)
class UserTable:
    """A table in memory.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The values, of the type that they have in the file where one type can hold them all;
        booleans are 0 and 1. Missing values are NaN, infinite ones stay as they are.
    feature_names : tuple of str
        The names of X's columns, exactly as in the file; those without a name are numbered.
    y : ndarray of shape (n_samples,) or None
        The labels as they are: text, booleans, integers or floating-point numbers.
    target_name : str or None
        Where they come from.
    ids : tuple of str or None
        The samples' names.
    id_name : str or None
        The column that they are from.
    format : str
        A key of `FORMATS`.
    path : Path
        The file.
    left_out : tuple of LeftOut
        Columns that are neither features nor labels nor ids.
    notes : tuple of str
        All that was guessed or converted, one sentence each.
    places : tuple of int
        Which column of the file each feature is, from 1: ids, labels and columns that are left out
        count too.
    label_names : tuple of str
        What besides the table could be named as target: further arrays, columns about the cells.

    Examples
    --------
    >>> import numpy as np
    >>> UserTable(np.eye(2), ("a", "b"), None, None, None, None, "csv", Path("t.csv"))
    UserTable(target_name=None, id_name=None, format='csv', path=...Path('t.csv'), left_out=(),
    notes=())
    """

    X: NDArray[Any] = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    y: NDArray[Any] | None = field(repr=False)
    target_name: str | None
    ids: tuple[str, ...] | None = field(repr=False)
    id_name: str | None
    format: str
    path: Path
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    places: tuple[int, ...] = field(default=(), repr=False)
    label_names: tuple[str, ...] = field(default=(), repr=False)
