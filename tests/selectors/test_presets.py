"""Parameters are what the settings declare: names, values, defaults and documentation."""

import inspect
import re
from dataclasses import dataclass, fields

import pytest
from sklearn.utils._param_validation import validate_parameter_constraints

from entryprune import EntryPruneClassifier, EntryPruneRegressor
from entryprune.engine import ExchangeSettings, Settings
from entryprune.engine.bodies import ACTIVATIONS
from entryprune.engine.candidates import CHANGE_METRICS, REGROWTHS
from entryprune.engine.columns import SCALES
from entryprune.engine.rules import STOPPING_RULES
from entryprune.engine.settings import COUNT, COUNT_OR_NONE, WIDTHS, Allowed, one_of, setting
from entryprune.selectors._presets import (
    AUTO_TEXTS,
    PRESETS,
    TUNABLES,
    engine_settings,
    resolve,
    tunables,
)
from entryprune.selectors._selector import constraints

ESTIMATORS = [EntryPruneClassifier, EntryPruneRegressor]
ALL_AUTO = dict.fromkeys(TUNABLES, "auto")
LONG = {"n_cases": 1000, "n_features": 200, "n_selected": 25}
WIDE = {"n_cases": 100, "n_features": 2000, "n_selected": 25}


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_setting_is_a_parameter_that_defaults_to_auto(cls):
    parameters = inspect.signature(cls).parameters
    of_its_own = {
        "n_features_to_select", "preset", "body", "loss", "device", "random_state", "verbose",
        "callback", "missing", "max_levels", "feature_groups", "keep", "bar", "costs", "budget",
    }  # fmt: skip
    of_the_task = {"class_weight", "ordinal"} if cls is EntryPruneClassifier else {"quantile"}
    assert set(parameters) == {*TUNABLES, *of_its_own, *of_the_task}
    assert {parameters[name].default for name in TUNABLES} == {"auto"}


# What the engine can be told and users need not know of.
INTERNAL = {
    "paper": {"max_candidates", "finish_rotations"},
    "exchange": {
        "weight_decay", "noise", "reach", "short_reach", "clip", "spread_share", "cases_per_block",
        "max_blocks", "n_short_list", "pair_work",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "settings", "of_the_data"),
    [
        ("paper", Settings, {"validation_fraction", "scale"}),
        ("exchange", ExchangeSettings, {"scale"}),
    ],
)
def test_no_setting_of_the_engine_is_forgotten(preset, settings, of_the_data):
    names = {
        field.name.replace("learning_rate", "learning_rate_init") for field in fields(settings)
    }
    own = {"n_selected", "body", "loss", "quantile", "kept", "costs", "budget"}
    assert set(PRESETS[preset].tunables) == names - own - INTERNAL[preset] | of_the_data


def test_a_parameter_plays_a_part_in_some_preset_and_looks_the_same_in_all():
    assert set(TUNABLES) == {name for preset in PRESETS.values() for name in preset.tunables}
    shared = set.intersection(*(set(preset.tunables) for preset in PRESETS.values()))
    assert shared == {
        "hidden_layer_sizes",
        "activation",
        "learning_rate_init",
        "batch_size",
        "scale",
    }
    for name in shared:
        papers, usual = (PRESETS[preset].tunables[name] for preset in ("paper", "exchange"))
        assert (papers.allowed, papers.text) == (usual.allowed, usual.text)


@pytest.mark.parametrize(
    ("name", "registry"),
    [
        ("change_metric", CHANGE_METRICS),
        ("regrowth", REGROWTHS),
        ("activation", ACTIVATIONS),
        ("stopping", STOPPING_RULES),
        ("scale", SCALES),
    ],
)
def test_the_choices_are_those_of_the_registries(name, registry):
    assert TUNABLES[name].allowed.choices == tuple(registry)


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.parametrize("shape", [LONG, WIDE], ids=["long", "wide"])
def test_auto_is_what_the_documentation_says(cls, shape):
    entries = dict(re.findall(r"^ {4}(\w+) : [^\n]*\n((?: {8}.*\n)*)", cls.__doc__, re.MULTILINE))
    used = {preset: resolve(preset, ALL_AUTO, **shape) for preset in PRESETS}
    for name in TUNABLES:
        text = " ".join(entries[name].split())
        value = {
            preset: f'"{values[name]}"' if isinstance(values[name], str) else repr(values[name])
            for preset, values in used.items()
            if name in values
        }
        (owner, *others) = value
        said = f'"auto" is {value[owner]}.'
        if others and value["exchange"] != value["paper"]:
            said = f'"auto" is {value["exchange"]}, with preset "paper" {value["paper"]}.'
        assert (f'With preset "{owner}" only.' in text) == (not others)
        assert name in AUTO_TEXTS or text.endswith(said)


