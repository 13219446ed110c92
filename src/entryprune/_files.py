"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: nothing is held there
    fcntl = None  # type: ignore[assignment]


@contextmanager
def written_aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path beside the destination to write to, and rename it at the end.

    Its name ends like the destination's, since some libraries look at that. After an error
    nothing is left of it; what a killed process left for the same destination is removed.
    Errors (OSError) name the destination and say what to do.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"Cannot write {path}: there is no folder {path.parent}. Make it first, or choose "
            "another."
        )
    if path.is_dir():
        raise IsADirectoryError(f"Cannot write {path}: it is a folder. Name a file in it.")
    _remove_abandoned(path)
    # Not from tempfile: its files are readable by their owner only, and would stay so.
    start = f".{_computer()}-{os.getpid()}-{secrets.token_hex(4)}.partial."
    partial = path.with_name(f"{start}{path.name}")
    try:
        yield partial
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


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file whole or not at all, safe on the disk when this returns."""
    with written_aside(path) as partial, partial.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8, whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


@contextmanager
def held(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a file, which comes into being if it is not there, while no other process does.

    If another does, BlockingIOError. It is free again when that one ends, however it ends.
    """
    with Path(path).open("ab") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise
            except OSError:
                pass  # a file system that knows no locks
        yield


def _computer() -> str:
    """Return a short mark of this computer: process numbers mean nothing on another."""
    name = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return f"{zlib.crc32(name.encode()):08x}"


def _remove_abandoned(path: Path) -> None:
    """Remove partial files of processes on this computer that are no more."""
    # Not a pattern with the name: it may hold signs that mean something in patterns.
    with contextlib.suppress(OSError):
        for found in path.parent.glob(f".{_computer()}-*-*.partial.*"):
            process, _, name = found.name.split("-", 1)[1].partition("-")
            is_mine = name.partition(".partial.")[2] == path.name
            if is_mine and process.isdigit() and not _is_running(int(process)):
                found.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True  # elsewhere signal 0 would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # somebody else's
    return True
