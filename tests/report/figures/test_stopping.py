import numpy as np
import pytest

from entryprune.report.figures.rows import Trial
from entryprune.report.figures.stopping import draw_stopping

CRITERIA = ("epochs", "ident", "validation")


def trials_of(datasets=("ISOLET",), criteria=CRITERIA, n=30):
    rng = np.random.default_rng(0)
    return [
        Trial(dataset, criterion, float(value), 70 + value / 20)
        for dataset in datasets
        for criterion in criteria
        for value in rng.uniform(1, 400, n)
    ]


def line(axes, label):
    return next((found for found in axes.lines if found.get_label() == label), None)


def test_rows_are_data_sets_and_columns_are_criteria():
    figure = draw_stopping(trials_of(("ISOLET", "ARCENE")))
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == [f"{d}: {c}" for d in ("ISOLET", "ARCENE") for c in CRITERIA]
    spec = figure.axes[4].get_subplotspec()
    assert (spec.rowspan.start, spec.colspan.start) == (1, 1)


def test_points_are_the_trials():
    trials = trials_of(criteria=("epochs",))
    points = line(draw_stopping(trials).axes[0], "a setting")
    assert points.get_xdata().tolist() == [trial.value for trial in trials]
    assert points.get_ydata().tolist() == [trial.accuracy for trial in trials]


def test_the_smooth_line_follows_the_points(legend_texts):
    figure = draw_stopping(trials_of(criteria=("epochs",)))
    x, y = line(figure.axes[0], "LOWESS").get_data()
    assert (np.diff(x) >= 0).all()
    assert y == pytest.approx(70 + x / 20)
    assert legend_texts(figure) == ["a setting", "LOWESS"]


@pytest.mark.parametrize(
    ("values", "has_line"),
    [([5], False), ([5, 6, 7], False), ([5, 5, 6, 6, 7, 7], False), ([5, 6, 7, 8], True)],
)
def test_a_smooth_line_needs_four_distinct_values(values, has_line):
    axes = draw_stopping([Trial("HAR", "epochs", v, 80.0 + v) for v in values]).axes[0]
    found = line(axes, "LOWESS")
    assert (found is not None) == has_line
    if has_line:
        assert found.get_ydata().tolist() == pytest.approx([85, 86, 87, 88], abs=0.1)


def test_many_equal_values_give_no_warning_and_no_nan():
    values = [100] * 40 + [1, 2, 3, 400]
    axes = draw_stopping(
        [Trial("HAR", "epochs", v, 80.0 + i % 3) for i, v in enumerate(values)]
    ).axes[0]
    assert np.isfinite(line(axes, "LOWESS").get_ydata()).all()


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_accuracies_are_left_out(missing):
    trials = [*trials_of(criteria=("epochs",)), Trial("ISOLET", "epochs", 5, missing)]
    assert len(line(draw_stopping(trials).axes[0], "a setting").get_xdata()) == 30


def test_a_panel_without_trials_says_so():
    trials = trials_of(("ISOLET",)) + trials_of(("ARCENE",), CRITERIA[:2])
    figure = draw_stopping(trials)
    assert [text.get_text() for text in figure.axes[5].texts] == ["no results"]


def test_axes_are_named_by_the_criterion():
    trials = trials_of(("ISOLET", "ARCENE"), (*CRITERIA, "loss"), n=5)
    axes = draw_stopping(trials).axes
    labels = [panel.get_xlabel() for panel in axes[4:]]
    assert labels == ["epochs", "patience (rotations)", "patience (rotations)", "loss"]
    assert [panel.get_ylabel() for panel in axes[::4]] == ["accuracy (%)"] * 2


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="no trials"):
        draw_stopping([])


def test_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_stopping(trials_of()[:1]))
    nothing_is_cut_off(draw_stopping(trials_of(many[0][:6], n=5)))
