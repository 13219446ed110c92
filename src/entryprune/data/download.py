"""Download a data set, read the format that its authors publish it in, check it and keep it."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import io
import os
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import DownloadColumn

from entryprune._progress import Display, progress_bar
from entryprune.data.dataset import (
    Dataset,
    DatasetError,
    DatasetInfo,
    Source,
    fingerprint,
    from_arrays,
)
from entryprune.data.folder import differences, write_npz

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


# -- the formats of data sets' authors -------------------------------------------------------------

# -- Unix's old `compress` (.Z files), which no module of the standard library reads ---------------

# The method is LZW. Codes of 9 bits at first, later of more, stand for byte sequences: 0 to 255 for
# single bytes, 256 for "forget all others", and each code after the first adds the sequence of the
# code before it plus one byte. Codes are written in groups of eight, so when their width changes,
# the rest of the group is empty.
_MAGIC = b"\x1f\x9d"
_HEADER = 3
_WIDTH_MASK, _BLOCK_FLAG = 0x1F, 0x80
_FIRST_WIDTH = 9
# `compress -b 9` wrote codes of 10 bits all the same; such files are as good as extinct.
_WIDTHS = range(10, 17)
_CLEAR = 256


def decompress(data: bytes) -> bytes:
    """Return what `compress` was given."""
    if len(data) < _HEADER or data[:2] != _MAGIC or data[2] & _WIDTH_MASK not in _WIDTHS:
        raise ValueError("it is not a file of the Unix program compress with codes up to 16 bits")
    max_width, has_clear = data[2] & _WIDTH_MASK, bool(data[2] & _BLOCK_FLAG)
    # Code 256 is never looked up if it means "forget", but it has a place in the table.
    roots = [bytes([value]) for value in range(256)] + [b""] * has_clear
    table = roots.copy()
    width, previous = _FIRST_WIDTH, b""
    start = position = 8 * _HEADER  # in bits; `start` is where codes of this width begin
    output = []
    while position + width <= 8 * len(data):
        first_byte = position >> 3
        three = int.from_bytes(data[first_byte : first_byte + 3], "little")
        code = (three >> (position & 7)) & ((1 << width) - 1)
        position += width
        if has_clear and code == _CLEAR:
            start = position = _next_group(position, start, width)
            table, width, previous = roots.copy(), _FIRST_WIDTH, b""
            continue
        if code < len(table):
            sequence = table[code]
        elif code == len(table) and previous:
            # The sequence that this very code adds: it begins and ends with the same byte.
            sequence = previous + previous[:1]
        else:
            raise ValueError(f"its code {code} stands for nothing yet")
        output.append(sequence)
        if previous and len(table) < 1 << max_width:
            table.append(previous + sequence[:1])
            if len(table) == 1 << width and width < max_width:
                start = position = _next_group(position, start, width)
                width += 1
        previous = sequence
    return b"".join(output)


def _next_group(position: int, start: int, width: int) -> int:
    """Return where the group of eight codes ends that `position` is in."""
    n_bits = 8 * width
    return start + -(-(position - start) // n_bits) * n_bits


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
    """Read one idx file of bytes that is compressed with gzip."""
    with gzip.open(path) as file:
        zero, kind, n_dimensions = struct.unpack(">HBB", file.read(4))
        if zero != 0 or kind != _UNSIGNED_BYTE:
            raise ValueError("it does not begin like an idx file of bytes")
        shape = struct.unpack(f">{n_dimensions}I", file.read(4 * n_dimensions))
        values = np.frombuffer(file.read(), dtype=np.uint8)
    return values.reshape(shape)


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


def read_mat_set(files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Read the variables X and Y of a file, whether X is stored sparse or not."""
    from scipy.io import loadmat

    (path,) = files
    content = loadmat(path, variable_names=["X", "Y"])
    missing = [name for name in ("X", "Y") if name not in content]
    if missing:
        raise ValueError(f"it has no variable {' and no '.join(missing)}")
    X = content["X"]
    return {"X": X.toarray() if hasattr(X, "toarray") else X, "y": content["Y"].ravel()}


_HAR = "UCI HAR Dataset"
_ISOLET = ("isolet1+2+3+4.data.Z", "isolet5.data.Z")


def read_har_set(files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Read HAR: tables with blanks between the values, in an archive in the archive."""
    with zipfile.ZipFile(files[0]) as outer:
        inner = io.BytesIO(_member(outer, f"{_HAR}.zip"))
    with zipfile.ZipFile(inner) as archive:
        return {
            "X": _numbers(_member(archive, f"{_HAR}/train/X_train.txt")),
            "y": _numbers(_member(archive, f"{_HAR}/train/y_train.txt")).ravel().astype(np.int64),
            "X_test": _numbers(_member(archive, f"{_HAR}/test/X_test.txt")),
            "y_test": _numbers(_member(archive, f"{_HAR}/test/y_test.txt"))
            .ravel()
            .astype(np.int64),
        }


def read_isolet_set(files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Read ISOLET: the four training groups, then the fifth, classes in the last column.

    The paper splits all samples anew, so the two parts become one.
    """
    with zipfile.ZipFile(files[0]) as archive:
        parts = [_numbers(decompress(_member(archive, name)), ",") for name in _ISOLET]
    table = np.concatenate(parts)
    return {"X": table[:, :-1], "y": table[:, -1].astype(np.int64)}


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    if name not in archive.namelist():
        raise ValueError(f"it has no {name}")
    return archive.read(name)


def _numbers(content: bytes, delimiter: str | None = None) -> NDArray[Any]:
    return np.loadtxt(io.StringIO(content.decode("ascii")), delimiter=delimiter, ndmin=2)


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
