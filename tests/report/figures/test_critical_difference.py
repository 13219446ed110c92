import pytest

from entryprune.report.figures.critical_difference import draw_critical_difference
from entryprune.report.figures.rows import RankPanel

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


def test_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_critical_difference([RankPanel("one set", {"EntryPrune": 1.0})]))
    _, methods = many
    ranks = {method: 1.0 + 0.9 * place for place, method in enumerate(methods)}
    groups = [methods[i : i + 4] for i in range(9)]
    nothing_is_cut_off(draw_critical_difference([RankPanel("all", ranks, groups)] * 3))
