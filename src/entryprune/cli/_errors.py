"""Errors as people want to see them: one line, no traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

# The exit code for what the user can mend.
BAD_INPUT = 2


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors that the user can mend into a line on the error stream and exit code 2."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        # All of ours are ValueErrors, and say what was got, what is allowed and what to do.
        print(f"entryprune: {_one_line(error)}", file=sys.stderr)
        raise SystemExit(BAD_INPUT) from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
