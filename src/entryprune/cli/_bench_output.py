"""From a study's numbers to tables and pictures on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune._files import write_text
from entryprune.bench.studies import STUDIES, Scope, Study
from entryprune.report.table import Table, to_csv, to_markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from entryprune.bench.store import Record

FORMATS: dict[str, Callable[[Table], str]] = {"markdown": to_markdown, "csv": to_csv}


def write_study(
    study: Study, scope: Scope, records: Mapping[str, Record], folder: Path
) -> list[Path]:
    """Write a study's tables as CSV and Markdown, and its figures as PNG and SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in study.tables(scope, records).items():
        for ending, to_text in (("csv", to_csv), ("md", to_markdown)):
            written.append(folder / f"{name}.{ending}")
            write_text(written[-1], to_text(table))
    for name in study.figures:
        written += write_figure(name, scope, records, folder / name)
    return written


def write_figure(
    name: str, scope: Scope, records: Mapping[str, Record], stem: Path
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
    if not points:
        raise ValueError(
            f"The store has no results for the figure {name!r} with these data sets and methods. "
            f"Run them first: entryprune bench study {study.name}"
        )
    stem.parent.mkdir(parents=True, exist_ok=True)
    return save_figure(_drawings()[name](points), stem)


def figure_names() -> list[str]:
    """Return the names of all figures."""
    return [name for study in STUDIES.values() for name in study.figures]


def _drawings() -> dict[str, Callable[[Any], Figure]]:
    """Return by figure what draws a study's points; imported late because of matplotlib."""
    from entryprune.report.figures import accuracy, algorithm, bars

    return {
        "accuracy-by-k": accuracy.draw_accuracy_by_k,
        "average-accuracy": accuracy.draw_average_accuracy,
        "speed": bars.draw_run_time,
        "metrics": algorithm.draw_pruning_metrics,
        "hyperparameters": algorithm.draw_hyperparameter_map,
        "stability": bars.draw_stability,
        "stopping": algorithm.draw_stopping,
        "regrowth": bars.draw_regrowth,
        "convergence": algorithm.draw_convergence,
        "masks": algorithm.draw_masks,
        "critical-difference": accuracy.draw_critical_difference,
    }
