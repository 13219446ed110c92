import json
import pickle
import sys

import numpy as np
import pytest

from entryprune.data import DATASETS, Dataset, DatasetError, get_dataset, load_dataset
from entryprune.data import folder as folder_module
from entryprune.data.folder import (
    data_folders,
    read_npz,
    shape_in,
    smoothed,
    smoothed_usps,
    stored_sets,
    write_npz,
)


@pytest.fixture
def write_list(folder):
    def write(**entries):
        (folder / "catalog.json").write_text(json.dumps(entries), encoding="utf-8")

    return write


IS_LINUX = sys.platform == "linux"
ISOLET_PART = {"file": "isolet_9.npz", "paper_name": "ISOLET", "complete": False, "source": "made"}


# -- which folder -------------------------------------------------------------------------------


def test_the_folder_is_the_argument_or_the_variable_and_then_the_cache(monkeypatch, cache, folder):
    assert data_folders() == (cache,)
    monkeypatch.setenv("ENTRYPRUNE_DATA", "~/data")
    monkeypatch.setenv("HOME", "/houses/her")
    assert [str(path) for path in data_folders()] == ["/houses/her/data", str(cache)]
    assert data_folders(folder) == (folder, cache)
    assert data_folders(cache) == (cache,)


@pytest.mark.skipif(not IS_LINUX, reason="pooch knows the system that it was imported on")
def test_the_cache_is_where_pooch_has_its_own(monkeypatch):
    pooch = pytest.importorskip("pooch")
    assert folder_module._user_cache() == pooch.os_cache("entryprune")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert folder_module._user_cache() == pooch.os_cache("entryprune")


@pytest.mark.parametrize(
    ("platform", "ending"),
    [("darwin", "Library/Caches/entryprune"), ("win32", "Local/entryprune/entryprune/Cache")],
)
def test_other_systems_have_caches_too(monkeypatch, platform, ending):
    monkeypatch.setattr("sys.platform", platform)
    assert folder_module._user_cache().as_posix().endswith(ending)


def test_a_folder_that_does_not_exist_holds_nothing(folder):
    assert stored_sets(folder / "none") == {}


# -- complete sets ------------------------------------------------------------------------------


def test_a_file_with_the_catalogues_size_is_the_complete_set(save, folder):
    save("madelon", n=2600, n_features=500)
    dataset = load_dataset("madelon", folder)
    assert (dataset.title, dataset.subset, dataset.scale) == ("Madelon", "", "minmax")


def test_the_folder_comes_before_the_cache(save, folder, cache):
    cache.mkdir(parents=True)
    save("madelon", n=4).rename(cache / "madelon.npz")
    assert len(load_dataset("madelon", folder).y) == 4
    save("madelon", n=6)
    assert len(load_dataset("madelon", folder).y) == 6


@pytest.mark.parametrize(
    ("name", "size", "subset"),
    [
        ("basehock", {"n": 9, "n_features": 4862}, "9 samples instead of 1,993"),
        ("usps", {"n": 9298, "n_features": 10, "n_classes": 9}, "10 features instead of 256, 9 cl"),
        ("har", {"n": 10_299, "n_features": 561, "n_classes": 6}, "no official test part"),
        (
            "har",
            {"n": 7000, "n_test": 3299, "n_features": 561, "n_classes": 6},
            "7,000 training samples instead of 7,352",
        ),
        (
            "madelon",
            {"n": 2500, "n_test": 100, "n_features": 500},
            "a test part that is not official",
        ),
    ],
)
def test_a_file_with_another_size_is_labelled(save, folder, name, size, subset):
    save(name, **size)
    dataset = load_dataset(name, folder)
    assert dataset.subset.startswith(subset)
    assert dataset.title.startswith(f"{DATASETS[name].title} (different version, {subset[:10]}")
    assert dataset.scale == DATASETS[name].scale


def test_pixels_are_laid_out_only_if_all_are_there(save, folder):
    save("usps", n=20, n_features=256, n_classes=10)
    assert load_dataset("usps", folder).image_shape == (16, 16)
    save("usps", n=20, n_features=255, n_classes=10)
    assert load_dataset("usps", folder).image_shape is None


# -- parts --------------------------------------------------------------------------------------


def test_a_part_has_a_name_of_its_own_and_is_labelled(save, folder, write_list):
    save("isolet_9", n=52, n_features=617, n_classes=26)
    write_list(isolet_9=ISOLET_PART)
    dataset = load_dataset("isolet_9", folder)
    assert dataset.title == "ISOLET (subset, 52 of 7,797 samples)"
    assert dataset.subset == "52 of 7,797 samples"
    assert dataset.origin == f"{folder / 'isolet_9.npz'} (made)"
    info = get_dataset("isolet_9", folder)
    assert (info.title, info.subset) == (dataset.title, dataset.subset)
    assert (info.n_train, info.n_features, info.n_classes) == (52, 617, 26)
    assert not info.is_papers
    assert info.sources == ()


