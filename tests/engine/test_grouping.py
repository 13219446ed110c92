"""Features of several columns."""

from __future__ import annotations

import torch

from entryprune.engine.grouping import Grouping


def test_columns_come_feature_by_feature_in_the_order_asked_for():
    grouping = Grouping(torch.tensor([0, 0, 1, 2, 2, 2]))
    assert grouping.columns_of(torch.tensor([2, 0])).tolist() == [3, 4, 5, 0, 1]
    assert grouping.columns_of(torch.tensor([], dtype=torch.int64)).tolist() == []
    assert not grouping.is_plain


def test_totals_are_over_all_features_or_some():
    grouping = Grouping(torch.tensor([0, 0, 1]))
    assert grouping.total(torch.tensor([1.0, 2.0, 4.0])).tolist() == [3.0, 4.0]
    some = torch.tensor([1, 0])
    assert grouping.total(torch.tensor([4.0, 1.0, 2.0]), some).tolist() == [4.0, 3.0]


def test_one_column_each_changes_nothing():
    grouping = Grouping.one_each(3)
    values = torch.tensor([1.0, 2.0, 3.0])
    assert grouping.is_plain
    assert grouping.total(values) is values


def test_a_single_column_of_ones_and_zeros_is_a_column_like_others():
    both = torch.tensor([True, True, False])
    grouping = Grouping(torch.tensor([0, 1, 1]), both)
    assert grouping.is_indicator.tolist() == [False, True, False]
