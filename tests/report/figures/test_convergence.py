import numpy as np
import pytest

from entryprune.report.figures.convergence import draw_convergence
from entryprune.report.figures.rows import Run

RUN = Run([9, 4, 1, 0], [0.1, 0.5, 0.9, 0.9], [2.0, 1.5, 1.8, 2.5])


def test_the_left_panel_has_the_changes_and_the_right_one_scores_and_weights():
    changes, scores, weights = draw_convergence(RUN).axes
    for axes, expected in (
        (changes, RUN.n_changed),
        (scores, RUN.min_entry_score),
        (weights, RUN.min_weight_sum),
    ):
        (line,) = axes.lines
        assert list(line.get_ydata()) == expected
        assert list(line.get_xdata()) == [1, 2, 3, 4]


def test_score_and_weight_are_told_without_colour(legend_texts):
    figure = draw_convergence(RUN)
    score, weight = figure.axes[1].lines[0], figure.axes[2].lines[0]
    assert score.get_marker() != weight.get_marker()
    assert score.get_linestyle() != weight.get_linestyle()
    assert legend_texts(figure) == [
        "smallest entry score (left axis)",
        "smallest weight sum (right axis)",
    ]
    assert figure.axes[1].yaxis.get_label_position() == "left"
    assert figure.axes[2].yaxis.get_label_position() == "right"
    assert figure.axes[2].spines["right"].get_visible()


def test_axes_are_named():
    changes, scores, weights = draw_convergence(RUN).axes
    assert changes.get_ylabel() == "changes to the selected features"
    assert "entry score" in scores.get_ylabel()
    assert "weight sum" in weights.get_ylabel()
    assert changes.get_xlabel() == scores.get_xlabel() == "rotation"


def test_missing_values_leave_gaps():
    run = Run([9, None, 1], [0.1, float("nan"), 0.9], [None, None, 1.0])
    lines = [axes.lines[0].get_ydata() for axes in draw_convergence(run).axes]
    gaps = [np.isnan(np.array(values, dtype=float)).tolist() for values in lines]
    assert gaps == [[False, True, False], [False, True, False], [True, True, False]]


def test_long_runs_keep_few_markers():
    n = 600
    figure = draw_convergence(Run([1] * n, [0.5] * n, [1.0] * n))
    assert figure.axes[1].lines[0].get_markevery() == 50


@pytest.mark.parametrize("run", [Run([], [], []), Run([1, 2], [0.1, 0.2], [1.0])])
def test_runs_that_do_not_match_are_refused(run):
    with pytest.raises(ValueError, match=r"as many changes .* got \d, \d and \d"):
        draw_convergence(run)


def test_short_and_long_runs_fit(nothing_is_cut_off):
    nothing_is_cut_off(draw_convergence(Run([5], [0.1], [2.0])))
    n = 1500
    nothing_is_cut_off(draw_convergence(Run([100] * n, [-1234.5] * n, [0.00012] * n)))
