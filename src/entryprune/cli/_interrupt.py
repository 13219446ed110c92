"""Ctrl-C that ends a fit with what is known so far."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda _: asked.is_set()
    finally:
        signal.signal(signal.SIGINT, before)
