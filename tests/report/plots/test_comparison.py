import numpy as np
import pytest

from entryprune.report.plots import (
    plot_comparison,
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
