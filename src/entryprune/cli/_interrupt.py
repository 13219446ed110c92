"""What Ctrl-C does: end with what is known so far, end at once, or wait a moment."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any, ParamSpec

import typer

P = ParamSpec("P")

# As shells report it.
INTERRUPTED = 130


@contextmanager
def _on_interrupt(handler: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def interrupts_ignored() -> AbstractContextManager[None]:
    """Finish what takes a moment: a file that is being written, a table that is being shown."""
    return _on_interrupt(signal.SIG_IGN)


def ending_on_interrupt() -> AbstractContextManager[None]:
    """Let Ctrl-C end at once, whatever it does outside: for work with nothing to show half way."""
    return _on_interrupt(signal.default_int_handler)


@contextmanager
def stopping_on_interrupt(message: str) -> Iterator[Callable[[object], bool]]:
    """Let the first Ctrl-C ask for an end, and the second end at once.

    Parameters
    ----------
    message : str
        Shown after the first Ctrl-C.

    Yields
    ------
    was_asked : callable
        Takes anything and returns whether an end was asked for: what a selector's `callback` is.
    """
    asked = threading.Event()

    def ask(number: int, frame: object) -> None:
        del number, frame
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        print(f"\n{message}", file=sys.stderr)

    with _on_interrupt(ask):
        yield lambda _: asked.is_set()


def telling_interrupts(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command say that it was interrupted, and return the exit code that shells expect."""

    @wraps(command)
    def interruptible(*arguments: P.args, **options: P.kwargs) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt:
            # A second Ctrl-C must not end the ending.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            print("entryprune: interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None

    return interruptible
