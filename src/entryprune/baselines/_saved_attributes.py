"""What a fit leaves behind in each selector, and whether what a file holds can be that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import nn

from entryprune.baselines._saved_file import LoadError, shown

_OUTPUTS = [repr({"transform": kind}) for kind in ("default", "pandas", "polars")]

# What a fit leaves behind: a type, or the kinds of an array's values and the names of its axes.
# Axes of the same name have the same length.
_Spec = Mapping[str, type | tuple[str, str]]
_ALL: _Spec = {
    "n_features_in_": int,
    "feature_names_in_": ("O", "features"),
    "support_": ("b", "features"),
    "ranking_": ("i", "features"),
    "selected_indices_": ("i", "selected"),
    "_sklearn_output_config": dict,
}
_OPTIONAL = {"feature_names_in_", "_sklearn_output_config"}
_BASELINE: _Spec = {**_ALL, "scores_": ("f", "features"), "task_": str}
_ENTRYPRUNE: _Spec = {
    **_ALL,
    "entry_scores_": ("f", "features"),
    "scores_": ("f", "features"),
    "interactions_": dict,
    "pairs_searched_": float,
    "first_selected_indices_": ("i", "selected"),
    "history_": dict,
    "n_rotations_": int,
    "stop_reason_": str,
    "settings_": dict,
    "network_": nn.Sequential,
    "_shift": ("f", "selected"),
    "_factor": ("f", "selected"),
}
_OF_CLASS: dict[str, _Spec] = {
    "EntryPruneClassifier": {**_ENTRYPRUNE, "classes_": ("biufUO", "outputs")},
    "EntryPruneRegressor": {
        **_ENTRYPRUNE,
        "_is_one_column": bool,
        "_target_mean": ("f", "outputs"),
        "_target_scale": ("f", "outputs"),
    },
    "AutoNFSSelector": {**_BASELINE, "balance_": float},
    "BorutaSelector": {
        **_BASELINE,
        "confirmed_": ("b", "features"),
        "tentative_": ("b", "features"),
        "n_iter_": int,
    },
    "L1Selector": {**_BASELINE, "n_iter_": int},
    "LassoNetSelector": {**_BASELINE, "n_steps_": int},
    "RFSSelector": {**_BASELINE, "n_iter_": int, "objective_": ("f", "iterations")},
    "STGSelector": {**_BASELINE, "alpha_": float, "n_open_gates_": int},
}


def known_attributes(class_name: str) -> frozenset[str]:
    """Return the names of all that a fit of this selector may leave behind.

    Examples
    --------
    >>> "alpha_" in known_attributes("STGSelector"), "alpha_" in known_attributes("FisherSelector")
    (True, False)
    """
    return frozenset(_OF_CLASS.get(class_name, _BASELINE))


def check_attributes(class_name: str, attributes: dict[str, Any]) -> None:
    """Refuse attributes that no fit of this selector can have left behind."""
    spec = _OF_CLASS.get(class_name, _BASELINE)
    missing = sorted(spec.keys() - attributes.keys() - _OPTIONAL)
    unknown = sorted(attributes.keys() - spec.keys())
    if missing or unknown:
        what, names = ("lacks", missing) if missing else ("has too much:", unknown)
        raise LoadError(f"its selector {what} {shown(names)}.")
    lengths: dict[str, int] = {}
    for name, value in attributes.items():
        expected = spec[name]
        if isinstance(expected, tuple):
            _check_array(name, value, *expected, lengths)
        elif type(value) is not expected:
            raise LoadError(f"{name} must be of type {expected.__name__}, got {shown(value)}.")
    _check_values(attributes, lengths)


def _check_array(name: str, array: object, kinds: str, axis: str, lengths: dict[str, int]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds or array.ndim != 1:
        got = (
            f"{array.dtype} of shape {array.shape}"
            if isinstance(array, np.ndarray)
            else shown(array)
        )
        raise LoadError(f"{name} must be an array of one axis and of kind {kinds!r}, got {got}.")
    if lengths.setdefault(axis, len(array)) != len(array):
        raise LoadError(
            f"{name} has the length {len(array)}, and others with one value for each of the "
            f"{axis} have {lengths[axis]}."
        )


def _check_values(attributes: dict[str, Any], lengths: dict[str, int]) -> None:
    n_features, support = attributes["n_features_in_"], attributes["support_"]
    if n_features != lengths["features"]:
        raise LoadError(f"n_features_in_ is {n_features}, and support_ has {len(support)} values.")
    names = attributes.get("feature_names_in_", ())
    if len(set(names)) < len(names):
        raise LoadError("two of its features have the same name.")
    chosen = attributes["selected_indices_"]
    if not np.array_equal(np.sort(chosen), np.flatnonzero(support)) or not len(chosen):
        raise LoadError("selected_indices_ and support_ do not select the same features.")
    config = attributes.get("_sklearn_output_config", {"transform": "default"})
    if repr(config) not in _OUTPUTS:
        raise LoadError(f"the output of transform is set to {shown(config)}.")
    if "network_" in attributes:
        _check_network(attributes, lengths)


def _check_network(attributes: dict[str, Any], lengths: dict[str, int]) -> None:
    linear = [m for m in attributes["network_"].modules() if isinstance(m, nn.Linear)]
    ends = linear[0].in_features, linear[-1].out_features
    if ends != (lengths["selected"], lengths["outputs"]):
        raise LoadError(
            f"its network has {ends[0]} inputs and {ends[1]} outputs, and the selector needs "
            f"{lengths['selected']} and {lengths['outputs']}."
        )
    for name in ("history_", "interactions_"):
        columns = attributes[name].values()
        shapes = {column.shape if isinstance(column, np.ndarray) else () for column in columns}
        if len(shapes) != 1 or len(shapes.pop()) != 1:
            raise LoadError(f"the columns of {name} must be arrays of the same length.")
