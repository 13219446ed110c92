"""Download a data set, check it, convert it and keep it."""

from __future__ import annotations

import hashlib
import importlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import DownloadColumn

from entryprune._progress import Display, progress_bar
from entryprune.data.dataset import Dataset, fingerprint
from entryprune.data.folder import differences, write_npz
from entryprune.data.info import DatasetError, DatasetInfo, Source
from entryprune.data.raw import convert

_TIMEOUT = 30.0
_CHUNK = 2**16


class DownloadBar(Display):
    """A bar in the form that pooch takes: total, update, reset and close."""

    def __init__(self, title: str, console: Console | None = None) -> None:
        super().__init__(progress_bar(DownloadColumn(), console=console))
        self._id = self._bar.add_task(title, total=None)

    @property
    def total(self) -> int:
        """Number of bytes; 0 if the server does not say."""
        return int(self._bar.tasks[0].total or 0)

    @total.setter
    def total(self, n_bytes: int) -> None:
        self._bar.update(self._id, total=n_bytes or None)

    @property
    def completed(self) -> int:
        """Number of bytes that are there."""
        return int(self._bar.tasks[0].completed)

    def update(self, n_bytes: int) -> None:
        """Count bytes that have come."""
        self._bar.advance(self._id, n_bytes)

    def reset(self) -> None:
        """Start to count anew."""
        self._bar.reset(self._id)

    def close(self) -> None:
        """Do nothing: the end of the `with` closes the bar, also after an error."""


def fetch(source: Source, folder: Path) -> Path:
    """Download a file into a folder."""
    pooch = _import_pooch()
    path = folder / source.file_name
    failures = []
    for url in (source.url, *source.mirrors):
        try:
            with DownloadBar(source.file_name) as bar:
                download = pooch.HTTPDownloader(
                    progressbar=bar, chunk_size=_CHUNK, timeout=_TIMEOUT
                )
                download(url, str(path), None)
            _check(path, url, source)
            return path
        except OSError as error:  # what the package under pooch raises is one of these
            failures.append(f"{url}: {_reason(error)}")
            path.unlink(missing_ok=True)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    raise DatasetError(
        f"{source.file_name} could not be downloaded. Is there a connection to the internet? "
        f"({'; '.join(failures)})."
    )


def _check(path: Path, url: str, source: Source) -> None:
    if source.checksum is None:
        return
    kind, expected = source.checksum.split(":")
    with path.open("rb") as file:
        got = hashlib.file_digest(file, kind).hexdigest()
    if got != expected:
        raise DatasetError(
            f"{source.file_name} from {url} has the wrong checksum: {kind} {got}, not {expected} "
            f"(published by: {source.published}). It was damaged on the way, or has been replaced."
        )


def _import_pooch() -> Any:
    try:
        return importlib.import_module("pooch")
    except ImportError as error:
        raise DatasetError(
            "Downloading needs the package pooch: pip install 'entryprune[bench]'."
        ) from error


def _reason(error: OSError) -> str:
    """Return why a download failed, in a few words."""
    # The package under pooch wraps the reason twice, each time with the address.
    cause = getattr(error.args[0], "reason", None) if error.args else None
    text = (str(cause or error).strip() or type(error).__name__).splitlines()[0]
    return (text.split("): ", 1)[-1] if text.startswith("HTTP") else text)[:200]


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
    """Refuse a data set that is not the one that the catalogue knows."""
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
