"""The cases of each class."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from entryprune.report._texts import label_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Group:
    """A class and its cases.

    Attributes
    ----------
    label : str
        The class, as it shall be written.
    cases : array of int
        Rows of its cases.
    """

    label: str
    cases: NDArray[np.intp]


def groups_of(y: ArrayLike, most: int) -> list[Group]:
    """Return the most frequent classes, in the order of their labels.

    Parameters
    ----------
    y : array of shape (n_cases,)
        Labels, texts or numbers.
    most : int
        How many classes at most.

    Examples
    --------
    >>> [(group.label, group.cases.tolist()) for group in groups_of(["b", "a", "b", "c"], 2)]
    [('a', [1]), ('b', [0, 2])]
    """
    labels = np.asarray(y).tolist()
    texts = np.array([label_text(label) for label in labels], dtype=object)
    frequent = [label for label, _ in Counter(labels).most_common(most)]
    try:
        frequent.sort()
    except TypeError:  # numbers and texts in one column
        frequent.sort(key=label_text)
    in_order = dict.fromkeys(label_text(label) for label in frequent)
    return [Group(label, np.flatnonzero(texts == label)) for label in in_order]
