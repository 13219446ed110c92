"""Files of the user's own that bring a method or a data set."""

from __future__ import annotations

import importlib.util
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path


class PluginError(ValueError):
    """A file that should bring a method or a data set cannot be run."""


def load_plugins(paths: Iterable[Path]) -> None:
    """Run files that call `register_method` or `register_dataset`."""
    for path in paths:
        # Two files of one name in different folders are two plugins.
        name = f"entryprune_plugin_{path.stem}_{zlib.crc32(bytes(path.resolve())):08x}"
        if name in sys.modules:
            continue
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise PluginError(f"{path} is not a Python file. Name one with --with FILE.py.")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[name]
            raise PluginError(
                f"{path} cannot be run: {type(error).__name__}: {error}. Mend it, or leave out "
                f"--with {path}."
            ) from error
