import pytest

from entryprune.report.figures.run_time import Timing, draw_run_time
from entryprune.report.style import looks

TIMINGS = [
    Timing("MNIST", "EntryPrune", 120.0, 10.0, 310.4, 5),
    Timing("MNIST", "NeuroFS", 900.0, 50.0, 100, 5),
    Timing("HAR", "EntryPrune", 8.0, 9.0, 120, 5),
    Timing("HAR", "NeuroFS", None, None, None),
]


def bars(axes):
    """Return the bars, but not the error bars."""
    return [patch for container in axes.containers for patch in getattr(container, "patches", ())]


def error_bars(axes):
    found = [container.lines[2][0] for container in axes.containers if hasattr(container, "lines")]
    return [line.get_segments()[0][:, 1].tolist() for line in found]


def test_bars_have_the_mean_times_on_a_log_axis():
    axes = draw_run_time(TIMINGS).axes[0]
    assert [bar.get_height() for bar in bars(axes)] == [120.0, 900.0, 8.0]
    assert axes.get_yscale() == "log"
    assert axes.get_ylabel() == "run time (seconds, log scale)"
    assert axes.get_xlabel() == "data set"


def test_bars_stand_at_their_data_set_and_have_their_methods_hatch():
    axes = draw_run_time(TIMINGS).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["MNIST", "HAR"]
    centres = [bar.get_x() + bar.get_width() / 2 for bar in bars(axes)]
    assert [round(centre) for centre in centres] == [0, 0, 1]
    assert centres[2] - 1 == pytest.approx(centres[0])
    expected = looks(["EntryPrune", "NeuroFS"])
    hatches = [expected[method].hatch for method in ("EntryPrune", "NeuroFS", "EntryPrune")]
    assert [bar.get_hatch() or "" for bar in bars(axes)] == hatches


def test_error_bars_are_one_standard_deviation_even_below_zero():
    axes = draw_run_time(TIMINGS).axes[0]
    assert error_bars(axes) == [[110, 130], [850, 950], [-1, 17]]
    low, high = axes.get_ylim()
    assert 0 < low < 8
    assert high > 950


def test_epochs_are_written_above_each_bar(legend_texts):
    figure = draw_run_time(TIMINGS)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["310", "100", "120"]
    assert [text.xy[1] for text in axes.texts] == [130, 950, 17]
    assert "epochs" in figure.legends[0].get_title().get_text()
    assert legend_texts(figure) == ["EntryPrune", "NeuroFS"]


def test_without_epochs_nothing_is_written():
    figure = draw_run_time([Timing("MNIST", "Fisher score", 0.02)])
    assert list(figure.axes[0].texts) == []
    assert figure.legends[0].get_title().get_text() == ""
    assert error_bars(figure.axes[0]) == []


@pytest.mark.parametrize("seconds", [None, float("nan"), float("inf"), 0.0, -1.0])
def test_a_time_that_cannot_be_drawn_leaves_a_gap(seconds):
    figure = draw_run_time([Timing("MNIST", "STG", seconds, 1.0, 5), *TIMINGS])
    assert len(bars(figure.axes[0])) == 3
    figure = draw_run_time([Timing("MNIST", "STG", seconds, 1.0, 5)])
    assert [text.get_text() for text in figure.axes[0].texts] == ["no results"]


@pytest.mark.parametrize("seconds", [0.011, 0.9, 10.0, 42.0])
def test_the_axis_shows_two_powers_of_ten(seconds):
    axes = draw_run_time([Timing("MNIST", "STG", seconds)]).axes[0]
    low, high = axes.get_ylim()
    assert sum(low <= tick <= high for tick in axes.get_yticks()) >= 2


def test_numbers_lie_within_the_panel():
    figure = draw_run_time(TIMINGS)
    figure.draw_without_rendering()
    axes = figure.axes[0]
    assert max(text.get_window_extent().y1 for text in axes.texts) <= axes.get_window_extent().y1


def test_many_bars_are_spread_over_panels_of_one_scale(many, nothing_is_cut_off):
    datasets, methods = many
    timings = [Timing(d, m, 10.0 * len(d), 2.0, 12345) for d in datasets for m in methods]
    figure = draw_run_time(timings)
    groups = [[label.get_text() for label in axes.get_xticklabels()] for axes in figure.axes]
    assert [name for group in groups for name in group] == datasets
    assert len(groups) > 1
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    nothing_is_cut_off(figure)


def test_a_single_bar_fits(nothing_is_cut_off):
    nothing_is_cut_off(draw_run_time(TIMINGS[:1]))
