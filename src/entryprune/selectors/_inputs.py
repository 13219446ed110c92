"""Checks of the caller's table that name the culprit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from entryprune._text import counted, some_of

Array = NDArray[Any]

# A mean weight below which it is asked whether only proportions are meant.
_LIGHT = 0.1


def check_table(estimator: Any, X: Any, y: Any = None, *, reset: bool, **checks: Any) -> Any:
    """Validate as scikit-learn does, but keep the type of the values and name bad columns.

    Returns X, or X and y where y is asked for with ``y=...`` and ``reset=True``.
    """
    refuse_masked(X, "X")
    if isinstance(X, torch.Tensor):
        X = _readable(X)
    if hasattr(X, "columns") and not len(X.columns):  # of which scikit-learn says nothing useful
        raise ValueError(
            f"Found a table with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required."
        )
    if reset:
        _check_target(y, is_quantity=checks.get("y_numeric", False))
        checks["y"] = y
    try:
        checked = validate_data(
            estimator, X, reset=reset, dtype="numeric", ensure_all_finite=False, **checks
        )
    except (TypeError, ValueError) as error:
        raise _with_culprits(error, X, estimator) from error
    table = checked[0] if reset else checked
    if table.dtype.kind not in "biuf":
        not_numbers = ValueError(f"Values of type {table.dtype} are not numbers.")
        raise _with_culprits(not_numbers, X, estimator)
    return checked


def _readable(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor that numpy can read: on the CPU, of a type that it knows."""
    if tensor.layout is not torch.strided:
        raise ValueError(
            "X is a sparse tensor of torch, which is not read. Give a sparse array of scipy, or "
            "X.to_dense()."
        )
    tensor = tensor.detach().cpu()
    return tensor.float() if tensor.dtype is torch.bfloat16 else tensor


def refuse_masked(values: Any, name: str) -> None:
    """Refuse values that are masked: they would count as if they were not."""
    if np.ma.is_masked(values):
        n_masked = int(np.ma.getmaskarray(values).sum())
        raise ValueError(
            f"{name} is a masked array with {n_masked:,} masked values, and a mask would be lost. "
            f"Fill them in, as with {name}.filled(...), or leave out these samples."
        )


def _check_target(y: Any, *, is_quantity: bool) -> None:
    """Refuse targets on which scikit-learn or numpy would fail without saying why."""
    refuse_masked(y, "y")
    labels = np.asarray(y) if y is not None and not np.isscalar(y) else np.empty(0)
    if is_quantity and labels.dtype.kind in "OUS":
        texts = [label for label in labels.reshape(-1).tolist() if isinstance(label, str | bytes)]
        if texts:
            raise ValueError(
                f"y must hold numbers for regression, but has texts such as {texts[0]!r}. Convert "
                f"them to numbers, or use a classifier."
            )
    if labels.dtype.kind != "O" or labels.ndim != 1:
        return
    texts = [label for label in labels if isinstance(label, str)]
    others = [label for label in labels if not isinstance(label, str)]
    missing = [label for label in others if label is None or str(label) == "nan"]
    if texts and missing:
        raise ValueError(
            f"y has {len(missing):,} missing labels (None or NaN). Fill them in, or leave out "
            f"these samples."
        )
    if texts and others:
        raise ValueError(
            f"y mixes texts and other values, such as {texts[0]!r} and {others[0]!r}. Make all of "
            f"them texts, as with [str(label) for label in y]."
        )


def _with_culprits(error: Exception, X: Any, estimator: Any) -> Exception:
    """Return an error that names the columns to blame, or the same if there are none."""
    culprits = _columns_that_are_not_numbers(X)
    if not culprits:
        return error
    kind = ValueError if isinstance(error, ValueError) else TypeError
    name = type(estimator).__name__
    if isinstance(X, np.ndarray) and hasattr(estimator, "missing"):
        return kind(
            f"{name} needs numbers in an array, but X has columns that are not: "
            f"{some_of(culprits)}. In a DataFrame they may be texts or categories: give "
            f"pandas.DataFrame(X). ({error})"
        )
    return kind(
        f"{name} needs numbers, but X has columns that are not: "
        f"{some_of(culprits)}. Encode them first (for example with scikit-learn's OneHotEncoder "
        f"or OrdinalEncoder) or drop them. ({error})"
    )


