"""Mixed tables as numbers: gaps, categories and dates, and which feature each number comes from."""

from entryprune.encoding.encoder import Encoded, Encoder, UnseenLevelsWarning
from entryprune.encoding.frames import arrow_columns, frame_names, is_frame, take_columns

__all__ = [
    "Encoded",
    "Encoder",
    "UnseenLevelsWarning",
    "arrow_columns",
    "frame_names",
    "is_frame",
    "take_columns",
]
