from dataclasses import replace

import numpy as np
import pytest

from entryprune.report.figures.accuracy import (
    draw_accuracy_by_k,
    draw_average_accuracy,
    draw_critical_difference,
)
from entryprune.report.figures.rows import Accuracies, Point, RankPanel
from entryprune.report.style import looks, save_figure

KS = (25, 50, 75, 100)


def points_of(datasets=("MNIST",), methods=("EntryPrune",), ks=KS):
    return [
        Point(dataset, method, k, 80 + 3 * i + k / 20, 0.5 + i / 10, 5)
        for dataset in datasets
        for i, method in enumerate(methods)
        for k in ks
    ]


def draw(*arguments, **more):
    return draw_accuracy_by_k(Accuracies(*arguments, **more))


def container(axes, label):
    return next(found for found in axes.containers if found.get_label() == label)


def test_each_data_set_has_a_panel_with_its_means():
    points = points_of(("MNIST", "HAR"), ("EntryPrune", "STG"))
    figure = draw(points)
    assert [axes.get_title() for axes in figure.axes] == ["MNIST", "HAR"]
    for axes in figure.axes:
        for method in ("EntryPrune", "STG"):
            line = container(axes, method).lines[0]
            expected = [
                p.mean for p in points if (p.dataset, p.method) == (axes.get_title(), method)
            ]
            assert line.get_ydata().tolist() == expected
            assert np.round(line.get_xdata(), -0).tolist() == pytest.approx(KS, abs=6)
        assert [label.get_text() for label in axes.get_xticklabels()] == ["25", "50", "75", "100"]


def test_error_bars_are_one_standard_deviation_each_way():
    figure = draw([Point("MNIST", "STG", 25, 90, 2, 5), Point("MNIST", "STG", 50, 95)])
    (bars,) = container(figure.axes[0], "STG").lines[2]
    ends = [segment[:, 1].tolist() for segment in bars.get_segments() if len(segment)]
    assert ends[0] == [88, 92]
    assert not np.isfinite(ends[1:]).any()


@pytest.mark.parametrize("missing", [None, float("nan"), "absent"])
def test_a_missing_value_breaks_the_line(missing):
    points = [point for point in points_of() if point.k != 50]
    if missing != "absent":
        points.append(Point("MNIST", "EntryPrune", 50, missing, missing))
    points += points_of(methods=("STG",))
    line = container(draw(points).axes[0], "EntryPrune").lines[0]
    assert np.isnan(line.get_ydata()).tolist() == [False, True, False, False]


def test_a_method_looks_the_same_in_each_panel_and_in_the_legend(legend_texts):
    points = points_of(("MNIST",), ("EntryPrune", "STG")) + points_of(("HAR",), ("STG",))
    figure = draw(points)
    look = looks(["EntryPrune", "STG"])["STG"]
    for axes in figure.axes:
        line = container(axes, "STG").lines[0]
        assert (line.get_marker(), line.get_linestyle()) == (look.marker, look.line)
    assert legend_texts(figure) == ["EntryPrune", "STG"]
    assert figure.legends[0].legend_handles[1].get_marker() == look.marker


def test_all_features_are_a_horizontal_line(legend_texts):
    figure = draw(points_of(("MNIST", "HAR")), reference={"MNIST": 97.9})
    (line,) = [line for line in figure.axes[0].lines if list(line.get_ydata()) == [97.9, 97.9]]
    assert list(line.get_xdata()) == [0, 1]
    assert len(figure.axes[0].lines) == len(figure.axes[1].lines) + 1
    assert legend_texts(figure) == ["EntryPrune", "all features"]


