"""Read the binary versions of CIFAR: records of a few label bytes and 3,072 pixels."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_N_PIXELS = 3 * 32 * 32
_FOLDER_10, _FOLDER_100 = "cifar-10-batches-bin", "cifar-100-binary"
_BATCHES = [f"{_FOLDER_10}/data_batch_{number}.bin" for number in range(1, 6)]


def read_cifar10_set(files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Read CIFAR-10: one label byte, five training batches."""
    return _read(files[0], _BATCHES, f"{_FOLDER_10}/test_batch.bin", n_labels=1)


def read_cifar100_set(files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Read CIFAR-100: a byte for one of 20 groups, then one for the class."""
    return _read(files[0], [f"{_FOLDER_100}/train.bin"], f"{_FOLDER_100}/test.bin", n_labels=2)


def _read(path: Path, train: list[str], test: str, n_labels: int) -> dict[str, NDArray[Any]]:
    import numpy as np

    records = {}
    with tarfile.open(path, "r:gz") as archive:
        # In the order of the archive: going back in a compressed file means to start anew.
        for member in archive:
            if member.name in {*train, test}:
                content = archive.extractfile(member)
                if content is not None:
                    values = np.frombuffer(content.read(), dtype=np.uint8)
                    records[member.name] = values.reshape(-1, n_labels + _N_PIXELS)
    missing = [name for name in (*train, test) if name not in records]
    if missing:
        raise ValueError(f"it has no {', no '.join(missing)}")
    training = np.concatenate([records[name] for name in train])
    return {
        "X": training[:, n_labels:],
        "y": training[:, n_labels - 1],
        "X_test": records[test][:, n_labels:],
        "y_test": records[test][:, n_labels - 1],
    }
