"""The methods to beat, all with the same interface."""

from entryprune._late import late
from entryprune.methods import METHODS, Method, get_method, make_selector, register_method

# torch takes seconds to import, so a method's module waits until it is asked for.
_HOMES = {"_base": ["BaselineSelector", "Ranking", "RefusalError"]}
for _method in METHODS.values():
    if _method.module.startswith(__name__):
        _HOMES.setdefault(_method.module.removeprefix(f"{__name__}."), []).append(
            _method.class_name
        )

__all__ = ["METHODS", "Method", "get_method", "make_selector", "register_method"]
__all__ += [name for names in _HOMES.values() for name in names]

__getattr__, __dir__ = late(__name__, _HOMES, __all__)