def test_published_points_are_hollow_and_of_the_methods_look(legend_texts):
    published = [Point("MNIST", "STG", 25, 85.0, 1.0, 5), Point("MNIST", "STG", 100, 91.0)]
    figure = draw(points_of(methods=("EntryPrune", "STG")), published=published)
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == "STG, published"]
    assert line.get_markerfacecolor() == "none"
    assert line.get_linestyle() == "None"
    assert line.get_marker() == looks(["EntryPrune", "STG"])["STG"].marker
    values = line.get_ydata()
    assert values[[0, 3]].tolist() == [85.0, 91.0]
    assert np.isnan(values[1:3]).all()
    assert legend_texts(figure)[-1] == "published (hollow)"


def test_titles_tell_the_share_of_the_largest_k():
    sizes = {"MNIST": 784, "GLA-BRA-180": 49151, "Huge": 10**7}
    figure = draw(points_of((*sizes, "HAR")), n_features=sizes)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["MNIST (12.8 %)", "GLA-BRA-180 (0.2 %)", "Huge (below 0.1 %)", "HAR"]


def test_axes_are_named_at_the_left_and_at_the_bottom_of_each_column():
    figure = draw(points_of([f"data {i}" for i in range(7)]))
    has_y = [bool(axes.get_ylabel()) for axes in figure.axes]
    has_x = [bool(axes.get_xlabel()) for axes in figure.axes]
    assert has_y == [True, False, False, False, True, False, False]
    assert has_x == [False, False, False, True, True, True, True]
    assert figure.axes[0].get_ylabel() == "accuracy (%)"


def test_a_data_set_without_any_value_says_so():
    figure = draw([Point("MNIST", "STG", 25, None)])
    assert [text.get_text() for text in figure.axes[0].texts] == ["no results"]


def test_two_points_in_one_place_are_refused():
    with pytest.raises(ValueError, match=r"two points for .*'MNIST', 'EntryPrune', 25"):
        draw(points_of() + points_of())


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="no points"):
        draw([])


def test_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw(points_of(ks=(50,))))
    datasets, methods = many
    reference = dict.fromkeys(datasets, 99.0)
    points = points_of(datasets, methods)
    nothing_is_cut_off(draw(points, reference=reference, published=points[:9]))


def test_the_svg_is_the_same_each_time(tmp_path):
    svgs = [save_figure(draw(points_of()), tmp_path / name)[1] for name in "ab"]
    assert svgs[0].read_bytes() == svgs[1].read_bytes()


# -- averaged over K ---------------------------------------------------------------------------

AVERAGES = [
    Point("MNIST", "EntryPrune", 50, 96.3),
    Point("MNIST", "STG", 50, 90.1),
    Point("HAR", "EntryPrune", 50, 93.0),
    Point("HAR", "STG", 50, None),
]

TWO_KS = [25, 50]


def draw_averages(averages, ks=TWO_KS):
    return draw_average_accuracy(Accuracies([replace(one, k=k) for one in averages for k in ks]))


def dots(figure):
    return {line.get_label(): line for line in figure.axes[0].lines}


def test_each_method_has_a_dot_in_each_row(legend_texts):
    figure = draw_averages(AVERAGES)
    assert list(dots(figure)) == legend_texts(figure) == ["EntryPrune", "STG"]
    line = dots(figure)["EntryPrune"]
    assert list(line.get_xdata()) == [96.3, 93.0]
    assert np.round(line.get_ydata()).tolist() == [0, 1]
    assert line.get_linestyle() == "None"


def test_the_first_data_set_is_on_top():
    axes = draw_averages(AVERAGES).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["MNIST", "HAR"]
    bottom, top = axes.get_ylim()
    assert bottom > top


@pytest.mark.parametrize("averages", [AVERAGES, AVERAGES[:3]])
def test_a_missing_average_leaves_a_gap(averages):
    assert np.isnan(dots(draw_averages(averages))["STG"].get_xdata()).tolist() == [
        False,
        True,
    ]


def test_methods_have_markers_of_their_own_and_places_of_their_own():
    lines = dots(draw_averages(AVERAGES)).values()
    assert len({line.get_marker() for line in lines}) == 2
    assert len({tuple(line.get_ydata()) for line in lines}) == 2


