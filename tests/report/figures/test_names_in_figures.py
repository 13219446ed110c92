"""A name is shown as it is, whatever it looks like."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from entryprune.report.figures.accuracy import (
    draw_accuracy_by_k,
    draw_average_accuracy,
    draw_critical_difference,
)
from entryprune.report.figures.algorithm import (
    draw_hyperparameter_map,
    draw_masks,
    draw_pruning_metrics,
    draw_stopping,
)
from entryprune.report.figures.bars import draw_regrowth, draw_run_time, draw_stability
from entryprune.report.figures.rows import (
    Accuracies,
    MaskPanel,
    MaskPanels,
    Measure,
    MetricResult,
    Point,
    RankPanel,
    Setting,
    SettingMaps,
    Stability,
    Timing,
    Trial,
)
from entryprune.report.style import svg_bytes

FIGURES = {
    "accuracy_by_k": lambda a, b: draw_accuracy_by_k(Accuracies([Point(a, b, 5, 90.0, 1.0)])),
    "average_accuracy": lambda a, b: draw_average_accuracy(Accuracies([Point(a, b, 50, 90.0)])),
    "critical_difference": lambda a, b: draw_critical_difference([RankPanel(a, {b: 1.0})]),
    "hyperparameter_map": lambda a, b: draw_hyperparameter_map(
        SettingMaps({a: [Setting(0.1, 9, 90.0)], b: [Setting(0.1, 9, 90.0)]})
    ),
    "masks": lambda a, b: draw_masks(
        MaskPanels([MaskPanel(a + b, 90.0, [True])], np.ones((1, 1)), (1, 1))
    ),
    "pruning_metrics": lambda a, b: draw_pruning_metrics([MetricResult(a, "flex", b, False, 90.0)]),
    "regrowth": lambda a, b: draw_regrowth([Measure(a, b, 0.5)]),
    "run_time": lambda a, b: draw_run_time([Timing(a, b, 5.0)]),
    "stability": lambda a, b: draw_stability([Stability(a, b, 0.5, 5)]),
    "stopping": lambda a, b: draw_stopping([Trial(a, b, 5, 90.0)]),
}


def texts(figure):
    root = ET.fromstring(svg_bytes(figure))
    return ["".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
@pytest.mark.parametrize("names", [("$x$", r"$\nonsense{$"), ("_y", "_z$ $")])
def test_names_are_no_formulas_and_are_not_hidden(draw, names):
    shown = " ".join(texts(draw(*names)))
    for name in names:
        assert name in shown


def test_numbers_on_a_log_axis_are_still_set_as_powers():
    shown = texts(draw_run_time([Timing("MNIST", "STG", 5.0)]))
    assert not [text for text in shown if "$" in text or "mathdefault" in text]
