"""Other people's packages, which come with the extra ``entryprune[peers]``."""

from __future__ import annotations

import importlib
from types import ModuleType

from entryprune.baselines._refusal import RefusalError


def import_peer(package: str, title: str) -> ModuleType:
    """Import a package or say how to get it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise RefusalError(
            title,
            "package",
            f"it needs the package {package!r}, which cannot be imported ({error}). Install it "
            f"with: pip install 'entryprune[peers]'",
        ) from error
