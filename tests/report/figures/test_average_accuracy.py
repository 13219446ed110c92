import numpy as np
import pytest

from entryprune.report.figures.average_accuracy import Average, draw_average_accuracy

AVERAGES = [
    Average("MNIST", "EntryPrune", 96.3),
    Average("MNIST", "STG", 90.1),
    Average("HAR", "EntryPrune", 93.0),
    Average("HAR", "STG", None),
]

KS = [25, 50]


def dots(figure):
    return {line.get_label(): line for line in figure.axes[0].lines}


def test_each_method_has_a_dot_in_each_row(legend_texts):
    figure = draw_average_accuracy(AVERAGES, KS)
    assert list(dots(figure)) == legend_texts(figure) == ["EntryPrune", "STG"]
    line = dots(figure)["EntryPrune"]
    assert list(line.get_xdata()) == [96.3, 93.0]
    assert np.round(line.get_ydata()).tolist() == [0, 1]
    assert line.get_linestyle() == "None"


def test_the_first_data_set_is_on_top():
    axes = draw_average_accuracy(AVERAGES, KS).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["MNIST", "HAR"]
    bottom, top = axes.get_ylim()
    assert bottom > top


@pytest.mark.parametrize("averages", [AVERAGES, AVERAGES[:3]])
def test_a_missing_average_leaves_a_gap(averages):
    assert np.isnan(dots(draw_average_accuracy(averages, KS))["STG"].get_xdata()).tolist() == [
        False,
        True,
    ]


def test_methods_have_markers_of_their_own_and_places_of_their_own():
    lines = dots(draw_average_accuracy(AVERAGES, KS)).values()
    assert len({line.get_marker() for line in lines}) == 2
    assert len({tuple(line.get_ydata()) for line in lines}) == 2


@pytest.mark.parametrize(
    ("ks", "label"),
    [([50], "accuracy at K = 50 (%)"), (KS, "accuracy, average over K = 25, 50 (%)")],
)
def test_axes_are_named(ks, label):
    axes = draw_average_accuracy(AVERAGES, ks).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == (label, "data set")


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="no averages"):
        draw_average_accuracy([], KS)


def test_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_average_accuracy(AVERAGES[:1], KS))
    datasets, methods = many
    averages = [Average(d, m, 50.0 + len(d + m)) for d in datasets for m in methods]
    nothing_is_cut_off(draw_average_accuracy(averages, [25, 50, 75, 100]))
