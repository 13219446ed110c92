"""Odd but legitimate input is taken as it is."""

import numpy as np
import pandas as pd
import pytest

from entryprune import EntryPruneClassifier, EntryPruneRegressor


def test_all_features_can_be_selected(easy, quick):
    selector = EntryPruneClassifier(12, **quick).fit(*easy)
    assert selector.support_.all()
    assert sorted(selector.selected_indices_) == list(range(12))
    assert selector.score(*easy) > 0.8
    assert selector.history_["input_size"][-1] == 12


@pytest.mark.parametrize(("k", "expected"), [(None, 6), (0.25, 3), (0.01, 1), (1.0, 12)])
def test_k_may_be_a_share(easy, quick, k, expected):
    assert EntryPruneClassifier(k, **quick).fit(*easy).support_.sum() == expected


def test_an_integer_type_of_numpy_is_an_integer(easy, quick):
    assert EntryPruneClassifier(np.int32(2), **quick).fit(*easy).support_.sum() == 2


def test_a_class_with_one_case_is_no_obstacle(easy, quick):
    X, y = easy
    y = y.copy()
    y[17] = 9
    selector = EntryPruneClassifier(2, **quick).fit(X, y)
    assert selector.classes_.tolist() == [0, 1, 2, 9]
    assert selector.predict_proba(X).shape == (150, 4)


def test_constant_and_duplicate_columns_give_finite_scores(easy, quick):
    X, y = easy
    X = np.column_stack([X, np.full(150, 7.0), X[:, 3], X[:, 3]])
    selector = EntryPruneClassifier(4, **quick).fit(X, y)
    assert not selector.support_[12]
    assert np.isfinite(selector.entry_scores_[selector.support_]).all()


@pytest.mark.parametrize(("k", "varying"), [(2, {3, 8}), (4, {3, 8, 0, 5}), (7, {3, 8, 0, 5})])
def test_constant_columns_are_taken_only_when_no_other_is_left(easy, quick, k, varying):
    X, y = easy
    X = X.copy()
    X[:, [1, 2, 4, 6, 7, 9, 10, 11]] = [0.0, 1.0, -3.0, 1e9, 0.1, 7.0, 1e-9, 2.0]
    selector = EntryPruneClassifier(k, **quick).fit(X, y)
    assert len(set(selector.selected_indices_)) == selector.support_.sum() == k
    assert varying <= set(selector.selected_indices_)
    # They come last.
    assert set(selector.selected_indices_[: len(varying)]) == varying


@pytest.mark.filterwarnings("ignore::entryprune.NothingLearnedWarning")
def test_constant_columns_only_still_give_k_features(quick):
    X = np.ones((20, 6))
    selector = EntryPruneClassifier(3, **quick).fit(X, np.arange(20) % 2)
    assert selector.support_.sum() == 3
    assert (selector.entry_scores_[selector.support_] == 0).all()


@pytest.mark.parametrize(
    "labels",
    [["setosa", "virginica", "other"], [True, False, True], [-7, 100, 3], [0.5, 2.0, 1.0]],
    ids=["strings", "booleans", "gaps", "floats"],
)
def test_labels_of_any_kind_come_back_as_they_were(easy, quick, labels):
    X, numbers = easy
    y = np.array(labels)[numbers]
    if y.dtype.kind == "f":
        y = np.round(y * 2) + 0.0  # classes, not measurements
    selector = EntryPruneClassifier(2, **quick).fit(X, y)
    np.testing.assert_array_equal(selector.classes_, np.unique(y))
    assert selector.predict(X).dtype == selector.classes_.dtype
    assert selector.score(X, y) > 0.7


def test_pandas_labels_are_taken(easy, quick):
    X, y = easy
    text = pd.Series(np.array(["a", "b", "c"])[y], dtype="category")
    selector = EntryPruneClassifier(2, **quick).fit(X, text)
    assert selector.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("cls", [EntryPruneClassifier, EntryPruneRegressor])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_two_cases_are_enough(cls, quick, k):
    X = np.array([[0.0, 5.0, 1.0], [1.0, 5.0, 0.0]])
    selector = cls(k, **quick).fit(X, [0, 1])
    assert selector.support_.sum() == k
    assert selector.support_[1] == (k == 3)
    assert selector.predict(X).shape == (2,)


