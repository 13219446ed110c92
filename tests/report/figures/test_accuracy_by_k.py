import numpy as np
import pytest

from entryprune.report.figures.accuracy_by_k import Point, draw_accuracy_by_k
from entryprune.report.style import looks, save_figure

KS = (25, 50, 75, 100)


def points_of(datasets=("MNIST",), methods=("EntryPrune",), ks=KS):
    return [
        Point(dataset, method, k, 80 + 3 * i + k / 20, 0.5 + i / 10, 5)
        for dataset in datasets
        for i, method in enumerate(methods)
        for k in ks
    ]


def container(axes, label):
    return next(found for found in axes.containers if found.get_label() == label)


def test_each_data_set_has_a_panel_with_its_means():
    points = points_of(("MNIST", "HAR"), ("EntryPrune", "STG"))
    figure = draw_accuracy_by_k(points)
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
    figure = draw_accuracy_by_k(
        [Point("MNIST", "STG", 25, 90, 2, 5), Point("MNIST", "STG", 50, 95)]
    )
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
    line = container(draw_accuracy_by_k(points).axes[0], "EntryPrune").lines[0]
    assert np.isnan(line.get_ydata()).tolist() == [False, True, False, False]


def test_a_method_looks_the_same_in_each_panel_and_in_the_legend(legend_texts):
    points = points_of(("MNIST",), ("EntryPrune", "STG")) + points_of(("HAR",), ("STG",))
    figure = draw_accuracy_by_k(points)
    look = looks(["EntryPrune", "STG"])["STG"]
    for axes in figure.axes:
        line = container(axes, "STG").lines[0]
        assert (line.get_marker(), line.get_linestyle()) == (look.marker, look.line)
    assert legend_texts(figure) == ["EntryPrune", "STG"]
    assert figure.legends[0].legend_handles[1].get_marker() == look.marker


def test_all_features_are_a_horizontal_line(legend_texts):
    figure = draw_accuracy_by_k(points_of(("MNIST", "HAR")), reference={"MNIST": 97.9})
    (line,) = [line for line in figure.axes[0].lines if list(line.get_ydata()) == [97.9, 97.9]]
    assert list(line.get_xdata()) == [0, 1]
    assert len(figure.axes[0].lines) == len(figure.axes[1].lines) + 1
    assert legend_texts(figure) == ["EntryPrune", "all features"]


def test_published_points_are_hollow_and_of_the_methods_look(legend_texts):
    published = [Point("MNIST", "STG", 25, 85.0, 1.0, 5), Point("MNIST", "STG", 100, 91.0)]
    figure = draw_accuracy_by_k(points_of(methods=("EntryPrune", "STG")), published=published)
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
    figure = draw_accuracy_by_k(points_of((*sizes, "HAR")), n_features=sizes)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["MNIST (12.8 %)", "GLA-BRA-180 (0.2 %)", "Huge (below 0.1 %)", "HAR"]


def test_axes_are_named_at_the_left_and_at_the_bottom_of_each_column():
    figure = draw_accuracy_by_k(points_of([f"data {i}" for i in range(7)]))
    has_y = [bool(axes.get_ylabel()) for axes in figure.axes]
    has_x = [bool(axes.get_xlabel()) for axes in figure.axes]
    assert has_y == [True, False, False, False, True, False, False]
    assert has_x == [False, False, False, True, True, True, True]
    assert figure.axes[0].get_ylabel() == "accuracy (%)"


def test_a_data_set_without_any_value_says_so():
    figure = draw_accuracy_by_k([Point("MNIST", "STG", 25, None)])
    assert [text.get_text() for text in figure.axes[0].texts] == ["no results"]


def test_two_points_in_one_place_are_refused():
    with pytest.raises(ValueError, match=r"two points for .*'MNIST', 'EntryPrune', 25"):
        draw_accuracy_by_k(points_of() + points_of())


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="no points"):
        draw_accuracy_by_k([])


def test_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_accuracy_by_k(points_of(ks=(50,))))
    datasets, methods = many
    reference = dict.fromkeys(datasets, 99.0)
    points = points_of(datasets, methods)
    nothing_is_cut_off(draw_accuracy_by_k(points, reference=reference, published=points[:9]))


def test_the_svg_is_the_same_each_time(tmp_path):
    svgs = [save_figure(draw_accuracy_by_k(points_of()), tmp_path / name)[1] for name in "ab"]
    assert svgs[0].read_bytes() == svgs[1].read_bytes()
