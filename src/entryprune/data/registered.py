"""Data sets of the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from entryprune.data.catalogue import DATASETS
from entryprune.data.dataset import Dataset, check_scale, from_arrays
from entryprune.data.errors import DatasetError
from entryprune.data.npz import read_npz

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


def registered_names() -> list[str]:
    """Return the names that `register_dataset` was given."""
    return list(_REGISTERED)


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
    """Tell a path from the name of a data set.

    Examples
    --------
    >>> is_path("./mine.npz"), is_path("mine.npz"), is_path("mnist")
    (True, True, False)
    """
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
