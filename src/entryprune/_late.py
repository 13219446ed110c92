"""Packages whose names are imported when they are asked for: torch takes seconds, numpy a tenth."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module


def late(
    package: str, homes: Mapping[str, Iterable[str]], names: list[str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package: its names, by the module that each is in."""
    home_of = {name: home for home, some in homes.items() for name in some}

    def get(name: str) -> object:
        if name in home_of:
            return getattr(import_module(f"{package}.{home_of[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: names
