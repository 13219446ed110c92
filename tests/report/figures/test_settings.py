import numpy as np
import pytest
from matplotlib.contour import QuadContourSet

from entryprune.report.figures.rows import MetricResult, Setting, SettingMaps, Trial
from entryprune.report.figures.settings import (
    draw_hyperparameter_map,
    draw_pruning_metrics,
    draw_stopping,
    smooth_surface,
)

# -- pruning metrics -------------------------------------------------------------------------------

METRICS = [("gradient", True), ("gradient", False), ("magnitude", False)]
LABELS = ["gradient (E)", "gradient", "magnitude"]
VARIANTS = ("EntryPrune", "EntryPrune flex")


def results_of(datasets=("HAR",), variants=VARIANTS):
    return [
        MetricResult(dataset, variant, metric, has_entry_score, 80.0 + 3 * i + j, 1.5)
        for dataset in datasets
        for j, variant in enumerate(variants)
        for i, (metric, has_entry_score) in enumerate(METRICS)
    ]


def dots(axes):
    """Return the means by their row."""
    found = {}
    for container in axes.containers:
        line = container.lines[0]
        found.update(zip(line.get_ydata().tolist(), line.get_xdata().tolist(), strict=True))
    return [found.get(row) for row in range(len(METRICS))]


def test_each_data_set_and_variant_has_a_panel():
    figure = draw_pruning_metrics(results_of(("HAR", "SMK")))
    titles = {axes.get_title() for axes in figure.axes}
    assert titles == {f"{d}\n{v}" for d in ("HAR", "SMK") for v in VARIANTS}


def test_dots_are_the_means_in_the_order_of_the_labels():
    axes = draw_pruning_metrics(results_of()).axes[1]
    assert [label.get_text() for label in axes.get_yticklabels()] == LABELS
    assert dots(axes) == [81.0, 84.0, 87.0]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]


def test_error_bars_are_one_standard_deviation_each_way():
    axes = draw_pruning_metrics(results_of()).axes[0]
    (bars,) = axes.containers[0].lines[2]
    assert bars.get_segments()[0][:, 0].tolist() == [78.5, 81.5]


def test_entry_scores_are_told_by_shape_and_filling(legend_texts):
    figure = draw_pruning_metrics(results_of())
    with_score, without = (container.lines[0] for container in figure.axes[0].containers)
    assert with_score.get_marker() != without.get_marker()
    assert without.get_markerfacecolor() == "white" != with_score.get_markerfacecolor()
    assert legend_texts(figure) == ["with an entry score (E)", "without"]


def test_variants_of_a_data_set_have_one_scale_and_data_sets_their_own():
    figure = draw_pruning_metrics(results_of(("HAR", "SMK")))
    panels = {axes.get_title(): axes for axes in figure.axes}
    har, har_flex = (panels[f"HAR\n{variant}"] for variant in VARIANTS)
    assert har.get_shared_x_axes().joined(har, har_flex)
    assert not har.get_shared_x_axes().joined(har, panels["SMK\nEntryPrune"])


@pytest.mark.parametrize("mean", [None, float("nan")])
def test_a_missing_result_leaves_its_row_empty(mean):
    results = [*results_of()[1:], MetricResult("HAR", "EntryPrune", "gradient", True, mean)]
    figure = draw_pruning_metrics(results)
    panel = next(axes for axes in figure.axes if axes.get_title() == "HAR\nEntryPrune")
    labels = [label.get_text() for label in panel.get_yticklabels()]
    assert sorted(labels) == sorted(LABELS)
    assert dots(panel)[labels.index("gradient (E)")] is None


def test_a_panel_without_results_says_so():
    results = results_of(("HAR",)) + results_of(("SMK",), VARIANTS[:1])
    panels = {axes.get_title(): axes for axes in draw_pruning_metrics(results).axes}
    assert [text.get_text() for text in panels["SMK\nEntryPrune flex"].texts] == ["no results"]


def test_axes_are_named():
    axes = draw_pruning_metrics(results_of()).axes
    assert [panel.get_ylabel() for panel in axes] == ["pruning metric"] * 2
    assert axes[1].get_xlabel() == "accuracy (%)"


def test_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_pruning_metrics(results_of()[:1]))
    nothing_is_cut_off(draw_pruning_metrics(results_of(many[0])))


# -- candidate ratio and mini-batches of a rotation ------------------------------------------------

MARKED = [(0.2, 100), (0.5, 5)]


def draw_maps(*arguments, **more):
    return draw_hyperparameter_map(SettingMaps(*arguments, **more))


def settings_of(n=20, seed=0):
    rng = np.random.default_rng(seed)
    ratios, batches = rng.uniform(0.01, 1, n), rng.integers(1, 151, n)
    values = 90 - 10 * (ratios - 0.3) ** 2 - 5 * (batches / 150 - 0.6) ** 2
    return [Setting(*one) for one in zip(ratios.tolist(), batches.tolist(), values, strict=True)]


def maps(figure):
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def colour_bars(figure):
    return [axes for axes in figure.axes if axes.get_label() == "<colorbar>"]


