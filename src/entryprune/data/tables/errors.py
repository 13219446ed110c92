"""Errors that a user can act on: what libraries say of a file, and tables too large for memory."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from entryprune.data.dataset import DatasetError

# Packages that come with an extra of this one.
_EXTRAS = {"h5py": "'entryprune[files]'", "openpyxl": "'entryprune[excel]'"}


@contextmanager
def explained(path: Path, title: str) -> Iterator[None]:
    """Turn what a library raises while it reads a file into one error of ours.

    Only calls of libraries belong inside: a mistake of our own must not pass for a damaged file.
    """
    try:
        yield
    except (DatasetError, MemoryError):
        raise
    except Exception as error:  # scipy alone has several that are nothing but exceptions
        raise DatasetError(
            f"{path} cannot be read as {title} ({reason(error)}). It may be damaged, cut short, or "
            f"of another format."
        ) from error


@contextmanager
def memory_explained(path: Path) -> Iterator[None]:
    """Turn the end of the memory into an error that says how much there is.

    pyarrow and numpy say how much they asked for.
    """
    try:
        yield
    except MemoryError as error:
        free = available_bytes()
        asked = f" ({reason(error)})" if str(error) else ""
        there = "" if free is None else f"; {free / 1e9:,.1f} GB are free"
        raise DatasetError(
            f"{path} ({path.stat().st_size / 1e9:,.1f} GB) does not fit into memory{asked}{there}. "
            f"Keep fewer columns or rows in it, raise the limit (ulimit -v), or use a computer "
            f"with more memory."
        ) from error


def reason(error: BaseException) -> str:
    """Return an error's first words on one line."""
    lines = str(error).strip().splitlines()
    return lines[0][:200].rstrip(".") if lines else type(error).__name__


def pickled(path: Path) -> DatasetError:
    """Return the error for a file that could run code."""
    return DatasetError(
        f"{path} holds pickled objects, which are never read because they can run any code. Save "
        f"plain arrays: X of numbers, labels of numbers or text (y.astype(str))."
    )


def require(name: str) -> Any:
    """Import a package that not everyone has, or say how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DatasetError(
            f"To read this file, the package {name} is needed: "
            f"pip install {_EXTRAS.get(name, name)}"
        ) from error


# -- tables that cannot fit, refused before hours are lost to them --------------------------------

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
    """Return how much memory is free, or None where nobody says."""
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
