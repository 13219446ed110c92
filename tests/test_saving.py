"""A saved selector comes back the same, and no file can do harm."""

import importlib
import importlib.util
import json
import os
import pickle
import stat

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save as make_safetensors
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import entryprune
from entryprune import EntryPruneClassifier, EntryPruneRegressor
from entryprune.baselines import (
    METHODS,
    BaselineSelector,
    FisherSelector,
    Ranking,
    make_selector,
    register_method,
)
from entryprune.saving import LoadError, SaveError
from entryprune.saving._file import pack, unpack
from entryprune.selectors._intake import Intake

# How good the answer is does not matter here.
SPARSE = {"hidden_layer_sizes": 20, "epsilon": 3, "batch_size": 20, "max_epochs": 3}
DENSE = {"hidden_layer_sizes": 10, "max_epochs": 3}
ROTATIONS = {"batches_per_rotation": 3, "patience": 3, "batch_size": 64}
PAPER = {"preset": "paper", **ROTATIONS}
QUICK = {
    "entryprune": ROTATIONS,
    "entryprune-flex": ROTATIONS,
    "stg": DENSE,
    "deeplasso": DENSE,
    "sand": DENSE,
    "sequential-attention": {"hidden_layer_sizes": 10, "epochs_per_phase": 2},
    "neurofs": SPARSE,
    "rigl": SPARSE,
    "gradenfs": SPARSE,
    "quickselection": SPARSE,
    "lassonet": {
        "hidden_dims": (10,),
        "lambda_start": 10.0,
        "path_multiplier": 1.5,
        "n_iters": (100, 5),
    },
    "lightgbm": {"n_estimators": 5, "min_child_samples": 1, "n_jobs": 1},
    "lightgbm-shap": {"n_estimators": 5, "min_child_samples": 1, "n_jobs": 1},
    "extra-trees": {"n_estimators": 5},
    "forest-permutation": {"n_estimators": 5},
    "boruta": {"n_estimators": 5, "max_iter": 12},
    "autonfs": {"balance": 0.0, "epochs": 5, "batch_size": 16},
}
CASES = [
    pytest.param(
        name,
        task,
        id=f"{name}-{task}",
        marks=pytest.mark.skipif(
            method.package is not None and importlib.util.find_spec(method.package) is None,
            reason=f"{method.package} is not installed",
        ),
    )
    for name, method in METHODS.items()
    for task in method.tasks
]
METHODS_OF_PREDICTORS = ("predict", "predict_proba")


def quick_classifier(**parameters):
    return EntryPruneClassifier(**{"n_features_to_select": 3, "random_state": 0} | parameters)


def round_trip(selector, folder):
    entryprune.save(selector, folder / "selector.safetensors")
    return entryprune.load(folder / "selector.safetensors")


def assert_same(first, second):
    """Compare values of any kind to the bit, types included; numbers of numpy become Python's."""
    if isinstance(first, np.generic):
        first = first.item()
    assert type(first) is type(second)
    if isinstance(first, np.ndarray):
        assert first.dtype == second.dtype
        assert first.shape == second.shape
        assert second.flags.writeable
        if first.dtype.kind == "O":
            assert first.tolist() == second.tolist()
        else:
            assert first.tobytes() == second.tobytes()
    elif isinstance(first, dict):
        assert list(first) == list(second)
        for name in first:
            assert_same(first[name], second[name])
    elif isinstance(first, tuple):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            assert_same(one, other)
    elif isinstance(first, pd.DataFrame):
        pd.testing.assert_frame_equal(first, second)
    elif isinstance(first, Intake):
        assert_same(first.to_state(), second.to_state())
    elif isinstance(first, torch.nn.Module):
        assert str(first) == str(second)
        assert first.training == second.training
        assert_same(
            {name: tensor.numpy() for name, tensor in first.state_dict().items()},
            {name: tensor.numpy() for name, tensor in second.state_dict().items()},
        )
    else:
        assert first == second


