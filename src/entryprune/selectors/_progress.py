"""One live line that shows how far a fit is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from types import TracebackType

    from entryprune.engine import Record


class ProgressLine:
    """A line on the error stream, updated after every rotation, seat or exchange."""

    def __init__(self, n_selected: int, console: Console | None = None) -> None:
        self._n_selected = n_selected
        self._start = time.monotonic()
        self._live = Live(
            Text("starting"),
            console=console or Console(stderr=True),
            refresh_per_second=8,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()
        if not self._live.console.is_terminal:
            self._live.console.line()  # in a file rich leaves the last line open

    def show(self, record: Record) -> None:
        """Show a step."""
        elapsed = time.monotonic() - self._start
        line = f"{describe(record, self._n_selected)} | {elapsed:.0f} s"
        self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))


def describe(record: Record, n_selected: int) -> str:
    """Put a step into one line."""
    if record.phase == "growth":
        return f"growth: {record.input_size} of {n_selected} selected | {_loss(record)}"
    if record.phase in ("pairs", "exchange"):
        return f"{record.phase}: {record.n_changed} of {n_selected} changed | {_loss(record)}"
    used = "patience" if record.phase == "search" else "done"
    parts = [
        f"{record.phase}: rotation {record.rotation}",
        _loss(record),
        f"{record.n_changed} of {n_selected} changed",
        f"{used} {record.share_used:.0%}".replace("%", " %"),
    ]
    return " | ".join(parts)


def _loss(record: Record) -> str:
    if record.phase in ("growth", "pairs", "exchange"):
        return f"loss {record.training_loss:.4f}"
    if record.validation_loss == record.validation_loss:
        return f"validation loss {record.validation_loss:.4f}"
    return f"training loss {record.training_loss:.4f}"
