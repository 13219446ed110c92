"""What a user asks for, whether a table has it (columns' names), and what comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune._text import counted, listed, some_of, suggestion
from entryprune.data.dataset import DatasetError

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
        file has its labels at a place of their own and needs none. What is no column's name as it
        is may be several between commas.
    target_file : Path or None
        A file with the labels: text (.csv, .tsv, .txt), .npy, Parquet or Feather. With one column
        they are in the order of the samples; with two, the first has the samples' ids.
    drop : tuple of str
        Columns to leave out. What is no column's name as it is may be several between commas.
    id_column : str or None
        The column that names the samples.
    transpose : bool
        Whether features are rows: then the first column names them, the header names the samples,
        and the labels are the row named `target` or come from `target_file`.
    array : str or None
        The array of an .npz or .mat file, or the layer of an .h5ad file, that holds the values.
    header : bool or None
        Whether the first line of a text file has the columns' names; None to guess.
    mixed : bool
        Whether columns that are no numbers, and gaps, are wanted too: then the table has a `frame`
        if it has any of them.
    decimal : str or None
        What is before the fraction of a number in a text file: "." (the default) or ",".
    encoding : str or None
        The encoding of a text file; by default UTF-8, or UTF-16 if it begins like that.
    beside : tuple of str
        Further columns that are no features, such as weights: they are read as labels are, and stay
        in a reduced table.
    sparse : bool
        Whether a sparse matrix of an .h5ad, MATLAB or LIBSVM file stays sparse. Matrices that are
        not sparse in the file are read as ever.

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
    mixed: bool = False
    decimal: str | None = None
    encoding: str | None = None
    sparse: bool = False
    beside: tuple[str, ...] = ()

    def labels(self, known: Collection[str]) -> tuple[str, ...]:
        """Return the columns that are to be read as labels, given those that there are."""
        return (*self.targets(known), *self.beside)

    def targets(self, known: Collection[str]) -> tuple[str, ...]:
        """Return the columns to predict, given those that there are."""
        if self.target is None or self.target_file is not None:
            return () if self.target is None else (self.target,)
        return tuple(several((self.target,), known))

    def others(self, known: Collection[str]) -> tuple[str | None, ...]:
        """Return the columns that a reduced table keeps besides the features."""
        return (*self.labels(known), self.id_column)


def as_request(request: TableRequest | Path | str) -> TableRequest:
    """Return what is asked for if only a path is given."""
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
    X : ndarray or csr_array of shape (n_samples, n_features), or None
        The values, of the type that they have in the file where one type can hold them all;
        booleans are 0 and 1. Missing values are NaN, infinite ones stay as they are. With
        `TableRequest.sparse` a sparse matrix with sorted indices. None where there is a `frame`.
    feature_names : tuple of str
        The names of the features, exactly as in the file; those without a name are numbered.
    y : ndarray of shape (n_samples,) or None
        The labels as they are: text, booleans, integers or floating-point numbers.
    target_name : str or None
        Where they come from.
    targets : tuple of str
        The columns to predict; where they are several, `y` is the first.
    beside : dict of str to ndarray
        The values of the other targets, and of what `TableRequest.beside` asked for.
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
    frame : pyarrow.Table or None
        With `TableRequest.mixed`, the features of a table that is not all numbers or has gaps, in
        the order of the file: float64 and int64, bool, date32, timestamps, and text as
        dictionaries of strings whose words are those of the samples. All gaps are nulls.

    Examples
    --------
    >>> import numpy as np
    >>> UserTable(np.eye(2), ("a", "b"), None, None, None, None, "csv", Path("t.csv"))
    UserTable(target_name=None, id_name=None, format='csv', path=...Path('t.csv'), left_out=(),
    notes=())
    """

    # Not its exact type: who asked for numbers need not look whether it is there.
    X: Any = field(repr=False)
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
    frame: Any = field(default=None, repr=False)
    targets: tuple[str, ...] = field(default=(), repr=False)
    beside: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    @property
    def features(self) -> Any:
        """What a selector is fitted on: the frame where there is one, else X."""
        return self.X if self.frame is None else self.frame

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return int(self.features.shape[0])


# -- columns' names -------------------------------------------------------------------------------

# What a feature is in the file.
COLUMN, ROW = "column", "row"
# To look for the nearest of more names would take longer than anybody waits.
_MOST_COMPARED = 100_000
# Names and labels are shown, sorted and saved; longer ones are texts, or damage.
LONGEST_TEXT = 10_000


def line_of_features(request: TableRequest) -> str:
    """Return what features are in the file: columns, or rows."""
    return ROW if request.transpose else COLUMN


def unknown_column(
    path: Path, name: str, known: Sequence[str], what: str, line: str = COLUMN
) -> DatasetError:
    """Return the error for a column, or with features as rows a row, that is not there."""
    near = suggestion(name, known[:_MOST_COMPARED])
    return DatasetError(
        f"{path} has no {line} {name!r} for {what}.{near} It has {counted(len(known), line)}: "
        f"{listed(known, 10)}."
    )