def assert_same_selector(first, second, X, y):
    assert type(first) is type(second)
    assert first.get_params() == second.get_params()
    assert vars(first).keys() == vars(second).keys()
    for name, value in vars(first).items():
        assert_same(value, vars(second)[name])
    assert_same(first.transform(X), second.transform(X))
    assert_same(first.get_support(), second.get_support())
    assert_same(first.get_feature_names_out(), second.get_feature_names_out())
    for method in METHODS_OF_PREDICTORS:
        if hasattr(first, method):
            assert_same(getattr(first, method)(X), getattr(second, method)(X))
    if hasattr(first, "score"):
        assert first.score(X, y) == second.score(X, y)
    assert clone(second).get_params() == first.get_params()


# -- what comes back ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "task"), CASES)
def test_every_method_comes_back_the_same(name, task, easy, easy_regression, tmp_path):
    X, y = easy if task == "classification" else easy_regression
    if task == "survival":
        y = np.column_stack([y - y.min(), np.arange(len(y)) % 3 > 0])
    selector = make_selector(name, 3, task=task, random_state=0, **QUICK.get(name, {})).fit(X, y)
    assert_same_selector(selector, round_trip(selector, tmp_path), X, y)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["setosa", "versicolor", "virginica"]),
        np.array(["setosa", "versicolor", "Îøß \N{PILE OF POO}"], dtype=object),
        np.array(["a", "b", "c"], dtype="<U20"),
        np.array([-5, 0, 7], dtype=np.int8),
        np.array([1, 2, 2**63], dtype=np.uint64),
        np.array([1, 2, 3], dtype=">i4"),
        np.array([1.0, 2.0, 3.0], dtype=np.float32),
        np.array([False, True, True]),
    ],
    ids=lambda labels: labels.dtype.str,
)
def test_classes_keep_their_type(labels, easy, tmp_path):
    X, y = easy[0], labels[easy[1]]
    selector = quick_classifier().fit(X, y)
    assert selector.classes_.dtype == labels.dtype
    assert_same_selector(selector, round_trip(selector, tmp_path), X, y)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_a_target_of_several_columns_comes_back(n_outputs, easy_regression, tmp_path):
    X, y = easy_regression
    y = np.column_stack([y, X[:, 0]])[:, :n_outputs]
    selector = EntryPruneRegressor(3, random_state=0).fit(X, y)
    again = round_trip(selector, tmp_path)
    assert again.predict(X).shape == y.shape
    assert_same_selector(selector, again, X, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"hidden_layer_sizes": (), "activation": "tanh"},
        {"hidden_layer_sizes": [7, 5], "activation": "tanh"},
        {"hidden_layer_sizes": 4, "activation": "logistic"},
        {"hidden_layer_sizes": (4, 4, 4), "activation": "identity"},
        {"n_features_to_select": 0.3, "scale": None, "verbose": np.int64(0)},
        {"n_features_to_select": np.int64(2), "device": torch.device("cpu")},
        {"interactions": np.False_, "max_exchanges": np.int64(3)},
        {**PAPER, "hidden_layer_sizes": [7, 5], "refit": np.True_, "max_epochs": None},
        {"n_features_to_select": 1.0, "learning_rate_init": np.float32(0.01)},
    ],
    ids=str,
)
def test_networks_and_parameters_of_all_kinds_come_back(parameters, easy, tmp_path):
    selector = quick_classifier(**parameters).fit(*easy)
    again = round_trip(selector, tmp_path)
    assert_same_selector(selector, again, *easy)
    for name, value in selector.get_params().items():
        if not isinstance(value, np.generic):
            assert type(again.get_params()[name]) is type(value)


def test_pairs_that_matter_together_come_back(tmp_path):
    X = np.random.default_rng(0).normal(size=(300, 12))
    y = (X[:, 2] * X[:, 7] > 0).astype(int)
    selector = quick_classifier().fit(X, y)
    assert selector.interactions_["first"].tolist() == [2]
    assert_same_selector(selector, round_trip(selector, tmp_path), X, y)


def test_an_array_as_a_parameter_comes_back(easy, tmp_path):
    selector = quick_classifier(hidden_layer_sizes=np.array([4, 3])).fit(*easy)
    again = round_trip(selector, tmp_path)
    assert_same(again.hidden_layer_sizes, selector.hidden_layer_sizes)
    assert_same(again.predict_proba(easy[0]), selector.predict_proba(easy[0]))


