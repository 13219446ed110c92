import json

import numpy as np
import pandas as pd
import pytest

from entryprune.data import (
    DATASETS,
    Dataset,
    DatasetError,
    DatasetInfo,
    download,
    get_dataset,
    list_datasets,
    load_dataset,
    register_dataset,
)


@pytest.mark.parametrize("name", ["digits", "breast_cancer", "wine"])
def test_the_embedded_sets_are_as_the_catalogue_says(name, folder):
    (folder / f"{name}.npz").write_bytes(b"not looked at")
    dataset = load_dataset(name, folder, download=False)
    download.check(dataset, DATASETS[name])
    assert (dataset.name, dataset.title) == (name, DATASETS[name].title)
    assert len(dataset.feature_names) == dataset.X.shape[1]
    assert dataset.origin == "scikit-learn"


def test_a_path_needs_no_registration(save, folder, monkeypatch):
    path = save("mine")
    monkeypatch.chdir(folder)
    for name in (path, str(path), "./mine.npz", "mine.npz"):
        dataset = load_dataset(name)
        assert (dataset.name, dataset.title, dataset.subset) == ("mine", "mine", "")


def test_a_path_that_leads_nowhere_is_an_error(folder):
    with pytest.raises(DatasetError, match=r"There is no file .*none\.npz"):
        load_dataset(folder / "none.npz")


def test_a_damaged_file_in_the_folder_is_not_passed_over(folder):
    (folder / "madelon.npz").write_bytes(b"broken")
    with pytest.raises(DatasetError, match=r"madelon\.npz is not a complete \.npz file"):
        load_dataset("madelon", folder)


def test_the_variable_names_the_folder(save, folder, monkeypatch):
    save("madelon")
    monkeypatch.setenv("ENTRYPRUNE_DATA", str(folder))
    assert len(load_dataset("madelon", download=False).y) == 6


def test_what_is_not_there_and_not_to_be_downloaded_is_an_error(folder, cache):
    with pytest.raises(DatasetError) as caught:
        load_dataset("madelon", folder, download=False)
    assert str(caught.value) == (
        f"Madelon is not in {folder} or {cache}. It is not to be downloaded. To add it by hand, "
        f"put a file madelon.npz with the arrays X (2,600 x 500) and y into {folder}; the data are "
        f"at https://jundongl.github.io/scikit-feature/files/datasets/madelon.mat."
    )


def test_what_cannot_be_downloaded_is_to_be_put_there_by_hand(folder):
    match = r"Its files are in a format that is not read here.*gordon\.npz.*gordon\.RData"
    with pytest.raises(DatasetError, match=match):
        load_dataset("gordon", folder)


def test_an_unknown_name_is_an_error():
    with pytest.raises(DatasetError, match=r"There is no data set 'mnits'\. Did you mean 'mnist'"):
        load_dataset("mnits")


# -- the real files -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("coil20", "usps", "arcene", "basehock", "prostate_ge", "madelon", "gordon", "nakayama"),
        *("allaml", "borovecki", "colon", "glioma", "khan", "lymphoma", "nci9", "orlraws10p"),
        *("relathe", "shipp", "warpar10p", "yale"),
    ],
)
def test_a_real_set_is_complete(name, real_set):
    dataset = real_set(name)
    download.check(dataset, DATASETS[name])
    assert (dataset.title, dataset.subset) == (DATASETS[name].title, "")
    assert "/" in dataset.origin


@pytest.mark.parametrize("name", ["mnist", "fashion_mnist"])
def test_a_large_real_set_is_complete(name, real_set):
    dataset = real_set(name)
    assert (dataset.title, dataset.subset) == (DATASETS[name].title, "")
    assert (dataset.X.shape, dataset.X_test.shape) == ((60_000, 784), (10_000, 784))
    assert dataset.X.dtype == np.uint8


@pytest.mark.parametrize(
    ("name", "title", "has_test"),
    [
        ("cifar10_sub12k", "CIFAR-10 (subset, 12,000 of 60,000 samples)", True),
        ("cifar100_sub12k", "CIFAR-100 (subset, 12,000 of 60,000 samples)", True),
        ("isolet_3119", "ISOLET (subset, 3,119 of 7,797 samples)", False),
        ("har_735", "HAR (subset, 735 of 10,299 samples)", False),
    ],
)
def test_a_real_part_is_labelled(name, title, has_test, real_set):
    dataset = real_set(name)
    assert dataset.title == title
    assert " of " in dataset.subset
    assert (dataset.X_test is not None) == has_test


# -- the list -------------------------------------------------------------------------------------


def states(folder):
    return {row.name: row.state for row in list_datasets(folder)}


def test_without_a_folder_all_is_embedded_or_to_be_had():
    found = states(None)
    assert list(found) == list(DATASETS)
    assert found["digits"] == "embedded"
    assert found["mnist"] == "to be downloaded"
    assert found["gordon"] == "to be put there by hand"


def test_the_list_says_what_is_in_the_folder(save, folder):
    save("madelon", n=2600, n_features=500)
    save("usps", n=9, n_features=256)
    save("isolet_9", n=52, n_features=617, n_classes=26)
    (folder / "coil20.npz").write_bytes(b"broken")
    (folder / "gone.npz").write_bytes(b"broken")
    listed = {
        "isolet_9": {"file": "isolet_9.npz", "paper_name": "ISOLET", "complete": False},
        "gone": {"file": "gone.npz"},
    }
    (folder / "catalog.json").write_text(json.dumps(listed))
    found = states(folder)
    assert found["madelon"] == "in the folder"
    assert found["usps"] == "a subset in the folder"
    assert found["isolet"] == "to be downloaded"
    assert found["isolet_9"] == "a subset in the folder"
    assert found["coil20"] == found["gone"] == "an unreadable file in the folder"


def test_a_row_has_all_that_is_known_of_a_data_set(save, folder):
    save("usps", n=9, n_features=256)
    rows = {row.name: row for row in list_datasets(folder)}
    assert rows["usps"].title == "USPS (different version, 9 samples instead of 9,298)"
    assert rows["usps"].n_cases == 9
    assert isinstance(rows["mnist"], DatasetInfo)
    assert {**vars(DATASETS["mnist"]), "state": "to be downloaded"} == vars(rows["mnist"])


def test_a_path_is_described(save):
    info = get_dataset(str(save("mine", n=5, n_features=4, n_test=2)))
    assert (info.name, info.n_cases, info.n_features, info.split) == ("mine", 7, 4, "official")


def test_an_unknown_name_gets_the_nearest_and_the_list():
    with pytest.raises(DatasetError) as caught:
        get_dataset("fashionmnist")
    assert "There is no data set 'fashionmnist'. Did you mean 'fashion_mnist'?" in str(caught.value)
    assert all(name in str(caught.value) for name in DATASETS)


def test_a_name_that_is_near_to_none_gets_the_list_only():
    with pytest.raises(DatasetError, match=r"There is no data set 'qqqq'\. The data sets are: c"):
        get_dataset("qqqq")


# -- data sets of the user's own ------------------------------------------------------------------


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
