"""Which columns make a feature."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import torch
from torch import Tensor


class Grouping:
    """Columns of one feature stand side by side: they enter, are judged and are seated as one.

    Parameters
    ----------
    feature_of : Tensor of int of shape (n_columns,)
        The feature of each column, from 0 on, never falling, none left out.
    is_indicator : Tensor of bool of shape (n_columns,), optional
        Which columns say with 1 that something holds (a level, a gap) and with 0 that it does not.

    Examples
    --------
    >>> import torch
    >>> grouping = Grouping(torch.tensor([0, 1, 1, 1, 2]))
    >>> grouping.columns_of(torch.tensor([1, 0]))
    tensor([1, 2, 3, 0])
    >>> grouping.total(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]))
    tensor([1., 9., 5.])
    """

    def __init__(self, feature_of: Tensor, is_indicator: Tensor | None = None) -> None:
        self.feature_of = feature_of.long()
        self.n_columns = len(feature_of)
        self.sizes = torch.bincount(self.feature_of)
        self.n_features = len(self.sizes)
        # Where every feature is a column, nothing below needs to be worked out.
        self.is_plain = self.n_features == self.n_columns
        nothing = torch.zeros(self.n_columns, dtype=torch.bool)
        # A single column that says yes or no is a column like others.
        self.is_indicator = nothing
        if is_indicator is not None and not self.is_plain:
            self.is_indicator = is_indicator & (self.sizes[self.feature_of] > 1)

    @classmethod
    def one_each(cls, n_columns: int) -> Self:
        """Return the grouping in which every column is a feature."""
        return cls(torch.arange(n_columns))

    @cached_property
    def _first(self) -> Tensor:
        return self.sizes.cumsum(0) - self.sizes

    def columns_of(self, features: Tensor) -> Tensor:
        """Return the columns of features, feature by feature."""
        if self.is_plain:
            return features
        sizes = self.sizes[features]
        ends = sizes.cumsum(0)
        within = torch.arange(int(sizes.sum())) - torch.repeat_interleave(ends - sizes, sizes)
        return torch.repeat_interleave(self._first[features], sizes) + within

    def total(self, values: Tensor, features: Tensor | None = None) -> Tensor:
        """Sum values of columns, all or those of `features`, over each feature."""
        if self.is_plain:
            return values
        if features is None:
            place, n_features = self.feature_of, self.n_features
        else:
            n_features = len(features)
            place = torch.repeat_interleave(torch.arange(n_features), self.sizes[features])
        return values.new_zeros(n_features).index_add_(0, place.to(values.device), values)
