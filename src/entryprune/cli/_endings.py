"""How a command ends: with an error in one line, or by Ctrl-C, at once or with what is known."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any, NoReturn, ParamSpec

import typer

from entryprune._text import one_line, printable

P = ParamSpec("P")

# The exit code for what the user can mend, and the one that shells report for Ctrl-C.
BAD_INPUT, INTERRUPTED = 2, 130
# What torch says where others raise a MemoryError.
_TORCH_OUT_OF_MEMORY = "can't allocate memory"


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors that the user can mend into a line on the error stream and exit code 2."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        # All of ours are ValueErrors, and say what was got, what is allowed and what to do.
        _end(one_line(error) or type(error).__name__)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and _TORCH_OUT_OF_MEMORY not in str(error):
            raise
        detail = one_line(error)
        _end(
            f"There is not enough memory{f' ({detail})' if detail else ''}. Close other programs, "
            "leave out columns or samples, or take a machine with more memory."
        )


def _end(message: str) -> NoReturn:
    # Names from strangers' files are part of many messages.
    print(f"entryprune: {printable(message)}", file=sys.stderr)
    raise SystemExit(BAD_INPUT) from None


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
    """Let the first Ctrl-C show the message and ask for an end, and the second end at once.

    Yields what a selector's `callback` is: whether an end was asked for.
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