@pytest.mark.parametrize("cls", [EntryPruneClassifier, EntryPruneRegressor])
def test_three_cases_are_enough(cls, quick):
    X = np.random.default_rng(0).normal(size=(3, 20))
    X[:, 4] = [0.0, 0.0, 9.0]
    selector = cls(5, **quick).fit(X, [0, 0, 1])
    assert len(set(selector.selected_indices_)) == 5
    assert np.isfinite(selector.entry_scores_[selector.support_]).all()


@pytest.mark.parametrize(("shift", "factor"), [(0.0, 1e6), (1e6, 1.0), (-50.0, 1e-6)])
def test_shift_and_scale_of_the_data_change_nothing(easy, quick, shift, factor):
    X, y = easy
    expected = EntryPruneClassifier(4, **quick).fit(X, y)
    moved = X * factor + shift
    selector = EntryPruneClassifier(4, **quick).fit(moved, y)
    assert selector.selected_indices_.tolist() == expected.selected_indices_.tolist()
    np.testing.assert_array_equal(selector.predict(moved), expected.predict(X))


def test_fewer_cases_than_a_batch_make_one_batch(easy, quick):
    selector = EntryPruneClassifier(2, **{**quick, "batch_size": 10_000}).fit(*easy)
    assert selector.support_[[3, 8]].all()
    assert selector.score(*easy) > 0.8
    if "preset" in quick:  # the other one has no epochs
        np.testing.assert_array_equal(selector.history_["epoch"], selector.history_["n_steps"])


def test_one_feature(quick):
    X = np.linspace(0, 1, 40)[:, None]
    selector = EntryPruneClassifier(**quick).fit(X, (X[:, 0] > 0.5).astype(int))
    assert selector.support_.tolist() == [True]
    assert selector.ranking_.tolist() == [1]
    # Relative to the input layer, one feature alone stands nowhere.
    assert (selector.entry_scores_ == [0.0]) == ("preset" in quick)


@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8",
              "uint16", "uint32", "uint64", "bool", ">f8"]
)  # fmt: skip
def test_every_type_gives_the_same_selection(easy, quick, dtype):
    X, y = easy
    X = np.clip(np.round(X * 10 + 60), 0, 120)
    if dtype == "bool":
        X = (X > 70).astype(float)
    expected = EntryPruneClassifier(2, **quick).fit(X, y)
    selector = EntryPruneClassifier(2, **quick).fit(X.astype(dtype), y)
    assert selector.selected_indices_.tolist() == expected.selected_indices_.tolist()
    np.testing.assert_allclose(
        selector.predict_proba(X.astype(dtype)), expected.predict_proba(X), atol=1e-3
    )


@pytest.mark.parametrize("arrange", [np.asfortranarray, np.ascontiguousarray, pd.DataFrame])
def test_memory_layout_changes_nothing(easy, quick, arrange):
    X, y = easy
    wide = np.repeat(X, 2, axis=0)
    expected = EntryPruneClassifier(2, **quick).fit(X, y)
    for values in (arrange(X), arrange(wide)[::2]):
        selector = EntryPruneClassifier(2, **quick).fit(values, y)
        assert selector.selected_indices_.tolist() == expected.selected_indices_.tolist()
        np.testing.assert_array_equal(selector.predict(values), expected.predict(X))


def test_read_only_arrays_are_taken_and_nothing_is_written(easy, quick):
    X, y = easy
    X, y = X.copy(), y.copy()
    before_X, before_y = X.copy(), y.copy()
    EntryPruneClassifier(2, **quick).fit(X, y).predict(X)
    np.testing.assert_array_equal(X, before_X)
    np.testing.assert_array_equal(y, before_y)
    X.setflags(write=False)
    y.setflags(write=False)
    EntryPruneClassifier(2, **quick).fit(X, y).predict(X)
    EntryPruneRegressor(2, **quick).fit(X, y).predict(X)
