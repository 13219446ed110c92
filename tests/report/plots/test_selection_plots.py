import numpy as np
import pytest

from entryprune.report.plots import (
    plot_comparison,
    plot_correlation,
    plot_feature_distributions,
    plot_mask,
    plot_scores,
)
from entryprune.report.style import new_figure, svg_bytes

NAN = float("nan")
NASTY = ["$x$", r"$\nonsense{$", "_hidden", "名前", "x" * 300, "a\x00\ud800b", ""]


def tick_texts(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def fits(figure):
    """Check that nothing is drawn outside the figure."""
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert box.x0 >= -0.02
    assert box.y0 >= -0.02
    assert box.x1 <= width + 0.02
    assert box.y1 <= height + 0.02


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
def test_few_and_many_scores_fit(n):
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


def test_classes_with_few_cases_show_each():
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


def test_a_numerical_target_has_a_dot_for_each_case():
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
def test_odd_values_still_draw(values, task):
    (ax,) = plot_feature_distributions(
        np.array(values)[:, None], [0, 0, 1, 1], ["radius"], task=task
    )
    fits(ax.figure)


@pytest.mark.parametrize(("n_features", "n_classes"), [(1, 1), (1, 12), (4, 2), (12, 12)])
def test_all_panels_fit_on_one_figure(n_features, n_classes):
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
def test_few_and_many_correlations_fit(n):
    X = np.random.default_rng(0).normal(size=(30, n))
    fits(plot_correlation(X, [f"a name of some length {i}" for i in range(n)]).figure)


def test_names_that_do_not_fit_the_columns_are_refused():
    with pytest.raises(ValueError, match="a column for each of the 1 names"):
        plot_correlation(np.eye(2), ["a"])


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
def test_masks_without_anything_to_scale_draw(samples):
    fits(plot_mask([True, False, False, True], (2, 2), samples=samples).figure)


def test_a_mask_of_another_size_is_refused():
    with pytest.raises(ValueError, match="4 features"):
        plot_mask([True], (2, 2))
    with pytest.raises(ValueError, match="shape must be"):
        plot_mask([True], (1,))


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
def test_small_and_large_comparisons_fit(n_methods, n_ks):
    pairs = [(f"method {i}", 5 * 2**j) for i in range(n_methods) for j in range(n_ks)]
    methods, ks = zip(*pairs, strict=True)
    fits(plot_comparison(methods, ks, [0.5] * len(ks), [0.1] * len(ks)).figure)


# -- names --------------------------------------------------------------------------------------

N = len(NASTY)
LABELS = np.resize(np.array(NASTY, dtype=object), 3 * N)
X = np.random.default_rng(0).normal(size=(3 * N, N))
PLOTS = {
    "scores": lambda: plot_scores(NASTY, [0.5] * N),
    "distributions": lambda: plot_feature_distributions(X, LABELS, NASTY)[0],
    "correlation": lambda: plot_correlation(X, NASTY),
    "comparison": lambda: plot_comparison(NASTY, [5] * N, [0.5] * N, metric="$y$"),
}


@pytest.mark.parametrize("draw", PLOTS.values(), ids=PLOTS)
def test_names_are_shown_as_they_are(draw):
    svg = svg_bytes(draw().figure).decode("utf-8")
    for text in ("$x$", r"$\nonsense{$", "_hidden", "名前", "a\ufffd\ufffdb"):
        assert f"{text}<" in svg or f"{text}  " in svg, text
    assert "x" * 100 not in svg
