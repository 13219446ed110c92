"""Refuse a table that cannot fit, before hours are lost to it."""

from __future__ import annotations

import os
from pathlib import Path

from entryprune.data.errors import DatasetError

_MEMINFO = Path("/proc/meminfo")
_PROCESS = Path("/proc/self/statm")
# Where a container sees its own limit (control groups, version 2).
_CONTAINER = Path("/sys/fs/cgroup")
# Bytes of a floating-point number, and how often a value is in memory at once: as it was read, and
# in the table.
_BYTES, _COPIES = 8, 2
# A name costs memory, too: the text, and its places in a tuple, a list and a dictionary.
_BYTES_OF_A_NAME = 200
# A text is held as it is and in parts while it is read: measured are 5.6 times its size, for
# 200 x 50,000 fractions.
_TEXT_COPIES = 6


def available_bytes() -> int | None:
    """Return how much memory is free, or None where nobody says.

    Examples
    --------
    >>> free = available_bytes()
    >>> free is None or free > 0
    True
    """
    known = (_free_in_computer(), _free_in_container(), _free_in_process())
    return min((n for n in known if n is not None), default=None)


def _free_in_computer() -> int | None:
    try:
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass  # not Linux
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _free_in_process() -> int | None:
    """Return what is left below the limit of this process (ulimit -v), or None if there is none."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        used = int(_PROCESS.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None
    return None if limit == resource.RLIM_INFINITY else max(limit - used, 0)


def _free_in_container() -> int | None:
    """Return what is left below the limit of a container, or None if there is none."""
    try:
        limit = int((_CONTAINER / "memory.max").read_text(encoding="ascii"))
        used = int((_CONTAINER / "memory.current").read_text(encoding="ascii"))
        lines = (_CONTAINER / "memory.stat").read_text(encoding="ascii").splitlines()
        # Files that were read lately count as used, but give way.
        cached = int(dict(line.split() for line in lines).get("inactive_file", 0))
    except (OSError, ValueError):
        return None  # no container, or one whose limit is "max"
    return max(limit - used + cached, 0)


def check_bytes(path: Path, n_bytes: int) -> None:
    """Refuse to read a part of a file that is larger than the memory."""
    free = available_bytes()
    if free is not None and n_bytes > free:
        raise DatasetError(
            f"{path} needs {n_bytes / 1e9:,.1f} GB of memory; {free / 1e9:,.1f} GB are free. Keep "
            f"fewer columns or rows in the file, or use a computer with more memory."
        )


def check_memory(
    path: Path, n_rows: int, n_columns: int, *, is_exact: bool = True, n_text_bytes: int = 0
) -> None:
    """Refuse a table that needs more memory than is free.

    Its size may be a guess (`is_exact`). The columns of a text are read all at once, so that its
    length counts, too.

    Examples
    --------
    >>> check_memory(Path("small.npy"), 10, 10)
    >>> check_memory(Path("vast.npy"), 10**8, 10**8)
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: vast.npy has 100,000,000 x 100,000,000 values, which need
    160,000,020.0 GB of memory; ... GB are free. Keep fewer columns or rows in the file, or use a
    computer with more memory.
    """
    values = n_rows * n_columns * _BYTES * _COPIES
    needed = max(values + n_columns * _BYTES_OF_A_NAME, _TEXT_COPIES * n_text_bytes)
    free = available_bytes()
    if free is None or needed <= free:
        return
    about = "" if is_exact else "about "
    raise DatasetError(
        f"{path} has {about}{n_rows:,} x {n_columns:,} values, which need {about}"
        f"{needed / 1e9:,.1f} GB of memory; {free / 1e9:,.1f} GB are free. Keep fewer columns or "
        f"rows in the file, or use a computer with more memory."
    )
