"""What all figures do with the values they are given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

T = TypeVar("T")
K = TypeVar("K", bound="Hashable")


def in_order(names: Iterable[K]) -> list[K]:
    """Return each name once, where it came first.

    Examples
    --------
    >>> in_order(["MNIST", "HAR", "MNIST"])
    ['MNIST', 'HAR']
    """
    return list(dict.fromkeys(names))


def number(value: float | None) -> float:
    """Return a number; NaN if there is none or it is infinite, for neither can be drawn.

    Examples
    --------
    >>> number(3), number(None)
    (3.0, nan)
    """
    return float(value) if value is not None and math.isfinite(value) else math.nan


def by_key(items: Sequence[T], key: Callable[[T], K], what: str) -> dict[K, T]:
    """Return the items by a key that no two of them share.

    Examples
    --------
    >>> by_key(["a", "bb"], len, "words")
    {1: 'a', 2: 'bb'}
    """
    if not items:
        raise ValueError(f"There are no {what}, so there is nothing to draw. Give at least one.")
    found: dict[K, T] = {}
    for item in items:
        if key(item) in found:
            raise ValueError(f"There are two {what} for {key(item)}. Give one, such as their mean.")
        found[key(item)] = item
    return found