def test_auto_texts_of_their_own_are_true():
    long, wide = (resolve("paper", ALL_AUTO, **shape) for shape in (LONG, WIDE))
    assert (long["candidate_ratio"], wide["candidate_ratio"]) == (0.2, 0.5)
    assert (long["batches_per_rotation"], wide["batches_per_rotation"]) == (100, 5)
    assert (long["max_rotations"], long["max_epochs"]) == (5000, None)
    by_epochs = resolve("paper", {**ALL_AUTO, "stopping": "epochs"}, **LONG)
    assert by_epochs["max_epochs"] == 500
    molchanov = resolve("paper", {**ALL_AUTO, "change_metric": "molchanov"}, **LONG)
    assert (long["entry_scores"], molchanov["entry_scores"]) == (True, False)


def test_the_engines_defaults_are_the_papers_on_long_data():
    asked = engine_settings(Settings, 25, resolve("paper", ALL_AUTO, **LONG))
    differing = {
        field.name
        for field in fields(Settings)
        if getattr(asked, field.name) != getattr(Settings(n_selected=25), field.name)
    }
    # Bounds that the paper's own data sets never reach.
    assert differing == {"max_candidates", "max_rotations"}


@pytest.mark.parametrize("shape", [LONG, WIDE], ids=["long", "wide"])
def test_the_engines_defaults_are_what_runs_by_default(shape):
    default = EntryPruneClassifier().preset
    assert default == EntryPruneRegressor().preset == "exchange"
    asked = engine_settings(ExchangeSettings, 25, resolve(default, ALL_AUTO, **shape))
    assert asked == ExchangeSettings(n_selected=25)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_engine_gets_the_learning_rate_under_its_own_name(preset):
    given = {**ALL_AUTO, "learning_rate_init": 0.5}
    values = resolve(preset, given, **LONG)
    asked = engine_settings(PRESETS[preset].algorithm, 3, values)
    assert (asked.n_selected, asked.learning_rate) == (3, 0.5)


# -- a declaration of one's own -----------------------------------------------------------------


@dataclass(frozen=True)
class Own:
    hidden: int = 3
    switch: bool = setting(False, Allowed(bool), "A switch.")
    share: float = setting(0.1, Allowed(float, low=0, high=1, closed="right"), "A share.")
    count: int = setting(4, COUNT, "A count.")
    bound: int | None = setting(None, COUNT_OR_NONE, "A bound.")
    widths: tuple[int, ...] = setting((3,), WIDTHS, "Widths.")
    kind: str | None = setting("a", one_of(["a", "b"], or_none=True), "A kind.")


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("switch", [True, False], [2, "yes", None]),
        ("share", [0.1, 1, 1.0], [0, 1.1, None, "a"]),
        ("count", [1, 7], [0, 1.5, None]),
        ("bound", [1, None], [0, 1.5]),
        ("widths", [1, (3, 4), [5]], [0, 1.5, None]),
        ("kind", ["a", "b", None], ["c", 1]),
    ],
)
def test_a_declaration_says_which_values_pass(name, good, bad):
    passing = {name: constraints(tunables(Own)[name].or_auto)}
    for value in [*good, "auto"]:
        validate_parameter_constraints(passing, {name: value}, caller_name="Own")
    for value in bad:
        with pytest.raises(ValueError, match=f"The '{name}' parameter of Own must be"):
            validate_parameter_constraints(passing, {name: value}, caller_name="Own")


def test_what_is_not_declared_is_no_parameter():
    assert "hidden" not in tunables(Own)


def test_a_declaration_says_its_values_in_words():
    words = {name: str(tunable.allowed) for name, tunable in tunables(Own).items()}
    assert words == {
        "switch": "bool",
        "share": "float",
        "count": "int",
        "bound": "int or None",
        "widths": "int or sequence of int",
        "kind": '{"a", "b", None}',
    }
    with_auto = {name: str(tunable.or_auto) for name, tunable in tunables(Own).items()}
    assert with_auto == {
        "switch": 'bool or "auto"',
        "share": 'float or "auto"',
        "count": 'int or "auto"',
        "bound": 'int, "auto" or None',
        "widths": 'int, sequence of int or "auto"',
        "kind": '{"a", "b", "auto", None}',
    }
