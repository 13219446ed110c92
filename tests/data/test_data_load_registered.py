import numpy as np
import pandas as pd
import pytest

from entryprune.data import (
    Dataset,
    DatasetError,
    get_dataset,
    list_datasets,
    load_dataset,
    register_dataset,
)


def make():
    return [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], ["a", "b", "a"]


def test_a_file_gets_a_name(save, monkeypatch, folder):
    save("mine", n_test=4, feature_names=np.array(["a", "b", "c"]))
    monkeypatch.chdir(folder)
    register_dataset("mine", "mine.npz", title="My data", scale="standard")
    monkeypatch.chdir("/")
    dataset = load_dataset("mine")
    assert (dataset.name, dataset.title, dataset.scale) == ("mine", "My data", "standard")
    assert dataset.feature_names == ("a", "b", "c")
    assert dataset.subset == ""


def test_a_function_gives_arrays():
    register_dataset("mine", make)
    dataset = load_dataset("mine")
    assert (dataset.name, dataset.title, dataset.scale) == ("mine", "mine", "minmax")
    assert dataset.X.shape == (3, 2)


def test_a_function_gives_a_frame():
    frame = pd.DataFrame({"height": [1.0, 2.0], "width": [3.0, 4.0]})
    register_dataset("mine", lambda: (frame, pd.Series([0, 1])))
    assert load_dataset("mine").feature_names == ("height", "width")


def test_a_function_gives_a_data_set_with_a_scaling_of_its_own():
    made = Dataset("x", "Made", X=np.eye(2), y=np.array([0, 1]), scale="standard")
    register_dataset("mine", lambda: made)
    register_dataset("mine_too", lambda: made, title="Named")
    assert load_dataset("mine").name == "mine"
    assert [load_dataset(n).title for n in ("mine", "mine_too")] == ["Made", "Named"]
    assert load_dataset("mine").scale == "standard"


def test_it_is_described_and_listed_like_any_other():
    register_dataset("mine", make, title="My data")
    info = get_dataset("mine")
    assert (info.title, info.n_train, info.n_features, info.n_classes) == ("My data", 3, 2, 2)
    row = list_datasets()[-1]
    assert (row.name, row.state) == ("mine", "registered")
    with pytest.raises(DatasetError, match="Did you mean 'mine'"):
        load_dataset("mime")


def test_one_that_fails_does_not_hide_the_others():
    register_dataset("bad", lambda: 1 / 0)
    register_dataset("good", make)
    rows = [(row.name, row.state) for row in list_datasets()]
    assert rows[-2:] == [("bad", "registered, but cannot be loaded"), ("good", "registered")]


def test_the_same_thing_may_come_again(save, folder):
    path = save("mine")
    register_dataset("file", path)
    register_dataset("file", str(path), title="Better")
    assert load_dataset("file").title == "Better"
    register_dataset("function", make)
    register_dataset("function", make)

    # A cell of a notebook, run twice.
    cell = "def made(): return [[0.0], [1.0]], [0, 1]"
    for _ in range(2):
        namespace = {"__name__": "notebook"}
        exec(cell, namespace)
        register_dataset("cell", namespace["made"])


@pytest.mark.parametrize("name", ["mnist", "digits"])
def test_the_catalogues_names_are_taken(name):
    with pytest.raises(DatasetError, match=f"{name}' is taken: the catalogue has it. Choose"):
        register_dataset(name, make)


def test_a_name_is_not_taken_over_by_something_else(save):
    register_dataset("mine", save("mine"))
    for other in (save("other"), make):
        with pytest.raises(DatasetError, match=r"'mine' is taken: it stands for .*mine\.npz"):
            register_dataset("mine", other)
    register_dataset("function", lambda: (1, 1))
    with pytest.raises(DatasetError, match="'function' is taken"):
        register_dataset("function", lambda: (0, 0))


@pytest.mark.parametrize("name", ["", "a/b", "mine.npz"])
def test_a_name_must_not_look_like_a_path(name):
    with pytest.raises(DatasetError, match="must not look like a path; got"):
        register_dataset(name, make)


@pytest.mark.parametrize(
    ("origin", "message"),
    [
        ("none.npz", "mine: there is no file .*none.npz. Save one with numpy.savez"),
        ("table.csv", "mine: this is not an .npz file: .*table.csv"),
        (3, r"mine: give the path of an .npz file, or a function .*; got int\."),
    ],
)
def test_what_cannot_be_loaded_is_refused_at_once(origin, message):
    with pytest.raises(DatasetError, match=message):
        register_dataset("mine", origin)


def test_an_unknown_scaling_is_refused_at_once():
    with pytest.raises(DatasetError, match="mine: scale must be one of minmax, standard"):
        register_dataset("mine", make, scale="log")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"must return \(X, y\) or a Dataset; got NoneType\."),
        ((1, 2, 3), r"must return \(X, y\) or a Dataset; got tuple of 3\."),
        (([[1.0]], [1, 2]), "mine: X has 1 rows and y 2 values"),
    ],
)
def test_a_function_that_returns_something_else_is_an_error(content, message):
    register_dataset("mine", lambda: content)
    with pytest.raises(DatasetError, match=message):
        load_dataset("mine")