def test_the_names_of_features_and_the_output_of_transform_come_back(easy, tmp_path):
    X = pd.DataFrame(easy[0], columns=[f'gene "{i}" \N{GREEK SMALL LETTER MU}' for i in range(12)])
    for selector in (quick_classifier(), FisherSelector(3)):
        selector.set_output(transform="pandas").fit(X, easy[1])
        again = round_trip(selector, tmp_path)
        assert_same(again.feature_names_in_, selector.feature_names_in_)
        assert_same(again.get_feature_names_out(), selector.get_feature_names_out())
        pd.testing.assert_frame_equal(again.transform(X), selector.transform(X))
        with pytest.raises(ValueError, match="feature names should match"):
            again.transform(X.rename(columns={X.columns[0]: "other"}))


def test_a_loaded_selector_can_be_fitted_again_and_saved_again(easy, tmp_path):
    selector = quick_classifier().fit(*easy)
    again = round_trip(selector, tmp_path)
    first = (tmp_path / "selector.safetensors").read_bytes()
    assert_same_selector(selector, again.fit(*easy), *easy)
    round_trip(again, tmp_path)
    assert (tmp_path / "selector.safetensors").read_bytes() == first


def test_what_was_meant_for_a_gpu_is_loaded_without_one(easy, tmp_path):
    selector = quick_classifier().fit(*easy).set_params(device=torch.device("cuda:1"))
    again = round_trip(selector, tmp_path)
    assert again.device == torch.device("cuda:1")
    assert {tensor.device.type for tensor in again.network_.state_dict().values()} == {"cpu"}
    assert_same(again.predict(easy[0]), selector.predict(easy[0]))


def test_views_of_other_memory_come_back_in_their_order(easy, tmp_path):
    # The library stores memory as it lies there, so this would come back wrong or not at all.
    selector = FisherSelector(3).fit(*easy)
    selector.scores_ = np.repeat(selector.scores_, 2)[::2][::-1]
    again = round_trip(selector, tmp_path)
    assert again.scores_.tolist() == selector.scores_.tolist()


def test_loading_draws_no_random_numbers(easy, tmp_path):
    selector = quick_classifier().fit(*easy)
    before = torch.get_rng_state()
    round_trip(selector, tmp_path)
    assert torch.equal(torch.get_rng_state(), before)


# -- the file -----------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", [{}, PAPER], ids=["exchange", "paper"])
def test_the_same_selector_gives_the_same_bytes(parameters, easy, tmp_path):
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path in paths:
        entryprune.save(quick_classifier(**parameters).fit(*easy), str(path))
    assert len({path.read_bytes() for path in paths}) == 1


def test_any_safetensors_reader_can_look_into_the_file(easy, tmp_path):
    X = pd.DataFrame(easy[0]).add_prefix("gene ")
    selector = quick_classifier(hidden_layer_sizes=(7, 5)).fit(X, easy[1])
    round_trip(selector, tmp_path)
    with safe_open(tmp_path / "selector.safetensors", framework="pt") as file:
        description = json.loads(file.metadata()["entryprune"])
        weights = {name: file.get_tensor(name) for name in file.keys() if "network_." in name}  # noqa: SIM118
    assert description["format"] == "entryprune selector"
    assert description["class"] == "EntryPruneClassifier"
    assert description["network"] == {"activation": "relu", "widths": [3, 7, 5, 3]}
    assert description["fitted"]["feature_names_in_"]["strings"] == X.columns.tolist()
    assert description["versions"]["torch"] == torch.__version__
    assert weights.keys() == {f"network_.{name}" for name in selector.network_.state_dict()}


def test_a_file_is_replaced_whole_or_not_at_all(easy, tmp_path, monkeypatch):
    path = tmp_path / "selector"
    path.write_text("precious")
    selector = FisherSelector(3).fit(*easy)
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left")))
        with pytest.raises(SaveError, match=r"Cannot save FisherSelector to .*: No space left"):
            entryprune.save(selector, path)
    assert path.read_text() == "precious"
    entryprune.save(selector, path)
    assert [found.name for found in tmp_path.iterdir()] == ["selector"]
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(_plain_file(tmp_path).stat().st_mode)


