import numpy as np
import pytest

from entryprune.report.plots import (
    plot_comparison,
    plot_confusion,
    plot_k_curve,
    plot_predicted,
    plot_roc,
)
from entryprune.report.style import new_figure

NAN = float("nan")
NASTY = ["$x$", r"$\nonsense{$", "_hidden", "名前", "x" * 300, "a\x00\ud800b", ""]


def tick_texts(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


# -- comparison ---------------------------------------------------------------------------------


def test_methods_have_a_line_each_over_all_k():
    ax = plot_comparison(
        ["A", "A", "B"], [5, 50, 50], [0.7, 0.8, None], [0.1, None, None], metric="accuracy"
    )
    assert tick_texts(ax.xaxis) == ["5", "50"]
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == 2]
    assert np.array(lines[0].get_ydata()).tolist() == [0.7, 0.8]
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["A", "B"]
    assert ax.get_ylabel() == "accuracy"


def test_the_reference_is_a_line_with_a_name():
    ax = plot_comparison(["A"], [5], [0.7], reference=0.9)
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["A", "all features"]
    assert any(list(line.get_ydata()) == [0.9, 0.9] for line in ax.get_lines())


def test_given_axes_have_the_legend_inside():
    ax = new_figure(4, 3).add_subplot()
    assert plot_comparison(["_A"], [5], [0.7], ax=ax) is ax
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["_A"]
    assert ax.figure.legends == []


def test_nothing_known_says_so_and_nothing_at_all_is_refused():
    ax = plot_comparison(["A"], [5], [NAN])
    assert [text.get_text() for text in ax.texts] == ["no results"]
    with pytest.raises(ValueError, match="at least one score"):
        plot_comparison([], [], [])
    with pytest.raises(ValueError, match="1 methods, 2 K"):
        plot_comparison(["A"], [5, 6], [0.5])


@pytest.mark.parametrize("n_methods", [1, 5, 20])
@pytest.mark.parametrize("n_ks", [1, 7])
def test_small_and_large_comparisons_fit(n_methods, n_ks, fits):
    pairs = [(f"method {i}", 5 * 2**j) for i in range(n_methods) for j in range(n_ks)]
    methods, ks = zip(*pairs, strict=True)
    fits(plot_comparison(methods, ks, [0.5] * len(ks), [0.1] * len(ks)).figure)


def test_a_confusion_matrix_counts_by_row_and_shades_by_share():
    ax = plot_confusion([*"aaab", "b"], [*"aabb", "a"])
    assert [text.get_text() for text in ax.texts] == ["2", "1", "1", "1"]
    np.testing.assert_allclose(ax.images[0].get_array(), [[2 / 3, 1 / 3], [0.5, 0.5]])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    # Dark cells have light numbers.
    assert [text.get_color() for text in ax.texts] == ["white", "black", "black", "black"]


def test_many_classes_have_no_numbers_and_only_the_most_frequent_a_row():
    true = np.repeat([f"c{i:02}" for i in range(30)], np.arange(1, 31))
    ax = plot_confusion(true, true)
    assert len(ax.texts) == 0
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == [f"c{i:02}" for i in range(10, 30)]
    np.testing.assert_array_equal(ax.images[0].get_array(), np.eye(20))


def test_what_was_predicted_outside_the_drawn_classes_is_missing_from_its_row():
    true = ["often"] * 4 + [f"c{i}" for i in range(20)]
    ax = plot_confusion(true, ["c19"] * 4 + true[4:])
    assert ax.images[0].get_array()[-1].sum() == 0


def test_the_roc_curve_is_in_percent_beside_guessing():
    ax = plot_roc([True, False], [1.0, 0.0])
    guessing, curve = ax.get_lines()
    assert guessing.get_linestyle() != curve.get_linestyle()
    assert curve.get_xydata().tolist() == [[0, 0], [0, 100], [100, 100]]


def test_predicted_numbers_stand_beside_the_line_where_they_are_right():
    ax = plot_predicted([1.0, 4.0], [2.0, 3.0], target="$age$")
    line, points = ax.get_lines()
    assert line.get_xydata().tolist() == [[1, 1], [4, 4]]
    assert points.get_xydata().tolist() == [[1, 2], [4, 3]]
    assert ax.get_ylabel() == "predicted $age$"


def test_many_points_are_thinned_evenly():
    points = plot_predicted(np.arange(12_000.0), np.arange(12_000.0)).get_lines()[1]
    assert len(points.get_xdata()) == 4000


@pytest.mark.parametrize("plot", [plot_confusion, plot_predicted])
def test_lists_of_other_lengths_are_refused(plot):
    with pytest.raises(ValueError, match="as many predictions as true"):
        plot([1.0, 2.0], [1.0])


def test_the_k_curve_has_a_band_a_line_and_two_marks_that_differ_without_colour():
    ax = plot_k_curve(
        [8, 2, 4],
        [0.90, 0.70, 0.89],
        [0.02, 0.01, 0.01],
        best=8,
        parsimonious=4,
        measure="accuracy",
    )
    curve, line, best, enough = ax.get_lines()
    assert curve.get_xydata().tolist() == [[2, 0.7], [4, 0.89], [8, 0.9]]
    assert line.get_ydata()[0] == pytest.approx(0.90)
    assert best.get_xydata().tolist() == [[8, 0.9]]
    assert enough.get_xydata().tolist() == [[4, 0.89]]
    assert best.get_marker() != enough.get_marker()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["2", "4", "8"]
    assert len(ax.collections) == 1
    assert ax.get_xscale() == "linear"


def test_a_wide_k_curve_is_logarithmic_and_one_mark_is_enough_for_one_k():
    ax = plot_k_curve([1, 100], [0.5, 0.9], [0.1, 0.1], best=100, parsimonious=100)
    assert ax.get_xscale() == "log"
    assert len(ax.get_legend().get_texts()) == 2
    with pytest.raises(ValueError, match="a score and an error for each K"):
        plot_k_curve([1, 2], [1.0], [0.1], best=1, parsimonious=1)