def test_a_part_is_scaled_and_split_like_the_whole(save, folder, write_list):
    save("small", n=9, n_features=4862)
    save("images", n=20, n_test=10, n_features=784, n_classes=10)
    save("moves", n=12, n_features=561, n_classes=6)
    write_list(
        small={"file": "small.npz", "paper_name": "BASEHOCK", "complete": False},
        images={"file": "images.npz", "paper_name": "MNIST", "complete": False},
        moves={"file": "moves.npz", "paper_name": "HAR", "complete": False},
    )
    assert load_dataset("small", folder).scale == "standard"
    assert load_dataset("images", folder).image_shape == (28, 28)
    assert get_dataset("images", folder).split == "official"
    assert get_dataset("moves", folder).split == "80/20, seed 42"
    assert load_dataset("moves", folder).subset == "12 of 10,299 samples, no official test part"


def test_a_part_is_not_taken_for_the_whole(save, folder, write_list):
    save("isolet_9", n=52, n_features=617, n_classes=26)
    write_list(isolet_9=ISOLET_PART)
    with pytest.raises(DatasetError, match="A part of it is there: ask for 'isolet_9'"):
        load_dataset("isolet", folder, download=False)


def test_a_part_stays_one_when_it_is_loaded_by_its_path(save, folder, write_list):
    path = save("isolet_9", n=52, n_features=617, n_classes=26)
    write_list(isolet_9=ISOLET_PART)
    assert load_dataset(path).subset == "52 of 7,797 samples"
    assert load_dataset(str(path)).subset == "52 of 7,797 samples"


def test_a_complete_name_can_be_listed_as_a_part(save, folder, write_list):
    save("madelon", n=2600, n_features=500)
    write_list(madelon={"file": "madelon.npz", "complete": False})
    assert load_dataset("madelon", folder).title == "Madelon (subset, not complete)"


def test_a_part_of_something_unknown_is_labelled_too(save, folder, write_list):
    save("piece", n=9)
    save("whole", n=9, n_test=3)
    write_list(
        piece={"file": "piece.npz", "paper_name": "Something", "complete": False},
        whole={"file": "whole.npz", "paper_name": None, "complete": True},
    )
    assert load_dataset("piece", folder).subset == "9 samples of a larger data set"
    assert load_dataset("whole", folder).subset == ""
    assert get_dataset("whole", folder).split == "official"


def test_what_is_listed_but_not_there_does_not_exist(folder, write_list):
    write_list(isolet_9=ISOLET_PART)
    with pytest.raises(DatasetError, match=r"There is no data set 'isolet_9'\. Did you mean"):
        load_dataset("isolet_9", folder)


# -- a bad list ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"catalog\.json is not valid JSON: .*Mend it, or remove it"),
        ("[]", r"catalog\.json must be a table of names .*got '': \[\]"),
        ('{"a": 1}', r"catalog\.json must be a table of names .*got 'a': 1"),
        ('{"a": {}}', "must be a table of names"),
        ('{"a": {"file": "../a.npz"}}', "the file lies beside it"),
    ],
)
def test_a_bad_list_is_an_error_for_the_folder_but_not_for_a_path(save, folder, text, message):
    path = save("mine")
    (folder / "catalog.json").write_text(text)
    with pytest.raises(DatasetError, match=message):
        load_dataset("madelon", folder)
    assert load_dataset(path).title == "mine"


# -- .npz files -----------------------------------------------------------------------------------


READERS = pytest.mark.parametrize("read", [read_npz, shape_in])


