"""A bar that shows how far the training of a network is."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)


def epochs(n: int, title: str, verbose: int) -> Iterator[int]:
    """Count epochs from 0 to n - 1, with a bar on the error stream if `verbose` is not 0.

    Parameters
    ----------
    n : int
        Number of epochs.
    title : str
        What stands before the bar.
    verbose : int
        0 for silence.

    Yields
    ------
    epoch : int
        The number of the epoch. The bar vanishes when the last one is done, or when the loop ends
        early.

    Examples
    --------
    >>> list(epochs(3, "Training", verbose=0))
    [0, 1, 2]
    """
    if not verbose:
        yield from range(n)
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        yield from bar.track(range(n), description=title)
