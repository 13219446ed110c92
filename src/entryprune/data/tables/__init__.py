"""Tables that people bring: any common format in, cases, columns' names and labels out.

Nothing here imports numpy, let alone more, until a table is read.
"""

from entryprune.data.tables.formats import FORMATS
from entryprune.data.tables.read import read_table
from entryprune.data.tables.request import LeftOut, TableRequest, UserTable
from entryprune.data.tables.write import check_destination, write_columns

__all__ = [
    "FORMATS",
    "LeftOut",
    "TableRequest",
    "UserTable",
    "check_destination",
    "read_table",
    "write_columns",
]
