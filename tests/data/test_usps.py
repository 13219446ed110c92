import numpy as np
import pytest

from entryprune.data import Dataset, load_dataset
from entryprune.data.usps import smoothed, smoothed_usps

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