def _plain_file(folder):
    path = folder / "plain"
    path.touch()
    return path


@pytest.mark.parametrize(
    ("place", "message"),
    [("nowhere/x", "there is no folder .*nowhere. Make it first"), (".", "is a folder")],
)
def test_a_place_that_cannot_be_written_to_is_named(place, message, easy, tmp_path):
    with pytest.raises(SaveError, match=message) as raised:
        entryprune.save(FisherSelector(3).fit(*easy), tmp_path / place)
    assert str(tmp_path) in str(raised.value)
    assert not any(tmp_path.iterdir())


# -- what is not saved --------------------------------------------------------------------------


def half_squared(outputs, targets):
    return (outputs - targets).square().mean() / 2


def test_a_selector_that_is_not_fitted_is_refused(tmp_path):
    with pytest.raises(NotFittedError, match="FisherSelector is not fitted, so there is nothing"):
        entryprune.save(FisherSelector(), tmp_path / "x")


class FirstSelector(BaselineSelector):
    _title = "First"

    def _rank(self, data, n_selected, rng):
        return Ranking(-np.arange(data.X.shape[1], dtype=float))


def test_selectors_of_others_are_refused(easy, tmp_path):
    register_method("first", FirstSelector)
    like_ours = type("FisherSelector", (FisherSelector,), {})
    for other in (FirstSelector(2), like_ours(2), make_pipeline(FisherSelector(2)), object()):
        if hasattr(other, "fit"):
            other.fit(*easy)
        with pytest.raises(SaveError, match=r"cannot be saved: it is not one of entryprune's own"):
            entryprune.save(other, tmp_path / "x")
    assert not any(tmp_path.iterdir())


def test_a_body_of_ones_own_is_refused(easy, tmp_path):
    body = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(5, 3))
    selector = quick_classifier(hidden_layer_sizes=5, body=body).fit(*easy)
    with pytest.raises(SaveError, match=r"its body is a Sequential.* use torch\.save"):
        entryprune.save(selector, tmp_path / "x")


def test_a_network_that_was_replaced_is_refused(easy, tmp_path):
    selector = quick_classifier().fit(*easy)
    for network in (torch.nn.Linear(3, 3), torch.nn.Sequential(torch.nn.Linear(3, 3))):
        selector.network_ = network
        with pytest.raises(SaveError, match="its network_ was replaced"):
            entryprune.save(selector, tmp_path / "x")


def test_functions_are_left_out_with_a_warning(easy_regression, tmp_path):
    X, y = easy_regression
    selector = EntryPruneRegressor(
        3, loss=half_squared, callback=lambda record: None, random_state=0
    ).fit(X, y)
    path = tmp_path / "x"
    with pytest.warns(UserWarning, match="saved without its callback and loss"):
        entryprune.save(selector, path)
    with pytest.warns(UserWarning, match="fitted with a loss of the user's own"):
        again = entryprune.load(path)
    assert (again.loss, again.callback) == ("auto", None)
    assert again.settings_["loss"] == "half_squared"
    assert_same(again.predict(X), selector.predict(X))
    notes = unpack(path.read_bytes())[0]["notes"]
    assert notes == {"callback": "left out: <lambda>", "loss": "left out: half_squared"}
    assert selector.loss is selector.settings_["loss"] is half_squared


def test_a_random_state_with_a_past_is_left_out_with_a_note(easy, tmp_path):
    selector = FisherSelector(3, random_state=np.random.RandomState(0)).fit(*easy)
    assert round_trip(selector, tmp_path).random_state is None
    notes = unpack((tmp_path / "selector.safetensors").read_bytes())[0]["notes"]
    assert notes == {"random_state": "left out: RandomState"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("note", "mine", "attributes that a fit does not make: note. Take them away first: del"),
        ("scores_", np.zeros(12, dtype=complex), "scores_ is an array of type complex128"),
        ("scores_", {1, 2}, "scores_ is a set, and only numbers, texts, arrays"),
        ("scores_", np.zeros(5), "not as a fit leaves it: scores_ has the length 5"),
        ("task", "guessing", "not as a fit leaves it: a parameter is not valid"),
    ],
)
def test_what_a_fit_does_not_leave_behind_is_refused(name, value, message, easy, tmp_path):
    selector = FisherSelector(3).fit(*easy)
    setattr(selector, name, value)
    with pytest.raises(SaveError, match=message):
        entryprune.save(selector, tmp_path / "x")
    assert not any(tmp_path.iterdir())


