"""Which data sets there are, and whether they are at hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from entryprune._text import suggestion
from entryprune.data.catalogue import DATASETS
from entryprune.data.dataset import Dataset
from entryprune.data.distractors import base_of, describe_distracted, is_distracted
from entryprune.data.errors import DatasetError
from entryprune.data.folder import (
    StoredSet,
    describe_stored,
    find_stored,
    stored_at,
    stored_sets,
)
from entryprune.data.info import OFFICIAL_SPLIT, PAPERS_SPLIT, DatasetInfo
from entryprune.data.places import data_folders
from entryprune.data.registered import is_path, load_registered, registered_names
from entryprune.data.synthetic import describe_synthetic, is_synthetic

EMBEDDED = "embedded"
IN_FOLDER = "in the folder"
SUBSET_IN_FOLDER = "a subset in the folder"
UNREADABLE = "an unreadable file in the folder"
TO_DOWNLOAD = "to be downloaded"
BY_HAND = "to be put there by hand"
REGISTERED = "registered"
REGISTERED_IN_VAIN = "registered, but cannot be loaded"


@dataclass(frozen=True)
class ListedDataset(DatasetInfo):
    """What is known of a data set, and whether it is at hand.

    Attributes
    ----------
    state : str
        "embedded", "in the folder", "a subset in the folder", "an unreadable file in the folder",
        "to be downloaded", "to be put there by hand", "registered" by the user, or "registered,
        but cannot be loaded".

    See Also
    --------
    DatasetInfo : The other attributes.

    Examples
    --------
    >>> row = list_datasets()[-1]
    >>> isinstance(row, DatasetInfo), isinstance(row.state, str)
    (True, True)
    """

    state: str = ""


def get_dataset(name: str, folder: str | Path | None = None) -> DatasetInfo:
    """Return what is known of a data set, or say which there are.

    Parameters
    ----------
    name : str
        A key of `DATASETS`, a name that was registered or that the data folder's ``catalog.json``
        lists, what is made (such as "xor-64"), or the path of an .npz file.
    folder : str, Path or None
        The data folder, see `data_folders`.

    Examples
    --------
    >>> get_dataset("mnist").n_features
    784
    >>> get_dataset("minst")
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: There is no data set 'minst'. Did you mean 'mnist'? The...
    """
    if name in registered_names():
        return _info_of(load_registered(name))
    if is_synthetic(name):
        return describe_synthetic(name)
    if is_distracted(name):
        return describe_distracted(name, get_dataset(base_of(name), folder))
    if name in DATASETS:
        return DATASETS[name]
    if is_path(name):
        return describe_stored(stored_at(Path(name).expanduser()))
    folders = data_folders(folder)
    stored = find_stored(name, folders)
    if stored is not None:
        return describe_stored(stored)
    known = list(dict.fromkeys([*DATASETS, *registered_names(), *_all_stored(folders)]))
    raise DatasetError(
        f"There is no data set {name!r}.{suggestion(name, known)} The data sets are: "
        f"{', '.join(known)}; and those that are made, such as xor-64 and "
        f"digits+random-50. Add one of your own with register_dataset, or give the path of an .npz "
        f"file."
    )


def list_datasets(folder: str | Path | None = None) -> list[ListedDataset]:
    """Return all data sets: the catalogue, what else the folder has, and the user's own.

    Parameters
    ----------
    folder : str, Path or None
        The data folder, see `data_folders`.

    Examples
    --------
    >>> [row.name for row in list_datasets() if row.state == "embedded"]
    ['digits', 'breast_cancer', 'wine']
    """
    stored = _all_stored(data_folders(folder))
    rows = [_catalogue_row(info, stored.get(name)) for name, info in DATASETS.items()]
    rows += [_stored_row(further) for name, further in stored.items() if name not in DATASETS]
    return rows + [_registered_row(name) for name in registered_names()]


def _row(info: DatasetInfo, state: str) -> ListedDataset:
    return ListedDataset(**vars(info), state=state)


def _catalogue_row(info: DatasetInfo, stored: StoredSet | None) -> ListedDataset:
    if info.is_embedded:
        return _row(info, EMBEDDED)
    if stored is not None:
        return _stored_row(stored)
    return _row(info, TO_DOWNLOAD if info.file_format else BY_HAND)


def _stored_row(stored: StoredSet) -> ListedDataset:
    try:
        info = describe_stored(stored)
    except DatasetError:
        # One bad file must not hide the others; loading it says what is wrong.
        return _row(replace(stored.full or _unknown(stored.name), name=stored.name), UNREADABLE)
    return _row(info, SUBSET_IN_FOLDER if info.subset else IN_FOLDER)


def _registered_row(name: str) -> ListedDataset:
    try:
        return _row(_info_of(load_registered(name)), REGISTERED)
    except Exception:  # the user's own function may raise anything
        return _row(_unknown(name), REGISTERED_IN_VAIN)


def _unknown(name: str) -> DatasetInfo:
    return DatasetInfo(name, name, "", 0, None, 0, 0)


def _all_stored(folders: tuple[Path, ...]) -> dict[str, StoredSet]:
    found: dict[str, StoredSet] = {}
    for folder in reversed(folders):  # so that the first folder has the last word
        found |= stored_sets(folder)
    return found


def _info_of(dataset: Dataset) -> DatasetInfo:
    shape = dataset.shape
    return DatasetInfo(
        dataset.name,
        dataset.title,
        "",
        n_train=shape.n_train,
        n_test=shape.n_test,
        n_features=shape.n_features,
        n_classes=shape.n_classes,
        split=PAPERS_SPLIT if shape.n_test is None else OFFICIAL_SPLIT,
        scale=dataset.scale,
        image_shape=dataset.image_shape,
        subset=dataset.subset,
        n_relevant=None if dataset.relevant is None else len(dataset.relevant),
    )
