"""Write a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write aside in the same folder, then rename.

    Parameters
    ----------
    path : path-like
        Where the file shall be. One that is there is replaced.
    content : bytes
        What it shall hold.

    Raises
    ------
    OSError
        If the folder is not there or cannot be written to. No partial file is left behind.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder, "a.txt"), b"whole")
    ...     [(found.name, found.read_bytes()) for found in Path(folder).iterdir()]
    [('a.txt', b'whole')]
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"Cannot write {path}: there is no folder {path.parent}. Make it first, or choose "
            "another."
        )
    # Not from tempfile: its files are readable by their owner only, and would stay so.
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        with partial.open("xb") as file:
            file.write(content)
        partial.replace(path)
    except OSError as error:
        raise type(error)(
            f"Cannot write {path}: {error.strerror or error}. Make sure that it may be written to, "
            "or choose another place."
        ) from error
    finally:
        # After the renaming there is none, and a second error would hide the first.
        with contextlib.suppress(OSError):
            partial.unlink()
