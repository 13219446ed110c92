"""Bars that show how far long work is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

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

    Behind it stand `columns`, by default how many of all are done. At the end it vanishes, or stays
    (`is_kept`) with the time that it took.
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


class Display:
    """What is seen on a bar from the beginning of a `with` to its end."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def epochs(n: int, title: str, verbose: int) -> Iterator[int]:
    """Count epochs from 0 to n - 1, with a bar if `verbose` is not 0."""
    if not verbose:
        yield from range(n)
        return
    with progress_bar() as bar:
        yield from bar.track(range(n), description=title)
