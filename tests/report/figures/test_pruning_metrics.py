import pytest

from entryprune.report.figures.pruning_metrics import draw_pruning_metrics
from entryprune.report.figures.rows import MetricResult

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
