import pytest

from entryprune.report.figures.regrowth import Measure, draw_regrowth

KINDS = ("linear", "interaction", "noise")
PANELS = ("gradient metric", "correlation with the target", "entry score", "gain")


def measures_of(panels=PANELS):
    return [
        Measure(panel, kind, 1.0 + i + 10 * j, 0.25)
        for i, panel in enumerate(panels)
        for j, kind in enumerate(KINDS)
    ]


def bars(axes):
    return [patch for container in axes.containers for patch in getattr(container, "patches", ())]


def test_each_measure_has_a_panel_with_a_bar_for_each_kind():
    figure = draw_regrowth(measures_of())
    assert [axes.get_title() for axes in figure.axes] == list(PANELS)
    for i, axes in enumerate(figure.axes):
        assert [bar.get_height() for bar in bars(axes)] == [1.0 + i, 11.0 + i, 21.0 + i]
        assert [label.get_text() for label in axes.get_xticklabels()] == list(KINDS)
        assert len({bar.get_hatch() for bar in bars(axes)}) == 3


def test_error_bars_are_one_standard_deviation_each_way():
    axes = draw_regrowth(measures_of()).axes[0]
    lines = [found.lines[2][0] for found in axes.containers if hasattr(found, "lines")]
    assert lines[0].get_segments()[0][:, 1].tolist() == [0.75, 1.25]
    assert len(lines) == 3


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


def test_axes_are_named():
    axes = draw_regrowth(measures_of()).axes
    assert axes[0].get_ylabel() == "mean ± SD"
    assert [panel.get_xlabel() for panel in axes] == ["kind of feature"] * 4
    assert draw_regrowth([Measure("gain", "noise", 1.0)]).axes[0].get_ylabel() == "mean"


def test_two_measures_of_one_kind_are_refused():
    with pytest.raises(ValueError, match="two measures"):
        draw_regrowth(measures_of() * 2)


def test_small_and_large_studies_fit(nothing_is_cut_off):
    nothing_is_cut_off(draw_regrowth(measures_of(PANELS[:1])))
    nothing_is_cut_off(draw_regrowth(measures_of()))
