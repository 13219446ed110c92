import pytest

from entryprune.report.figures.bars import draw_regrowth, draw_run_time, draw_stability
from entryprune.report.figures.rows import Measure, Stability, Timing
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


# -- stability -------------------------------------------------------------------------------------

STABILITIES = [
    Stability("MNIST", "EntryPrune", 0.13, 5),
    Stability("MNIST", "LassoNet", 0.71, 5),
    Stability("HAR", "EntryPrune", None, 5),
    Stability("HAR", "LassoNet", 1.0, 5),
]


def test_bars_have_the_indices_on_an_axis_from_zero_to_one(legend_texts):
    figure = draw_stability(STABILITIES)
    axes = figure.axes[0]
    assert [bar.get_height() for bar in bars(axes)] == [0.13, 0.71, 1.0]
    assert axes.get_ylim() == (0, 1)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("data set", "average Jaccard index")
    assert legend_texts(figure) == ["EntryPrune", "LassoNet"]


def test_a_missing_index_leaves_a_gap_at_its_place():
    axes = draw_stability(STABILITIES).axes[0]
    centres = [bar.get_x() + bar.get_width() / 2 for bar in bars(axes)]
    assert centres[0] < 0 < centres[1] < 1 < centres[2]


def test_methods_have_hatches_of_their_own():
    first, second, third = bars(draw_stability(STABILITIES).axes[0])
    assert first.get_hatch() != second.get_hatch() == third.get_hatch()


@pytest.mark.parametrize(("n_runs", "expected"), [(5, "Over 5 runs"), (20, "Over 5 to 20 runs")])
def test_the_number_of_runs_is_told(n_runs, expected):
    figure = draw_stability([*STABILITIES, Stability("SMK", "LassoNet", 0.4, n_runs)])
    assert figure.legends[0].get_title().get_text() == expected


def test_stabilities_of_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_stability(STABILITIES[:1]))
    datasets, methods = many
    nothing_is_cut_off(draw_stability([Stability(d, "EntryPrune", 0.2, 5) for d in datasets]))
    nothing_is_cut_off(draw_stability([Stability(d, m, 0.2, 5) for d in datasets for m in methods]))


# -- regrowth --------------------------------------------------------------------------------------

KINDS = ("linear", "interaction", "noise")
PANELS = ("gradient metric", "correlation with the target", "entry score", "gain")


def measures_of(panels=PANELS):
    return [
        Measure(panel, kind, 1.0 + i + 10 * j, 0.25)
        for i, panel in enumerate(panels)
        for j, kind in enumerate(KINDS)
    ]


def test_each_measure_has_a_panel_with_a_bar_for_each_kind():
    figure = draw_regrowth(measures_of())
    assert [axes.get_title() for axes in figure.axes] == list(PANELS)
    for i, axes in enumerate(figure.axes):
        assert [bar.get_height() for bar in bars(axes)] == [1.0 + i, 11.0 + i, 21.0 + i]
        assert [label.get_text() for label in axes.get_xticklabels()] == list(KINDS)
        assert len({bar.get_hatch() for bar in bars(axes)}) == 3


def test_error_bars_of_measures_are_one_standard_deviation_each_way():
    axes = draw_regrowth(measures_of()).axes[0]
    assert error_bars(axes)[0] == [0.75, 1.25]
    assert len(error_bars(axes)) == 3


@pytest.mark.parametrize("measures", [[Measure("gain", "noise", None)], []])
def test_a_missing_measure_leaves_a_gap(measures):
    known = [one for one in measures_of() if (one.panel, one.kind) != ("gain", "noise")]
    axes = draw_regrowth([*known, *measures]).axes[3]
    assert [round(bar.get_x() + bar.get_width() / 2) for bar in bars(axes)] == [0, 1]
    assert len(axes.get_xticklabels()) == 3


def test_negative_means_have_a_line_at_zero():
    figure = draw_regrowth([*measures_of(PANELS[:1]), Measure("correlation", "linear", -0.2, 0.1)])
    at_zero = [any(list(line.get_ydata()) == [0, 0] for line in axes.lines) for axes in figure.axes]
    assert at_zero == [False, True]


def test_axes_of_measures_are_named():
    axes = draw_regrowth(measures_of()).axes
    assert axes[0].get_ylabel() == "mean ± SD"
    assert [panel.get_xlabel() for panel in axes] == ["kind of feature"] * 4
    assert draw_regrowth([Measure("gain", "noise", 1.0)]).axes[0].get_ylabel() == "mean"


def test_two_measures_of_one_kind_are_refused():
    with pytest.raises(ValueError, match="two measures"):
        draw_regrowth(measures_of() * 2)


def test_one_measure_and_several_fit(nothing_is_cut_off):
    nothing_is_cut_off(draw_regrowth(measures_of(PANELS[:1])))
    nothing_is_cut_off(draw_regrowth(measures_of()))
