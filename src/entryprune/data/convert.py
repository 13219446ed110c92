"""Turn downloaded files into a data set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune.data.dataset import Dataset, from_arrays
from entryprune.data.errors import DatasetError
from entryprune.data.raw_cifar import read_cifar10_set, read_cifar100_set
from entryprune.data.raw_idx import read_idx_set
from entryprune.data.raw_mat import read_mat_set
from entryprune.data.raw_uci import read_har_set, read_isolet_set

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from entryprune.data.info import DatasetInfo

READERS: dict[str, Callable[[Sequence[Path]], dict[str, NDArray[Any]]]] = {
    "cifar10": read_cifar10_set,
    "cifar100": read_cifar100_set,
    "har": read_har_set,
    "idx": read_idx_set,
    "isolet": read_isolet_set,
    "mat": read_mat_set,
}


def convert(info: DatasetInfo, files: Sequence[Path]) -> Dataset:
    """Read the files that a data set is made from."""
    try:
        arrays = READERS[info.file_format](files)
        return from_arrays(
            info.name,
            **arrays,
            title=info.title,
            scale=info.scale,
            image_shape=info.image_shape,
            origin=", ".join(source.url for source in info.sources),
        )
    except MemoryError:
        raise
    except Exception as error:  # a damaged file can fail in any way inside a reader
        names = ", ".join(path.name for path in files)
        reason = str(error) or type(error).__name__
        raise DatasetError(
            f"{names} cannot be read ({reason}). The download was cut short, or the file at its "
            f"address has changed. Try again later."
        ) from error
