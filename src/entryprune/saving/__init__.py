"""A fitted selector in one file that cannot run code."""

from __future__ import annotations

import importlib
import os
import warnings
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import nn

from entryprune._files import write_bytes
from entryprune.confidence import StabilitySelector
from entryprune.engine.bodies import ACTIVATION_MODULES, linear_module
from entryprune.methods import METHODS
from entryprune.saving._file import (
    FORMAT,
    VERSION,
    Arrays,
    LoadError,
    SaveError,
    decode,
    encode,
    pack,
    read,
    shown,
    take,
    unpack,
    writer,
)
from entryprune.selectors._classifier import CLASSES, LABELS, ORDERED
from entryprune.selectors._intake import Intake

__all__ = ["LoadError", "SaveError", "load", "save"]

_PACKAGES = ("entryprune", "numpy", "scikit-learn", "torch")
_ENTRIES = {"class", "fitted", "format", "network", "notes", "parameters", "version", "versions"}
# Parameters whose value may have to be left out, and what stands for it.
_LEFT_OUT = {"callback": None, "loss": "auto", "random_state": None}
# The selector that has another one as a parameter.
_STABILITY = "StabilitySelector"


def save(selector: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted selector in one file.

    The file is in the safetensors format: all arrays and the network's weights, and in its header,
    as JSON, everything else. There is no pickle in it, so a file from a stranger can be loaded
    without running code of theirs. It does not depend on versions of Python or scikit-learn, and
    what was trained on a GPU loads anywhere. The same selector always gives the same bytes.

    Parameters
    ----------
    selector : estimator
        An `EntryPruneClassifier`, `EntryPruneRegressor` or `EntryPruneSurvival`, one of the
        baselines or a `StabilitySelector` around one of these, fitted.
    path : path-like
        Where to. A file that is there is replaced; if anything fails, it stays as it was.

    Raises
    ------
    SaveError
        A ``ValueError``: the selector is not one of the package's own (others could be loaded only
        by running their code), has a `body` of your own or attributes that `fit` does not make,
        or the file cannot be written.
    sklearn.exceptions.NotFittedError
        The selector is not fitted.

    Warns
    -----
    UserWarning
        A function as `callback` or `loss` is left out. Predictions do not need them.

    Notes
    -----
    A ``RandomState`` as `random_state` is left out too: it has changed with the fit. The file
    records what was left out, under "notes".

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> import entryprune
    >>> from entryprune.baselines import FisherSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = FisherSelector(2).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     entryprune.save(selector, Path(folder, "iris.safetensors"))
    ...     again = entryprune.load(Path(folder, "iris.safetensors"))
    >>> again.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """
    path = Path(path)
    name = type(selector).__name__
    if _own_class(name) is not type(selector):
        raise SaveError(
            f"A {name} cannot be saved: it is not one of entryprune's own selectors, and a file "
            f"that names other classes could make load run any code. Save it with joblib, and "
            f"load such files only from people you trust."
        )
    check_is_fitted(
        selector, msg="This %(name)s is not fitted, so there is nothing to save. Call fit first."
    )
    try:
        content, notes = _packed(selector)
        write_bytes(path, content)
    except (SaveError, OSError) as error:
        reason = str(error).removeprefix(f"Cannot write {path}: ")
        raise SaveError(f"Cannot save {name} to {path}: {reason}") from error
    functions = [name for name in notes if name != "random_state"]
    if functions:
        warnings.warn(
            f"The selector was saved without its {' and '.join(functions)}: functions cannot be "
            f"saved. It predicts the same; give them again with set_params before another fit.",
            stacklevel=2,
        )


def load(path: str | os.PathLike[str]) -> Any:
    """Load a selector that `save` wrote.

    Whatever the file holds, no code from it is run and nothing is imported by a name in it.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    selector : estimator
        It has the same parameters and attributes, and selects and predicts the same, to the bit.

    Raises
    ------
    LoadError
        A ``ValueError`` that says in one line what is wrong: there is no such file, it is not a
        saved selector, was cut short, changed or damaged, or a newer version wrote it. The
        checksum finds damage; it does not prove who wrote the file.

    Warns
    -----
    UserWarning
        The selector was fitted with a `loss` of the user's own, which is not in the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> import entryprune
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = entryprune.EntryPruneClassifier(3, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     entryprune.save(selector, Path(folder, "cancer.safetensors"))
    ...     again = entryprune.load(Path(folder, "cancer.safetensors"))
    >>> bool((again.predict_proba(X) == selector.predict_proba(X)).all())
    True
    """
    path = Path(path)
    try:
        selector, notes = _unpacked(read(path))
    except LoadError as error:
        raise LoadError(f"Cannot load {path}: {error}") from error
    if "loss" in notes:
        warnings.warn(
            "The selector was fitted with a loss of the user's own, which is not in the file. It "
            "predicts the same, but another fit would take the usual loss: set it first with "
            "set_params(loss=...).",
            stacklevel=2,
        )
    return selector


def _own_class(name: object) -> type | None:
    """Return the package's own selector of this name; a file can bring in no other."""
    if name == _STABILITY:
        return StabilitySelector
    for method in METHODS.values():
        is_ours = method.module.startswith(("entryprune.baselines.", "entryprune.selectors"))
        if is_ours and name in (method.class_name, *method.others.values()):
            found: type = getattr(importlib.import_module(method.module), str(name))
            return found
    return None


# -- from the selector to the file --------------------------------------------------------------


def _packed(selector: Any) -> tuple[bytes, dict[str, str]]:
    """Return the bytes of a selector's file, and the notes on what was left out."""
    name, arrays = type(selector).__name__, Arrays()
    parameters, notes = _portable_parameters(selector)
    inner = parameters.get("estimator")
    if inner is not None:
        parameters["estimator"] = _nested(inner, notes)
    attributes = {key: value for key, value in vars(selector).items() if key not in parameters}
    strange = sorted(attributes.keys() - _OF_CLASS.get(name, _BASELINE).keys())
    if strange:
        raise SaveError(
            f"it has attributes that a fit does not make: {', '.join(strange)}. Take them away "
            f"first: del selector.{strange[0]}"
        )
    network = attributes.pop("network_", None)
    if "_intake" in attributes:
        attributes["_intake"] = attributes["_intake"].to_state()
    loss = attributes.get("settings_", {}).get("loss")
    if callable(loss):
        attributes["settings_"] = {**attributes["settings_"], "loss": _name_of(loss)}
    description = {
        "format": FORMAT,
        "version": VERSION,
        "class": name,
        "parameters": {
            key: encode(value, f"parameters.{key}", arrays) for key, value in parameters.items()
        },
        "fitted": {key: encode(value, key, arrays) for key, value in attributes.items()},
        "network": None if network is None else _describe(network, arrays),
        "notes": notes,
        "versions": {package: _version(package) for package in _PACKAGES},
    }
    content = pack(description, arrays)
    try:
        # Whatever was done to the selector after its fit: a file that is written can be read.
        _unpacked(content)
    except LoadError as error:
        raise SaveError(f"it is not as a fit leaves it: {error} Fit it again.") from error
    return content, notes


def _portable_parameters(selector: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the parameters that can be saved, and what was left out."""
    parameters, notes = selector.get_params(deep=False), {}
    body = parameters.get("body")
    if body is not None:
        raise SaveError(
            f"its body is a {type(body).__name__}, a network of your own, which cannot be saved "
            f"without its code. Keep that code and use torch.save(selector, path), or fit with "
            f"hidden_layer_sizes in place of body."
        )
    for name, stand_in in _LEFT_OUT.items():
        value = parameters.get(name)
        if callable(value) or isinstance(value, np.random.RandomState):
            parameters[name] = stand_in
            notes[name] = f"left out: {_name_of(value)}"
    return parameters, notes


def _nested(selector: Any, notes: dict[str, str]) -> dict[str, Any]:
    """Return the class and the parameters of a selector that is a parameter of another."""
    name = type(selector).__name__
    if _own_class(name) is not type(selector):
        raise SaveError(
            f"its estimator is a {name}, which is not one of entryprune's own selectors. Save it "
            f"with joblib, and load such files only from people you trust."
        )
    parameters, left_out = _portable_parameters(selector)
    notes.update(left_out)
    return {"class": name, "parameters": parameters}


def _name_of(value: Any) -> str:
    return str(getattr(value, "__name__", type(value).__name__))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from its source
        return "unknown"


def _describe(network: Any, arrays: Arrays) -> dict[str, Any]:
    """Return the architecture of a network, and put its weights into `arrays`."""
    layers: list[nn.Module] = []
    if [type(part) for part in network.children()] == [nn.Linear, nn.Sequential]:
        layers = [network[0], *network[1]]
    linear = [layer for layer in layers[::2] if type(layer) is nn.Linear]
    between = {type(layer) for layer in layers[1::2]} or {nn.Identity}
    names = [name for name, kind in ACTIVATION_MODULES.items() if between == {kind}]
    if not linear or not names or len(linear) != len(layers[::2]):
        raise SaveError("its network_ was replaced, and a network of your own cannot be saved.")
    for name, tensor in network.state_dict().items():
        arrays[f"network_.{name}"] = tensor.detach().cpu().numpy()
    widths = [linear[0].in_features, *(layer.out_features for layer in linear)]
    return {"activation": names[0], "widths": widths}


# -- from the file to the selector --------------------------------------------------------------


def _unpacked(content: bytes) -> tuple[Any, dict[str, str]]:
    """Return the selector, not changed by a single bit, and the notes on what is left out."""
    try:
        description, arrays = unpack(content)
        return _selector(description, arrays), description["notes"]
    except RecursionError as error:
        raise LoadError("its description is nested too deeply.") from error


def _selector(description: dict[str, Any], arrays: Arrays) -> Any:
    if description.keys() != _ENTRIES:
        odd = sorted(description.keys() ^ _ENTRIES)
        raise LoadError(f"its description has entries too many or too few: {shown(odd)}.")
    match description:
        case {"class": str(name), "notes": dict(notes), "versions": dict()} if (
            notes.keys() <= _LEFT_OUT.keys()
        ):
            kind = _own_class(name)
        case _:
            raise LoadError("the class, the notes or the versions in it are not valid.")
    source = f"It was written by {writer(description)}: take the same version."
    if kind is None:
        raise LoadError(
            f"it holds a {shown(name)}, and entryprune has no selector of that name. {source}"
        )
    parameters = _decoded(description["parameters"], arrays)
    attributes = _decoded(description["fitted"], arrays)
    if description["network"] is not None:
        attributes["network_"] = _build(description["network"], arrays)
    if arrays:
        raise LoadError(f"it has arrays that nothing refers to: {shown(sorted(arrays))}.")
    _check_attributes(_OF_CLASS.get(name, _BASELINE), attributes)
    if "_intake" in attributes:
        attributes["_intake"] = _intake(attributes)
    if isinstance(parameters.get("estimator"), dict):
        parameters["estimator"] = _unnested(parameters["estimator"], source)
    selector = _made(kind, parameters, source)
    vars(selector).update(attributes)
    return selector


def _intake(attributes: dict[str, Any]) -> Intake:
    """Return how the selector takes tables in, which must go with what else it holds."""
    try:
        intake = Intake.from_state(attributes["_intake"])
        seated = attributes["_seated_units"]
        columns = intake.n_columns_of(seated.tolist())
        features = np.sort(intake.features_of(seated.tolist()))
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise LoadError(f"what it says of its columns is not valid: {error}") from error
    n_columns = len(attributes["_shift"])
    if intake.n_features != attributes["n_features_in_"] or columns != n_columns:
        raise LoadError(
            f"it takes in {intake.n_features} features, of which {columns} columns are selected, "
            f"and the selector has {attributes['n_features_in_']} and {n_columns}."
        )
    if not np.array_equal(features, np.flatnonzero(attributes["support_"])):
        raise LoadError("support_ and what is seated do not select the same features.")
    return intake


def _made(kind: type, parameters: dict[str, Any], source: str) -> Any:
    """Return a selector with parameters that are known here and valid."""
    strange = sorted(parameters.keys() - kind().get_params(deep=False).keys())
    if strange:
        raise LoadError(
            f"its selector has parameters that are not known here: {shown(strange)}. {source}"
        )
    selector = kind(**parameters)
    try:
        selector._validate_params()
    except (TypeError, ValueError) as error:
        raise LoadError(f"a parameter is not valid. {error}") from error
    return selector


def _unnested(code: dict[str, Any], source: str) -> Any:
    """Return the selector that is a parameter of another."""
    match code:
        case {"class": str(name), "parameters": dict(parameters)} if (
            name != _STABILITY and (kind := _own_class(name)) is not None
        ):
            return _made(kind, parameters, source)
    raise LoadError(f"its estimator is not known here: {shown(code)}. {source}")


def _decoded(codes: object, arrays: Arrays) -> dict[str, Any]:
    if not isinstance(codes, dict):
        raise LoadError(f"its description has {shown(codes)} in place of names and values.")
    return {name: decode(code, arrays) for name, code in codes.items()}


def _build(code: Any, arrays: Arrays) -> nn.Sequential:
    """Make the network anew, of layers that are known here."""
    match code:
        case {"activation": str(name), "widths": [_, _, *_] as widths} if (
            len(code) == 2
            and name in ACTIVATION_MODULES
            and all(type(width) is int for width in widths)
        ):
            activation = ACTIVATION_MODULES[name]
        case _:
            raise LoadError(f"it describes a network that is not known here: {shown(code)}.")
    layers: list[nn.Module] = []
    for i, (n_inputs, n_outputs) in enumerate(pairwise(widths)):
        tensors = []
        for part, shape in (("weight", (n_outputs, n_inputs)), ("bias", (n_outputs,))):
            place = f"network_.{f'1.{2 * i - 1}' if i else 0}.{part}"
            array = take(place, arrays)
            if array.shape != shape or array.dtype != np.float32:
                raise LoadError(
                    f"{place} must be float32 of shape {shape}, got {array.dtype} of {array.shape}."
                )
            tensors.append(torch.from_numpy(array))
        layers += [activation(), linear_module(*tensors)]
    # What the first layer gets are the features themselves.
    return nn.Sequential(layers[1], nn.Sequential(*layers[2:])).eval()


# -- what a fit leaves behind in each selector, and whether a file can hold that -----------------

_OUTPUTS = [repr({"transform": kind}) for kind in ("default", "pandas", "polars")]
# A type, or the kinds of an array's values and the name of its axis; axes of the same name have the
# same length.
_Spec = dict[str, type | tuple[str, str]]
_ALL: _Spec = {
    "n_features_in_": int,
    "feature_names_in_": ("O", "features"),
    "support_": ("b", "features"),
    "ranking_": ("i", "features"),
    "scores_": ("f", "features"),
    "selected_indices_": ("i", "selected"),
    "k_curve_": dict,
    "_sklearn_output_config": dict,
    "_target_names": ("O", "outputs"),
}
_OPTIONAL = {"feature_names_in_", "k_curve_", "_sklearn_output_config", "_target_names"}
_BASELINE: _Spec = {**_ALL, "task_": str}
_ENTRYPRUNE: _Spec = {
    **_ALL,
    "entry_scores_": ("f", "features"),
    "interactions_": dict,
    "pairs_searched_": float,
    "learned_": bool,
    "first_selected_indices_": ("i", "selected"),
    "history_": dict,
    "n_rotations_": int,
    "stop_reason_": str,
    "settings_": dict,
    "network_": nn.Sequential,
    "_shift": ("f", "columns"),
    "_factor": ("f", "columns"),
    "_intake": dict,
    "_seated_units": ("i", "units"),
}
_OF_CLASS: dict[str, _Spec] = {
    _STABILITY: {
        **{name: _ALL[name] for name in ("n_features_in_", *sorted(_OPTIONAL))},
        "n_features_per_fit_": int,
        "frequencies_": ("f", "features"),
        "shadow_frequencies_": ("f", "shadows"),
        "selections_": list,
        "_mean_size": float,
        "_stand_ins": list,
        "_luckiest_group": float,
        "_chosen": ("i", "chosen"),
        "_n_samples": int,
        "_means": ("f", "features"),
    },
    "EntryPruneClassifier": {**_ENTRYPRUNE, "classes_": ("biufUO", "outputs"), "_kind": str},
    "EntryPruneSurvival": _ENTRYPRUNE,
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


def _check_attributes(spec: _Spec, attributes: dict[str, Any]) -> None:
    """Refuse attributes that no fit of this selector can have left behind."""
    missing = sorted(spec.keys() - attributes.keys() - _OPTIONAL)
    strange = sorted(attributes.keys() - spec.keys())
    if missing or strange:
        what = "lacks" if missing else "has too much:"
        raise LoadError(f"its selector {what} {shown(missing or strange)}.")
    lengths: dict[str, int] = {}
    for name, value in attributes.items():
        expected = spec[name]
        if isinstance(expected, type):
            if type(value) is not expected:
                raise LoadError(f"{name} must be of type {expected.__name__}, got {shown(value)}.")
            continue
        kinds, axis = expected
        length = _length(name, value, kinds)
        if lengths.setdefault(axis, length) != length:
            raise LoadError(
                f"{name} has the length {length}, and there are {lengths[axis]} {axis}."
            )
    if attributes["n_features_in_"] != lengths["features"]:
        raise LoadError(f"n_features_in_ is not {lengths['features']}, the length of others.")
    names = attributes.get("feature_names_in_", ())
    if len(set(names)) < len(names):
        raise LoadError("two of its features have the same name.")
    _check_selections(attributes)
    config = attributes.get("_sklearn_output_config", {"transform": "default"})
    if repr(config) not in _OUTPUTS:
        raise LoadError(f"the output of transform is set to {shown(config)}.")
    _check_tables(attributes)
    if "network_" in attributes:
        _check_network(attributes, lengths)


def _check_selections(attributes: dict[str, Any]) -> None:
    """Refuse selections and groups of features that are not there."""
    if "selections_" not in attributes:
        chosen, support = attributes["selected_indices_"], attributes["support_"]
        if not np.array_equal(np.sort(chosen), np.flatnonzero(support)):
            raise LoadError("selected_indices_ and support_ do not select the same features.")
        return
    groups = attributes["_stand_ins"]
    if not all(
        isinstance(one, tuple) and [type(part) for part in one] == [tuple, float] for one in groups
    ):
        raise LoadError("_stand_ins must be groups of features, each with a frequency.")
    selections = [*attributes["selections_"], attributes["_chosen"]]
    selections += [np.array(features) for features, _ in groups]
    for one in selections:
        _length("a selection", one, "i")
        if len(one) and not 0 <= one.min() <= one.max() < attributes["n_features_in_"]:
            raise LoadError(f"it selects features that are not there: {shown(one)}.")
    if len(attributes["selections_"]) < 2:
        raise LoadError("it has fewer than two selections.")


def _check_tables(attributes: dict[str, Any]) -> None:
    """Refuse tables whose columns are not of one length."""
    for name in {"history_", "interactions_", "k_curve_"} & attributes.keys():
        columns = attributes[name].values()
        shapes = {column.shape if isinstance(column, np.ndarray) else () for column in columns}
        if len(shapes) != 1 or len(shapes.pop()) != 1:
            raise LoadError(f"the columns of {name} must be arrays of the same length.")


def _length(name: str, array: object, kinds: str) -> int:
    """Return the length of an array, which must have one axis and values of some kinds."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds or array.ndim != 1:
        raise LoadError(
            f"{name} must be an array of one axis and of kind {kinds!r}, got {shown(array)}."
        )
    return len(array)


def _check_network(attributes: dict[str, Any], lengths: dict[str, int]) -> None:
    weights = list(attributes["network_"].state_dict().values())
    ends = weights[0].shape[1], len(weights[-1])
    kind = attributes.get("_kind", CLASSES)
    if kind not in (CLASSES, ORDERED, LABELS):
        raise LoadError(f"its classes are of a kind that is not known here: {shown(kind)}.")
    # Between classes in an order there is one border less; a risk is one number.
    n_outputs = lengths.get("outputs", 1) - (kind == ORDERED)
    if ends != (lengths["columns"], n_outputs):
        raise LoadError(
            f"its network has {ends[0]} inputs and {ends[1]} outputs, and the selector needs "
            f"{lengths['columns']} and {n_outputs}."
        )
