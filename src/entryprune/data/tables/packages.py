"""Packages that are imported only when a file needs them."""

from __future__ import annotations

import importlib
from typing import Any

from entryprune.data.errors import DatasetError

_SOURCES = {"h5py": "'entryprune[files]'"}


def require(name: str) -> Any:
    """Import a package or a part of one, or say how to install it.

    Parameters
    ----------
    name : str
        Such as "h5py" or "pyarrow.csv".

    Examples
    --------
    >>> require("math").sqrt(4.0)
    2.0
    >>> require("no_such_package")
    Traceback (most recent call last):
    entryprune.data.errors.DatasetError: To read this file, the package no_such_package is needed:
    pip install no_such_package
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.split(".", maxsplit=1)[0]
        raise DatasetError(
            f"To read this file, the package {package} is needed: "
            f"pip install {_SOURCES.get(package, package)}"
        ) from error
