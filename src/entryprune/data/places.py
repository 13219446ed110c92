"""Where data sets are kept on this computer."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "ENTRYPRUNE_DATA"


def data_folders(folder: str | Path | None = None) -> tuple[Path, ...]:
    """Return the folders that are searched for data sets, the first one first.

    Parameters
    ----------
    folder : str, Path or None
        The data folder. If it is None, the environment variable ENTRYPRUNE_DATA names it.

    Returns
    -------
    tuple of Path
        The data folder if one is named, and the user's cache. What is downloaded goes into the
        first that can be written to.

    Examples
    --------
    >>> data_folders("my_data")[0].name
    'my_data'
    """
    chosen = folder or os.environ.get(VARIABLE)
    cache = _user_cache()
    if not chosen:
        return (cache,)
    first = Path(chosen).expanduser().absolute()
    return (first,) if first == cache else (first, cache)


def _user_cache() -> Path:
    # The same folder as pooch.os_cache("entryprune"), but found without pooch: what was downloaded
    # must stay in sight in an environment that has no pooch.
    home = Path.home()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local"
        return Path(base, "entryprune", "entryprune", "Cache")
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "entryprune"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache", "entryprune")
