"""What different measures make of linear, interaction and noise features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from entryprune.report.layout import by_key, draw_bar, in_order, number, panel_grid
from entryprune.report.style import NORMAL, dress, looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Measure:
    """One measure's mean over the features of one kind.

    Attributes
    ----------
    panel : str
        The measure, such as "gradient metric" or "entry score".
    kind : str
        "linear", "interaction" or "noise".
    mean, sd : float or None
        Mean and standard deviation over the runs; None if not known.
    """

    panel: str
    kind: str
    mean: float | None
    sd: float | None = None


def draw_regrowth(measures: Sequence[Measure]) -> Figure:
    """Draw a panel for each measure with a bar for each kind of feature.

    Parameters
    ----------
    measures : sequence of Measure
        Each a bar with an error bar of one standard deviation; a missing one leaves a gap.

    Returns
    -------
    figure : matplotlib.figure.Figure
        Each panel has a scale of its own.

    Examples
    --------
    >>> figure = draw_regrowth([Measure("entry score", "linear", 0.4, 0.1)])
    >>> figure.axes[0].get_title()
    'entry score'
    """
    found = by_key(measures, lambda measure: (measure.panel, measure.kind), "measures")
    names = in_order(measure.panel for measure in measures)
    by_kind = looks(measure.kind for measure in measures)
    grid = panel_grid(len(names), panel_size=(2.4, 2.3))
    for axes, name in zip(grid.panels, names, strict=True):
        dress(axes)
        axes.set_title(name, fontsize=NORMAL, parse_math=False)
        for x, (kind, look) in enumerate(by_kind.items()):
            measure = found.get((name, kind))
            if measure is not None:
                mean, sd = number(measure.mean), number(measure.sd)
                draw_bar(axes, look, x=x, width=0.65, height=mean, error=sd)
        axes.set_xticks(range(len(by_kind)), list(by_kind), parse_math=False)
        axes.set_xlim(-0.6, len(by_kind) - 0.4)
        axes.tick_params(axis="x", length=0)
        if any(number(found[key].mean) < 0 for key in found if key[0] == name):
            axes.axhline(0, color="black", linewidth=0.8)
    has_errors = any(not math.isnan(number(measure.sd)) for measure in measures)
    grid.label("kind of feature", "mean ± SD" if has_errors else "mean")
    return grid.figure
