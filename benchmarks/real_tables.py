"""What comes out on tables as people have them: complete, of mixed kinds, of survival, sparse.

    pip download --no-deps lifelines                      # unpack its wheel, which is a zip file
    python benchmarks/real_tables.py --survival lifelines/datasets/gbsg2.csv

Diabetes (442 patients) and breast cancer (569 tumours) come with scikit-learn. The survival table
is that of the German Breast Cancer Study Group (686 women), from the package lifelines; without
`--survival` it is left out. Two tables are made, because their originals are in no package that we
know: one of the shape of California housing (20,640 districts, eight columns, prices cut off at the
top), in which income, place, age and crowding make the price and three columns do not; and single
cells (2,000 cells of three types, 5,000 genes, ten markers a type, negative-binomial counts, one
value in six not 0), written as a sparse .h5ad file and read again.

Printed is the number of features that `n_features_to_select="auto"` takes (of survival also "best",
of the cells as many as there are markers), which they are, and how well a network on them predicts
samples kept aside (five folds, selected anew in each), beside a network on all features: the share
of variance explained, the accuracy, or the concordance.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import torch
from machine import announce
from rich.console import Console
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import _safe_indexing

from entryprune import EntryPruneClassifier, EntryPruneRegressor, EntryPruneSurvival
from entryprune._text import some_of
from entryprune.data import TableRequest, read_table
from entryprune.report.table import Table, to_markdown

N_TYPES, N_MARKERS = 3, 10


@dataclass(frozen=True)
class Case:
    """A table with its target, and what selects for it."""

    title: str
    X: Any
    y: Any
    selector: Any
    names: tuple[str, ...]
    # Which features made the target, if that is known.
    true: frozenset[str] = frozenset()
    n_features: int | str = "auto"


def of_scikit_learn(title: str, load: Any, selector: Any) -> Case:
    data = load(as_frame=True)
    return Case(title, data.data, data.target.to_numpy(), selector, tuple(data.data.columns))


def survival(path: Path) -> list[Case]:
    """Return the women of the study: words and numbers; months and whether it came back."""
    table = pd.read_csv(path)
    y = table[["time", "cens"]].to_numpy()
    X = table.drop(columns=["time", "cens"])
    return [
        Case(f"{title} (686 x 8)", X, y, EntryPruneSurvival(), tuple(X.columns), n_features=which)
        for title, which in (("GBSG2, survival", "auto"), ('the same, "best"', "best"))
    ]


def housing() -> Case:
    """Return a table of the shape of California housing."""
    rng = np.random.default_rng(0)
    n = 20_640
    place = rng.random(n)
    latitude = 41.0 - 8.5 * place + rng.normal(scale=0.5, size=n)
    longitude = -124.0 + 9.0 * place + rng.gamma(1.5, 0.7, size=n)
    # How far a district is from a coast that runs from north-west to south-east.
    inland = longitude + 124.0 - 9.0 * (41.0 - latitude) / 8.5
    income = rng.lognormal(1.25, 0.45, size=n)
    rooms = 2.0 + 0.9 * income**0.5 + rng.lognormal(0.3, 0.5, size=n)
    bedrooms = rng.lognormal(0.07, 0.1, size=n)
    population = np.round(rng.lognormal(7.0, 0.75, size=n))
    occupancy = rng.lognormal(1.05, 0.25, size=n)
    age = rng.integers(1, 53, size=n).astype(float)
    price = 0.45 * income + 1.2 * np.exp(-inland.clip(0) / 0.8) + 0.008 * age - 0.15 * occupancy
    price *= rng.lognormal(0.0, 0.2, size=n)
    columns = {
        "MedInc": income, "HouseAge": age, "AveRooms": rooms, "AveBedrms": bedrooms,
        "Population": population, "AveOccup": occupancy, "Latitude": latitude,
        "Longitude": longitude,
    }  # fmt: skip
    true = frozenset({"MedInc", "HouseAge", "AveOccup", "Latitude", "Longitude"})
    X = pd.DataFrame(columns)
    title = "made, the shape of California housing (20,640 x 8)"
    return Case(title, X, price.clip(0.15, 5.0), EntryPruneRegressor(), tuple(columns), true)


def write_cells(path: Path) -> frozenset[str]:
    """Write counts of single cells as a sparse AnnData file, and return the genes that differ."""
    rng = np.random.default_rng(0)
    n_cells, n_genes = 2000, 5000
    of_cell = rng.integers(0, N_TYPES, size=n_cells)
    mean = rng.lognormal(-2.2, 1.2, size=n_genes)
    depth = rng.lognormal(0.0, 0.35, size=n_cells)
    markers = rng.choice(n_genes, N_TYPES * N_MARKERS, replace=False)
    mean[markers] = 0.3
    factor = np.ones((N_TYPES, n_genes))
    for number, some in enumerate(np.split(markers, N_TYPES)):
        factor[number, some] = 3.0
    rate = depth[:, None] * mean * factor[of_cell]
    counts = rng.poisson(rate * rng.gamma(2.0, 0.5, size=rate.shape))
    values = sparse.csr_matrix(counts, dtype=np.float32)
    genes = [f"gene_{number:04}" for number in range(n_genes)]
    with h5py.File(path, "w") as file:
        file.attrs["encoding-type"] = "anndata"
        X = file.create_group("X")
        X.attrs["encoding-type"], X.attrs["shape"] = "csr_matrix", values.shape
        for name in ("data", "indices", "indptr"):
            X.create_dataset(name, data=getattr(values, name))
        about = {"obs": [f"cell_{number}" for number in range(n_cells)], "var": genes}
        for name, ids in about.items():
            group = file.create_group(name)
            group.attrs["encoding-type"], group.attrs["_index"] = "dataframe", "_index"
            group.attrs["column-order"] = ["cell_type"] if name == "obs" else []
            group.create_dataset("_index", data=ids)
        types = file["obs"].create_group("cell_type")
        types.attrs["encoding-type"], types.attrs["ordered"] = "categorical", False
        types.create_dataset("codes", data=of_cell.astype(np.int8))
        types.create_dataset("categories", data=["B cell", "monocyte", "T cell"])
    return frozenset(genes[one] for one in markers)


def cells(folder: Path) -> Case:
    path = folder / "cells.h5ad"
    true = write_cells(path)
    read = read_table(TableRequest(path, target="cell_type", sparse=True))
    title = f"made, single cells (2,000 x 5,000, {read.X.nnz / np.prod(read.X.shape):.0%} not 0)"
    names = tuple(read.feature_names)
    return Case(title, read.X, read.y, EntryPruneClassifier(), names, true, len(true))


def kept_aside(one: Case, n_features: int | str) -> float:
    """Return how well the selector's own network predicts, the mean of five folds."""
    y = np.asarray(one.y)
    is_classes = isinstance(one.selector, EntryPruneClassifier)
    folds = (StratifiedKFold if is_classes else KFold)(5, shuffle=True, random_state=0)
    scores = []
    for train, test in folds.split(np.zeros(len(y)), y if is_classes else None):
        fold = clone(one.selector).set_params(n_features_to_select=n_features, random_state=0)
        fold.fit(_safe_indexing(one.X, train), y[train])
        scores.append(fold.score(_safe_indexing(one.X, test), y[test]))
    return float(np.mean(scores))


