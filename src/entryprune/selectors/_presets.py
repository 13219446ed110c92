"""What "auto" means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from entryprune.selectors._tunable import TUNABLES

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
        **{name: tunable.default for name, tunable in TUNABLES.items()},
        "candidate_ratio": max(0.2 if is_long else 0.5, enough),
        "max_candidates": min(MAX_CANDIDATES, affordable),
        "batches_per_rotation": 100 if is_long else 5,
        "max_rotations": 5000,
    }


PRESETS: dict[str, Callable[[int, int, int], dict[str, Any]]] = {"paper": paper}
# For the documentation: what "auto" means where it is not simply the setting's default.
AUTO_TEXTS = {
    "candidate_ratio": '"auto" is 0.2 on long data (more cases than features) and 0.5 on wide '
    "data, but at least 10 candidates on narrow tables, and on very large ones at most 32,768 "
    "candidates or a window of 2**28 values (1 GiB), whichever is less.",
    "batches_per_rotation": '"auto" is 100 on long data and 5 on wide data.',
    "entry_scores": '"auto" is True, except with "molchanov".',
    "max_rotations": 'Reaching it warns. "auto" is 5000.',
    "max_epochs": 'Reaching it warns, unless `stopping` is "epochs". "auto" is 500 with "epochs" '
    "and None, no bound, otherwise.",
}

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
