"""Data sets of the benchmark (what they are, where they come from) and tables that people bring.

Nothing here imports numpy, let alone more, until data are asked for.
"""

from typing import TYPE_CHECKING

from entryprune._late import late

if TYPE_CHECKING:
    from entryprune.data.catalogue import DATASETS
    from entryprune.data.dataset import Dataset, DatasetError, DatasetInfo, Source, fingerprint
    from entryprune.data.folder import data_folders
    from entryprune.data.load import (
        ListedDataset,
        get_dataset,
        list_datasets,
        load_dataset,
        register_dataset,
    )
    from entryprune.data.tables import (
        FORMATS,
        LeftOut,
        TableRequest,
        UserTable,
        check_destination,
        read_table,
        write_columns,
    )

# Each is imported when it is asked for: whoever reads a table need not wait for the catalogue.
_HOMES = {
    "catalogue": ("DATASETS",),
    "dataset": ("Dataset", "DatasetError", "DatasetInfo", "Source", "fingerprint"),
    "folder": ("data_folders",),
    "load": (
        *("ListedDataset", "get_dataset", "list_datasets"),
        *("load_dataset", "register_dataset"),
    ),
    "tables": (
        *("FORMATS", "LeftOut", "TableRequest", "UserTable"),
        *("check_destination", "read_table", "write_columns"),
    ),
}

__all__ = [
    "DATASETS",
    "FORMATS",
    "Dataset",
    "DatasetError",
    "DatasetInfo",
    "LeftOut",
    "ListedDataset",
    "Source",
    "TableRequest",
    "UserTable",
    "check_destination",
    "data_folders",
    "fingerprint",
    "get_dataset",
    "list_datasets",
    "load_dataset",
    "read_table",
    "register_dataset",
    "write_columns",
]

__getattr__, __dir__ = late(__name__, _HOMES, __all__)
