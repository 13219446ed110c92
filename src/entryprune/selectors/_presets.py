"""The presets: which algorithm runs, and what "auto" means for its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from entryprune.engine import ExchangeSettings, Settings
from entryprune.engine.columns import SCALES
from entryprune.engine.settings import Allowed, NetworkSettings, one_of, setting
from entryprune.selectors._selector import literal

S = TypeVar("S", bound=NetworkSettings)

# Where the estimators follow scikit-learn's names.
_RENAMED = {"learning_rate": "learning_rate_init"}


@dataclass(frozen=True, slots=True)
class Tunable:
    """A parameter of an estimator that may be "auto"."""

    default: Any  # what "auto" is, unless a preset says otherwise
    allowed: Allowed
    text: str

    @property
    def or_auto(self) -> Allowed:
        """All values that the parameter may have."""
        return replace(self.allowed, choices=(*self.allowed.choices, "auto"))


def tunables(declaration: type) -> dict[str, Tunable]:
    """Return the settings that a dataclass declares for users, by their parameter's name."""
    return {
        _RENAMED.get(one.name, one.name): Tunable(
            one.default, one.metadata["allowed"], one.metadata["text"]
        )
        for one in fields(declaration)
        if "allowed" in one.metadata
    }


def engine_settings(kind: type[S], n_selected: int, values: dict[str, Any]) -> S:
    """Return what the engine is asked to do, given values by their parameter's name."""
    known = {one.name: _RENAMED.get(one.name, one.name) for one in fields(kind)}
    asked = {name: values[parameter] for name, parameter in known.items() if parameter in values}
    return kind(n_selected=n_selected, **asked)


# Bounds on the candidates that "auto" admits: beyond them the window costs more than it finds.
MAX_CANDIDATES = 32_768
# With very few features in the input layer, scores relative to it say little about any of them.
MIN_CANDIDATES = 10
MAX_WINDOW_VALUES = 2**28


def paper(n_cases: int, n_features: int, n_selected: int) -> dict[str, Any]:
    """Return the settings of the paper's experiments.

    Data with more samples than features are "long", others "wide". Bounds that the paper does not
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
        "max_rotations": 5000,
    }


@dataclass(frozen=True)
class Preset:
    """An algorithm with its settings."""

    # the engine's settings that start it
    algorithm: type[Settings] | type[ExchangeSettings]
    # what is done with the data before
    data: dict[str, Tunable]
    # what a report says of the scores
    score_meaning: str
    # what deviates from the declared defaults, given the numbers of samples, of features and of
    # features to select
    fitted: Callable[[int, int, int], dict[str, Any]] = lambda *_: {}

    @property
    def tunables(self) -> dict[str, Tunable]:
        """The parameters that play a part."""
        return {**tunables(self.algorithm), **self.data}


def _scaled(default: str) -> Tunable:
    return Tunable(default, one_of(SCALES, or_none=True), "How features are scaled inside.")


_HELD_OUT = Tunable(
    0.2, Allowed(float, low=0, high=1), 'Share of the samples held out by "validation".'
)

PRESETS = {
    "exchange": Preset(
        ExchangeSettings,
        {"scale": _scaled("standard")},
        "What a feature brings is the log evidence per sample that would be lost without it, "
        "beside all the other selected features.",
    ),
    "paper": Preset(
        Settings,
        {"validation_fraction": _HELD_OUT, "scale": _scaled("minmax")},
        "The score is how much more the network changed for the feature, when it entered, than for "
        "the average of the features in it then, in standard deviations.",
        paper,
    ),
}
TUNABLES = {**PRESETS["exchange"].tunables, **PRESETS["paper"].tunables}
# For the documentation: what "auto" means where it is not simply the setting's default.
AUTO_TEXTS = {
    "candidate_ratio": '"auto" is 0.2 on long data (more samples than features) and 0.5 on wide '
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


def tunable(name: str) -> Any:
    """Declare the estimators' parameter for a setting: "auto" unless the user says otherwise."""
    one = TUNABLES[name]
    return setting("auto", one.or_auto, f"{one.text} {_meaning_of_auto(name)}")


def _meaning_of_auto(name: str) -> str:
    """Say what "auto" means for a setting, and in which preset it plays a part."""
    values = {
        preset: literal(one.tunables[name].default)
        for preset, one in PRESETS.items()
        if name in one.tunables
    }
    if len(values) == 1:
        ((owner, value),) = values.items()
        return f'With preset "{owner}" only. ' + AUTO_TEXTS.get(name, f'"auto" is {value}.')
    usual, papers = values["exchange"], values["paper"]
    if usual == papers:
        return f'"auto" is {usual}.'
    return f'"auto" is {usual}, with preset "paper" {papers}.'


def resolve(
    name: str, explicit: dict[str, Any], *, n_cases: int, n_features: int, n_selected: int
) -> dict[str, Any]:
    """Replace every "auto" by the preset's value; an explicit value always wins."""
    preset = PRESETS[name]
    given = {
        name: value
        for name, value in explicit.items()
        if not (isinstance(value, str) and value == "auto")
    }
    _refuse_strangers(name, given)
    values = {name: tunable.default for name, tunable in preset.tunables.items()}
    values.update(preset.fitted(n_cases, n_features, n_selected))
    values.update(given)
    if preset.algorithm is Settings:
        _settle_what_depends(values, given)
    sizes = values["hidden_layer_sizes"]
    values["hidden_layer_sizes"] = (
        (int(sizes),) if not hasattr(sizes, "__len__") else tuple(int(size) for size in sizes)
    )
    return values


def _refuse_strangers(name: str, given: dict[str, Any]) -> None:
    """Refuse parameters that play no part in a preset: who gives one expects it to matter."""
    for parameter in given:
        if parameter not in PRESETS[name].tunables:
            (owner,) = (one for one, preset in PRESETS.items() if parameter in preset.tunables)
            raise ValueError(
                f"{parameter} is a parameter of preset={owner!r}, and the preset is {name!r}, "
                f"where it means nothing. Say preset={owner!r}, or leave {parameter} out."
            )


def _settle_what_depends(values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set what "auto" means for parameters of the paper's algorithm that depend on others."""
    if "candidate_ratio" in given:
        values["max_candidates"] = None
    if "entry_scores" not in given:
        # Molchanov's importance is meant to be compared as it stands.
        values["entry_scores"] = values["change_metric"] != "molchanov"
    if "max_epochs" not in given and values["stopping"] == "epochs":
        values["max_epochs"] = AUTO_EPOCHS
