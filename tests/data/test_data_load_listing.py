import json

import pytest

from entryprune.data import DATASETS, DatasetError, DatasetInfo, get_dataset, list_datasets


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
