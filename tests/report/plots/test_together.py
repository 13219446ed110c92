import numpy as np
import pytest

from entryprune.report.plots import (
    plot_correlation,
    plot_feature_distributions,
    plot_pair,
    plot_survival,
)
from entryprune.report.style import new_figure, svg_bytes

NASTY = ["$x$", r"$\nonsense{$", "_hidden", "名前", "a\x00\ud800b", "x" * 300]
POINTS = np.random.default_rng(0).normal(size=(30, 2))


def tick_texts(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


# -- correlation --------------------------------------------------------------------------------


def test_few_features_have_names_and_many_have_ranks():
    X = np.random.default_rng(0).normal(size=(30, 60))
    few = plot_correlation(X[:, :3], ["a", "b", "c"])
    assert tick_texts(few.yaxis) == ["a  1", "b  2", "c  3"]
    assert tick_texts(few.xaxis) == ["1", "2", "3"]
    many = plot_correlation(X, [f"f{i}" for i in range(60)])
    many.figure.draw_without_rendering()
    numbers = [int(text) for text in tick_texts(many.xaxis)]
    assert numbers[1] >= 1
    assert not any("f" in text for text in tick_texts(many.yaxis))


def test_a_constant_feature_is_neither_related_nor_not():
    ax = plot_correlation([[1, 7], [2, 7], [3, 7]], ["a", "b"])
    assert ax.images[0].get_array().mask.tolist() == [[False, True], [True, True]]


@pytest.mark.parametrize("n", [1, 2, 20, 40, 41, 200])
def test_few_and_many_correlations_fit(n, fits):
    X = np.random.default_rng(0).normal(size=(30, n))
    fits(plot_correlation(X, [f"a name of some length {i}" for i in range(n)]).figure)


def test_names_that_do_not_fit_the_columns_are_refused():
    with pytest.raises(ValueError, match="a column for each of the 1 names"):
        plot_correlation(np.eye(2), ["a"])


# -- pairs --------------------------------------------------------------------------------------


def test_each_class_has_its_points_and_a_marker_of_its_own():
    y = np.array(["b", "a", "a"] * 10)
    ax = plot_pair(POINTS, y, ["first", "second"], target="kind")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("first", "second")
    drawn = [np.column_stack([line.get_xdata(), line.get_ydata()]) for line in ax.get_lines()]
    np.testing.assert_array_equal(drawn[0], POINTS[y == "a"])
    np.testing.assert_array_equal(drawn[1], POINTS[y == "b"])
    assert len({line.get_marker() for line in ax.get_lines()}) == 2
    legend = ax.get_legend()
    assert legend.get_title().get_text() == "kind"
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]


