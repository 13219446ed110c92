"""From a selection's data to the facts that its report tells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from entryprune.report._correlation import correlations, strongest_pairs
from entryprune.report._distributions import describe_feature
from entryprune.report._history import read_history
from entryprune.report._pairs import pairs_text
from entryprune.report._texts import capitalise, count_text, spread_text
from entryprune.report.run import data_facts, provenance_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entryprune.report.selection import SelectionReport, Validation

# Features that are compared with each other, correlation from which a pair is named, and pairs.
MOST_COMPARED, _LEAST_CORRELATION, _MOST_PAIRS = 200, 0.7, 10

Facts = dict[str, Any]


def summarise_selection(report: SelectionReport) -> Facts:
    """Return the facts of a selection as a dict that JSON can hold.

    Parameters
    ----------
    report : SelectionReport
        What is known.

    Returns
    -------
    facts : dict
        Texts, numbers, lists and dicts only; None for what is not known. ``pairs``,
        ``validation``, ``convergence``, ``growth``, ``distributions``, ``correlation`` and
        ``images`` are None where the report has no data for them.

    Examples
    --------
    >>> from entryprune.report import DataFacts, Provenance, Selected, SelectionReport
    >>> facts = summarise_selection(SelectionReport(
    ...     data=DataFacts(
    ...         file_name="a.csv", n_cases=99, n_features=1000, target="y", task="regression"
    ...     ),
    ...     n_selected=2,
    ...     method="EntryPrune",
    ...     selected=Selected(names=["radius", "area"], columns=[3, 5], scores=[0.5, 0.2]),
    ...     provenance=Provenance(command="entryprune select a.csv"),
    ... ))
    >>> facts["answer"]
    'Of 1,000 features, EntryPrune selected these 2 to predict “y”.'
    >>> facts["threshold"]
    0.2
    """
    features = _features(report)
    scores = [one["score"] for one in features if one["score"] is not None]
    meaning = report.selected.score_meaning
    return {
        "title": f"Selected features: {report.data.file_name}",
        "answer": _answer(report),
        "method": report.method,
        "n_asked": int(report.n_selected),
        "n_selected": len(report.selected.names),
        "ended": report.selected.ended,
        "seconds": _finite([report.selected.seconds])[0],
        "warnings": list(report.selected.warnings),
        "data": data_facts(report.data),
        "features": features,
        "score_name": report.selected.score_name,
        "score_meaning": meaning,
        "has_scores": bool(scores),
        "other_score_names": list(report.selected.other_scores),
        "has_near_duplicates": any(len(found) for found in report.selected.near_duplicates),
        "threshold": None if meaning else min(scores, default=None),
        "runners_up": _runners_up(report),
        "runners_up_note": report.selected.runners_up_note,
        "pairs": _pairs(report) if len(report.pairs) else None,
        "pairs_searched": _finite([report.pairs_searched])[0],
        "pairs_note": pairs_text(
            report.pairs_searched,
            n_found=len(report.pairs),
            n_selected=len(report.selected.names),
            is_interrupted=report.selected.ended == "interrupted",
        ),
        "validation": _validation(report.validation) if report.validation else None,
        "convergence": _convergence(report),
        "growth": _growth(report),
        "distributions": _distributions(report),
        "correlation": _correlation(report),
        "images": _images(report),
        "again": provenance_facts(report.provenance),
    }


def _answer(report: SelectionReport) -> str:
    n_selected = len(report.selected.names)
    these = "this one" if n_selected == 1 else f"these {n_selected:,}"
    return (
        f"Of {count_text(report.data.n_features, 'feature')}, {report.method} selected {these} to "
        f"predict “{report.data.target}”."
    )


def _features(report: SelectionReport) -> list[Facts]:
    selected = report.selected
    n_selected = len(selected.names)
    scores = _finite([None] * n_selected if selected.scores is None else selected.scores)
    others = {name: _finite(values) for name, values in selected.other_scores.items()}
    duplicates = selected.near_duplicates if len(selected.near_duplicates) else [()] * n_selected
    return [
        {
            "rank": i + 1,
            "name": str(selected.names[i]),
            "column": int(selected.columns[i]),
            "score": scores[i],
            "other_scores": {name: values[i] for name, values in others.items()},
            "near_duplicates": [
                {"name": str(name), "correlation": _finite([value])[0]}
                for name, value in duplicates[i]
            ],
        }
        for i in range(n_selected)
    ]


def _runners_up(report: SelectionReport) -> list[Facts]:
    first_rank = len(report.selected.names) + 1
    return [
        {"rank": rank, "name": str(name), "column": int(column), "score": _finite([score])[0]}
        for rank, (name, column, score) in enumerate(report.selected.runners_up, first_rank)
    ]


def _pairs(report: SelectionReport) -> list[Facts]:
    return [
        {
            "names": [str(name) for name in pair.names],
            "columns": [int(column) for column in pair.columns],
            "strength": _finite([pair.strength])[0],
            "p_value": _finite([pair.p_value])[0],
        }
        for pair in report.pairs
    ]


def _validation(rows: Sequence[Validation]) -> Facts:
    return {
        "rows": [
            {
                "what": row.what,
                "learner": row.learner,
                "metric": row.metric,
                "mean": _finite([row.mean])[0],
                "sd": _finite([row.sd])[0],
                "n_splits": int(row.n_splits),
                "n_repeats": int(row.n_repeats),
                "higher_is_better": bool(row.higher_is_better),
            }
            for row in rows
        ],
        "sentences": _scores_side_by_side(rows),
        "meaning": _meaning(rows[0]),
    }


def _scores_side_by_side(rows: Sequence[Validation]) -> list[str]:
    by_judge: dict[tuple[str, str], list[Validation]] = {}
    for row in rows:
        by_judge.setdefault((row.metric, row.learner), []).append(row)
    sentences = []
    for (metric, learner), ones in by_judge.items():
        scores = [f"{spread_text(row.mean, row.sd)} with {row.what}" for row in ones]
        better = "higher" if ones[0].higher_is_better else "lower"
        sentences.append(
            f"{capitalise(metric)} of {learner}: {', '.join(scores)} ({better} is better)."
        )
    return sentences


def _meaning(row: Validation) -> str:
    repeated = f", and all this {row.n_repeats} times" if row.n_repeats > 1 else ""
    return (
        f"The cases were split into {row.n_splits} parts (folds), and each part in turn was kept "
        f"aside for testing{repeated}. The selection was repeated inside each fold, without the "
        "cases kept aside. So the numbers estimate how a set selected this way does on new "
        "cases, not how this very set does. The number after ± is the standard deviation (SD) "
        "over the folds."
    )


def _convergence(report: SelectionReport) -> Facts | None:
    if report.history is None:
        return None
    history = read_history(report.history)
    if history.is_growth:
        return None
    search = history.n_changed[: history.n_search]
    changes = np.flatnonzero(search > 0)
    return {
        "n_rotations": len(history),
        "n_search": history.n_search,
        "n_final": len(history) - history.n_search,
        "first_n_changed": _finite(history.n_changed)[0],
        "last_n_changed": _finite(history.n_changed)[-1],
        "last_change": int(changes[-1]) + 1 if len(changes) else None,
        "last_training_loss": _finite(history.training_loss)[-1],
        "has_validation_loss": bool(np.isfinite(history.validation_loss).any()),
        "has_loss": bool(
            np.isfinite(history.training_loss).any() or np.isfinite(history.validation_loss).any()
        ),
        "has_threshold": bool(np.isfinite(history.min_entry_score).any()),
        "last_threshold": _finite(history.min_entry_score)[-1],
        "largest_input": _largest(history.input_size),
    }


def _growth(report: SelectionReport) -> Facts | None:
    """Tell how features took seats; nothing where there are no losses to tell of."""
    if report.history is None:
        return None
    history = read_history(report.history)
    losses = history.training_loss
    if not history.is_growth or not np.isfinite(losses).any():
        return None
    is_exchange, is_pair = (history.phase == phase for phase in ("exchange", "pairs"))
    n_seats = _whole(history.input_size)
    return {
        "n_seats": n_seats[-1],
        "n_steps": int(np.count_nonzero(history.phase == "growth")),
        "n_pairs": int(np.count_nonzero(is_pair)),
        "n_exchanges": int(np.count_nonzero(is_exchange)),
        "n_exchanged": int(np.nansum(history.n_changed[is_exchange])),
        "first_loss": _finite(losses)[0],
        "last_loss": _finite(losses)[-1],
        "seats_at_lowest": n_seats[int(np.nanargmin(losses))],
        "has_plot": bool(np.count_nonzero(np.isfinite(losses)) > 1),
    }


def _distributions(report: SelectionReport) -> list[Facts] | None:
    if report.cases is None or report.n_distributions < 1:
        return None
    values = np.asarray(report.cases.X, dtype=np.float64)
    names = report.selected.names[: report.n_distributions]
    return [
        {
            "rank": i + 1,
            "name": str(name),
            "text": describe_feature(values[:, i], report.cases.y, report.data.task),
        }
        for i, name in enumerate(names)
    ]


def _correlation(report: SelectionReport) -> Facts | None:
    if report.cases is None or len(report.selected.names) < 2:
        return None
    names = report.selected.names[:MOST_COMPARED]
    table = correlations(np.asarray(report.cases.X, dtype=np.float64)[:, :MOST_COMPARED])
    pairs = strongest_pairs(table, _LEAST_CORRELATION, _MOST_PAIRS)
    return {
        "n_compared": len(names),
        "least": _LEAST_CORRELATION,
        "pairs": [
            {
                "rank": i + 1,
                "name": str(names[i]),
                "other_rank": j + 1,
                "other_name": str(names[j]),
                "correlation": value,
            }
            for i, j, value in pairs
        ],
    }


def _images(report: SelectionReport) -> Facts | None:
    if report.images is None:
        return None
    samples = report.images.samples
    return {
        "shape": [int(size) for size in report.images.shape],
        "n_selected": int(np.count_nonzero(np.asarray(report.images.mask))),
        "n_samples": 0 if samples is None else len(np.asarray(samples)),
    }


def _whole(values: np.ndarray) -> list[int | None]:
    return [int(value) if math.isfinite(value) else None for value in values]


def _largest(values: np.ndarray) -> int | None:
    known = values[np.isfinite(values)]
    return int(known.max()) if len(known) else None


def _finite(values: Sequence[float | None] | np.ndarray) -> list[float | None]:
    """Return plain numbers, and None for what is missing or infinite."""
    numbers = [None if value is None else float(value) for value in values]
    return [value if value is not None and math.isfinite(value) else None for value in numbers]
