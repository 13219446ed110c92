"""The data sets that come with scikit-learn, for trying things out without a download."""

from __future__ import annotations

from entryprune.data.catalogue import DATASETS
from entryprune.data.dataset import Dataset, from_arrays


def load_embedded(name: str) -> Dataset:
    """Load a data set of scikit-learn.

    Examples
    --------
    >>> load_embedded("wine").feature_names[:2]
    ('alcohol', 'malic_acid')
    """
    from sklearn import datasets

    info = DATASETS[name]
    content = getattr(datasets, f"load_{name}")()
    return from_arrays(
        name,
        content.data,
        content.target,
        title=info.title,
        scale=info.scale,
        feature_names=tuple(str(feature) for feature in content.feature_names),
        image_shape=info.image_shape,
        origin="scikit-learn",
    )
