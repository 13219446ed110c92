"""Read MNIST's idx files: a header of big-endian sizes, then bytes."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNSIGNED_BYTE = 0x08


def read_idx_set(files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Read training images and labels, test images and labels, in this order."""
    X, y, X_test, y_test = (read_idx(path) for path in files)
    return {
        "X": X.reshape(len(X), -1),
        "y": y,
        "X_test": X_test.reshape(len(X_test), -1),
        "y_test": y_test,
    }


def read_idx(path: Path) -> NDArray[Any]:
    r"""Read one idx file of bytes that is compressed with gzip.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.gz")
    ...     _ = path.write_bytes(gzip.compress(b"\0\0\x08\1" + b"\0\0\0\3" + b"\5\6\7"))
    ...     read_idx(path).tolist()
    [5, 6, 7]
    """
    import numpy as np

    with gzip.open(path) as file:
        zero, kind, n_dimensions = struct.unpack(">HBB", file.read(4))
        if zero != 0 or kind != _UNSIGNED_BYTE:
            raise ValueError("it does not begin like an idx file of bytes")
        shape = struct.unpack(f">{n_dimensions}I", file.read(4 * n_dimensions))
        values = np.frombuffer(file.read(), dtype=np.uint8)
    return values.reshape(shape)