# -- files that are not as they should be -------------------------------------------------------


@pytest.fixture
def fisher(easy, tmp_path):
    """The bytes of a small file."""
    entryprune.save(FisherSelector(3).fit(*easy), tmp_path / "fisher")
    return (tmp_path / "fisher").read_bytes()


@pytest.fixture
def classifier(easy, tmp_path):
    """The bytes of a file with a network."""
    entryprune.save(quick_classifier().fit(*easy), tmp_path / "classifier")
    return (tmp_path / "classifier").read_bytes()


@pytest.fixture
def refusal(tmp_path):
    """Load bytes and return what the error says of them."""

    def load(content):
        path = tmp_path / "bad"
        path.write_bytes(content)
        with pytest.raises(LoadError) as raised:
            entryprune.load(path)
        message = str(raised.value)
        assert message.startswith(f"Cannot load {path}: ")
        assert "\n" not in message
        assert len(message) < 600
        return message.removeprefix(f"Cannot load {path}: ")

    return load


def with_header(header, values=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + values


def with_text(text):
    return with_header({"__metadata__": {"entryprune": text}})


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(LoadError, match=r"Cannot load .*nowhere: there is no such file"):
        entryprune.load(tmp_path / "nowhere")
    with pytest.raises(LoadError, match=r"it is a folder\. Give a file"):
        entryprune.load(tmp_path)


def test_what_may_never_end_is_not_opened(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(LoadError, match="it is a pipe or a device"):
            entryprune.load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is not a safetensors file (0 bytes)"),
        (b"a,b\n1,2\n", "it is not a safetensors file (8 bytes)"),
        (
            b"column,column\n1,2\n",
            "it is not a safetensors file (18 bytes). Give a file that entryprune.save or",
        ),
        ((2**63).to_bytes(8, "little") + b"{}", "header would have 9,223,372,036,854,775,808"),
        ((200_000_000).to_bytes(8, "little") + b"{}", "header would have 200,000,000 bytes"),
        ((5_000).to_bytes(8, "little") + b"{}", "cut short: 10 of at least 5,008 bytes"),
        (pickle.dumps({"a": [1] * 99}), "looks like a pickle or a file of torch.save"),
        (b"PK\x03\x04" + bytes(99), "looks like a pickle or a file of torch.save"),
        (with_header(b"{'a': 1}"), "its header is not valid JSON"),
        (with_header(b'{"a": \xff}'), "its header is not valid JSON"),
        (with_header(b'{"a":' * 5000 + b"1" + b"}" * 5000), "its header is not valid JSON"),
        (with_header(b'{"a": NaN}'), "but not a selector"),
        (with_header({}), "it is a safetensors file, but not a selector"),
        (with_header({"__metadata__": ["entryprune"]}), "but not a selector"),
        (make_safetensors({"a": np.ones(3)}, {"format": "pt"}), "but not a selector"),
        (with_text("[]"), "but not a selector"),
        (with_text('{"format": "pt"}'), "but not a selector"),
        (with_text('{"a": 1, "a": 2}'), "but not a selector"),
        (with_text('{"a": -Infinity}'), "but not a selector"),
        (with_text("[" * 100_000), "its header is not valid JSON"),
        (with_text('{"format": "entryprune selector"}'), "no valid version (got None)"),
        (
            with_text('{"format": "entryprune selector", "version": 1, "a": 1e999}'),
            "was changed or damaged",
        ),
        (
            with_text('{"format":"entryprune selector","sha256":"","sha256":"","version":1}'),
            "was changed or damaged",
        ),
        (
            with_header(
                {
                    "__metadata__": {"entryprune": '{"format":"entryprune selector","version":1}'},
                    "a": {"dtype": "F99", "shape": [1], "data_offsets": [0, 8]},
                },
                bytes(8),
            ),
            "its arrays are damaged",
        ),
    ],
)
def test_what_is_no_saved_selector_is_said(content, message, refusal):
    assert message in refusal(content)


