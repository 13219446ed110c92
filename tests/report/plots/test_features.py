import numpy as np
import pytest

from entryprune.report.plots import (
    plot_feature_distributions,
    plot_mask,
    plot_scores,
)
from entryprune.report.style import new_figure

NAN = float("nan")
NASTY = ["$x$", r"$\nonsense{$", "_hidden", "名前", "x" * 300, "a\x00\ud800b", ""]


def tick_texts(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


# -- scores -------------------------------------------------------------------------------------


def test_scores_are_bars_with_the_best_on_top_and_a_line_at_the_smallest():
    ax = plot_scores(["a", "b", "c"], [0.9, None, 0.3])
    assert [bar.get_width() for bar in ax.patches][::2] == [0.9, 0.3]
    assert tick_texts(ax.yaxis) == ["1  a", "2  b", "3  c"]
    assert ax.yaxis_inverted()
    assert list(ax.get_lines()[0].get_xdata()) == [0.3, 0.3]
    assert "0.3" in ax.get_xlabel()


def test_scores_without_a_threshold_have_a_line_at_nothing_only():
    ax = plot_scores(["a", "b"], [0.9, -0.3], score_name="what it brings", has_threshold=False)
    assert [list(line.get_xdata()) for line in ax.get_lines()] == [[0, 0]]
    assert ax.get_xlabel() == "what it brings"
    assert len(plot_scores(["a"], [0.9], has_threshold=False).get_lines()) == 0
    many = plot_scores([f"f{i}" for i in range(99)], range(99), has_threshold=False)
    assert (len(many.get_lines()), many.get_xlabel()) == (1, "rank")


def test_many_scores_are_a_line_by_rank():
    ax = plot_scores([f"f{i}" for i in range(200)], np.linspace(1, 0, 200), score_name="weight")
    assert ax.get_lines()[0].get_xdata().tolist() == list(range(1, 201))
    assert ax.get_ylabel() == "weight"


@pytest.mark.parametrize("n", [1, 2, 12, 60, 61, 500])
def test_few_and_many_scores_fit(n, fits):
    fits(plot_scores([f"a name of some length, no. {i}" for i in range(n)], [0.5] * n).figure)


def test_no_scores_at_all_say_so():
    ax = plot_scores(["a"], [NAN])
    assert [text.get_text() for text in ax.texts] == ["no results"]
    with pytest.raises(ValueError, match="as many scores as names"):
        plot_scores(["a"], [1.0, 2.0])


# -- distributions ------------------------------------------------------------------------------


def medians(ax):
    return [line.get_xdata()[0] for line in ax.get_lines() if line.get_linewidth() == 1.8]


def test_boxes_stand_at_the_quartiles_of_each_class():
    values = np.r_[np.arange(101.0), np.arange(101.0) + 50]
    y = ["a"] * 101 + ["b"] * 101
    (ax,) = plot_feature_distributions(values[:, None], y, ["radius"])
    assert medians(ax) == [50, 100]
    assert [(bar.get_x(), bar.get_width()) for bar in ax.patches] == [(25, 50), (75, 50)]
    assert list(ax.get_lines()[0].get_xdata()) == [5, 25]
    assert tick_texts(ax.yaxis) == ["a", "b"]


def test_classes_with_few_samples_show_each():
    values = np.arange(50.0)
    y = ["few"] * 5 + ["many"] * 45
    (ax,) = plot_feature_distributions(values[:, None], y, ["radius"])
    dots = [line for line in ax.get_lines() if line.get_marker() == "o"]
    assert [line.get_xdata().tolist() for line in dots] == [[0, 1, 2, 3, 4]]


def test_a_feature_of_two_values_has_shares():
    X = np.array([[0], [0], [0], [5], [5], [NAN]])
    (ax,) = plot_feature_distributions(X, ["a", "a", "a", "a", "b", "b"], ["sex"])
    assert [bar.get_width() for bar in ax.patches] == [25, 100]
    assert ax.get_xlabel() == "sex\nshare with the value 5 (%)"


def test_a_numerical_target_has_a_dot_for_each_sample():
    (ax,) = plot_feature_distributions(
        [[1.0], [2.0]], [3, 4], ["radius"], task="regression", target="age"
    )
    (dots,) = ax.get_lines()
    assert (dots.get_xdata().tolist(), dots.get_ydata().tolist()) == ([1, 2], [3, 4])
    assert ax.get_ylabel() == "age"
    many = plot_feature_distributions(
        np.zeros((12_000, 1)), np.zeros(12_000), ["radius"], task="regression"
    )
    assert len(many[0].get_lines()[0].get_xdata()) <= 5000


def test_the_most_frequent_classes_are_drawn():
    y = np.repeat(np.arange(20), np.arange(20) + 1)
    (ax,) = plot_feature_distributions(np.arange(len(y))[:, None], y, ["radius"])
    assert tick_texts(ax.yaxis) == [str(i) for i in range(8, 20)]


@pytest.mark.parametrize("values", [[NAN] * 4, [1.0] * 4, [NAN, NAN, 1.0, 2.0], [np.inf, 1, 2, 3]])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_odd_values_still_draw(values, task, fits):
    (ax,) = plot_feature_distributions(
        np.array(values)[:, None], [0, 0, 1, 1], ["radius"], task=task
    )
    fits(ax.figure)


@pytest.mark.parametrize(("n_features", "n_classes"), [(1, 1), (1, 12), (4, 2), (12, 12)])
def test_all_panels_fit_on_one_figure(n_features, n_classes, fits):
    X = np.random.default_rng(0).normal(size=(60, n_features))
    y = np.arange(60) % n_classes
    axes = plot_feature_distributions(X, y, [f"feature {i}" for i in range(n_features)])
    assert len(axes) == n_features
    assert len({id(ax.figure) for ax in axes}) == 1
    fits(axes[0].figure)


def test_one_of_the_given_axes_for_each_feature():
    axes = [new_figure(3, 2).add_subplot() for _ in range(2)]
    assert plot_feature_distributions(np.eye(2), [0, 1], ["a", "b"], axes) == axes
    with pytest.raises(ValueError, match="zip"):
        plot_feature_distributions(np.eye(2), [0, 1], ["a", "b"], axes[:1])
    with pytest.raises(ValueError, match="a column for each name"):
        plot_feature_distributions(np.eye(2), [0, 1], ["a"])
    with pytest.raises(ValueError, match="a row for each target"):
        plot_feature_distributions(np.eye(2), [0, 1, 2], ["a", "b"])


# -- mask ---------------------------------------------------------------------------------------


def test_the_mask_is_a_picture_and_samples_follow_it():
    samples = [[0, 50, 100, 200]]
    ax = plot_mask([True, False, False, True], (2, 2), samples=samples)
    picture = ax.images[0].get_array()[:, :, 0]
    assert picture[:2, :2].tolist() == [[1, 0], [0, 1]]
    assert picture[:2, 3:].tolist() == [[0, 0.5], [0.5, 1]]


def test_colours_have_channels():
    ax = plot_mask([True, False, False], (3, 1, 1))
    assert ax.images[0].get_array().tolist() == [[[1, 0, 0]]]


@pytest.mark.parametrize("samples", [None, np.full((1, 4), 7.0), np.full((1, 4), NAN)])
def test_masks_without_anything_to_scale_draw(samples, fits):
    fits(plot_mask([True, False, False, True], (2, 2), samples=samples).figure)


def test_a_mask_of_another_size_is_refused():
    with pytest.raises(ValueError, match="4 features"):
        plot_mask([True], (2, 2))
    with pytest.raises(ValueError, match="shape must be"):
        plot_mask([True], (1,))
