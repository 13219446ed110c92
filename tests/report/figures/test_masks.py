import numpy as np
import pytest

from entryprune.report.figures.masks import draw_masks
from entryprune.report.figures.rows import MaskPanel, MaskPanels

# Two images of 2 x 3 grey pixels.
SAMPLES = np.array([[0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [1.0, 0.9, 0.7, 0.3, 0.1, 0.0]])
MASK = np.array([True, False, False, False, True, False])


def draw(*arguments):
    return draw_masks(MaskPanels(*arguments))


def tiles(figure, shape, panel=0):
    """Cut a panel's picture up again, row by row."""
    picture = figure.axes[panel].images[0].get_array()
    height, width = shape
    return [
        picture[top : top + height, left : left + width]
        for top in range(0, picture.shape[0], height + 1)
        for left in range(0, picture.shape[1], width + 1)
    ]


def test_the_mask_comes_first_with_the_selected_pixels_white():
    figure = draw([MaskPanel("STG", 90.0, MASK)], SAMPLES, (2, 3))
    mask = tiles(figure, (2, 3))[0]
    assert mask[:, :, 0].tolist() == [[1, 0, 0], [0, 1, 0]]
    assert (mask == mask[:, :, :1]).all()


def test_samples_show_the_selected_pixels_and_grey_elsewhere():
    figure = draw([MaskPanel("STG", 90.0, MASK)], SAMPLES, (2, 3))
    first, second = (tile[:, :, 0].tolist() for tile in tiles(figure, (2, 3))[1:3])
    assert first == [[0.0, 0.5, 0.5], [0.5, 0.8, 0.5]]
    assert second == [[1.0, 0.5, 0.5], [0.5, 0.1, 0.5]]


def test_colour_images_are_selected_by_pixel_and_channel():
    # One row of two pixels: red of the first, and green and blue of the second.
    mask = np.array([True, False, False, True, False, True])
    sample = np.array([[0.9, 0.8, 0.7, 0.6, 0.2, 0.1]])
    figure = draw([MaskPanel("STG", None, mask)], sample, (3, 1, 2))
    shown, seen = tiles(figure, (1, 2))
    assert shown.tolist() == [[[1, 0, 0], [0, 1, 1]]]
    assert seen.tolist() == [[[0.9, 0.5, 0.5], [0.5, 0.6, 0.1]]]


def test_each_method_has_a_panel_with_its_accuracy_if_known():
    panels = [MaskPanel("EntryPrune", 96.27, MASK), MaskPanel("STG", None, ~MASK)]
    figure = draw(panels, SAMPLES, (2, 3))
    assert [axes.get_title() for axes in figure.axes] == ["EntryPrune: 96.3 %", "STG"]
    assert tiles(figure, (2, 3), panel=1)[0][:, :, 0].tolist() == [[0, 1, 1], [1, 0, 1]]


def test_what_black_white_and_grey_mean_is_told():
    figure = draw([MaskPanel("STG", 90.0, MASK)], SAMPLES, (2, 3))
    assert "mask" in figure.get_supxlabel()


def test_missing_and_odd_values_do_not_crash():
    samples = np.array([[np.nan, 0.2, 0.4, 0.6, 7.0, 1.0]])
    figure = draw([MaskPanel("STG", 90.0, MASK)], samples, (2, 3))
    assert tiles(figure, (2, 3))[1][:, :, 0].tolist() == [[0.5, 0.5, 0.5], [0.5, 1.0, 0.5]]


def test_no_samples_show_the_mask_alone():
    figure = draw([MaskPanel("STG", 90.0, MASK)], np.empty((0, 6)), (2, 3))
    assert len(tiles(figure, (2, 3))) == 1


@pytest.mark.parametrize(
    ("panels", "samples", "shape", "message"),
    [
        ([], SAMPLES, (2, 3), "no panels"),
        ([MaskPanel("STG", 90.0, MASK[:5])], SAMPLES, (2, 3), r"'STG' has the shape \(5,\)"),
        ([MaskPanel("STG", 90.0, MASK)], SAMPLES[:, :5], (2, 3), r"\(n_samples, 6\); got \(2, 5\)"),
        ([MaskPanel("STG", 90.0, MASK)], SAMPLES[0], (2, 3), "samples must have the shape"),
        ([MaskPanel("STG", 90.0, MASK)], SAMPLES, (2, 3, 1), r"shape must be .* got \(2, 3, 1\)"),
    ],
)
def test_what_does_not_fit_is_refused(panels, samples, shape, message):
    with pytest.raises(ValueError, match=message):
        draw(panels, samples, shape)


def test_the_callers_arrays_stay_as_they_are():
    samples, mask = SAMPLES.copy(), MASK.copy()
    draw([MaskPanel("STG", 90.0, mask)], samples, (2, 3))
    assert (samples == SAMPLES).all()
    assert (mask == MASK).all()


def test_small_and_large_studies_fit(nothing_is_cut_off, many):
    rng = np.random.default_rng(0)
    mask = rng.random(784) < 0.03
    samples = rng.random((8, 784))
    panels = [MaskPanel(method, 90.0, mask) for method in many[1]]
    for n_panels, n_samples in ((1, 0), (1, 8), (2, 2), (4, 3), (4, 8), (12, 5)):
        nothing_is_cut_off(draw(panels[:n_panels], samples[:n_samples], (28, 28)))
