import numpy as np
import pytest

from entryprune.data import DATASETS, DatasetError, download, load_dataset


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
