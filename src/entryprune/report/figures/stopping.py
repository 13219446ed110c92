"""Accuracy against the patience or length that a stopping criterion is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from entryprune.report.layout import in_order, legend_below, legend_height, number, say_empty
from entryprune.report.style import NORMAL, dress, new_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from entryprune.report.figures.rows import Trial

    FloatArray = NDArray[np.float64]

_X_LABELS = {
    "epochs": "epochs",
    "ident": "patience (rotations)",
    "validation": "patience (rotations)",
}
# Distinct values below which a smooth line would only be the points joined up.
_LEAST_VALUES = 4
_PANEL = (2.6, 2.0)
_DOT: dict[str, Any] = {
    "color": "#332288",
    "marker": "o",
    "markersize": 3.5,
    "linestyle": "none",
    "alpha": 0.8,
}
_LINE: dict[str, Any] = {"color": "#CC6677", "linewidth": 2.0}
_DOT_LABEL, _LINE_LABEL = "a setting", "LOWESS"


def draw_stopping(trials: Sequence[Trial]) -> Figure:
    """Draw a row of panels for each data set with a column for each criterion.

    Each trial is a point; with four or more distinct values a LOWESS line goes through them.
    """
    if not trials:
        raise ValueError("There are no trials, so there is nothing to draw. Give at least one.")
    datasets = in_order(trial.dataset for trial in trials)
    criteria = in_order(trial.criterion for trial in trials)
    width = max(4.5, _PANEL[0] * len(criteria))
    height = _PANEL[1] * len(datasets) * (1.4 if len(datasets) == 1 else 1.0)
    figure = new_figure(width, height + legend_height([_DOT_LABEL, _LINE_LABEL], width))
    panels = figure.subplots(
        len(datasets), len(criteria), sharex="col", sharey="row", squeeze=False
    )
    for row, dataset in enumerate(datasets):
        for column, criterion in enumerate(criteria):
            axes = panels[row, column]
            dress(axes)
            axes.set_title(f"{dataset}: {criterion}", fontsize=NORMAL, parse_math=False)
            _draw_panel(
                axes, [t for t in trials if (t.dataset, t.criterion) == (dataset, criterion)]
            )
            if column == 0:
                axes.set_ylabel("accuracy (%)", fontsize=NORMAL)
            if row == len(datasets) - 1:
                label = _X_LABELS.get(criterion.casefold(), criterion)
                axes.set_xlabel(label, fontsize=NORMAL, parse_math=False)
    legend_below(
        figure,
        [Line2D([], [], label=_DOT_LABEL, **_DOT), Line2D([], [], label=_LINE_LABEL, **_LINE)],
    )
    return figure


def _draw_panel(axes: Axes, trials: Sequence[Trial]) -> None:
    x = np.array([number(trial.value) for trial in trials])
    y = np.array([number(trial.accuracy) for trial in trials])
    is_known = np.isfinite(x) & np.isfinite(y)
    x, y = x[is_known], y[is_known]
    if not len(x):
        say_empty(axes)
        return
    axes.plot(x, y, label=_DOT_LABEL, **_DOT)
    if len(np.unique(x)) >= _LEAST_VALUES:
        axes.plot(*_smooth(x, y), label=_LINE_LABEL, **_LINE)


def _smooth(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    # The only use of this package, which takes long to import.
    from statsmodels.nonparametric.smoothers_lowess import lowess

    # The usual two thirds of the points, but never fewer than four at a time.
    share = max(2 / 3, min(1.0, 4 / len(x)))
    # Where a point's neighbours all have its own value there is no slope, and NaN is the answer.
    with np.errstate(all="ignore"):
        line = np.asarray(lowess(y, x, frac=share), dtype=np.float64)
    line = line[np.isfinite(line).all(axis=1)]
    return line[:, 0], line[:, 1]
