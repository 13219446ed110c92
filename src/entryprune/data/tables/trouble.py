"""What libraries say when a file is not as it should be, put into words a user can act on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from entryprune.data.errors import DatasetError


@contextmanager
def explained(path: Path, title: str) -> Iterator[None]:
    """Turn what a library raises while it reads a file into one error of ours.

    Only calls of libraries belong inside: a mistake of our own must not pass for a damaged file.

    Parameters
    ----------
    path : Path
        The file.
    title : str
        What it should be, such as "a Parquet file".

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
    except DatasetError:
        raise
    except MemoryError as error:
        raise DatasetError(
            f"{path} does not fit into memory. Keep fewer columns or rows in it, or use a computer "
            f"with more memory."
        ) from error
    except Exception as error:  # scipy alone has several that are nothing but exceptions
        raise DatasetError(
            f"{path} cannot be read as {title} ({reason(error)}). It may be damaged, cut short, or "
            f"of another format."
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
