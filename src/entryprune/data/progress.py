"""A bar that shows how far a download is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rich.progress import DownloadColumn

from entryprune._progress import progress_bar

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console


class DownloadBar:
    """A bar on the error stream, in the form that pooch takes: total, update, reset and close.

    It is seen only on a terminal, and vanishes at the end.

    Examples
    --------
    >>> with DownloadBar("train.gz") as bar:
    ...     bar.total = 10
    ...     bar.update(4)
    ...     bar.total, bar.completed
    (10, 4)
    """

    def __init__(self, title: str, console: Console | None = None) -> None:
        self._progress = progress_bar(DownloadColumn(), console=console)
        self._id = self._progress.add_task(title, total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    @property
    def total(self) -> int:
        """Number of bytes; 0 if the server does not say."""
        return int(self._progress.tasks[0].total or 0)

    @total.setter
    def total(self, n_bytes: int) -> None:
        self._progress.update(self._id, total=n_bytes or None)

    @property
    def completed(self) -> int:
        """Number of bytes that are there."""
        return int(self._progress.tasks[0].completed)

    def update(self, n_bytes: int) -> None:
        """Count bytes that have come."""
        self._progress.advance(self._id, n_bytes)

    def reset(self) -> None:
        """Start to count anew."""
        self._progress.reset(self._id)

    def close(self) -> None:
        """Do nothing: the end of the `with` closes the bar, also after an error."""
