"""Download a data set, convert it and keep it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from entryprune.data.convert import convert
from entryprune.data.dataset import Dataset
from entryprune.data.download import fetch
from entryprune.data.errors import DatasetError
from entryprune.data.fingerprints import fingerprint
from entryprune.data.info import DatasetInfo
from entryprune.data.labels import differences
from entryprune.data.npz import write_npz


def obtain(info: DatasetInfo, folders: tuple[Path, ...]) -> Path:
    """Download a data set into the first folder that can be written to."""
    with _workplace(folders, info.name) as work:
        files = [fetch(source, work) for source in info.sources]
        dataset = convert(info, files)
        check(dataset, info)
        path = work.parent / f"{info.name}.npz"
        write_npz(work / path.name, dataset)
        os.replace(work / path.name, path)
    return path


def check(dataset: Dataset, info: DatasetInfo) -> None:
    """Refuse a data set that is not the one that the catalogue knows.

    Examples
    --------
    >>> from entryprune.data import DATASETS, load_dataset
    >>> check(load_dataset("wine"), DATASETS["wine"])
    >>> check(load_dataset("wine"), DATASETS["digits"])
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: What was downloaded is not Digits as the catalogue...
    """
    words = differences(info, dataset.shape)
    if words:
        raise DatasetError(
            f"What was downloaded is not {info.title} as the catalogue knows it: "
            f"{', '.join(words)}."
        )
    if info.fingerprint is None:
        return
    got = fingerprint(dataset)
    if got != info.fingerprint:
        raise DatasetError(
            f"What was downloaded has the size of {info.title}, but other values, classes or "
            f"another order than the catalogue knows: its fingerprint is {got}, not "
            f"{info.fingerprint}."
        )


@contextmanager
def _workplace(folders: tuple[Path, ...], name: str) -> Iterator[Path]:
    """Make a folder in the first folder that allows it; it is removed at the end."""
    failures = []
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            work = tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}-")
        except OSError as error:
            failures.append(str(error))
            continue
        with work as path:
            yield Path(path)
        return
    raise DatasetError(
        f"No data folder can be written to ({'; '.join(failures)}). Name another with folder=... "
        f"or the environment variable ENTRYPRUNE_DATA."
    )
