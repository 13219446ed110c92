"""Read the archives of the UCI repository: HAR and ISOLET."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune.data.raw_lzw import decompress

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HAR = "UCI HAR Dataset"
_ISOLET = ("isolet1+2+3+4.data.Z", "isolet5.data.Z")


def read_har_set(files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Read HAR: tables with blanks between the values, in an archive in the archive."""
    import numpy as np

    with zipfile.ZipFile(files[0]) as outer:
        inner = io.BytesIO(_member(outer, f"{_HAR}.zip"))
    with zipfile.ZipFile(inner) as archive:
        return {
            "X": _table(_member(archive, f"{_HAR}/train/X_train.txt")),
            "y": _table(_member(archive, f"{_HAR}/train/y_train.txt")).ravel().astype(np.int64),
            "X_test": _table(_member(archive, f"{_HAR}/test/X_test.txt")),
            "y_test": _table(_member(archive, f"{_HAR}/test/y_test.txt")).ravel().astype(np.int64),
        }


def read_isolet_set(files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Read ISOLET: the four training groups, then the fifth, classes in the last column.

    The paper splits all cases anew, so the two parts become one.
    """
    import numpy as np

    with zipfile.ZipFile(files[0]) as archive:
        parts = [_table(decompress(_member(archive, name)), ",") for name in _ISOLET]
    table = np.concatenate(parts)
    return {"X": table[:, :-1], "y": table[:, -1].astype(np.int64)}


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    if name not in archive.namelist():
        raise ValueError(f"it has no {name}")
    return archive.read(name)


def _table(content: bytes, delimiter: str | None = None) -> NDArray[Any]:
    import numpy as np

    return np.loadtxt(io.StringIO(content.decode("ascii")), delimiter=delimiter, ndmin=2)