def test_a_file_that_was_cut_short_is_noticed_wherever(fisher, refusal):
    for n_bytes in range(0, len(fisher), 41):
        message = refusal(fisher[:n_bytes])
        assert "cut short" in message or n_bytes < 9
    assert f"{len(fisher) - 1:,} of at least {len(fisher):,} bytes" in refusal(fisher[:-1])


def test_a_change_of_any_byte_is_noticed(fisher, refusal):
    start = 8 + int.from_bytes(fisher[:8], "little")
    for place in [*range(0, start, 13), *range(start, len(fisher), 13)]:
        changed = bytearray(fisher)
        changed[place] ^= 1
        message = refusal(bytes(changed))
        assert place < start or "was changed or damaged after it was saved" in message
    assert "damaged" in refusal(fisher + b"\0")


def test_a_changed_description_is_noticed(fisher, refusal):
    assert fisher.count(b"classification") == 1
    changed = fisher.replace(b"classification", b"Classification")
    assert "was changed or damaged after it was saved" in refusal(changed)


def test_a_newer_format_names_its_writer_and_the_cure(fisher, refusal):
    description, arrays = unpack(fisher)
    description["version"] = 2
    description["versions"]["entryprune"] = "9.1"
    assert refusal(pack(description, arrays)).startswith(
        "it was written by entryprune 9.1 in version 2 of the format, and this entryprune reads "
        "up to version 1. Upgrade"
    )


def test_a_parameter_that_is_younger_than_the_file_has_its_default(fisher, tmp_path):
    (tmp_path / "old").write_bytes(change(fisher, "parameters", "task", value=...))
    assert entryprune.load(tmp_path / "old").task == "auto"


