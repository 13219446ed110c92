"""What libraries say when a file is not as it should be, put into words a user can act on."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from entryprune.data.errors import DatasetError
from entryprune.data.tables.memory import available_bytes

# Packages that come with an extra of this one.
_EXTRAS = {"h5py": "'entryprune[files]'"}


@contextmanager
def explained(path: Path, title: str) -> Iterator[None]:
    """Turn what a library raises while it reads a file into one error of ours.

    Only calls of libraries belong inside: a mistake of our own must not pass for a damaged file.

    Examples
    --------
    >>> with explained(Path("t.parquet"), "a Parquet file"):
    ...     raise OSError("footer missing")
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: t.parquet cannot be read as a Parquet file (footer
    missing). It may be damaged, cut short, or of another format.
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
    r"""Return an error's first words on one line.

    Examples
    --------
    >>> reason(ValueError("no good.\nDetails follow"))
    'no good'
    """
    lines = str(error).strip().splitlines()
    return lines[0][:200].rstrip(".") if lines else type(error).__name__


def pickled(path: Path) -> DatasetError:
    """Return the error for a file that could run code."""
    return DatasetError(
        f"{path} holds pickled objects, which are never read because they can run any code. Save "
        f"plain arrays: X of numbers, labels of numbers or text (y.astype(str))."
    )


def require(name: str) -> Any:
    """Import a package that not everyone has, or say how to install it.

    Examples
    --------
    >>> require("no_such_package")
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: To read this file, the package no_such_package is needed:
    pip install no_such_package
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DatasetError(
            f"To read this file, the package {name} is needed: "
            f"pip install {_EXTRAS.get(name, name)}"
        ) from error
