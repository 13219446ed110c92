"""The one door to all data sets."""

from __future__ import annotations

from pathlib import Path

from entryprune.data.catalogue import DATASETS
from entryprune.data.dataset import Dataset
from entryprune.data.distractors import add_distractors, base_of, is_distracted
from entryprune.data.embedded import load_embedded
from entryprune.data.errors import DatasetError
from entryprune.data.folder import StoredSet, find_stored, load_stored, parts_of, stored_at
from entryprune.data.info import DatasetInfo
from entryprune.data.listing import get_dataset
from entryprune.data.obtain import obtain
from entryprune.data.places import data_folders
from entryprune.data.registered import is_path, load_registered, registered_names
from entryprune.data.synthetic import is_synthetic, load_synthetic


def load_dataset(
    name: str | Path, folder: str | Path | None = None, *, download: bool = True
) -> Dataset:
    """Load a data set by its name, downloading it if need be.

    Looked for are, in this order: what the user registered, what is made (such as "xor-64", or
    "digits+random-50", see `synthetic` and `distractors`), what comes with scikit-learn, the data
    folder, the user's cache, the net. A part of a data set is never taken for the whole: it has a
    name of its own, or at least a `subset` and a title that say so.

    Parameters
    ----------
    name : str or Path
        A name that `list_datasets` shows, or the path of an .npz file.
    folder : str, Path or None
        The data folder, see `data_folders`.
    download : bool
        Whether to download what is not there.

    Returns
    -------
    Dataset
        The data as they are stored, not scaled.

    Raises
    ------
    DatasetError
        If there is no such data set, if it is not there and cannot be downloaded, or if a file is
        damaged or has no X and y. Files with pickled objects are never read.

    Examples
    --------
    >>> digits = load_dataset("digits")
    >>> digits.title, digits.X.shape, digits.scale
    ('Digits', (1797, 64), 'minmax')
    """
    if isinstance(name, Path) or is_path(name):
        return load_stored(stored_at(Path(name).expanduser()))
    if name in registered_names():
        return load_registered(name)
    if is_distracted(name):
        return add_distractors(name, load_dataset(base_of(name), folder, download=download))
    if is_synthetic(name):
        return load_synthetic(name)
    return _load_known(name, folder, download)


def _load_known(name: str, folder: str | Path | None, download: bool) -> Dataset:
    """Load a data set of the catalogue or of a data folder."""
    if name in DATASETS and DATASETS[name].is_embedded:
        return load_embedded(name)
    folders = data_folders(folder)
    stored = find_stored(name, folders)
    if stored is not None:
        return load_stored(stored)
    info = get_dataset(name, folder)
    return load_stored(StoredSet(name, _downloaded(info, folders, download), info))


def _downloaded(info: DatasetInfo, folders: tuple[Path, ...], is_allowed: bool) -> Path:
    if not is_allowed:
        reason = "It is not to be downloaded."
    elif not info.file_format:
        reason = "Its files are in a format that is not read here."
    else:
        try:
            return obtain(info, folders)
        except DatasetError as error:
            raise DatasetError(_explained(info, folders, str(error))) from error
    raise DatasetError(_explained(info, folders, reason))


def _explained(info: DatasetInfo, folders: tuple[Path, ...], reason: str) -> str:
    """Say why a data set is not there, and what to do."""
    tables = f"X ({info.n_train:,} x {info.n_features:,}) and y"
    if info.n_test is not None:
        tables += f", X_test ({info.n_test:,} x {info.n_features:,}) and y_test"
    parts = parts_of(info, folders)
    hint = f" A part of it is there: ask for {' or '.join(map(repr, parts))}." if parts else ""
    return (
        f"{info.title} is not in {' or '.join(map(str, folders))}. {reason}{hint} To add it by "
        f"hand, put a file {info.name}.npz with the arrays {tables} into {folders[0]}; the data "
        f"are at {', '.join(source.url for source in info.sources)}."
    )