@pytest.mark.parametrize(
    ("ks", "label"),
    [([50], "accuracy at K = 50 (%)"), (TWO_KS, "accuracy, average over K = 25, 50 (%)")],
)
def test_axes_of_averages_are_named(ks, label):
    axes = draw_averages(AVERAGES, ks).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == (label, "data set")


def test_no_average_to_draw_is_refused():
    with pytest.raises(ValueError, match="no averages"):
        draw_averages([])


def test_averages_of_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_averages(AVERAGES[:1]))
    datasets, methods = many
    averages = [Point(d, m, 50, 50.0 + len(d + m)) for d in datasets for m in methods]
    nothing_is_cut_off(draw_averages(averages, [25, 50, 75, 100]))


def test_an_average_that_lacks_a_k_is_not_shown():
    points = [
        Point("USPS", method, k, mean)
        for method, k, mean in [
            ("Fisher", 25, 80.0),
            ("Fisher", 50, 90.0),
            ("L1", 50, 95.0),
            ("L1", 25, None),
        ]
    ]
    (axes,) = draw_average_accuracy(Accuracies(points)).axes
    assert [(line.get_label(), list(line.get_xdata())) for line in axes.lines] == [
        ("Fisher", [85.0])
    ]
    assert axes.get_xlabel() == "accuracy, average over K = 25, 50 (%)"


RANKS = {"EntryPrune": 1.5, "mRMR": 2.0, "L1": 2.75, "noise": 3.75}
PANEL = RankPanel("all data sets (8)", RANKS, [["EntryPrune", "mRMR"], ["mRMR", "L1"]])


def bars(axes):
    return [line for line in axes.lines if line.get_linewidth() == 3.0]


def test_each_method_has_a_dot_at_its_rank_and_a_name_beside_it():
    (axes,) = draw_critical_difference([PANEL]).axes
    dots = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert dots == [1.5, 2.0, 2.75, 3.75]
    assert [text.get_text() for text in axes.texts] == [
        "EntryPrune  1.50",
        "mRMR  2.00",
        "2.75  L1",
        "3.75  noise",
    ]
    assert axes.get_xlim() == (1, 4)
    assert axes.get_xlabel() == "mean rank, all data sets (8)"


def test_the_best_is_on_top_at_the_left_and_the_worst_at_the_right():
    (axes,) = draw_critical_difference([PANEL]).axes
    first, second, third, fourth = (text.xy[1] for text in axes.texts)
    assert first == fourth > second == third


def test_a_bar_joins_the_methods_of_a_group_and_bars_lie_below_each_other():
    (axes,) = draw_critical_difference([PANEL]).axes
    first, second = bars(axes)
    assert first.get_xdata() == pytest.approx([1.5, 2.0], abs=0.05)
    assert second.get_xdata() == pytest.approx([2.0, 2.75], abs=0.05)
    assert 0 > first.get_ydata()[0] > second.get_ydata()[0] > axes.texts[0].xy[1]


def test_all_panels_have_one_range():
    few = RankPanel("wide data sets (2)", {"L1": 1.0, "mRMR": 2.0})
    assert [axes.get_xlim() for axes in draw_critical_difference([PANEL, few]).axes] == [(1, 4)] * 2


def test_without_ranks_there_is_nothing_to_draw():
    with pytest.raises(ValueError, match="There are no ranks"):
        draw_critical_difference([RankPanel("all", {})])


def test_few_and_many_ranks_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_critical_difference([RankPanel("one set", {"EntryPrune": 1.0})]))
    _, methods = many
    ranks = {method: 1.0 + 0.9 * place for place, method in enumerate(methods)}
    groups = [methods[i : i + 4] for i in range(9)]
    nothing_is_cut_off(draw_critical_difference([RankPanel("all", ranks, groups)] * 3))