def row(one: Case) -> tuple[Any, ...]:
    start = time.process_time()
    selector = clone(one.selector).set_params(n_features_to_select=one.n_features, random_state=0)
    chosen = selector.fit(one.X, one.y).selected_indices_
    seconds = time.process_time() - start
    names = [one.names[number] for number in chosen]
    which = some_of(names, 8)
    if one.true:
        which += f" ({len(one.true.intersection(names))} of the {len(one.true)} true ones)"
    all_of_them = kept_aside(one, len(one.names)) if len(one.names) <= 1000 else None
    some = kept_aside(one, one.n_features)
    return one.title, len(names), which, f"{some:.3f}", _text(all_of_them), f"{seconds:.1f}"


def _text(score: float | None) -> str:
    return "" if score is None else f"{score:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--survival", type=Path, metavar="gbsg2.csv")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    announce(Console(width=200), f"torch {torch.__version__}, one thread")
    with tempfile.TemporaryDirectory() as folder:
        cases = [
            of_scikit_learn("diabetes (442 x 10)", load_diabetes, EntryPruneRegressor()),
            of_scikit_learn("breast cancer (569 x 30)", load_breast_cancer, EntryPruneClassifier()),
            housing(),
            *(survival(asked.survival) if asked.survival else ()),
            cells(Path(folder)),
        ]
        rows = []
        for one in cases:
            rows.append(row(one))
            print(*rows[-1], sep=" | ", flush=True)
    heads = ("table", "selected", "which", "kept aside", "with all", "CPU seconds")
    print(to_markdown(Table("Tables as people have them", heads, tuple(rows))))


if __name__ == "__main__":
    main()
