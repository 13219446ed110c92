"""What was learned survives a file, and a file from a stranger is checked."""

import copy
import json

import numpy as np
import pyarrow as pa
import pytest

from entryprune.encoding import Encoder

TABLE = pa.table(
    {
        "number": [1.5, None, 3.0, 4.0],
        "colour": ["red", None, "green", "blue"],
        "member": ["yes", "no", None, "no"],
        "opened": pa.array([0, 10**15, None, 1], pa.timestamp("us", "Europe/Berlin")),
        "nothing": pa.nulls(4),
        "whole": [1, 2, 3, 4],
        "city": list("aabc"),
    }
)


@pytest.fixture(scope="module")
def encoder():
    return Encoder.fit(TABLE, missing="impute", max_levels=3)


@pytest.fixture
def state(encoder):
    return copy.deepcopy(encoder.to_state())


@pytest.mark.parametrize(
    "made",
    [
        lambda: Encoder.fit(TABLE, missing="impute", max_levels=3),
        lambda: Encoder.fit(TABLE, missing="impute", max_levels=2),
        lambda: Encoder.fit(TABLE.select(["whole", "city"])),
        lambda: Encoder.fit(np.ones((2, 3), np.float32)),
    ],
)
def test_an_encoder_comes_back_the_same(made):
    before = made()
    description, arrays = before.to_state()
    after = Encoder.from_state(json.loads(json.dumps(description, allow_nan=False)), arrays)
    assert after.to_state()[0] == description
    for attribute in ("feature_names", "kinds", "notes", "is_plain", "dtype"):
        assert getattr(after, attribute) == getattr(before, attribute)
    X = np.ones((2, 3)) if before.names is None else TABLE
    np.testing.assert_array_equal(after.encode(X).values, before.encode(X).values)
    assert after.encode(X).names == before.encode(X).names


def test_the_state_is_a_copy(encoder):
    encoder.to_state()[1]["fills"][...] = -1
    assert encoder.fills[0] == 3


def rule(state, feature):
    return dict(state[0]["features"])[feature]


def broken(**entries):
    return lambda state: state[0].update(entries)


def broken_rule(feature, **entries):
    return lambda state: rule(state, feature).update(entries)


def broken_array(name, array):
    return lambda state: state[1].update({name: array})


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda state: state[0].pop("notes"), "must have exactly the entries 'dtype', 'features'"),
        (broken(more=1), "must have exactly the entries"),
        (broken(version=2), "version must be 1, the only one known here; got 2"),
        (broken(version=True), "version must be 1"),
        (broken(n_features=0), "n_features must be a whole number from 1 on; got 0"),
        (broken(n_features=8), "names must be None or 8 different texts"),
        (broken(n_features=7.0), "n_features must be"),
        (broken(names=["a"] * 7), "names must be None or 7 different texts"),
        (broken(names=[1, *"abcdef"]), "names must be"),
        (broken(missing="drop"), "missing must be"),
        (broken(missing=["error"]), "missing must be"),
        (broken(missing="error"), "fills must be an array of 0 values"),
        (broken(max_levels=1), "max_levels must be"),
        (broken(max_levels=2), "features must be rules that are known here"),
        (broken(dtype="int8"), "dtype must be one of 'float32', 'float64'; got 'int8'"),
        (broken(dtype=[]), "dtype must be"),
        (broken(notes="text"), "notes must be a list of texts"),
        (broken(notes=[1]), "notes must be a list of texts"),
        (broken(features={}), "features must be a list"),
        (broken(features=[[7, {"kind": "empty"}]]), "features must be ascending numbers"),
        (broken(features=[[True, {"kind": "empty"}]]), "features must be ascending numbers"),
        (broken(features=[[1, {"kind": "empty"}]] * 2), "features must be ascending numbers"),
        (broken(features=[[1]]), "features must be ascending numbers"),
        (broken(features=[[1, {"kind": "code"}]]), "features must be rules that are known here"),
        (broken(features=[]), "fills must be finite for numbers, and for nothing else"),
        (broken_rule(1, levels=["a", "a"]), "features must be rules"),
        (broken_rule(1, levels=["a", 1]), "features must be rules"),
        (broken_rule(1, levels=["a", "\ud800"]), "features must be rules"),
        (broken_rule(1, levels=[]), "features must be rules"),
        (broken_rule(1, fill=3), "features must be rules"),
        (broken_rule(1, fill=True), "features must be rules"),
        (broken_rule(1, has_other=1), "features must be rules"),
        (broken_rule(1, more=1), "features must be rules"),
        (broken_rule(2, levels=["a", "b", "c"]), "features must be rules"),
        (broken_rule(2, fill=2), "features must be rules"),
        (broken_rule(3, zone="../../etc/passwd"), "features must be rules"),
        (broken_rule(3, zone=1), "features must be rules"),
        (broken_rule(3, parts=["month", "year"]), "features must be rules"),
        (broken_rule(3, parts=["century"]), "features must be rules"),
        (broken_rule(3, parts=[["year"]]), "features must be rules"),
        (broken_rule(3, earliest=2**70), "features must be rules"),
        (broken_rule(3, fill=1.5), "features must be rules"),
        (broken_rule(4, more=1), "features must be rules"),
        (lambda state: state[1].pop("fills"), "must have the arrays 'fills' and 'is_flagged'"),
        (broken_array("more", np.zeros(1)), "must have the arrays"),
        (broken_array("fills", np.zeros(7, np.float32)), "fills must be an array of 7 values of"),
        (broken_array("fills", np.zeros((7, 1))), "fills must be an array of 7"),
        (broken_array("fills", [0.0] * 7), "fills must be an array of 7"),
        (broken_array("fills", np.full(7, np.inf)), "fills must be finite for numbers"),
        (
            broken_array("is_flagged", np.zeros(7)),
            "is_flagged must be an array of 7 values of type",
        ),
        (broken_array("is_flagged", np.ones(7, bool)), "is_flagged must be true only for"),
    ],
)
def test_a_state_that_no_encoder_has_is_refused(state, harm, message):
    harm(state)
    with pytest.raises(ValueError, match=message):
        Encoder.from_state(*state)


@pytest.mark.parametrize("state", [(None, {}), ([], {}), ({}, None)])
def test_something_else_is_no_state(state):
    with pytest.raises(ValueError, match="The state of an encoder must have"):
        Encoder.from_state(*state)


def test_an_encoder_that_fills_nothing_has_no_flags():
    description, arrays = Encoder.fit(TABLE.select(["whole", "city"])).to_state()
    arrays["is_flagged"][0] = True
    with pytest.raises(ValueError, match="is_flagged must be true only for features whose gaps"):
        Encoder.from_state(description, arrays)
    description, arrays = Encoder.fit(TABLE.select(["whole", "city"])).to_state()
    description["features"][0][1]["has_missing"] = True
    with pytest.raises(ValueError, match="is_flagged must be true only for features whose gaps"):
        Encoder.from_state(description, arrays)
