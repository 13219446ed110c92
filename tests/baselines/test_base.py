"""What the baselines share, shown on a method whose scores are known: the columns' means."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from entryprune.baselines import RefusalError
from entryprune.baselines._base import (
    BaselineSelector,
    Ranking,
    ScaledSelector,
    resolve_task,
    standardised,
)


class ByMean(BaselineSelector):
    _title = "By mean"

    def _rank(self, data, n_selected, rng):
        self.seen = data
        return Ranking(data.X.mean(axis=0))


class ClassesOnly(ByMean):
    _title = "Classes only"
    _tasks = ("classification",)


class TwoFound(ByMean):
    _title = "Two found"

    def _rank(self, data, n_selected, rng):
        return Ranking(np.array([np.nan, 1.0, np.nan, 5.0]), np.array([1, 3]))


class Scaled(ScaledSelector):
    _title = "Scaled"

    def _rank(self, data, n_selected, rng):
        self.seen = data
        return Ranking(data.X.mean(axis=0))


class Interrupted(ByMean):
    def _rank(self, data, n_selected, rng):
        self.half_done_ = True
        raise KeyboardInterrupt


X = np.array([[1.0, 4.0, 2.0, 4.0], [1.0, 4.0, 2.0, 4.0], [1.0, 4.0, 2.0, 4.0]])
Y = ["a", "b", "a"]


def test_the_highest_scores_are_selected_and_the_first_column_wins_a_tie():
    selector = ByMean(3).fit(X, Y)
    assert selector.selected_indices_.tolist() == [1, 3, 2]
    assert selector.ranking_.tolist() == [4, 1, 3, 2]
    assert selector.support_.tolist() == [False, True, True, True]
    assert selector.scores_.tolist() == [1, 4, 2, 4]


def test_a_methods_own_order_goes_before_its_scores():
    selector = TwoFound(1).fit(X, Y)
    assert selector.selected_indices_.tolist() == [1]
    assert selector.ranking_.tolist() == [3, 1, 3, 2]


def test_a_method_that_finds_too_few_refuses_and_keeps_nothing():
    selector = TwoFound(3)
    with pytest.raises(
        RefusalError, match=r"Two found: it found 2 feature\(s\) and 3 were"
    ) as info:
        selector.fit(X, Y)
    assert info.value.reason == "too_few"
    assert not hasattr(selector, "support_")
    assert not hasattr(selector, "n_features_in_")


def test_a_method_that_finds_nothing_says_so():
    class Nothing(ByMean):
        _title = "Nothing"

        def _rank(self, data, n_selected, rng):
            return Ranking(np.full(4, np.nan))

    with pytest.raises(RefusalError, match="found no feature that helps"):
        Nothing(1).fit(X, Y)


@pytest.mark.parametrize("task", ["auto", "regression"])
def test_a_method_for_classes_refuses_regression(task):
    with pytest.raises(RefusalError, match="Classes only: it does classification only") as info:
        ClassesOnly(1, task=task).fit(X, [0.5, 1.5, 0.7])
    assert info.value.reason == "task"
    assert "KBinsDiscretizer" in str(info.value)


def test_a_refusal_survives_the_way_from_another_process():
    refusal = pickle.loads(pickle.dumps(RefusalError("m", "task", "no")))
    assert (refusal.method, refusal.reason, refusal.message) == ("m", "task", "no")
    assert str(refusal) == "m: no"


def test_an_interrupted_fit_leaves_the_selector_as_it_was():
    selector = Interrupted(1)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, Y)
    assert vars(selector) == {"n_features_to_select": 1, "task": "auto", "random_state": None}


def test_classes_arrive_as_numbers_and_quantities_as_they_are():
    assert ByMean(1).fit(X, Y).seen.y.tolist() == [0, 1, 0]
    assert ByMean(1).fit(X, Y).seen.n_classes == 2
    assert ByMean(1).fit(X, [0.5, 1.5, 0.7]).seen.y.tolist() == [0.5, 1.5, 0.7]
    counts = ByMean(1, task="regression").fit(X, [3, 1, 2])
    assert (counts.seen.n_classes, counts.task_) == (0, "regression")


@pytest.mark.parametrize(
    ("task", "y", "expected"),
    [
        ("auto", [0, 1, 2], "classification"),
        ("auto", [0.0, 1.0, 2.0], "classification"),
        ("auto", [True, False], "classification"),
        ("auto", [0.1, 1.0], "regression"),
        ("regression", [0, 1], "regression"),
        ("classification", ["x", "y"], "classification"),
    ],
)
def test_the_task_is_as_asked_or_as_the_target_looks(task, y, expected):
    assert resolve_task(task, np.array(y)) == expected


@pytest.mark.parametrize(
    ("task", "y", "message"),
    [
        ("classification", [0.1, 0.2, 0.3], "y holds fractions. Bin y into"),
        ("regression", ["a", "b", "c"], "needs numbers in y"),
        ("auto", [1, 1, 1], "one class only"),
        ("wrong", [0, 1, 1], "'task' parameter"),
    ],
)
def test_a_target_that_does_not_fit_is_refused(task, y, message):
    with pytest.raises(ValueError, match=message):
        ByMean(1, task=task).fit(X, y)


def test_bad_values_and_columns_are_named():
    with pytest.raises(ValueError, match=r"NaN .* 'b'"):
        ByMean(1).fit(pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, 1.0]}), [0, 1])
    with pytest.raises(ValueError, match=r"not: b\..*OneHotEncoder"):
        ByMean(1).fit(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), [0, 1])


@pytest.mark.parametrize("k", [0, 5, -1, 1.5])
def test_an_impossible_number_of_features_is_refused(k):
    with pytest.raises(ValueError, match="whole number from 1 to 4"):
        ByMean(k).fit(X, Y)


@pytest.mark.parametrize(("k", "n_selected"), [(3, 3), (0.25, 1), (0.75, 3), (1.0, 4), (None, 2)])
def test_a_number_a_share_or_half_of_the_features_can_be_asked_for(k, n_selected):
    assert len(ByMean(k).fit(X, Y).selected_indices_) == n_selected


def test_a_mask_is_not_lost_in_silence():
    masked = np.ma.masked_array(X, mask=X > 2)
    for use in (ByMean(2).fit, lambda X, y: ByMean(2).fit(np.asarray(X), y).transform(X)):
        with pytest.raises(ValueError, match="X is a masked array with 6 masked values"):
            use(masked, Y)


def test_names_go_in_and_come_out():
    table = pd.DataFrame(X, columns=["p", "q", "r", "s"])
    selector = ByMean(2).fit(table, Y).set_output(transform="pandas")
    assert selector.get_feature_names_out().tolist() == ["q", "s"]
    assert selector.transform(table).columns.tolist() == ["q", "s"]
    polars = ByMean(2).fit(pl.DataFrame(table.to_dict("list")), Y).set_output(transform="polars")
    assert polars.transform(pl.DataFrame(table.to_dict("list"))).columns == ["q", "s"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, np.int64, bool])
def test_values_arrive_as_floats_and_the_callers_array_is_never_written(dtype):
    values = np.array([[0, 1, 3], [2, 1, 5]]).astype(dtype)
    values.flags.writeable = False
    for kind in (ByMean, Scaled):
        seen = kind(1).fit(values, [0, 1]).seen.X
        assert seen.dtype == (np.float32 if dtype is np.float32 else np.float64)


def test_a_standardised_target_has_mean_0_and_deviation_1_unless_it_is_constant():
    assert standardised(np.array([1.0, 3.0])).tolist() == [-1, 1]
    assert standardised(np.array([5.0, 5.0])).tolist() == [0, 0]


def test_scale_is_minmax_unless_told_otherwise():
    values = np.array([[0.0, 5.0], [5.0, 5.0], [10.0, 5.0]])
    assert Scaled(1).fit(values, Y).seen.X.tolist() == [[0, 0], [0.5, 0], [1, 0]]
    standard = Scaled(1, scale="standard").fit(values, Y).seen.X
    assert standard[:, 0] == pytest.approx([-(1.5**0.5), 0, 1.5**0.5])
    assert Scaled(1, scale=None).fit(values, Y).seen.X.tolist() == values.tolist()


# -- tables that are not numbers ----------------------------------------------------------------


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_columns_that_are_not_numbers_are_named(make):
    frame = make(
        {"age": [30, 40, 50, 60], "sex": ["f", "m", "f", "m"], "site": ["A", "B", "A", "C"]}
    )
    with pytest.raises(ValueError, match=r"not: sex, site\. Encode them first"):
        ByMean(1).fit(frame, [0, 1, 0, 1])


def test_dates_are_named_too():
    frame = pd.DataFrame({"when": pd.date_range("2020-01-01", periods=4), "age": [1, 2, 3, 4]})
    with pytest.raises(TypeError, match=r"not: when\."):
        ByMean(1).fit(frame, [0, 1, 0, 1])