def filled(names: Sequence[str], notes: list[str], line: str = COLUMN) -> tuple[str, ...]:
    """Give columns, or rows, that have no name a number, and note it."""
    taken = {name for name in names if name}
    result, new = [], []
    for number, name in enumerate(names, 1):
        chosen = name
        if not name:
            chosen = f"{line}_{number}"
            while chosen in taken:
                chosen += "_"
            taken.add(chosen)
            new.append(chosen)
        result.append(chosen)
    if len(new) == 1:
        notes.append(f"1 {line} has no name and is called {new[0]!r}.")
    elif new:
        notes.append(f"{len(new):,} {line}s have no name and are called {listed(new)}.")
    return tuple(result)


def named(
    path: Path,
    given: Sequence[str],
    notes: list[str],
    target: str | None,
    hint: str = "",
    *,
    line: str = COLUMN,
) -> tuple[str, ...]:
    """Return a table's names: those without are numbered, and each is there once."""
    names = filled(given, notes, line)
    for number, name in enumerate(names, 1):
        if len(name) > LONGEST_TEXT:
            raise DatasetError(
                f"{path}: the name of {line} {number:,} has {len(name):,} letters "
                f"({name[:20]!r}...); at most {LONGEST_TEXT:,} are allowed. Shorten it; if it is "
                f"no name, check what separates the values."
            )
    check_unique(path, names, target, hint, line)
    return names


def numbered(n: int) -> tuple[str, ...]:
    """Return names for columns that have none."""
    return tuple(f"column_{number}" for number in range(1, n + 1))


def check_unique(
    path: Path, names: Sequence[str], target: str | None, hint: str = "", line: str = COLUMN
) -> None:
    """Refuse names that more than one column, or row, has."""
    if len(set(names)) == len(names):
        return
    twice = {name: n for name, n in Counter(names).items() if n > 1}
    if target in twice:
        places = [str(number) for number, name in enumerate(names, 1) if name == target]
        raise DatasetError(
            f"{path} has {len(places)} {line}s named {target!r}, the target: {line}s "
            f"{', '.join(places)}. Rename all but one of them.{hint}"
        )
    shown = some_of(f"{name!r} ({n} times)" for name, n in twice.items())
    raise DatasetError(
        f"{path} has {line}s of the same name: {shown}. Rename them so that each name is there "
        f"once.{hint}"
    )


def kept_columns(
    path: Path, known: Sequence[str], names: Iterable[str], others: Iterable[str | None]
) -> list[int]:
    """Return which columns a reduced table has, in their new order.

    Of `names` all must be there, and they follow each other as they are named, at the places of
    those that the file has of them; `others` are kept where they are, if they are there.
    """
    places: dict[str, list[int]] = {}
    for number, name in enumerate(known):
        places.setdefault(name, []).append(number)
    for name in names:
        if name not in places:
            raise unknown_column(path, name, known, "the reduced table")
    chosen = dict.fromkeys(names)
    # What has no values may have a name twice, or that of a feature.
    as_named = (number for name in chosen for number in places[name])
    kept = {other for other in others if other is not None} - chosen.keys()
    return [
        next(as_named) if name in chosen else number
        for number, name in enumerate(known)
        if name in chosen or name in kept
    ]


def check_asked(
    request: TableRequest,
    names: Sequence[str],
    labels: Sequence[str] = (),
    others: Sequence[str] = (),
    *,
    has_ids: bool = False,
) -> None:
    """Refuse a request for columns that a table does not have.

    Besides columns (`names`) there may be `labels` that are none, and `others` that have been left
    out already, so may be asked to be. If the samples have names that are no column (`has_ids`),
    the ids asked for may be those of the file of labels.
    """
    ids, target = request.id_column, request.target
    if ids is not None and not (has_ids and request.target_file is not None):
        _check_there(request, ids, (*names, *labels), "the ids")
    there = (*labels, *names)
    if target is not None and request.target_file is None:
        found = request.targets(there)
        for name in found if set(found) & set(there) else (target,):
            _check_there(request, name, there, "the target")
    for name in request.beside:
        _check_there(request, name, there, "the weights, groups, times or events")
    known = (*names, *labels, *others)
    for name in several(request.drop, known):
        _check_there(request, name, known, "what is to be left out")


def several(texts: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the columns that are meant: a text is one if it is a name, else several with commas.

    The rule is here because only who knows the names can tell.
    """
    names: list[str] = []
    there = set(known)
    for text in texts:
        parts = [part.strip() for part in text.split(",") if part.strip()]
        names += [text] if text in there or not parts else parts
    return names


def _check_there(request: TableRequest, name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        raise unknown_column(request.path, name, known, what, line_of_features(request))
