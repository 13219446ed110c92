"""A short text that tells whether two copies of a data set have the same content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from entryprune.data.dataset import Dataset

_LEVELS = 10_000
# Values converted at a time, so that MNIST does not need gigabytes.
_BLOCK = 2**21


def fingerprint(dataset: Dataset) -> str:
    """Return the SHA-256 of a data set's content, however it is stored.

    The values are first mapped to the levels 0 to 10,000 between the smallest and the largest of
    the whole data set. So copies that differ only in how they are encoded have the same
    fingerprint: grey values in [-1, 1] or as integers from 0 to 2,000, classes 0 to 9 or 1 to 10.
    The order of rows and columns counts; names do not.

    Hashed are, all as 64-bit little-endian integers: the levels of X, those of X_test, the classes
    of y and of y_test as numbers in the order of the sorted labels, the shapes of X and of X_test.
    A value that is not finite has the level -1.

    Parameters
    ----------
    dataset : Dataset
        Whose content.

    Returns
    -------
    str
        "sha256:" and 64 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np
    >>> from entryprune.data import Dataset
    >>> a = Dataset("a", "A", X=np.array([[0, 5], [10, 20]]), y=np.array([0, 1]))
    >>> b = Dataset("b", "B", X=np.array([[-1, -0.5], [0, 1]]), y=np.array(["no", "yes"]))
    >>> fingerprint(a) == fingerprint(b)
    True
    """
    import numpy as np

    tables = [dataset.X] if dataset.X_test is None else [dataset.X, dataset.X_test]
    labels = [dataset.y] if dataset.y_test is None else [dataset.y, dataset.y_test]
    low, high = _range(tables)
    digest = hashlib.sha256()
    for block in _blocks(tables):
        is_finite = np.isfinite(block)
        filled = np.where(is_finite, block, low)
        levels = np.rint((filled - low) * (_LEVELS / (high - low) if high > low else 0.0))
        digest.update(np.where(is_finite, levels, -1).astype("<i8").tobytes())
    classes = np.unique(np.concatenate(labels), return_inverse=True)[1]
    digest.update(classes.astype("<i8").tobytes())
    for table in tables:
        digest.update(np.array(table.shape, dtype="<i8").tobytes())
    return f"sha256:{digest.hexdigest()}"


def _range(tables: list[NDArray[Any]]) -> tuple[float, float]:
    import numpy as np

    low, high = float("inf"), float("-inf")
    for block in _blocks(tables):
        finite = block[np.isfinite(block)]
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    return (low, high) if low <= high else (0.0, 0.0)


def _blocks(tables: list[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    import numpy as np

    for table in tables:
        n_rows = max(1, _BLOCK // table.shape[1])
        for start in range(0, len(table), n_rows):
            yield np.ascontiguousarray(table[start : start + n_rows], dtype=np.float64)