def test_the_most_frequent_classes_are_drawn():
    y = np.repeat(np.arange(9), np.arange(1, 10))
    ax = plot_pair(np.zeros((45, 2)), y, ["a", "b"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [*"345678"]


def test_numbers_are_coloured_and_an_outlier_does_not_take_all_colours():
    y = np.r_[np.arange(99.0), 1e6]
    ax = plot_pair(np.random.default_rng(0).normal(size=(100, 2)), y, ["a", "b"], task="regression")
    (points,) = ax.collections
    assert points.get_array().tolist() == y.tolist()
    assert points.get_clim()[1] < 200
    assert len(ax.figure.axes) == 2


def test_few_values_are_spread_so_that_no_case_hides_another():
    values = np.array([[0, 1], [0, 1], [2, 1], [2, 5], [2, 5]], dtype=float)
    ax = plot_pair(values, [1] * 5, ["a", "b"])
    (line,) = ax.get_lines()
    shown = np.column_stack([line.get_xdata(), line.get_ydata()])
    assert len(np.unique(shown, axis=0)) == 5
    # No further than a quarter of the way to the next value.
    assert np.abs(shown - values).max(axis=0)[0] <= 0.5
    assert np.abs(shown - values).max(axis=0)[1] <= 1.0
    assert ax.get_xticks().tolist() == [0, 2]
    assert ax.get_yticks().tolist() == [1, 5]
    assert values.tolist() == [[0, 1], [0, 1], [2, 1], [2, 5], [2, 5]]


def test_many_cases_are_thinned():
    ax = plot_pair(np.zeros((10_000, 2)), np.zeros(10_000), ["a", "b"])
    assert len(ax.get_lines()[0].get_xdata()) == 2500


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_it_fits_and_odd_values_still_draw(task, fits):
    odd = POINTS.copy()
    odd[:3] = [[np.nan, 1], [np.inf, 0], [1, 1]]
    names = ["a name of some length", "another name of some length, much too long for an axis"]
    fits(plot_pair(odd, np.arange(30) % 7, names, task=task, target="a long target " * 3).figure)
    empty = plot_pair(np.full((30, 2), np.nan), np.arange(30) % 2, ["a", "b"], task=task)
    assert [text.get_text() for text in empty.texts] == ["no results"]


def test_names_are_shown_as_they_are():
    shown = ""
    for i, name in enumerate(NASTY):
        labels = np.resize(np.array(NASTY, dtype=object), 30)
        names = [name, NASTY[i - 1]]
        ax = plot_pair(POINTS, labels, names, target=name)
        shown += svg_bytes(ax.figure).decode("utf-8")
        assert len(ax.get_legend().get_texts()) == len(NASTY)
    for text in ("$x$", r"$\nonsense{$", "_hidden", "名前", "a\ufffd\ufffdb"):
        assert shown.count(f"{text}<") >= len(NASTY) + 3, text
    assert "x" * 100 not in shown


def test_the_given_axes_are_drawn_on_and_what_does_not_fit_is_refused():
    ax = new_figure(4, 3).add_subplot()
    assert plot_pair(POINTS, np.zeros(30), ["a", "b"], ax) is ax
    with pytest.raises(ValueError, match="got 1 names"):
        plot_pair(POINTS, np.zeros(30), ["a"])
    with pytest.raises(ValueError, match="29 targets"):
        plot_pair(POINTS, np.zeros(29), ["a", "b"])


def test_negative_correlations_can_be_told_without_colours():
    x = np.arange(9.0)
    ax = plot_correlation(np.column_stack([x, -x, x**2]), ["a", "b", "c"])
    (marks,) = ax.get_lines()
    assert sorted(map(tuple, marks.get_xydata())) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert "dashes mark correlations below -0.3" in ax.get_xlabel()
    together = plot_correlation(np.column_stack([x, x**2]), ["a", "c"])
    assert together.get_xlabel() == "rank"


def test_many_samples_of_each_value_are_spread_too():
    values = np.column_stack([np.arange(800) % 17, np.zeros(800)])
    (line,) = plot_pair(values, ["a"] * 800, ["a", "b"]).get_lines()
    assert len(np.unique(line.get_xdata())) == 800
    assert np.abs(line.get_xdata() - values[:, 0]).max() <= 0.25


Y = np.array([[1.0, 1], [2, 0], [3, 1], [4, 1], [5, 0], [6, 1]])


def test_each_group_has_its_steps_to_its_last_time():
    ax = plot_survival(Y, {"all": np.arange(6), "none": np.array([], dtype=int)}, time="weeks")
    (line,) = ax.get_lines()
    assert line.get_xdata().tolist() == [0, 1, 3, 4, 6, 6]
    # 5 of 6, then 3 of 4 and 2 of 3 of these; the last one has the event, too.
    expected = [1, 5 / 6, 5 / 8, 5 / 12, 0, 0]
    np.testing.assert_allclose(line.get_ydata(), 100 * np.array(expected))
    assert ax.get_xlabel() == "weeks"


def test_features_part_the_samples_at_their_median_or_by_their_two_values():
    X = np.column_stack([[1.0, 2, 3, 4, 5, np.nan], [0, 0, 1, 1, 1, 0]])
    first, second = plot_feature_distributions(X, Y, ["dose", "arm"], task="survival")
    assert [text.get_text() for text in first.get_legend().get_texts()] == ["up to 3", "above 3"]
    assert [text.get_text() for text in second.get_legend().get_texts()] == ["0", "1"]
    assert second.get_lines()[1].get_ydata().tolist() == [100, 100 * 2 / 3, 100 / 3, 100 / 3]
    levels = {0: ["none", "low", "high"]}
    (ax,) = plot_feature_distributions(
        np.array([[0.0], [1], [2], [0], [1], [2]]), Y, ["dose"], task="survival", levels=levels
    )
    assert [text.get_text() for text in ax.get_legend().get_texts()] == levels[0]