class Bomb:
    """Something that runs code when it is unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was read",))


def test_all_arrays_are_read(save):
    path = save("toy", n=6, n_test=4, feature_names=np.array(["a", "b", "c"]))
    dataset = read_npz(path, scale="standard")
    assert (dataset.name, dataset.title, dataset.scale) == ("toy", "toy", "standard")
    assert dataset.feature_names == ("a", "b", "c")
    assert dataset.X_test.shape == (4, 3)
    assert dataset.origin == str(path)


def test_what_is_written_is_read_back(save, folder):
    dataset = read_npz(save("toy", n_test=4, feature_names=np.array(["a", "b", "c"])))
    write_npz(folder / "copy.npz", dataset)
    copy = read_npz(folder / "copy.npz")
    for name in ("X", "y", "X_test", "y_test", "feature_names"):
        assert np.array_equal(getattr(copy, name), getattr(dataset, name))
        assert np.asarray(getattr(copy, name)).dtype == np.asarray(getattr(dataset, name)).dtype


def test_the_size_is_known_without_reading_the_values(save):
    shape = shape_in(save("toy", n=7, n_features=5, n_classes=3, n_test=4))
    assert (shape.n_train, shape.n_test, shape.n_features, shape.n_classes) == (7, 4, 5, 3)


@READERS
def test_a_missing_file_is_an_error(read, folder):
    with pytest.raises(DatasetError, match=r"There is no file .*none\.npz"):
        read(folder / "none.npz")


@READERS
def test_pickled_objects_are_never_read(read, folder):
    path = folder / "bad.npz"
    bombs = np.array([Bomb(), Bomb()], dtype=object)
    np.savez(path, X=bombs.reshape(2, 1), y=bombs, allow_pickle=True)
    with pytest.raises(DatasetError, match=r"bad\.npz holds pickled objects, which are never read"):
        read(path)


@READERS
@pytest.mark.parametrize(
    "content", [b"", b"not a zip", pickle.dumps({"X": 1})], ids=["empty", "text", "pickle"]
)
def test_a_file_that_is_no_archive_is_an_error(read, folder, content):
    path = folder / "bad.npz"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=r"bad\.npz is not a complete \.npz file"):
        read(path)


@READERS
def test_a_file_that_was_cut_short_is_an_error(read, save):
    path = save("toy", n=500)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DatasetError, match=r"is not a complete \.npz file.* was cut short"):
        read(path)


def test_a_file_with_changed_bytes_is_an_error(save):
    path = save("toy", n=500)
    content = bytearray(path.read_bytes())
    content[1000] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=r"toy\.npz is damaged or cannot be read"):
        read_npz(path)


@READERS
@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.eye(2)}, "has no y; it has X"),
        ({"y": np.eye(2)}, "has no X; it has y"),
        ({"data": np.eye(2)}, "has no X and no y; it has data. Save the samples as X"),
    ],
)
def test_a_file_without_x_or_y_is_an_error(read, folder, arrays, message):
    np.savez(folder / "bad.npz", **arrays)
    with pytest.raises(DatasetError, match=f"bad.npz {message}"):
        read(folder / "bad.npz")


def test_arrays_of_different_lengths_are_an_error(save):
    path = save("toy", y=np.zeros(5))
    with pytest.raises(DatasetError, match=r"toy\.npz cannot be used\. toy: X has 6 rows and y 5"):
        read_npz(path)


def test_rows_are_put_back_into_their_original_order(save):
    path = save("mixed", X=[[30], [10], [20]], y=["c", "a", "b"], orig_index=[7, 0, 3])
    dataset = read_npz(path)
    assert dataset.X.ravel().tolist() == [10, 20, 30]
    assert dataset.y.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("places", [[0, 1], [0, 1, 1], [[0, 1, 2]]])
def test_an_order_that_is_none_is_an_error(save, places):
    path = save("mixed", n=3, orig_index=places)
    with pytest.raises(DatasetError, match=r"orig_index must have a number of its own for each"):
        read_npz(path)


# A normal density of SD 0.75 at 0 to 3 pixels from its centre, and what it sums to on both sides.
DENSITY = np.exp(-(np.arange(4) ** 2) / (2 * 0.75**2))
TOTAL = DENSITY[0] + 2 * DENSITY[1:].sum()


def image(*ink):
    picture = np.full((16, 16), -1.0)
    for row, column in ink:
        picture[row, column] = 1.0
    return picture


def test_a_dot_spreads_by_a_gaussian():
    found = smoothed(image((8, 5)).reshape(1, -1)).reshape(16, 16)
    for rows, columns in ((0, 0), (1, 0), (0, 2), (2, 1), (3, 3)):
        share = DENSITY[rows] * DENSITY[columns] / TOTAL**2
        assert found[8 + rows, 5 - columns] == pytest.approx(2 * share - 1, abs=1e-6)
    assert found[8, 9] == -1.0  # four pixels away


def test_around_an_image_is_background():
    found = smoothed(np.ones((1, 256))).reshape(16, 16)
    inside = DENSITY.sum() / TOTAL
    assert found[0, 0] == pytest.approx(2 * inside**2 - 1, abs=1e-6)
    assert found[8, 8] == pytest.approx(1.0, abs=1e-6)


def test_images_are_smoothed_one_by_one():
    pictures = np.stack([image((3, 3)).ravel(), image().ravel()])
    found = smoothed(pictures)
    assert found.dtype == np.float32
    assert np.array_equal(found[1], pictures[1])


def test_other_digits_are_left_as_they_are():
    other = Dataset("usps", "USPS", X=np.eye(3), y=np.array([0, 1, 2]))
    assert smoothed_usps(other)[0] is other


def test_digits_that_cannot_be_made_the_published_ones_are_labelled(save, folder):
    # Right in size, but with few grey values, and not in the original order.
    save("usps", n=9298, n_features=256, n_classes=10)
    dataset = load_dataset("usps", folder)
    assert dataset.title == "USPS (different version, not smoothed, in another order)"
    assert dataset.subset == "not smoothed, in another order"


def test_the_real_usps_is_smoothed_and_in_its_original_order(real_set):
    dataset = real_set("usps")
    # The first training cases of the original: 6, 5, 4, 7, 3, 6, 3, 1, 0, 1.
    assert dataset.y[:10].tolist() == [6, 5, 4, 7, 3, 6, 3, 1, 0, 1]
    assert len(np.unique(dataset.X)) > 2001  # the scanned ones have that many grey values
    assert dataset.origin.endswith("smoothed")
    assert (dataset.title, dataset.subset) == ("USPS", "")


def test_a_smoothed_copy_is_not_smoothed_again(real_set, save, folder):
    dataset = real_set("usps")
    save("usps", X=dataset.X, y=dataset.y)
    assert np.array_equal(load_dataset("usps", folder).X, dataset.X)