def change(content, *keys, value):
    """Return the bytes with one entry of the description changed, and a checksum that fits."""
    description, arrays = unpack(content)
    entry = description
    for key in keys[:-1]:
        entry = entry[key]
    if value is ...:
        del entry[keys[-1]]
    else:
        entry[keys[-1]] = value
    return pack(description, arrays)


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("class",), "NextSelector", "holds a 'NextSelector', and entryprune has no selector"),
        (("class",), None, "the class, the notes or the versions"),
        (("notes",), {"body": "left out"}, "the class, the notes or the versions"),
        (("versions",), [], "the class, the notes or the versions"),
        (("fitted",), ..., "entries too many or too few: ['fitted']"),
        (("extra",), 1, "entries too many or too few: ['extra']"),
        (("parameters",), [], "has [] in place of names and values"),
        (("parameters", "color"), 1, "parameters that are not known here: ['color']"),
        (("parameters", "task"), "x", "a parameter is not valid"),
        (("parameters", "task"), {"float": "1"}, "something unknown: {'float': '1'}"),
        (("parameters", "task"), {"object": "os.system"}, "something unknown"),
        (("parameters", "task"), [1], "something unknown: [1]"),
        (("parameters", "task"), {"tuple": 1}, "something unknown: {'tuple': 1}"),
        (("parameters", "task"), {"dict": [["a", 1], ["a", 2]]}, "something unknown"),
        (("parameters", "task"), {"dict": 5}, "something unknown"),
        (("parameters", "task"), {"device": "meta; rm"}, "something unknown"),
        (("parameters", "task"), {"device": "nonsense"}, "something unknown"),
        (("parameters", "task"), {"device": 1}, "something unknown"),
        (("fitted", "task_"), 1, "task_ must be of type str, got 1"),
        (("fitted", "n_features_in_"), True, "n_features_in_ must be of type int, got True"),
        (("fitted", "n_features_in_"), 10**18, "n_features_in_ is not 12, the length of"),
        (("fitted", "__class__"), "x", "has too much: ['__class__']"),
        (("fitted", "fit"), "x", "has too much: ['fit']"),
        (("fitted", "task_"), ..., "its selector lacks ['task_']"),
        (("fitted", "scores_"), ..., "arrays that nothing refers to: ['scores_']"),
        (("fitted", "scores_"), 1.5, "arrays that nothing refers to: ['scores_']"),
        (("fitted", "scores_", "tensor"), "gone", "the array 'gone' is missing"),
        (("fitted", "scores_", "tensor"), "support_", "has the type bool, not '<f8'"),
        (("fitted", "ranking_", "tensor"), "selected_indices_", "is missing, or used twice"),
        (("fitted", "scores_", "dtype"), "<f4", "has the type float64, not '<f4'"),
        (("fitted", "scores_", "dtype"), "|O", "has the type float64, not '|O'"),
        (("fitted", "_sklearn_output_config"), {"dict": [["transform", "x"]]}, "output of tran"),
        (("fitted", "feature_names_in_"), {"strings": ["a"], "dtype": "object"}, "the length 1"),
        (("fitted", "feature_names_in_"), {"strings": [1], "dtype": "object"}, "unknown: {'"),
        (("fitted", "feature_names_in_"), {"strings": ["ab"], "dtype": "<U1"}, "do not fit"),
        (("fitted", "feature_names_in_"), {"strings": [""], "dtype": "<U999999999"}, "unknown"),
        (("fitted", "feature_names_in_"), {"strings": [""] * 99, "dtype": "<U200000"}, "unknown"),
        (
            ("fitted", "feature_names_in_"),
            {"strings": [*"abcdefghijka"], "dtype": "object"},
            "two of its features have the same name",
        ),
        (("network",), {"activation": "relu", "widths": [3, 3]}, "'network_.0.weight' is miss"),
    ],
)
def test_a_description_is_checked_before_it_is_used(keys, value, message, fisher, refusal):
    assert message in refusal(change(fisher, *keys, value=value))


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("network",), None, "arrays that nothing refers to: ['network_.0.bias'"),
        (("network",), [], "network that is not known here"),
        (("network", "activation"), "os.system", "network that is not known here"),
        (("network", "widths"), [3], "network that is not known here"),
        (("network", "widths"), [3, True, 3], "network that is not known here"),
        (("network", "widths"), [3, 10**12, 3], "must be float32 of shape (1000000000000, 3)"),
        (("network", "widths"), [3, 100, 3, 3], "'network_.1.3.weight' is missing"),
        (("network", "layers"), [], "network that is not known here"),
        (("fitted", "history_"), {"dict": []}, "arrays that nothing refers to"),
        (("fitted", "stop_reason_"), {"list": []}, "stop_reason_ must be of type str"),
    ],
)
def test_a_network_is_checked_before_it_is_built(keys, value, message, classifier, refusal):
    assert message in refusal(change(classifier, *keys, value=value))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("scores_", np.zeros(11), "scores_ has the length 11"),
        ("scores_", np.zeros((12, 1)), "scores_ must be an array of one axis"),
        ("scores_", np.zeros(12, dtype=np.float32), "'scores_' has the type float32, not '<f8'"),
        ("support_", np.ones(12, dtype=bool), "do not select the same features"),
        ("selected_indices_", np.array([0, 0, 99]), "do not select the same features"),
        ("surprise", np.zeros(3), "arrays that nothing refers to: ['surprise']"),
        ("scores_", None, "the array 'scores_' is missing"),
    ],
)
def test_arrays_are_checked_before_they_are_used(name, array, message, fisher, refusal):
    description, arrays = unpack(fisher)
    arrays[name] = array
    assert message in refusal(
        pack(description, {name: array for name, array in arrays.items() if array is not None})
    )


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("network_.0.bias", np.zeros(99, dtype=np.float32), "must be float32 of shape (100,)"),
        ("network_.0.bias", np.zeros(100), "must be float32 of shape (100,), got float64"),
        ("classes_", np.arange(4), "its network has 3 inputs and 3 outputs, and the selector"),
        ("_shift", np.zeros(4), "_shift has the length 4"),
        ("history_.epoch", np.zeros(1), "the columns of history_ must be arrays of the same"),
        ("interactions_.strength", np.zeros(1), "the columns of interactions_ must be arrays"),
    ],
)
def test_arrays_must_fit_the_network(name, array, message, classifier, refusal):
    description, arrays = unpack(classifier)
    assert message in refusal(pack(description, arrays | {name: array}))


