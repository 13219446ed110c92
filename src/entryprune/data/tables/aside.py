"""Write a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from entryprune.data.errors import DatasetError


@contextmanager
def written_aside(destination: Path) -> Iterator[Path]:
    """Give a path beside the destination to write to, and rename it at the end.

    Parameters
    ----------
    destination : Path
        Where the file shall be. One that is there is replaced.

    Yields
    ------
    Path
        A file that is not there yet. Its name ends like the destination's, since some libraries
        (and we, for .gz) look at that. After an error nothing is left of it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_aside(Path(folder, "a.csv")) as partial:
    ...         _ = partial.write_text("whole")
    ...     [(found.name, found.read_text()) for found in Path(folder).iterdir()]
    [('a.csv', 'whole')]
    """
    if not destination.parent.is_dir():
        raise DatasetError(
            f"Cannot write {destination}: there is no folder {destination.parent}. Make it first, "
            f"or choose another."
        )
    if destination.is_dir():
        raise DatasetError(f"Cannot write {destination}: it is a folder. Name a file in it.")
    # Not from tempfile: its files are readable by their owner only, and would stay so.
    partial = destination.with_name(f".{os.urandom(4).hex()}.partial.{destination.name}")
    try:
        yield partial
        partial.replace(destination)
    except OSError as error:
        raise DatasetError(
            f"Cannot write {destination}: {error.strerror or error}. Make sure that it may be "
            f"written to, or choose another place."
        ) from error
    finally:
        # After the renaming there is none, and a second error would hide the first.
        with contextlib.suppress(OSError):
            partial.unlink()
