"""What a case runs with: files of the user's own, versions, machine, load."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import zlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
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


# -- what a case ran on ----------------------------------------------------------------------------

_PACKAGES = ("entryprune", "numpy", "scipy", "scikit-learn", "torch")


def versions(*further: str | None) -> dict[str, str]:
    """Return the versions of Python and of the packages that decide a result."""
    found = {"python": platform.python_version()}
    for package in (*_PACKAGES, *further):
        if package is None:
            continue
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


@cache
def machine() -> dict[str, str | int]:
    """Return what there is to know of the machine, but not its name."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
    }


def load() -> float:
    """Return how many processes were busy over the last minute, or 0 where that is not known."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):  # Windows
        return 0.0


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