def check_finite(X: Array, names: Array | None, *, can_impute: bool = False) -> None:
    """Refuse missing and infinite values, and say in which columns they are."""
    if X.dtype.kind != "f":
        return
    if sparse.issparse(X):
        _check_finite_sparse(X, names)
        return
    # A sum is finite only if all its terms are; it is a cheap test, and a sufficient one.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum(dtype=np.float64)):
            return
    bad = np.flatnonzero(~np.isfinite(X).all(axis=0))
    if not len(bad):
        return
    has_nan = bool(np.isnan(X[:, bad]).any())
    what = "NaN (missing values)" if has_nan else "infinity"
    culprits = [_column_name(int(i), names) for i in bad]
    cure = "Replace or clip them first."
    if has_nan:
        own = 'Set missing="impute" to have them filled in, or impute' if can_impute else "Impute"
        cure = f"{own} or drop them first, for example with scikit-learn's SimpleImputer."
    raise ValueError(
        f"Input X contains {what} in {len(bad)} of {X.shape[1]} columns: "
        f"{some_of(culprits)}. {cure}"
    )


def _check_finite_sparse(X: Any, names: Array | None) -> None:
    """Do the same for a sparse table, whose gaps nothing fills in."""
    is_bad = ~np.isfinite(X.data)
    if not is_bad.any():
        return
    columns = X.tocsc()
    places = np.repeat(np.arange(X.shape[1]), np.diff(columns.indptr))
    culprits = np.unique(places[~np.isfinite(columns.data)])
    raise ValueError(
        f"Input X contains NaN (missing values) or infinity in {len(culprits)} of {X.shape[1]} "
        f"columns: {some_of(_column_name(int(i), names) for i in culprits)}. Fill them in first; "
        f"in a sparse table nothing is filled in by itself."
    )


def check_weights(weights: Any, n_samples: int) -> NDArray[np.float32] | None:
    """Return how often each sample counts, None where all do once."""
    if weights is None:
        return None
    checked = np.asarray(weights, dtype=np.float64)
    if checked.ndim == 0:
        checked = np.full(n_samples, float(checked))
    if checked.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one number for each of the {n_samples} samples, got the "
            f"shape {checked.shape}."
        )
    if not np.isfinite(checked).all() or (checked < 0).any():
        raise ValueError("sample_weight must be finite and not below 0.")
    if not (checked > 0).any():
        raise ValueError("sample_weight has only zeros: some weight must be above zero.")
    return checked.astype(np.float32)


def warn_of_light(weights: NDArray[np.float32]) -> None:
    """Say so where weights make next to nothing of the samples, as shares of 1 do."""
    n_samples, total = int((weights > 0).sum()), float(weights.sum(dtype=np.float64))
    if total < _LIGHT * n_samples:
        warnings.warn(
            f"The weights of {counted(n_samples, 'sample')} add up to {total:.3g}, so that all of "
            f"them count no more than {counted(max(round(total), 1), 'sample')}, of which little "
            f"can be learned. If only their proportions matter, multiply the weights by "
            f"{n_samples / total:.3g}.",
            stacklevel=5,
        )


def number_classes(y: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the classes in order, and for each sample the number of its class."""
    classes, numbers = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only ({classes.tolist()[0]!r}); at least two classes are needed to "
            f"tell which features matter."
        )
    return classes, numbers.reshape(-1).astype(np.int64)


def _columns_that_are_not_numbers(X: Any) -> list[str]:
    if hasattr(X, "columns"):
        columns = {str(name): np.asarray(X[name]) for name in X.columns}
    elif isinstance(X, (np.ndarray, list, tuple)):
        try:
            values = np.asarray(X, dtype=object)
        except ValueError:
            return []
        if values.ndim != 2:
            return []
        columns = {_column_name(i, None): values[:, i] for i in range(values.shape[1])}
    else:
        return []
    return [name for name, values in columns.items() if not _is_numeric(values)]


def _is_numeric(values: Array) -> bool:
    if values.dtype.kind in "biufc":  # of complex numbers, scikit-learn's own error says enough
        return True
    if values.dtype.kind in "mM":
        return False
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _column_name(index: int, names: Array | None) -> str:
    return f"column {index}" if names is None else repr(str(names[index]))
