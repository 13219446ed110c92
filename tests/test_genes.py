"""Genes of AnnData objects: what is read of them, what is written, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import entryprune
from entryprune import EntryPruneClassifier, select_genes


@pytest.fixture
def adata():
    """Return what is looked at of an AnnData; genes 7 and 20 decide the type, 3 the age."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.3, size=(300, 60)).astype(np.float32)
    names = pd.Index([f"g{number}" for number in range(60)])
    kinds = np.where(counts[:, 7] + counts[:, 20] > 0, "T", "B")
    obs = pd.DataFrame(
        {
            "type": pd.Categorical(kinds),
            "age": counts[:, 3] + 0.1 * rng.normal(size=300),
            "cluster": rng.integers(4, size=300),
            "time": rng.exponential(np.exp(-2.0 * counts[:, 5])),
            "died": rng.random(300) < 0.7,
            "donor": [f"d{number % 10}" for number in range(300)],
        }
    )
    return SimpleNamespace(
        X=sparse.csr_matrix(counts),
        layers={"logged": sparse.csc_matrix(np.log1p(counts))},
        obs=obs,
        var=pd.DataFrame({"chromosome": np.arange(60) % 22}, index=names),
        var_names=names,
        uns={},
    )


def selected(adata, column="selected"):
    return adata.var_names[adata.var[column]].tolist()


def test_columns_are_written_as_scanpy_does(adata):
    matrix = adata.X.copy()
    assert select_genes(adata, "type", n_features_to_select=2) is None
    assert selected(adata) == ["g7", "g20"]
    assert adata.var.columns.tolist() == ["chromosome", "selected", "rank", "score"]
    assert sorted(adata.var.loc[adata.var["selected"], "rank"]) == [1, 2]
    assert set(adata.var.nlargest(2, "score").index) == {"g7", "g20"}
    assert sorted(adata.uns["entryprune"]["genes"]) == ["g20", "g7"]
    assert adata.uns["entryprune"]["params"] == {
        "target": ["type"],
        "task": "classification",
        "n_features_to_select": 2,
        "stability": False,
        "random_state": 0,
    }
    assert sparse.issparse(adata.X)
    assert (matrix != adata.X).nnz == 0


def test_the_selection_is_that_of_the_estimator(adata):
    expected = EntryPruneClassifier(5, random_state=3).fit(adata.X.toarray(), adata.obs["type"])
    frame = select_genes(adata, "type", n_features_to_select=5, random_state=3, inplace=False)
    assert frame.index.equals(adata.var_names)
    np.testing.assert_array_equal(frame["selected"], expected.support_)
    np.testing.assert_array_equal(frame["rank"], expected.ranking_)
    assert adata.var.columns.tolist() == ["chromosome"]
    assert adata.uns == {}


def test_a_layer_and_a_key_of_ones_own(adata):
    select_genes(adata, "type", n_features_to_select=2, layer="logged", key_added="ep")
    assert selected(adata, "ep_selected") == ["g7", "g20"]
    assert adata.uns["ep"]["params"]["layer"] == "logged"


def test_a_quantity_and_survival_are_told_by_their_columns(adata):
    assert select_genes(adata, "age", n_features_to_select=1) is None
    assert selected(adata) == ["g3"]
    assert adata.uns["entryprune"]["params"]["task"] == "regression"
    select_genes(adata, ["time", "died"], n_features_to_select=1)
    assert selected(adata) == ["g5"]
    assert adata.uns["entryprune"]["params"]["task"] == "survival"


def test_how_sure_each_gene_is(adata):
    select_genes(adata, "type", n_features_to_select=2, stability=True, n_pairs=4)
    assert adata.var.loc[["g7", "g20"], "frequency"].tolist() == [1.0, 1.0]
    assert set(adata.var["verdict"]) <= {"confirmed", "tentative", "rejected"}
    assert adata.uns["entryprune"]["params"]["n_pairs"] == 4


def test_genes_are_kept_and_barred_by_their_names(adata):
    select_genes(adata, "type", n_features_to_select=2, keep=["g11"], bar=["g7"])
    assert selected(adata) == ["g11", "g20"]
    with pytest.raises(ValueError, match=r"keep has names that are not in X: 'g99'"):
        select_genes(adata, "type", keep=["g99"])


def test_genes_are_grouped_and_priced_by_their_names(adata):
    together = {"feature_groups": {"set": ["g3", "g7"]}, "costs": {"g20": 1e6}}
    select_genes(adata, "type", n_features_to_select=2, **together)
    assert {"g3", "g7"} < set(selected(adata))
    assert "g20" not in selected(adata)


def test_cells_of_one_donor_are_on_one_side(adata):
    select_genes(adata, "type", n_features_to_select=2, groups="donor")
    assert selected(adata) == ["g7", "g20"]
    one = adata.obs.assign(donor="d0")
    with pytest.raises(ValueError, match="one group only"):
        select_genes(SimpleNamespace(**{**vars(adata), "obs": one}), "type", groups="donor")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": "typ"}, r"adata\.obs has no column 'typ'\. Did you mean 'type'\?"),
        ({"target": "cluster"}, r"whole numbers, which may be classes or quantities\. Give task="),
        ({"layer": "log"}, r"adata has no layer 'log'.* It has 'logged'; without"),
        ({"task": "classes"}, r"task must be one of 'auto', 'classification', "),
        ({"task": "survival"}, r"needs two columns .* got 'type' alone"),
        ({"target": ["time", "died", "age"]}, "one column of adata.obs, or for survival two"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(adata, changes, message):
    with pytest.raises(ValueError, match=message):
        select_genes(adata, **{"target": "type", **changes})
    assert adata.var.columns.tolist() == ["chromosome"]
    assert adata.uns == {}


def test_whole_numbers_are_what_is_said_of_them(adata):
    clusters = (adata.X[:, 7].toarray().ravel() + 2 * (adata.X[:, 20].toarray().ravel() > 0)).clip(
        0, 3
    )
    adata.obs["cluster"] = clusters.astype(int)
    select_genes(adata, "cluster", n_features_to_select=2, task="classification")
    assert selected(adata) == ["g7", "g20"]


def test_values_in_a_file_are_asked_for_in_memory(adata):
    adata.isbacked = True
    with pytest.raises(ValueError, match=r"backed by a file.*adata\.to_memory\(\)"):
        select_genes(adata, "type")


def test_it_is_imported_when_asked_for():
    assert "select_genes" in dir(entryprune)
    assert entryprune.select_genes is select_genes
