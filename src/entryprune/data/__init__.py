"""The data sets of the benchmark: what they are, where they come from, and how to load them.

Nothing here imports numpy, let alone more, until data are asked for.
"""

from entryprune.data.catalogue import DATASETS
from entryprune.data.dataset import Dataset
from entryprune.data.errors import DatasetError
from entryprune.data.fingerprints import fingerprint
from entryprune.data.info import DatasetInfo, Source
from entryprune.data.listing import ListedDataset, get_dataset, list_datasets
from entryprune.data.load import load_dataset
from entryprune.data.places import data_folders
from entryprune.data.registered import register_dataset

__all__ = [
    "DATASETS",
    "Dataset",
    "DatasetError",
    "DatasetInfo",
    "ListedDataset",
    "Source",
    "data_folders",
    "fingerprint",
    "get_dataset",
    "list_datasets",
    "load_dataset",
    "register_dataset",
]
