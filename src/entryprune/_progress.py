"""Bars that show how far long work is."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def progress_bar(
    *columns: ProgressColumn, console: Console | None = None, is_kept: bool = False
) -> Progress:
    """Return a bar on the error stream that is seen only on a terminal.

    Parameters
    ----------
    *columns : rich.progress.ProgressColumn
        What stands behind the bar; by default how many of all are done.
    console : rich.console.Console, optional
        Where to show it.
    is_kept : bool, default=False
        Whether it stays at the end, with the time that it took, or vanishes.
    """
    console = console or Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *(columns or (MofNCompleteColumn(),)),
        *((TimeElapsedColumn(),) if is_kept else ()),
        TimeRemainingColumn(),
        console=console,
        transient=not is_kept,
        disable=not console.is_terminal,
    )


def epochs(n: int, title: str, verbose: int) -> Iterator[int]:
    """Count epochs from 0 to n - 1, with a bar if `verbose` is not 0.

    Examples
    --------
    >>> list(epochs(3, "Training", verbose=0))
    [0, 1, 2]
    """
    if not verbose:
        yield from range(n)
        return
    with progress_bar() as bar:
        yield from bar.track(range(n), description=title)
