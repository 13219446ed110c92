import numpy as np
import pytest
from matplotlib.contour import QuadContourSet

from entryprune.report.figures.algorithm import (
    draw_convergence,
    draw_hyperparameter_map,
    draw_masks,
    draw_pruning_metrics,
    draw_stopping,
    smooth_surface,
)
from entryprune.report.figures.rows import (
    MaskPanel,
    MaskPanels,
    MetricResult,
    Run,
    Setting,
    SettingMaps,
    Trial,
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


def test_axes_of_a_run_are_named():
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


# Two images of 2 x 3 grey pixels.
SAMPLES = np.array([[0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [1.0, 0.9, 0.7, 0.3, 0.1, 0.0]])
MASK = np.array([True, False, False, False, True, False])


def draw(*arguments):
    return draw_masks(MaskPanels(*arguments))


def tiles(figure, shape, panel=0):
    """Cut a panel's picture up again, row by row."""
    picture = figure.axes[panel].images[0].get_array()
    height, width = shape
    return [
        picture[top : top + height, left : left + width]
        for top in range(0, picture.shape[0], height + 1)
        for left in range(0, picture.shape[1], width + 1)
    ]


def test_the_mask_comes_first_with_the_selected_pixels_white():
    figure = draw([MaskPanel("STG", 90.0, MASK)], SAMPLES, (2, 3))
    mask = tiles(figure, (2, 3))[0]
    assert mask[:, :, 0].tolist() == [[1, 0, 0], [0, 1, 0]]
    assert (mask == mask[:, :, :1]).all()


def test_samples_show_the_selected_pixels_and_grey_elsewhere():
    figure = draw([MaskPanel("STG", 90.0, MASK)], SAMPLES, (2, 3))
    first, second = (tile[:, :, 0].tolist() for tile in tiles(figure, (2, 3))[1:3])
    assert first == [[0.0, 0.5, 0.5], [0.5, 0.8, 0.5]]
    assert second == [[1.0, 0.5, 0.5], [0.5, 0.1, 0.5]]


def test_colour_images_are_selected_by_pixel_and_channel():
    # One row of two pixels: red of the first, and green and blue of the second.
    mask = np.array([True, False, False, True, False, True])
    sample = np.array([[0.9, 0.8, 0.7, 0.6, 0.2, 0.1]])
    figure = draw([MaskPanel("STG", None, mask)], sample, (3, 1, 2))
    shown, seen = tiles(figure, (1, 2))
    assert shown.tolist() == [[[1, 0, 0], [0, 1, 1]]]
    assert seen.tolist() == [[[0.9, 0.5, 0.5], [0.5, 0.6, 0.1]]]


def test_each_method_has_a_panel_with_its_accuracy_if_known():
    panels = [MaskPanel("EntryPrune", 96.27, MASK), MaskPanel("STG", None, ~MASK)]
    figure = draw(panels, SAMPLES, (2, 3))
    assert [axes.get_title() for axes in figure.axes] == ["EntryPrune: 96.3 %", "STG"]
    assert tiles(figure, (2, 3), panel=1)[0][:, :, 0].tolist() == [[0, 1, 1], [1, 0, 1]]


def test_what_black_white_and_grey_mean_is_told():
    figure = draw([MaskPanel("STG", 90.0, MASK)], SAMPLES, (2, 3))
    assert "mask" in figure.get_supxlabel()


def test_missing_and_odd_values_do_not_crash():
    samples = np.array([[np.nan, 0.2, 0.4, 0.6, 7.0, 1.0]])
    figure = draw([MaskPanel("STG", 90.0, MASK)], samples, (2, 3))
    assert tiles(figure, (2, 3))[1][:, :, 0].tolist() == [[0.5, 0.5, 0.5], [0.5, 1.0, 0.5]]


def test_no_samples_show_the_mask_alone():
    figure = draw([MaskPanel("STG", 90.0, MASK)], np.empty((0, 6)), (2, 3))
    assert len(tiles(figure, (2, 3))) == 1


@pytest.mark.parametrize(
    ("panels", "samples", "shape", "message"),
    [
        ([], SAMPLES, (2, 3), "no panels"),
        ([MaskPanel("STG", 90.0, MASK[:5])], SAMPLES, (2, 3), r"'STG' has the shape \(5,\)"),
        ([MaskPanel("STG", 90.0, MASK)], SAMPLES[:, :5], (2, 3), r"\(n_samples, 6\); got \(2, 5\)"),
        ([MaskPanel("STG", 90.0, MASK)], SAMPLES[0], (2, 3), "samples must have the shape"),
        ([MaskPanel("STG", 90.0, MASK)], SAMPLES, (2, 3, 1), r"shape must be .* got \(2, 3, 1\)"),
    ],
)
def test_what_does_not_fit_is_refused(panels, samples, shape, message):
    with pytest.raises(ValueError, match=message):
        draw(panels, samples, shape)


def test_the_callers_arrays_stay_as_they_are():
    samples, mask = SAMPLES.copy(), MASK.copy()
    draw([MaskPanel("STG", 90.0, mask)], samples, (2, 3))
    assert (samples == SAMPLES).all()
    assert (mask == MASK).all()


def test_few_and_many_masks_fit(nothing_is_cut_off, many):
    rng = np.random.default_rng(0)
    mask = rng.random(784) < 0.03
    samples = rng.random((8, 784))
    panels = [MaskPanel(method, 90.0, mask) for method in many[1]]
    for n_panels, n_samples in ((1, 0), (1, 8), (2, 2), (4, 3), (4, 8), (12, 5)):
        nothing_is_cut_off(draw(panels[:n_panels], samples[:n_samples], (28, 28)))
