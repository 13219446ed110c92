"""Genes of an AnnData object, selected as scanpy's functions do it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from entryprune._text import listed, some_of, suggestion
from entryprune.confidence import StabilitySelector
from entryprune.confidence.verdicts import size_for
from entryprune.selectors import EntryPruneClassifier, EntryPruneRegressor, EntryPruneSurvival
from entryprune.selectors._intake import by_number

_ESTIMATORS: dict[str, type[Any]] = {
    "classification": EntryPruneClassifier,
    "regression": EntryPruneRegressor,
    "survival": EntryPruneSurvival,
}
_UNS = "entryprune"


def select_genes(
    adata: Any,
    target: str | Sequence[str],
    *,
    n_features_to_select: float | str = 50,
    task: str = "auto",
    layer: str | None = None,
    groups: str | None = None,
    stability: bool = False,
    n_pairs: int = 50,
    key_added: str | None = None,
    random_state: int = 0,
    inplace: bool = True,
    **parameters: Any,
) -> Any:
    """Select the genes that matter for what is known of the cells.

    Parameters
    ----------
    adata : AnnData
        Cells by genes. The matrix is never written; a sparse one stays sparse.
    target : str, or two of them
        The column of `adata.obs` to explain: a categorical or text for classes, numbers for a
        quantity. Two columns are a time and whether the event was seen then (1 or 0).
    n_features_to_select : int, float or str, default=50
        How many genes to select: a number, a share of all, "auto" or "best".
    task : {"auto", "classification", "regression", "survival"}, default="auto"
        What the target is. Whole numbers may be classes or quantities, so for more than two of
        them it must be said.
    layer : str, default=None
        The layer to select from, in place of `adata.X`.
    groups : str, default=None
        A column of `adata.obs`, such as the donor: cells of one donor are never on both sides of a
        split.
    stability : bool, default=False
        Select again on many half samples, and write how often each gene was selected there.
    n_pairs : int, default=50
        Pairs of half samples for that.
    key_added : str, default=None
        What the columns' names begin with (followed by an underscore), and where in `adata.uns` the
        settings are kept; by default nothing, and "entryprune".
    random_state : int, default=0
        Seed of all that is random.
    inplace : bool, default=True
        Whether to write to `adata`, or to return a frame.
    **parameters
        Others of `EntryPruneClassifier`, `EntryPruneRegressor` or `EntryPruneSurvival`, such as
        `keep=["CD3E"]`.

    Returns
    -------
    frame or None
        None if `inplace`. These columns are written to `adata.var`, or are those of the frame:

        - "selected": whether the gene is selected;
        - "rank": 1 for the best;
        - "score": what it brings beside the other selected ones, in log evidence per cell;
        - "frequency", "verdict", with `stability`: in which share of the half samples it was
          selected, and whether it is "confirmed", "tentative" or "rejected".

        In `adata.uns`, "params" are the settings and "genes" the selected names, best first.

    See Also
    --------
    EntryPruneClassifier : The selector behind it, and what else it knows.
    StabilitySelector : What frequencies and verdicts mean.

    Examples
    --------
    Two of 300 genes tell the two types of cells apart. (Any AnnData will do; this is what of it is
    looked at.)

    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> import pandas as pd
    >>> from scipy import sparse
    >>> import entryprune
    >>> counts = np.random.default_rng(0).poisson(0.3, size=(400, 300))
    >>> is_t = counts[:, 7] + counts[:, 20] > 0
    >>> genes = pd.Index([f"gene{i}" for i in range(300)])
    >>> adata = SimpleNamespace(
    ...     X=sparse.csr_matrix(counts), layers={}, uns={}, var=pd.DataFrame(index=genes),
    ...     obs=pd.DataFrame({"type": np.where(is_t, "T", "B")}), var_names=genes,
    ... )
    >>> entryprune.select_genes(adata, "type", n_features_to_select=2)
    >>> adata.var_names[adata.var["selected"]].tolist()
    ['gene7', 'gene20']
    """
    columns = (target,) if isinstance(target, str) else tuple(target)
    task = _task(adata, columns, task)
    y = _target(adata, columns, task)
    X = _matrix(adata, layer)
    names = np.asarray(adata.var_names, dtype=object).astype(str)
    # A matrix has no names.
    parameters |= by_number(SimpleNamespace(**parameters), names.tolist(), len(names))
    selector = _ESTIMATORS[task](n_features_to_select, random_state=random_state, **parameters)
    donors = None if groups is None else np.asarray(_column(adata, groups))
    selector.fit(X, y, groups=donors)
    written = {
        "selected": selector.support_,
        "rank": selector.ranking_,
        "score": selector.scores_,
    }
    if stability:
        n_selected, n_genes = len(selector.selected_indices_), len(names)
        sure = StabilitySelector(
            estimator=selector,
            n_features_per_fit=size_for(n_selected, n_genes),
            n_pairs=n_pairs,
            random_state=random_state,
        )
        sure.fit(X, y, groups=donors)
        written |= {"frequency": sure.frequencies_, "verdict": sure.verdicts_.astype(object)}
    prefix = "" if key_added is None else f"{key_added}_"
    if not inplace:
        frame = adata.var.iloc[:, :0].copy()
        for name, values in written.items():
            frame[prefix + name] = values
        return frame
    for name, values in written.items():
        adata.var[prefix + name] = values
    # Only what any version of AnnData can write to a file.
    params = {
        "target": list(columns),
        "task": task,
        "layer": layer,
        "groups": groups,
        "n_features_to_select": n_features_to_select,
        "stability": stability,
        "n_pairs": n_pairs if stability else None,
        "random_state": random_state,
    }
    adata.uns[key_added or _UNS] = {
        "params": {name: value for name, value in params.items() if value is not None},
        "genes": names[selector.selected_indices_],
    }
    return None


def _column(adata: Any, name: str) -> Any:
    there = [str(column) for column in adata.obs.columns]
    if name not in there:
        raise ValueError(
            f"adata.obs has no column {name!r}.{suggestion(name, there)} It has "
            f"{some_of(map(repr, there)) if there else 'none'}."
        )
    return adata.obs[name]


def _task(adata: Any, columns: tuple[str, ...], task: str) -> str:
    """Return what the target is, or ask where it may be either."""
    if task not in {"auto", *_ESTIMATORS}:
        known = listed(["auto", *_ESTIMATORS])
        raise ValueError(f"task must be one of {known}, got {task!r}.")
    if len(columns) not in (1, 2) or (len(columns) == 2 and task not in ("auto", "survival")):
        raise ValueError(
            f"target must be one column of adata.obs, or for survival two (the time and the "
            f"event), got {listed(columns) or 'none'}."
        )
    if len(columns) == 2:
        return "survival"
    if task == "survival":
        raise ValueError(
            f"task='survival' needs two columns of adata.obs, the time and the event, got "
            f"{columns[0]!r} alone."
        )
    if task != "auto":
        return task
    column = _column(adata, columns[0])
    kind = getattr(column.dtype, "kind", "O")
    if kind == "f" and type_of_target(_known(column)) == "continuous":
        return "regression"
    if kind in "iuf" and len(np.unique(_known(column))) > 2:
        raise ValueError(
            f"adata.obs[{columns[0]!r}] has whole numbers, which may be classes or quantities. "
            f"Give task='classification' or task='regression'."
        )
    return "classification"


def _known(column: Any) -> NDArray[Any]:
    """Return the values that are there; gaps are for the selector to refuse."""
    values = np.asarray(column)
    known: NDArray[Any] = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    return known


def _target(adata: Any, columns: tuple[str, ...], task: str) -> Any:
    if task == "survival":
        return np.column_stack([np.asarray(_column(adata, one), dtype=float) for one in columns])
    column = _column(adata, columns[0])
    # An ordered categorical tells the selector its order.
    return column if getattr(column.dtype, "ordered", False) else np.asarray(column)


def _matrix(adata: Any, layer: str | None) -> Any:
    if getattr(adata, "isbacked", False):
        raise ValueError(
            "adata is backed by a file, and its values are needed in memory: adata.to_memory()"
        )
    if layer is None:
        if adata.X is None:
            raise ValueError(
                f"adata.X is None. Name a layer; there are {some_of(map(repr, adata.layers))}."
            )
        return adata.X
    if layer not in adata.layers:
        there = [str(name) for name in adata.layers]
        raise ValueError(
            f"adata has no layer {layer!r}.{suggestion(layer, there)} It has "
            f"{some_of(map(repr, there)) if there else 'none'}; without `layer`, adata.X is taken."
        )
    return adata.layers[layer]
