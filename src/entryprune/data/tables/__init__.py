"""Tables that people bring: any common format in, samples, columns' names and labels out.

Nothing here imports numpy, let alone more, until a table is read.
"""

from entryprune.data.tables.formats import FORMATS, check_destination, read_table, write_columns
from entryprune.data.tables.request import LeftOut, TableRequest, UserTable

__all__ = [
    "FORMATS",
    "LeftOut",
    "TableRequest",
    "UserTable",
    "check_destination",
    "read_table",
    "write_columns",
]
