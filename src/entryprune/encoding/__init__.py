"""Mixed tables as numbers: gaps, categories and dates, and which feature each number comes from."""

from typing import TYPE_CHECKING

from entryprune._late import late

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

__getattr__, __dir__ = late(__name__, _HOMES, __all__)