def has_surface(axes):
    return any(isinstance(found, QuadContourSet) for found in axes.collections)


def map_dots(axes):
    """Return the points that are filled by a value."""
    (found,) = [
        one
        for one in axes.collections
        if not isinstance(one, QuadContourSet) and one.get_array() is not None
    ]
    return found


def test_each_data_set_has_a_map_with_a_colour_bar():
    figure = draw_maps({"HAR": settings_of(), "ARCENE": settings_of(seed=1)})
    assert [axes.get_title() for axes in maps(figure)] == ["HAR", "ARCENE"]
    assert [bar.get_ylabel() for bar in colour_bars(figure)] == ["accuracy (%)"] * 2
    assert all(has_surface(axes) for axes in maps(figure))
    assert maps(figure)[0].get_ylabel() == "mini-batches per rotation"
    assert [axes.get_xlabel() for axes in maps(figure)] == ["candidate ratio"] * 2


def test_points_are_at_their_setting_and_filled_by_their_accuracy():
    settings = settings_of()
    points = map_dots(maps(draw_maps({"HAR": settings}))[0])
    expected = [(one.candidate_ratio, one.batches_per_rotation) for one in settings]
    assert points.get_offsets().tolist() == pytest.approx(np.array(expected))
    assert points.get_array().tolist() == [one.accuracy for one in settings]


def test_marked_settings_have_a_square_around_them(legend_texts):
    figure = draw_maps({"HAR": settings_of()}, marked=MARKED)
    squares = [
        one
        for one in maps(figure)[0].collections
        if one.get_offsets().tolist() == [list(pair) for pair in MARKED]
    ]
    assert len(squares) == 2  # a white and a black outline
    assert all(square.get_facecolor().size == 0 for square in squares)
    assert "setting of the paper" in legend_texts(figure)
    assert "setting of the paper" not in legend_texts(draw_maps({"HAR": settings_of()}))


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_accuracies_are_left_out_of_a_map(missing):
    settings = [*settings_of(), Setting(0.5, 5, missing)]
    assert len(map_dots(maps(draw_maps({"HAR": settings}))[0]).get_offsets()) == 20


@pytest.mark.parametrize(
    "settings",
    [settings_of(1), settings_of(3), [Setting(0.5, n, 80.0 + n) for n in range(1, 9)]],
    ids=["one", "three", "one ratio"],
)
def test_too_little_for_a_surface_shows_the_points_alone(settings):
    (axes,) = maps(draw_maps({"HAR": settings}, marked=MARKED))
    assert not has_surface(axes)
    assert len(map_dots(axes).get_offsets()) == len(settings)


def test_equal_accuracies_are_drawn_too():
    settings = [
        Setting(one.candidate_ratio, one.batches_per_rotation, 80.0) for one in settings_of()
    ]
    figure = draw_maps({"HAR": settings})
    figure.draw_without_rendering()
    assert has_surface(maps(figure)[0])


def test_a_data_set_without_results_says_so():
    figure = draw_maps({"HAR": [], "SMK": [Setting(0.2, 5, None)]}, marked=MARKED)
    assert [axes.texts[0].get_text() for axes in maps(figure)] == ["no results"] * 2
    assert colour_bars(figure) == []


def test_no_data_set_is_refused():
    with pytest.raises(ValueError, match="no settings"):
        draw_maps({})


def test_maps_of_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_maps({"HAR": settings_of()}, marked=MARKED))
    settings = {name: settings_of(3, i) for i, name in enumerate(many[0][:7])}
    nothing_is_cut_off(draw_maps(settings, marked=MARKED))


# -- the surface --------------------------------------------------------------------------------


def test_the_surface_follows_the_values_over_the_rectangle_of_the_points():
    settings = settings_of(40)
    points = np.array([(one.candidate_ratio, one.batches_per_rotation) for one in settings])
    values = np.array([one.accuracy for one in settings])
    x, y, z = smooth_surface(points, values)
    assert (x[0], x[-1]) == pytest.approx((points[:, 0].min(), points[:, 0].max()))
    assert (y[0], y[-1]) == pytest.approx((points[:, 1].min(), points[:, 1].max()))
    expected = 90 - 10 * (x - 0.3) ** 2 - 5 * (y[:, np.newaxis] / 150 - 0.6) ** 2
    assert np.abs(z - expected).max() < 0.5


def test_the_surface_smooths_noise():
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(60, 2))
    _, _, z = smooth_surface(points, 5.0 + rng.normal(size=60))
    assert z.std() < 0.5


def test_the_surface_is_the_same_each_time():
    points = np.random.default_rng(1).uniform(size=(15, 2))
    first, second = (smooth_surface(points, points.sum(axis=1))[2] for _ in range(2))
    assert (first == second).all()


# -- stopping rules --------------------------------------------------------------------------------

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
def test_trials_without_an_accuracy_are_left_out(missing):
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


def test_no_trials_are_refused():
    with pytest.raises(ValueError, match="no trials"):
        draw_stopping([])


def test_trials_of_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_stopping(trials_of()[:1]))
    nothing_is_cut_off(draw_stopping(trials_of(many[0][:6], n=5)))
