import numpy as np
import pytest

from entryprune.report.plots import plot_convergence, plot_growth, plot_loss, plot_threshold
from entryprune.report.style import new_figure

NAN = float("nan")


def a_history(**changes):
    history = {
        "phase": ["search", "search", "search", "final", "final"],
        "rotation": [1, 2, 3, 1, 2],
        "training_loss": [0.9, 0.5, 0.4, 0.6, 0.3],
        "validation_loss": [NAN, 0.6, 0.5, NAN, NAN],
        "n_changed": [50, 9, 0, 20, 1],
        "min_entry_score": [0.1, 0.2, 0.3, 0.2, 0.4],
        "input_size": [400] * 5,
    }
    return history | changes


PLOTS = [plot_convergence, plot_loss, plot_threshold]


@pytest.mark.parametrize("plot", PLOTS)
def test_both_trainings_follow_each_other_with_a_line_in_between(plot):
    ax = plot(a_history())
    border, line = ax.get_lines()[:2]
    assert list(border.get_xdata()) == [3.5, 3.5]
    assert line.get_xdata().tolist() == [1, 2, 3, 4, 5]
    assert [text.get_text() for text in ax.texts] == ["final training"]


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("phase", ["search", "final"])
def test_one_training_has_no_border(plot, phase):
    ax = plot(a_history(phase=[phase] * 5))
    assert len(ax.texts) == 0
    assert ax.get_lines()[0].get_xdata().tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("plot", PLOTS)
def test_the_given_axes_are_drawn_on_and_returned(plot):
    ax = new_figure(4, 3).add_subplot()
    assert plot(a_history(), ax) is ax
    assert plot(a_history(), ax=ax) is ax


def test_changes_are_those_of_the_history():
    line = plot_convergence(a_history()).get_lines()[1]
    assert line.get_ydata().tolist() == [50, 9, 0, 20, 1]


def test_a_loss_without_validation_has_no_legend():
    ax = plot_loss(a_history(validation_loss=[NAN] * 5))
    assert ax.get_legend() is None
    both = plot_loss(a_history())
    assert [text.get_text() for text in both.get_legend().get_texts()] == [
        "training samples",
        "validation samples",
    ]


@pytest.mark.parametrize("plot", PLOTS)
def test_what_is_infinite_or_missing_leaves_a_gap(plot):
    odd = [1.0, np.inf, NAN, -np.inf, 2.0]
    names = ("training_loss", "validation_loss", "n_changed", "min_entry_score")
    ax = plot(a_history(**dict.fromkeys(names, odd)))
    ax.figure.draw_without_rendering()
    assert np.isnan(ax.get_lines()[1].get_ydata()).tolist() == [False, True, True, True, False]


@pytest.mark.parametrize("plot", PLOTS)
def test_all_missing_still_draws(plot):
    names = ("training_loss", "validation_loss", "n_changed", "min_entry_score")
    plot(a_history(**dict.fromkeys(names, [NAN] * 5))).figure.draw_without_rendering()


def test_a_history_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"no phase, .*history_ of a selector"):
        plot_convergence({})
    with pytest.raises(ValueError, match="one length"):
        plot_loss(a_history(n_changed=[1]))


# -- growth -------------------------------------------------------------------------------------


def a_growth(**changes):
    history = {
        "phase": ["growth", "growth", "growth", "exchange", "exchange"],
        "training_loss": [-0.1, -0.3, -0.4, -0.45, -0.5],
        "validation_loss": [NAN] * 5,
        "n_changed": [1, 2, 1, 2, 1],
        "min_entry_score": [NAN] * 5,
        "input_size": [1, 3, 4, 4, 4],
    }
    return history | changes


def test_the_loss_stands_over_the_features_taken_and_exchanges_at_the_end():
    ax = plot_growth(a_growth())
    taken, exchanged = ax.get_lines()
    assert taken.get_xdata().tolist() == [1, 3, 4]
    assert taken.get_ydata().tolist() == [-0.1, -0.3, -0.4]
    assert exchanged.get_xdata().tolist() == [4, 4]
    assert exchanged.get_ydata().tolist() == [-0.45, -0.5]
    assert (taken.get_linestyle(), exchanged.get_linestyle()) == ("-", "None")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "feature taken",
        "features exchanged",
    ]


def test_pairs_have_points_of_their_own():
    ax = plot_growth(a_growth(phase=["growth"] * 3 + ["pairs", "exchange"]))
    assert [(line.get_label(), line.get_xdata().tolist()) for line in ax.get_lines()] == [
        ("feature taken", [1, 3, 4]),
        ("pair taken", [4]),
        ("features exchanged", [4]),
    ]


def test_what_has_no_line_keeps_its_markers_however_many_steps_there_are():
    n = 70
    history = {name: [1.0] * n for name in a_growth()}
    history |= {"phase": ["growth"] * (n - 1) + ["exchange"]}
    taken, exchanged = plot_growth(history).get_lines()
    assert (taken.get_marker(), exchanged.get_marker()) == ("none", "D")


def test_without_exchanges_there_is_one_line_and_no_legend():
    ax = plot_growth(a_growth(phase=["growth"] * 5, input_size=[1, 2, 3, 4, 5]))
    assert len(ax.get_lines()) == 1
    assert ax.get_legend() is None


def test_tiny_differences_do_not_fill_the_plot():
    low, high = plot_growth(a_growth(training_loss=[-0.5, -0.501, -0.502, NAN, NAN])).get_ylim()
    assert high - low == pytest.approx(0.05)
    assert (low + high) / 2 == pytest.approx(-0.501)
    low, high = plot_growth(a_growth()).get_ylim()
    assert high - low < 0.5


def test_the_given_axes_are_drawn_on_and_odd_losses_leave_gaps():
    ax = new_figure(4, 3).add_subplot()
    assert plot_growth(a_growth(training_loss=[-0.1, np.inf, -0.4, NAN, -0.5]), ax) is ax
    assert np.isnan(ax.get_lines()[0].get_ydata()).tolist() == [False, True, False]
    ax.figure.draw_without_rendering()


def test_a_growth_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"no phase, .*history_ of a selector"):
        plot_growth({})