# -- files of strangers -------------------------------------------------------------------------


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_no_file_runs_code_or_imports_what_it_names(fisher, refusal, tmp_path, monkeypatch):
    trap = tmp_path / "the trap was sprung"
    module = tmp_path / "evil.py"
    module.write_text(f"open({str(trap)!r}, 'w').close()\nclass FisherSelector: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    bytes_of_a_trap = pickle.dumps(Trap(trap))
    torch.save({"a": torch.ones(2)}, tmp_path / "torch")
    imported = []
    import_module = importlib.import_module
    monkeypatch.setattr(
        importlib, "import_module", lambda name: imported.append(name) or import_module(name)
    )
    hostile = [
        bytes_of_a_trap,
        (tmp_path / "torch").read_bytes(),
        with_text(bytes_of_a_trap.decode("latin-1")),
        change(fisher, "class", value="evil.FisherSelector"),
        change(fisher, "class", value="BaselineSelector"),
        change(fisher, "class", value="os.system"),
        change(fisher, "class", value="__import__('evil')"),
        change(fisher, "module", value="evil"),
        change(fisher, "fitted", "task_", value={"py/object": "evil.FisherSelector"}),
        change(fisher, "fitted", "transform", value="evil"),
        change(fisher, "network", value={"activation": "evil.ReLU", "widths": [3, 3]}),
    ]
    for content in hostile:
        refusal(content)
    assert not trap.exists()
    assert all(name.startswith("entryprune.") for name in imported)
    # The trap works.
    pickle.loads(bytes_of_a_trap).close()
    assert trap.exists()


# -- tables and targets of every kind -------------------------------------------------------------


def mixed_table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))
    frame["city"] = rng.choice(["Ulm", "Bonn", "Kiel", "Jena"], size=120)
    frame["opened"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(120), unit="D")
    frame.loc[::9, "b"] = np.nan
    return frame, (frame["b"].fillna(0) + 2 * (frame["city"] == "Ulm") > 0.5).astype(int)


@pytest.mark.parametrize("preset", [{}, {"preset": "paper", "patience": 3, "max_rotations": 9}])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_how_a_mixed_table_is_encoded_comes_back(tmp_path, preset):
    frame, y = mixed_table()
    selector = EntryPruneClassifier(3, missing="impute", random_state=0, **preset).fit(frame, y)
    entryprune.save(selector, tmp_path / "one")
    again = entryprune.load(tmp_path / "one")
    assert_same_selector(selector, again, frame, y)


def test_groups_barred_features_and_weights_of_classes_come_back(tmp_path):
    frame, y = mixed_table()
    selector = EntryPruneClassifier(
        2, missing="impute", feature_groups=[["a", "d"]], bar=["c"], keep=["a"],
        class_weight={0: 1.0, 1: 2.5}, costs={"b": 2.0}, random_state=0,
    ).fit(frame, y)  # fmt: skip
    entryprune.save(selector, tmp_path / "one")
    again = entryprune.load(tmp_path / "one")
    assert again.class_weight == {0: 1.0, 1: 2.5}
    assert_same_selector(selector, again, frame, y)


@pytest.mark.parametrize("kind", ["survival", "ordinal", "labels", "poisson"])
def test_targets_of_every_kind_come_back(tmp_path, kind):
    X = np.random.default_rng(0).normal(size=(80, 5))
    selector, y = {
        "survival": (
            entryprune.EntryPruneSurvival(2, random_state=0),
            np.column_stack([np.exp(X[:, 1]), np.ones(80)]),
        ),
        "ordinal": (
            EntryPruneClassifier(2, ordinal=True, random_state=0),
            np.digitize(X[:, 1], [-0.5, 0.5]),
        ),
        "labels": (EntryPruneClassifier(2, random_state=0), (X[:, :2] > 0).astype(int)),
        "poisson": (
            EntryPruneRegressor(2, loss="poisson", random_state=0), np.exp(X[:, 1]).round()
        ),
    }[kind]  # fmt: skip
    selector.fit(X, y)
    entryprune.save(selector, tmp_path / "one")
    again = entryprune.load(tmp_path / "one")
    np.testing.assert_array_equal(again.predict(X), selector.predict(X))
    assert again.score(X, y) == selector.score(X, y)
    assert_same(vars(again)["_intake"], vars(selector)["_intake"])
