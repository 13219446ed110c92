"""Errors as people want to see them: one line, no traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from entryprune._text import one_line, printable

# The exit code for what the user can mend.
BAD_INPUT = 2
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
