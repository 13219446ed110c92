"""What "auto" means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Bounds on the candidates that "auto" admits: beyond them the window costs more than it finds.
MAX_CANDIDATES = 32_768
# With very few features in the input layer, scores relative to it say little about any of them.
MIN_CANDIDATES = 10
MAX_WINDOW_VALUES = 2**28


def paper(n_cases: int, n_features: int, n_selected: int) -> dict[str, Any]:
    """Return the settings of the paper's experiments.

    Data with more cases than features are "long", others "wide". Bounds that the paper does not
    need for its data sets, on very narrow, very wide and very long tables, are added.
    """
    is_long = n_cases > n_features
    n_outside = n_features - n_selected
    enough = min(1.0, MIN_CANDIDATES / n_outside) if n_outside else 1.0
    affordable = max(n_selected, MAX_WINDOW_VALUES // n_cases)
    return {
        "candidate_ratio": max(0.2 if is_long else 0.5, enough),
        "max_candidates": min(MAX_CANDIDATES, affordable),
        "batches_per_rotation": 100 if is_long else 5,
        "flex": False,
        "change_metric": "gradient",
        "regrowth": "random",
        "reset_optimizer": True,
        "hidden_layer_sizes": (100,),
        "activation": "relu",
        "learning_rate_init": 1e-3,
        "batch_size": 1024,
        "stopping": "validation",
        "patience": 100,
        "max_rotations": 5000,
        "max_epochs": None,
        "validation_fraction": 0.2,
        "refit": True,
        "scale": "minmax",
    }


PRESETS: dict[str, Callable[[int, int, int], dict[str, Any]]] = {"paper": paper}
# How long stopping="epochs" trains if max_epochs is not given.
AUTO_EPOCHS = 500


def resolve(
    preset: str, explicit: dict[str, Any], *, n_cases: int, n_features: int, n_selected: int
) -> dict[str, Any]:
    """Replace every "auto" by the preset's value; an explicit value always wins."""
    values = PRESETS[preset](n_cases, n_features, n_selected)
    if explicit["candidate_ratio"] != "auto":
        values["max_candidates"] = None
    values.update({name: value for name, value in explicit.items() if not _is_auto(value)})
    if _is_auto(explicit["entry_scores"]):
        # Molchanov's importance is meant to be compared as it stands.
        values["entry_scores"] = values["change_metric"] != "molchanov"
    if _is_auto(explicit["max_epochs"]) and values["stopping"] == "epochs":
        values["max_epochs"] = AUTO_EPOCHS
    sizes = values["hidden_layer_sizes"]
    values["hidden_layer_sizes"] = (
        (int(sizes),) if not hasattr(sizes, "__len__") else tuple(int(size) for size in sizes)
    )
    return values


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"
