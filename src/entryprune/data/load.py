"""The one door to all data sets."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from entryprune._text import suggestion
from entryprune.data.catalogue import DATASETS
from entryprune.data.dataset import Dataset, DatasetError, DatasetInfo, check_scale, from_arrays
from entryprune.data.folder import (
    StoredSet,
    data_folders,
    describe_stored,
    find_stored,
    load_stored,
    parts_of,
    read_npz,
    stored_at,
    stored_sets,
)
from entryprune.data.synthetic import (
    add_distractors,
    base_of,
    describe_distracted,
    describe_synthetic,
    is_distracted,
    is_synthetic,
    load_synthetic,
)


def load_embedded(name: str) -> Dataset:
    """Load a data set of scikit-learn."""
    from sklearn import datasets

    info = DATASETS[name]
    content = getattr(datasets, f"load_{name}")()
    return from_arrays(
        name,
        content.data,
        content.target,
        title=info.title,
        scale=info.scale,
        feature_names=tuple(str(feature) for feature in content.feature_names),
        image_shape=info.image_shape,
        origin="scikit-learn",
    )


SUFFIX = ".npz"


@dataclass(frozen=True)
class _Registration:
    origin: Path | Callable[[], Any]
    title: str | None
    scale: str


_REGISTERED: dict[str, _Registration] = {}


def register_dataset(
    name: str,
    path_or_loader: str | os.PathLike[str] | Callable[[], Any],
    *,
    title: str | None = None,
    scale: str = "minmax",
) -> None:
    """Give a data set of your own a name.

    Parameters
    ----------
    name : str
        What `load_dataset` and the benchmark are to call it.
    path_or_loader : path or callable
        An .npz file with the arrays X and y, and optionally X_test, y_test and feature_names; or a
        function without arguments that returns ``(X, y)`` or a `Dataset`. X may be a data frame.
        The function is called each time that the data are loaded.
    title : str, optional
        What tables are to call it; its name by default.
    scale : {"minmax", "standard"}
        How to scale it. A `Dataset` that a function returns says so itself.

    Raises
    ------
    DatasetError
        If the name is taken by something else. To register the same again is no error.

    Examples
    --------
    >>> from entryprune.data import load_dataset, register_dataset
    >>> register_dataset("my_four_cases", lambda: ([[0.0], [1.0], [0.1], [0.9]], [0, 1, 0, 1]))
    >>> load_dataset("my_four_cases").X.shape
    (4, 1)
    """
    if is_path(name) or not name:
        raise DatasetError(
            f"The name of a data set must not look like a path; got {name!r}. Name it as in "
            f"register_dataset('mine', 'mine.npz')."
        )
    check_scale(name, scale)
    entry = _Registration(_origin(name, path_or_loader), title, scale)
    known = _REGISTERED.get(name)
    if name in DATASETS or (known is not None and not _is_same(known.origin, entry.origin)):
        owner = "the catalogue has it" if known is None else f"it stands for {known.origin}"
        raise DatasetError(f"The name {name!r} is taken: {owner}. Choose another name.")
    _REGISTERED[name] = entry


def load_registered(name: str) -> Dataset:
    """Load a data set of the user's own."""
    entry = _REGISTERED[name]
    details = {"title": entry.title or name, "scale": entry.scale}
    if isinstance(entry.origin, Path):
        return read_npz(entry.origin, name=name, **details)
    content = entry.origin()
    if isinstance(content, Dataset):
        return replace(content, name=name, title=entry.title or content.title)
    if not isinstance(content, tuple) or len(content) != 2:
        raise DatasetError(
            f"{name}: its function must return (X, y) or a Dataset; got {type(content).__name__}"
            f"{f' of {len(content)}' if isinstance(content, tuple) else ''}. For a test part or "
            f"feature names, return a Dataset."
        )
    return from_arrays(name, *content, origin="registered by the user", **details)


def is_path(name: str) -> bool:
    """Tell a path from the name of a data set."""
    return "/" in name or os.sep in name or name.endswith(SUFFIX)


def _origin(name: str, path_or_loader: Any) -> Path | Callable[[], Any]:
    if isinstance(path_or_loader, (str, os.PathLike)):
        # Absolute, because the benchmark's processes may work elsewhere.
        path = Path(path_or_loader).expanduser().absolute()
        if path.suffix != SUFFIX or not path.is_file():
            what = "there is no file" if path.suffix == SUFFIX else "this is not an .npz file:"
            raise DatasetError(f"{name}: {what} {path}. Save one with numpy.savez(path, X=X, y=y).")
        return path
    if not callable(path_or_loader):
        raise DatasetError(
            f"{name}: give the path of an .npz file, or a function that returns (X, y) or a "
            f"Dataset; got {type(path_or_loader).__name__}."
        )
    loader: Callable[[], Any] = path_or_loader
    return loader


def _is_same(known: Path | Callable[[], Any], new: Path | Callable[[], Any]) -> bool:
    if isinstance(known, Path) or isinstance(new, Path) or known is new:
        return known == new
    # A cell of a notebook that is run again defines the same function anew. Lambdas and inner
    # functions share their names ("<lambda>"), so these say nothing.
    names = [(getattr(f, "__module__", ""), getattr(f, "__qualname__", "<")) for f in (known, new)]
    return names[0] == names[1] and "<" not in names[0][1]


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
    entryprune.data.dataset.DatasetError: There is no data set 'minst'. Did you mean 'mnist'? The...
    """
    if name in _REGISTERED:
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
    known = list(dict.fromkeys([*DATASETS, *_REGISTERED, *_all_stored(folders)]))
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
    return rows + [_registered_row(name) for name in list(_REGISTERED)]


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
    return DatasetInfo(
        dataset.name,
        dataset.title,
        "",
        **vars(dataset.shape),
        scale=dataset.scale,
        image_shape=dataset.image_shape,
        subset=dataset.subset,
        n_relevant=None if dataset.relevant is None else len(dataset.relevant),
    )


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
    if name in _REGISTERED:
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
        # Only now: what is at hand need not wait for the bars that a download shows.
        from entryprune.data.download import obtain

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
