"""Say what part of a data set something is, so that a part never passes for the whole."""

from __future__ import annotations

from dataclasses import replace

from entryprune.data.dataset import Shape
from entryprune.data.info import OFFICIAL_SPLIT, PAPERS_SPLIT, DatasetInfo


def labelled(
    name: str, full: DatasetInfo | None, shape: Shape, is_complete: bool, further: str = ""
) -> DatasetInfo:
    """Return the entry that the catalogue would have for data of this size.

    Examples
    --------
    >>> from entryprune.data import DATASETS
    >>> shape = Shape(n_train=9, n_test=None, n_features=256, n_classes=10)
    >>> labelled("usps_9", DATASETS["usps"], shape, is_complete=False).title
    'USPS (subset, 9 of 9,298 cases)'
    """
    words = [] if full is None else differences(full, shape, is_complete)
    if further:
        words.append(further)
    if not is_complete and not words:
        words = ["not complete" if full else f"{shape.n_cases:,} cases of a larger data set"]
    if full is not None and not words:
        return replace(full, name=name)
    base = full or DatasetInfo(name, name, "", 0, None, 0, 0)
    kind = "different version" if is_complete else "subset"
    return replace(
        base,
        name=name,
        title=f"{base.title} ({kind}, {words[0]})" if words else base.title,
        n_train=shape.n_train,
        n_test=shape.n_test,
        n_features=shape.n_features,
        n_classes=shape.n_classes,
        split=PAPERS_SPLIT if shape.n_test is None else OFFICIAL_SPLIT,
        sources=(),
        fingerprint=None,
        image_shape=base.image_shape if shape.n_features == base.n_features else None,
        is_papers=False,
        file_format="",
        subset=", ".join(words),
    )


def differences(full: DatasetInfo, shape: Shape, is_complete: bool = True) -> list[str]:
    """Return in words how a size differs from that of the full set.

    Examples
    --------
    >>> from entryprune.data import DATASETS
    >>> differences(DATASETS["har"], Shape(735, None, 561, 6), is_complete=False)
    ['735 of 10,299 cases', 'no official test part']
    >>> differences(DATASETS["usps"], Shape(9000, None, 256, 10))
    ['9,000 cases instead of 9,298']
    """
    found = []
    if shape.n_cases < full.n_cases and not is_complete:
        found.append(f"{shape.n_cases:,} of {full.n_cases:,} cases")
    elif shape.n_cases != full.n_cases:
        found.append(f"{shape.n_cases:,} cases instead of {full.n_cases:,}")
    if shape.n_test is None and full.n_test is not None:
        found.append("no official test part")
    elif shape.n_test is not None and full.n_test is None:
        found.append("a test part that is not official")
    elif shape.n_cases == full.n_cases and shape.n_train != full.n_train:
        found.append(f"{shape.n_train:,} training cases instead of {full.n_train:,}")
    if shape.n_features != full.n_features:
        found.append(f"{shape.n_features:,} features instead of {full.n_features:,}")
    if shape.n_classes != full.n_classes:
        found.append(f"{shape.n_classes} classes instead of {full.n_classes}")
    return found
