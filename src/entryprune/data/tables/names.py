"""Columns' names: what is asked for is there, and each is there once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from entryprune._text import counted, listed, some_of, suggestion
from entryprune.data.errors import DatasetError
from entryprune.data.tables.request import TableRequest

# To look for the nearest of more names would take longer than anybody waits.
_MOST_COMPARED = 100_000
# Names and labels are shown, sorted and saved; longer ones are texts, or damage.
LONGEST_TEXT = 10_000


def unknown_column(path: Path, name: str, known: Sequence[str], what: str) -> DatasetError:
    """Return the error for a column that is not there."""
    near = suggestion(name, known[:_MOST_COMPARED])
    return DatasetError(
        f"{path} has no column {name!r} for {what}.{near} It has {counted(len(known), 'column')}: "
        f"{listed(known, 10)}."
    )


def filled(names: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """Give columns that have no name a number, and note it.

    Examples
    --------
    >>> notes = []
    >>> filled(["a", "", "c"], notes), notes
    (('a', 'column_2', 'c'), ["1 column has no name and is called 'column_2'."])
    """
    taken = {name for name in names if name}
    result, new = [], []
    for number, name in enumerate(names, 1):
        chosen = name
        if not name:
            chosen = f"column_{number}"
            while chosen in taken:
                chosen += "_"
            taken.add(chosen)
            new.append(chosen)
        result.append(chosen)
    if len(new) == 1:
        notes.append(f"1 column has no name and is called {new[0]!r}.")
    elif new:
        notes.append(f"{len(new):,} columns have no name and are called {listed(new)}.")
    return tuple(result)


def named(
    path: Path, given: Sequence[str], notes: list[str], target: str | None, hint: str = ""
) -> tuple[str, ...]:
    """Return a table's names: those without are numbered, and each is there once."""
    names = filled(given, notes)
    for number, name in enumerate(names, 1):
        if len(name) > LONGEST_TEXT:
            raise DatasetError(
                f"{path}: the name of column {number:,} has {len(name):,} letters "
                f"({name[:20]!r}...); at most {LONGEST_TEXT:,} are allowed. Shorten it; if it is "
                f"no name, check what separates the values."
            )
    check_unique(path, names, target, hint)
    return names


def numbered(n: int) -> tuple[str, ...]:
    """Return names for columns that have none.

    Examples
    --------
    >>> numbered(2)
    ('column_1', 'column_2')
    """
    return tuple(f"column_{number}" for number in range(1, n + 1))


def check_unique(path: Path, names: Sequence[str], target: str | None, hint: str = "") -> None:
    """Refuse names that more than one column has.

    Examples
    --------
    >>> check_unique(Path("t.csv"), ["a", "b", "a"], None)
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: t.csv has columns of the same name: 'a' (2 times). Rename
    them so that each name is there once.
    """
    if len(set(names)) == len(names):
        return
    twice = {name: n for name, n in Counter(names).items() if n > 1}
    if target in twice:
        places = [str(number) for number, name in enumerate(names, 1) if name == target]
        raise DatasetError(
            f"{path} has {len(places)} columns named {target!r}, the target: columns "
            f"{', '.join(places)}. Rename all but one of them.{hint}"
        )
    shown = some_of(f"{name!r} ({n} times)" for name, n in twice.items())
    raise DatasetError(
        f"{path} has columns of the same name: {shown}. Rename them so that each name is there "
        f"once.{hint}"
    )


def kept_columns(
    path: Path, known: Sequence[str], names: Iterable[str], others: Iterable[str | None]
) -> list[int]:
    """Return which columns a reduced table has, in the order of the original.

    Of `names` all must be there; `others` are kept if they are.

    Examples
    --------
    >>> kept_columns(Path("t.csv"), ["id", "a", "b", "y"], ["b", "a"], ["y", None, "batch"])
    [1, 2, 3]
    """
    there = set(known)
    for name in names:
        if name not in there:
            raise unknown_column(path, name, known, "the reduced table")
    wanted = {*names, *(other for other in others if other is not None)}
    return [number for number, name in enumerate(known) if name in wanted]


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
    if target is not None and request.target_file is None:
        _check_there(request, target, (*labels, *names), "the target")
    for name in request.drop:
        _check_there(request, name, (*names, *labels, *others), "what is to be left out")


def _check_there(request: TableRequest, name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        raise unknown_column(request.path, name, known, what)
