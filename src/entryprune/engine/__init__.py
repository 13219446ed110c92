"""The algorithm on torch tensors. Nothing here knows of scikit-learn, files or screens."""

from entryprune.engine.columns import ArrayColumns, ColumnSource, Grouping, Scaling, SparseColumns
from entryprune.engine.errors import BodyError, DivergedError, EntryPruneError, TooLargeError
from entryprune.engine.exchange import ExchangeSettings
from entryprune.engine.exchange.pairs import Interaction
from entryprune.engine.records import Callback, Chosen, Record, Selection
from entryprune.engine.select import select
from entryprune.engine.settings import Problem, Settings
from entryprune.engine.window import Batch

__all__ = [
    "ArrayColumns",
    "Batch",
    "BodyError",
    "Callback",
    "Chosen",
    "ColumnSource",
    "DivergedError",
    "EntryPruneError",
    "ExchangeSettings",
    "Grouping",
    "Interaction",
    "Problem",
    "Record",
    "Scaling",
    "Selection",
    "Settings",
    "SparseColumns",
    "TooLargeError",
    "select",
]
