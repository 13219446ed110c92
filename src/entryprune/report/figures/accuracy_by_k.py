"""Accuracy against the number of selected features, a panel a data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from entryprune.report.layout import (
    by_key,
    in_order,
    legend_below,
    line_handles,
    number,
    offsets,
    panel_grid,
    say_empty,
)
from entryprune.report.style import NORMAL, Look, dress, looks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Share of the distance between two K over which the methods are spread, or bars hide each other.
_SPREAD = 0.45
_REFERENCE, _PUBLISHED = "all features", "published (hollow)"
_REFERENCE_STYLE: dict[str, Any] = {"color": "0.3", "linestyle": (0, (7, 3)), "linewidth": 1.0}


@dataclass(frozen=True)
class Point:
    """One method's accuracy on one data set with one K.

    Attributes
    ----------
    dataset, method : str
        As they are to be written.
    k : int
        Number of selected features.
    mean, sd : float or None
        Accuracy in per cent and its standard deviation over the runs; None if not known.
    n : int
        Number of runs.
    """

    dataset: str
    method: str
    k: int
    mean: float | None
    sd: float | None = None
    n: int = 1


# One data set's points, by method and K.
_Points = dict[tuple[str, int], Point]


def draw_accuracy_by_k(
    points: Sequence[Point],
    *,
    reference: Mapping[str, float] | None = None,
    published: Sequence[Point] = (),
    n_features: Mapping[str, int] | None = None,
) -> Figure:
    """Draw accuracy against K, with a panel for each data set.

    Parameters
    ----------
    points : sequence of Point
        Drawn with error bars of one standard deviation. Lines break where a K is missing.
    reference : mapping of str to float, optional
        Accuracy in per cent with all features, by data set: a horizontal line.
    published : sequence of Point, default=()
        Results of others with the same methods: hollow markers.
    n_features : mapping of str to int, optional
        Number of all features, by data set: the title then tells which share of them the
        panel's largest K is.

    Returns
    -------
    figure : matplotlib.figure.Figure
        With one legend for all panels below them.

    Examples
    --------
    >>> points = [Point("MNIST", "EntryPrune", k, 90 + k / 20, 0.3, 5) for k in (25, 50, 100)]
    >>> figure = draw_accuracy_by_k(points, n_features={"MNIST": 784})
    >>> figure.axes[0].get_title()
    'MNIST (12.8 %)'
    """
    ours = by_key(points, _key, "points")
    theirs = by_key(published, _key, "published points") if published else {}
    reference, n_features = reference or {}, n_features or {}
    everything = [*points, *published]
    datasets = in_order(point.dataset for point in everything)
    by_method = looks(point.method for point in everything)
    handles = line_handles(by_method)
    if reference:
        handles.append(Line2D([], [], label=_REFERENCE, **_REFERENCE_STYLE))
    if published:
        handles.append(_published_handle())
    grid = panel_grid(len(datasets), [str(handle.get_label()) for handle in handles])
    for axes, dataset in zip(grid.panels, datasets, strict=True):
        ks = sorted({point.k for point in everything if point.dataset == dataset})
        dress(axes)
        if dataset in reference:
            axes.axhline(reference[dataset], **_REFERENCE_STYLE)
        _draw_panel(axes, ks, by_method, _of(dataset, ours), _of(dataset, theirs))
        share = f" ({_share(ks[-1], n_features[dataset])})" if dataset in n_features else ""
        axes.set_title(f"{dataset}{share}", fontsize=NORMAL, parse_math=False)
    grid.label("number of selected features K", "accuracy (%)")
    legend_below(grid.figure, handles)
    return grid.figure


def _draw_panel(
    axes: Axes,
    ks: Sequence[int],
    by_method: Mapping[str, Look],
    ours: _Points,
    theirs: _Points,
) -> None:
    gap = float(np.diff(ks).min()) if len(ks) > 1 else 1.0
    is_empty = True
    for shift, (method, look) in zip(
        offsets(len(by_method), _SPREAD * gap), by_method.items(), strict=True
    ):
        x = np.array(ks) + shift
        means, sds = _values(ours, method, ks)
        if np.isfinite(means).any():
            is_empty = False
            axes.errorbar(
                x,
                means,
                yerr=sds,
                color=look.colour,
                marker=look.marker,
                linestyle=look.line,
                label=method,
                markersize=4,
                linewidth=1.1,
                elinewidth=0.8,
                capsize=1.5,
            )
        means, _ = _values(theirs, method, ks)
        if np.isfinite(means).any():
            is_empty = False
            axes.plot(
                x,
                means,
                color=look.colour,
                marker=look.marker,
                linestyle="none",
                label=f"{method}, published",
                markersize=6,
                markerfacecolor="none",
                markeredgewidth=1.0,
            )
    axes.set_xticks(ks, [str(k) for k in ks])
    axes.set_xlim(ks[0] - 0.6 * gap, ks[-1] + 0.6 * gap)
    if is_empty:
        say_empty(axes)


def _values(points: _Points, method: str, ks: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    found = [points.get((method, k)) for k in ks]
    means = np.array([number(point.mean if point else None) for point in found])
    return means, np.array([number(point.sd if point else None) for point in found])


def _of(dataset: str, points: Mapping[tuple[str, str, int], Point]) -> _Points:
    return {(method, k): point for (name, method, k), point in points.items() if name == dataset}


def _published_handle() -> Artist:
    return Line2D(
        [],
        [],
        color="black",
        marker="o",
        linestyle="none",
        markersize=6,
        markerfacecolor="none",
        label=_PUBLISHED,
    )


def _key(point: Point) -> tuple[str, str, int]:
    return point.dataset, point.method, point.k


def _share(k: int, n_features: int) -> str:
    percent = 100 * k / n_features
    return f"{percent:.1f} %" if percent >= 0.05 else "below 0.1 %"
