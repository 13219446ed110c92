"""What a data folder holds: complete data sets, and parts of them under names of their own.

A data set `name` is the file ``name.npz``. A ``catalog.json`` may list further files, and say which
of all are only a part of a data set: ``{"isolet_3119": {"file": "isolet_3119.npz", "paper_name":
"ISOLET", "complete": false, "source": "..."}}``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from entryprune.data.catalogue import DATASETS
from entryprune.data.dataset import Dataset
from entryprune.data.errors import DatasetError
from entryprune.data.info import DatasetInfo
from entryprune.data.labels import labelled
from entryprune.data.npz import read_npz, shape_in
from entryprune.data.smoothing import PREPARATIONS

_LIST = "catalog.json"


@dataclass(frozen=True)
class StoredSet:
    """A file of a data folder.

    Attributes
    ----------
    name : str
        What to ask for.
    path : Path
        Where it is.
    full : DatasetInfo or None
        The entry of the catalogue that it is, or is a part of.
    is_complete : bool
        Whether it is meant to be all of it.
    source : str
        Where it came from.
    """

    name: str
    path: Path
    full: DatasetInfo | None
    is_complete: bool = True
    source: str = ""


def stored_sets(folder: Path) -> dict[str, StoredSet]:
    """Return what a folder holds, by name; a folder that does not exist holds nothing.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "usps.npz").write_bytes(b"...")
    ...     list(stored_sets(Path(folder)))
    ['usps']
    """
    # What scikit-learn has is taken from there.
    found = {
        name: StoredSet(name, folder / f"{name}.npz", info)
        for name, info in DATASETS.items()
        if not info.is_embedded
    }
    for name, entry in _entries(folder / _LIST).items():
        full = DATASETS.get(name) or _by_title(entry.get("paper_name") or "")
        is_complete = bool(entry.get("complete", True))
        source = str(entry.get("source") or "")
        found[name] = StoredSet(name, folder / entry["file"], full, is_complete, source)
    return {name: stored for name, stored in found.items() if stored.path.is_file()}


def find_stored(name: str, folders: tuple[Path, ...]) -> StoredSet | None:
    """Return the file of a name in the first folder that has one."""
    return next((sets[name] for sets in map(stored_sets, folders) if name in sets), None)


def parts_of(info: DatasetInfo, folders: tuple[Path, ...]) -> list[str]:
    """Return the names under which the folders hold a part of a data set."""
    return [
        stored.name
        for folder in folders
        for stored in stored_sets(folder).values()
        if stored.full is not None and stored.full.name == info.name != stored.name
    ]


def stored_at(path: Path) -> StoredSet:
    """Return what a path is: if its folder knows it as a part of a data set, it stays one."""
    unknown = StoredSet(path.stem, path, None)
    try:
        known = stored_sets(path.parent).values()
    except DatasetError:  # any program may have a catalog.json
        return unknown
    return next((stored for stored in known if stored.path.name == path.name), unknown)


def load_stored(stored: StoredSet) -> Dataset:
    """Load a file of a data folder, labelled with what part of a data set it is."""
    dataset = read_npz(stored.path, name=stored.name, source=stored.source)
    further = ""
    if stored.full is not None and stored.full.name in PREPARATIONS:
        dataset, further = PREPARATIONS[stored.full.name](dataset)
    info = labelled(stored.name, stored.full, dataset.shape, stored.is_complete, further)
    return replace(
        dataset,
        title=info.title,
        scale=info.scale,
        subset=info.subset,
        image_shape=info.image_shape,
    )


def describe_stored(stored: StoredSet) -> DatasetInfo:
    """Return the entry that the catalogue would have for a file of a data folder."""
    return labelled(stored.name, stored.full, shape_in(stored.path), stored.is_complete)


def _by_title(title: str) -> DatasetInfo | None:
    return next((info for info in DATASETS.values() if info.title == title), None)


def _entries(path: Path) -> dict[str, dict[str, Any]]:
    """Read a folder's list of files."""
    if not path.is_file():
        return {}
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DatasetError(f"{path} is not valid JSON: {error}. Mend it, or remove it.") from error
    for name, entry in entries.items() if isinstance(entries, dict) else [("", entries)]:
        file = entry.get("file") if isinstance(entry, dict) and name else None
        if not isinstance(file, str) or Path(file).name != file:
            raise DatasetError(
                f'{path} must be a table of names with entries like {{"file": "NAME.npz"}}, where '
                f"the file lies beside it; got {name!r}: {str(entry)[:60]}. Mend it, or remove it."
            )
    return dict(entries)
