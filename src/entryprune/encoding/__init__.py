"""Mixed tables as numbers: gaps, categories and dates, and which feature each number comes from."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from entryprune.encoding.encoder import Encoded, Encoder, UnseenLevelsWarning
    from entryprune.encoding.frames import arrow_columns, frame_names, is_frame, take_columns

# Each is imported when it is asked for: whoever only reads columns of Arrow need not wait.
_HOMES = {
    "encoder": ("Encoded", "Encoder", "UnseenLevelsWarning"),
    "frames": ("arrow_columns", "frame_names", "is_frame", "take_columns"),
}

__all__ = [
    "Encoded",
    "Encoder",
    "UnseenLevelsWarning",
    "arrow_columns",
    "frame_names",
    "is_frame",
    "take_columns",
]


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
