"""The methods to beat, all with the same interface."""

import importlib

from entryprune.methods import (
    METHODS,
    Method,
    get_method,
    make_selector,
    register_method,
)

_MODULES = {
    method.class_name: method.module
    for method in METHODS.values()
    if method.module.startswith(__name__)
}
_MODULES |= dict.fromkeys(("BaselineSelector", "Ranking", "RefusalError"), f"{__name__}._base")

__all__ = ["METHODS", "Method", "get_method", "make_selector", "register_method", *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    # torch takes seconds to import, so a method's module waits until it is asked for.
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
