"""Tables of every kind, and what may or must be selected of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

from entryprune import EntryPruneClassifier, EntryPruneRegressor


@pytest.fixture(scope="module")
def mixed():
    """Return a table in which income with its gaps, city and the month of opening count."""
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(rng.normal(size=(n, 12)), columns=[f"n{i}" for i in range(12)])
    frame["income"] = rng.normal(size=n)
    frame["city"] = rng.choice(list("abcdefgh"), size=n)
    frame["member"] = rng.choice(["yes", "no"], size=n)
    days = pd.to_timedelta(rng.integers(0, 700, size=n), unit="D")
    frame["opened"] = pd.Timestamp("2020-01-01") + days
    frame.loc[rng.random(n) < 0.2, "income"] = np.nan
    score = 1.5 * frame["income"].fillna(0) + 2 * frame["city"].isin(["b", "e"])
    score += 1.5 * (frame["opened"].dt.month < 4) + 0.5 * rng.normal(size=n)
    return frame, (score > 0.7).to_numpy().astype(int)


def test_dates_may_be_objects(mixed):
    """As databases return them, and without any text beside them."""
    frame = mixed[0][["n0", "n1", "opened"]]
    as_objects = frame.assign(opened=frame["opened"].dt.date)
    assert as_objects["opened"].dtype == object
    selector = EntryPruneClassifier(1, random_state=0)
    found, same = (clone(selector).fit(table, mixed[1]) for table in (as_objects, frame))
    assert found.get_feature_names_out().tolist() == ["opened"]
    np.testing.assert_array_equal(found.scores_, same.scores_)


def as_arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def as_polars(frame):
    return pl.from_arrow(as_arrow(frame))


@pytest.mark.parametrize("convert", [pd.DataFrame, as_polars, as_arrow])
def test_gaps_categories_and_dates_are_features_like_others(mixed, convert):
    frame, y = convert(mixed[0]), mixed[1]
    selector = EntryPruneClassifier(3, missing="impute", random_state=0).fit(frame, y)
    assert selector.get_feature_names_out().tolist() == ["income", "city", "opened"]
    assert selector.score(frame, y) > 0.85
    reduced = selector.transform(frame)
    assert type(reduced) is type(frame)
    names = reduced.column_names if isinstance(reduced, pa.Table) else list(reduced.columns)
    assert names == ["income", "city", "opened"]
    kinds = [reduced.schema.types] if isinstance(reduced, pa.Table) else [list(reduced.dtypes)]
    of_all = frame.schema.types if isinstance(frame, pa.Table) else list(frame.dtypes)
    assert kinds == [[of_all[12], of_all[13], of_all[15]]]


def test_gaps_are_an_error_unless_they_are_to_be_filled(mixed):
    frame, y = mixed
    with pytest.raises(ValueError, match=r"missing values in 1 column .*'income'.*impute"):
        EntryPruneClassifier(3).fit(frame, y)
    with pytest.raises(ValueError, match=r"NaN .missing values. in 1 of 13 columns"):
        EntryPruneClassifier(3).fit(frame.iloc[:, :13], y)


def test_gaps_of_an_array_are_filled_with_the_median_of_the_fit():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 6))
    y = (X[:, 2] > 0).astype(int)
    X[::7, 2] = np.nan
    selector = EntryPruneClassifier(1, missing="impute", random_state=0).fit(X, y)
    assert selector.selected_indices_.tolist() == [2]
    gap, median = np.zeros((1, 6)), np.zeros((1, 6))
    gap[0, 2], median[0, 2] = np.nan, np.nanmedian(X[:, 2])
    # The same number, but that it was missing counts too.
    assert selector.predict_proba(gap).shape == selector.predict_proba(median).shape == (1, 2)
    assert not np.allclose(selector.predict_proba(gap), selector.predict_proba(median))


def test_that_a_value_is_missing_may_be_what_counts():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 8))
    y = rng.integers(2, size=300)
    X[y == 1, 5] = np.where(rng.random((y == 1).sum()) < 0.6, np.nan, X[y == 1, 5])
    selector = EntryPruneClassifier(1, missing="impute", random_state=0).fit(X, y)
    assert selector.selected_indices_.tolist() == [5]


def test_infinite_values_are_refused_also_where_gaps_are_filled():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[4, 1] = np.inf
    with pytest.raises(ValueError, match="infinity in 1 column"):
        EntryPruneClassifier(1, missing="impute").fit(X, np.arange(30) % 2)


def test_the_published_algorithm_takes_mixed_tables_one_column_a_feature(mixed):
    frame, y = mixed
    selector = EntryPruneClassifier(
        3, preset="paper", missing="impute", patience=5, max_rotations=40, random_state=0
    )
    selector.fit(frame, y)
    assert selector.predict(frame).shape == (400,)
    assert len(selector.selected_indices_) == 3


def test_words_in_place_of_numbers_are_refused_after_the_fit():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    selector = EntryPruneClassifier(1, random_state=0).fit(frame, frame["b"] > 0)
    np.testing.assert_array_equal(selector.predict(as_arrow(frame)), selector.predict(frame))
    with pytest.raises(ValueError, match=r"numbers only in fit, and now has other values in 'c'"):
        selector.predict(frame.assign(c="much"))


def test_gaps_that_come_after_the_fit_are_filled_too():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    selector = EntryPruneClassifier(1, missing="impute", random_state=0).fit(frame, frame["b"] > 0)
    gap = frame.assign(b=np.nan)
    filled = frame.assign(b=frame["b"].median())
    np.testing.assert_array_equal(selector.predict_proba(gap), selector.predict_proba(filled))


# -- sparse ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counts():
    table = sparse.random(300, 500, 0.03, format="csr", random_state=0)
    return table, (np.asarray(table[:, :5].sum(axis=1)).ravel() > 0.1).astype(int)


@pytest.mark.parametrize(
    "convert", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.csc_array]
)
def test_a_sparse_table_gives_the_same_selection_as_a_dense_one(counts, convert):
    table, y = counts
    dense = EntryPruneClassifier(6, random_state=0).fit(table.toarray(), y)
    found = EntryPruneClassifier(6, random_state=0).fit(convert(table), y)
    assert found.selected_indices_.tolist() == dense.selected_indices_.tolist()
    np.testing.assert_array_equal(found.scores_, dense.scores_)
    np.testing.assert_allclose(
        found.predict_proba(convert(table)), dense.predict_proba(table.toarray()), rtol=1e-9
    )
    assert sparse.issparse(found.transform(convert(table)))


def test_gaps_in_a_sparse_table_are_named(counts):
    table, y = counts[0].copy(), counts[1]
    table.data[0] = np.nan
    place = table.indices[0]
    with pytest.raises(ValueError, match=rf"in 1 of 500 columns: column {place}\."):
        EntryPruneClassifier(3).fit(table, y)


@pytest.mark.filterwarnings("ignore::entryprune.NothingLearnedWarning")
def test_one_hot_columns_go_through_a_pipeline_under_grid_search(mixed):
    frame, y = mixed
    encode = ColumnTransformer(
        [("levels", OneHotEncoder(), ["city", "member"])], remainder="passthrough"
    )
    X = frame.drop(columns=["opened", "income"])
    pipe = make_pipeline(encode, EntryPruneClassifier(random_state=0), LinearSVC())
    grid = {"entrypruneclassifier__n_features_to_select": [1, 4]}
    search = GridSearchCV(pipe, grid, cv=3).fit(X, y)
    assert search.best_params_ == {"entrypruneclassifier__n_features_to_select": 4}


@pytest.mark.filterwarnings("ignore::entryprune.NothingLearnedWarning")
def test_levels_alone_stay_sparse_through_a_pipeline_under_grid_search(mixed):
    frame, y = mixed
    encode = ColumnTransformer([("levels", OneHotEncoder(), ["city", "member"])])
    assert sparse.issparse(encode.fit_transform(frame))
    pipe = make_pipeline(encode, EntryPruneClassifier(random_state=0), LinearSVC())
    grid = {"entrypruneclassifier__n_features_to_select": [1, 2]}
    search = GridSearchCV(pipe, grid, cv=3).fit(frame, y)
    assert search.best_params_ == {"entrypruneclassifier__n_features_to_select": 2}
    kept = search.best_estimator_[:-1].get_feature_names_out().tolist()
    assert kept == ["levels__city_b", "levels__city_e"]


def test_a_tensor_stays_a_tensor():
    X = torch.randn(60, 5, generator=torch.Generator().manual_seed(0))
    selector = EntryPruneClassifier(2, random_state=0).fit(X.numpy(), (X[:, 1] > 0).numpy())
    assert torch.equal(selector.transform(X), X[:, selector.get_support()])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_tensors_are_learned_from_as_arrays_are(dtype):
    X = torch.randn(60, 5, generator=torch.Generator().manual_seed(0)).to(dtype).requires_grad_()
    y = (X[:, 1] > 0).long()
    values = X.detach().float().numpy()
    expected = EntryPruneClassifier(2, random_state=0).fit(values, y.numpy())
    found = EntryPruneClassifier(2, random_state=0).fit(X, y)
    assert found.selected_indices_.tolist() == expected.selected_indices_.tolist()
    np.testing.assert_array_equal(found.predict(X), expected.predict(values))
    assert found.transform(X).dtype is dtype


def test_sparse_tensors_are_told_what_to_become():
    X = torch.eye(8).to_sparse()
    with pytest.raises(ValueError, match=r"sparse tensor of torch.*X\.to_dense\(\)"):
        EntryPruneClassifier(2).fit(X, np.arange(8) % 2)


@pytest.mark.parametrize("form", ["coo_array", "lil_matrix", "dok_array", "bsr_matrix"])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32])
def test_other_sparse_formats_and_types_are_converted(counts, form, dtype):
    table, y = counts
    table = (table[:, :40] * 9).astype(dtype)
    expected = EntryPruneClassifier(3, random_state=0).fit(table.toarray(), y)
    converted = getattr(sparse, form)(table)
    found = EntryPruneClassifier(3, random_state=0).fit(converted, y)
    assert found.selected_indices_.tolist() == expected.selected_indices_.tolist()
    assert sparse.issparse(found.transform(converted))
    assert found.transform(converted).dtype == dtype


def test_sparse_pandas_stays_so_and_categories_go_through_a_pipeline(counts, mixed):
    table, y = counts
    frame = pd.DataFrame.sparse.from_spmatrix(table[:, :40]).add_prefix("w")
    expected = EntryPruneClassifier(3, random_state=0).fit(table[:, :40].toarray(), y)
    found = EntryPruneClassifier(3, random_state=0).fit(frame, y)
    assert found.selected_indices_.tolist() == expected.selected_indices_.tolist()
    assert all(isinstance(kind, pd.SparseDtype) for kind in found.transform(frame).dtypes)
    people = mixed[0][["n0", "city", "member"]].astype({"city": "category"})
    pipe = make_pipeline(EntryPruneClassifier(1, random_state=0), OneHotEncoder(), LinearSVC())
    assert pipe.fit(people, mixed[1]).score(people, mixed[1]) > 0.6
    assert pipe[:-1].get_feature_names_out().tolist() == [f"city_{one}" for one in "abcdefgh"]


# -- groups, kept and barred features, costs ------------------------------------------------------


@pytest.fixture(scope="module")
def plain():
    X = np.random.default_rng(0).normal(size=(300, 20))
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(20)])
    return frame, (X[:, 3] + X[:, 8] > 0).astype(int)


def test_a_group_is_selected_whole_and_counts_once(plain):
    frame, y = plain
    selector = EntryPruneClassifier(2, feature_groups=[["c3", "c11", "c0"]], random_state=0)
    selector.fit(frame, y)
    assert set(selector.get_feature_names_out()) == {"c0", "c3", "c8", "c11"}
    assert len(set(selector.ranking_[[0, 3, 11]])) == 1
    assert selector.transform(frame).shape == (300, 4)
    assert selector.score(frame, y) > 0.9


def test_one_group_for_each_feature_changes_nothing(plain):
    frame, y = plain
    alone = EntryPruneClassifier(3, random_state=0).fit(frame, y)
    grouped = EntryPruneClassifier(
        3, feature_groups={name: [name] for name in frame}, random_state=0
    ).fit(frame, y)
    np.testing.assert_array_equal(grouped.ranking_, alone.ranking_)
    np.testing.assert_array_equal(grouped.scores_, alone.scores_)


def test_kept_features_are_there_and_barred_ones_are_not(plain):
    frame, y = plain
    selector = EntryPruneClassifier(3, keep=["c17"], bar=["c3"], random_state=0).fit(frame, y)
    assert {"c17", "c8"} <= set(selector.get_feature_names_out())
    assert "c3" not in selector.get_feature_names_out()
    assert selector.ranking_[3] == selector.ranking_.max() == 20
    assert selector.scores_[3] == 0


def test_barred_features_change_nothing_but_their_own_place(plain):
    frame, y = plain
    barred = EntryPruneClassifier(3, bar=[0, 19], random_state=0).fit(frame, y)
    without = EntryPruneClassifier(3, random_state=0).fit(frame.iloc[:, 1:19], y)
    np.testing.assert_array_equal(barred.scores_[1:19], without.scores_)
    np.testing.assert_array_equal(barred.ranking_[1:19], without.ranking_)


def test_a_constant_may_be_kept_beside_a_feature_of_several_columns():
    """Without that feature nothing varies, but for what rounding leaves of its columns."""
    X = np.random.default_rng(0).normal(size=(120, 6))
    X[:, 5] = 3.0
    y = X[:, :3].sum(axis=1) > 0
    selector = EntryPruneClassifier(2, keep=[5], feature_groups=[[0, 1, 2]], random_state=0)
    assert selector.fit(X, y).support_.tolist() == [True, True, True, False, False, True]
    assert selector.scores_[5] == 0
    assert selector.scores_[0] > 0.1


def test_a_budget_is_kept_to_without_a_number_of_features(plain):
    frame, y = plain
    costs = {"c3": 5.0, "c8": 2.0}
    selector = EntryPruneClassifier(costs=costs, budget=3.5, random_state=0).fit(frame, y)
    names = selector.get_feature_names_out().tolist()
    assert "c8" in names
    assert "c3" not in names
    assert sum(costs.get(name, 1.0) for name in names) <= 3.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"keep": ["c99"]}, "keep has names that are not in X: 'c99'.*Did you mean"),
        ({"keep": [20]}, "keep has the feature number 20, but X has 20: numbers go from 0 to 19"),
        ({"keep": ["c1", "c2", "c3", "c4"]}, "keep names 4 features, and only 3"),
        ({"keep": ["c1"], "bar": ["c1"]}, "keep and bar name the same feature"),
        ({"bar": [f"c{i}" for i in range(20)]}, "bar has all features"),
        ({"feature_groups": [["c1", "c2"], ["c2"]]}, "the feature 'c2' in two groups"),
        ({"costs": [1.0, 2.0]}, "one number for each of the 20 features"),
        ({"costs": {"c1": 0.0}}, "costs must be finite and above 0"),
        ({"budget": 0.5}, "budget is 0.5, and the cheapest feature costs 1"),
        ({"budget": 2.0, "n_features_to_select": "auto"}, "give a number or None beside a budget"),
        ({"preset": "paper", "keep": ["c1"]}, "keep plays no part in preset='paper'"),
    ],
)
def test_what_cannot_be_is_said(plain, parameters, message):
    selector = EntryPruneClassifier(**{"n_features_to_select": 3, **parameters})
    with pytest.raises(ValueError, match=message):
        selector.fit(*plain)


def test_names_for_a_table_without_names_are_refused(plain):
    frame, y = plain
    with pytest.raises(ValueError, match=r"bar has names \('c1'\), but X has none"):
        EntryPruneClassifier(3, bar=["c1"]).fit(frame.to_numpy(), y)


# -- properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_constant_column_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 10))
    y = X[:, 2] - X[:, 7] + 0.2 * rng.normal(size=80)
    alone = EntryPruneRegressor(3, random_state=0).fit(X, y)
    more = EntryPruneRegressor(3, random_state=0).fit(np.column_stack([X, np.full(80, 7.0)]), y)
    assert more.selected_indices_.tolist() == alone.selected_indices_.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_columns_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 10))
    y = X[:, 2] * X[:, 7] > 0
    order = rng.permutation(10)
    alone = EntryPruneClassifier(2, random_state=0).fit(X, y)
    moved = EntryPruneClassifier(2, random_state=0).fit(X[:, order], y)
    assert set(order[moved.selected_indices_]) == set(alone.selected_indices_)
