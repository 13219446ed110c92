"""From a study's numbers to tables and pictures on disk."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune._files import write_text
from entryprune.bench.studies import STUDIES, Scope, Study
from entryprune.report.table import Table, to_csv, to_markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from entryprune.bench.records import Record

FORMATS: dict[str, Callable[[Table], str]] = {"markdown": to_markdown, "csv": to_csv}
_N_SAMPLES = 11


def write_study(
    study: Study, scope: Scope, records: Mapping[str, Record], folder: Path, data: Path | None
) -> list[Path]:
    """Write a study's tables as CSV and Markdown, and its figures as PNG and SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, data_of_table in study.tables(scope, records).items():
        table = Table(**data_of_table)
        for ending, to_text in (("csv", to_csv), ("md", to_markdown)):
            written.append(folder / f"{name}.{ending}")
            write_text(written[-1], to_text(table))
    for name in study.figures:
        written += write_figure(name, scope, records, folder / name, data)
    return written


def write_figure(
    name: str, scope: Scope, records: Mapping[str, Record], stem: Path, data: Path | None
) -> tuple[Path, Path]:
    """Draw a figure from the records alone (and, for masks, sample images of the data set)."""
    try:
        from entryprune.report.style import save_figure
    except ImportError as error:
        raise ImportError(
            f"Figures need matplotlib, which is not installed ({error}). Install it with: "
            f"pip install 'entryprune[bench]'"
        ) from error
    study = next(study for study in STUDIES.values() if name in study.figures)
    points = study.points(scope, records)
    if not _has_any(points):
        raise ValueError(
            f"The store has no results for the figure {name!r} with these data sets and methods. "
            f"Run them first: entryprune bench study {study.name}"
        )
    stem.parent.mkdir(parents=True, exist_ok=True)
    return save_figure(_DRAWINGS[name](points, data), stem)


def figure_names() -> list[str]:
    """Return the names of all figures."""
    return [name for study in STUDIES.values() for name in study.figures]


def _has_any(points: Mapping[str, Any]) -> bool:
    return any(
        _has_any(value) if isinstance(value, Mapping) else bool(value)
        for name, value in points.items()
        if name != "marked"
    )


def _made(kind: type, rows: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Return rows as what a figure wants them to be, without what it does not ask for."""
    names = {field.name for field in fields(kind)}
    return [kind(**{name: value for name, value in row.items() if name in names}) for row in rows]


def _accuracy_by_k(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.accuracy_by_k import Point, draw_accuracy_by_k

    del data
    return draw_accuracy_by_k(
        _made(Point, points["points"]),
        reference=points["reference"],
        published=_made(Point, points["published"]),
        n_features=points["n_features"],
    )


def _average_accuracy(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.average_accuracy import Average, draw_average_accuracy

    del data
    means: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for point in points["points"]:
        if point["mean"] is not None:
            means[point["dataset"], point["method"]][point["k"]] = point["mean"]
    # An average over other K is another thing, so what lacks one of most K has no dot.
    ks = max((sorted(by_k) for by_k in means.values()), key=len, default=[])
    averages = [
        Average(*names, statistics.fmean(by_k.values()))
        for names, by_k in means.items()
        if sorted(by_k) == ks
    ]
    return draw_average_accuracy(averages, ks)


def _speed(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.run_time import Timing, draw_run_time

    del data
    return draw_run_time(_made(Timing, points["timings"]))


def _metrics(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.pruning_metrics import MetricResult, draw_pruning_metrics

    del data
    return draw_pruning_metrics(_made(MetricResult, points["results"]))


def _hyperparameters(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.hyperparameter_map import Setting, draw_hyperparameter_map

    del data
    return draw_hyperparameter_map(
        {dataset: _made(Setting, rows) for dataset, rows in points["settings"].items()},
        points["marked"],
    )


def _stability(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.stability import Stability, draw_stability

    del data
    return draw_stability(_made(Stability, points["stabilities"]))


def _stopping(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.stopping import Trial, draw_stopping

    del data
    return draw_stopping(_made(Trial, points["trials"]))


def _regrowth(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.regrowth import Measure, draw_regrowth

    del data
    return draw_regrowth(_made(Measure, points["measures"]))


def _convergence(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.convergence import Run, draw_convergence

    del data
    return draw_convergence(Run(**points["run"]))


def _critical_difference(points: Mapping[str, Any], data: Path | None) -> Figure:
    from entryprune.report.figures.critical_difference import RankPanel, draw_critical_difference

    del data
    return draw_critical_difference(_made(RankPanel, points["panels"]))


def _masks(points: Mapping[str, Any], data: Path | None) -> Figure:
    import numpy as np

    from entryprune.data import load_dataset
    from entryprune.report.figures.masks import MaskPanel, draw_masks

    dataset = load_dataset(points["dataset"], folder=data)
    if dataset.image_shape is None:
        raise ValueError(
            f"Masks need a data set of images, and {dataset.title} is not known to be one."
        )
    # The first of each class, so that the samples differ.
    firsts = np.sort(np.unique(dataset.y, return_index=True)[1])[:_N_SAMPLES]
    samples = np.asarray(dataset.X[firsts], dtype=float)
    samples = (samples - dataset.X.min()) / (float(dataset.X.max()) - float(dataset.X.min()))
    panels = []
    for panel in points["panels"]:
        mask = np.zeros(dataset.X.shape[1], dtype=bool)
        mask[panel["selected"]] = True
        panels.append(MaskPanel(panel["title"], panel["accuracy"], mask))
    return draw_masks(panels, samples, dataset.image_shape)


_DRAWINGS: dict[str, Callable[[Mapping[str, Any], Path | None], Any]] = {
    "accuracy-by-k": _accuracy_by_k,
    "average-accuracy": _average_accuracy,
    "speed": _speed,
    "metrics": _metrics,
    "hyperparameters": _hyperparameters,
    "stability": _stability,
    "stopping": _stopping,
    "regrowth": _regrowth,
    "convergence": _convergence,
    "masks": _masks,
    "critical-difference": _critical_difference,
}
