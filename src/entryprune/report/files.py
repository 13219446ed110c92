"""A selection as files for programs, without times or paths: again the same, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from entryprune._text import json_text, some_of
from entryprune.report.effects import EFFECT_NAMES
from entryprune.report.table import Table, defused, to_csv
from entryprune.report.text import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entryprune.report.selection import Feature, SelectionReport
    from entryprune.report.sureness import Sureness


def features_table(report: SelectionReport) -> Table:
    """Return the ranked features with all that is known of each; no text in it is a formula."""
    rows = report.rows()
    near = [named_duplicates(ones, len(ones)) for ones in report.near_duplicates]
    return defused(
        Table(
            "features",
            (*rows[0], "near_duplicates"),
            tuple((*row.values(), ones) for row, ones in zip(rows, near, strict=True)),
        )
    )


def features_tsv(report: SelectionReport) -> str:
    """Return the ranked features as TSV."""
    return to_csv(features_table(report), "\t")


def features_csv(report: SelectionReport) -> str:
    """Return the ranked features as CSV."""
    return to_csv(features_table(report))


def selection_json(report: SelectionReport) -> str:
    """Return all that is the same whenever it is asked again, as JSON."""
    data, selected, place = report.data, report.selected, report.data.place
    headline, curve = report.headline, report.k_curve
    content = {
        "table": data.file_name,
        "n_samples": data.n_samples,
        "n_features": data.n_features,
        "target": data.target,
        "task": data.task,
        "method": report.method_name or report.method,
        "k": report.k,
        "seed": report.provenance.seed,
        "settings": dict(report.provenance.settings),
        "threads": report.provenance.n_threads,
        "interrupted": report.is_interrupted,
        "notes": [*data.notes, *data.cautions, *selected.warnings],
        "version": report.provenance.versions.get("entryprune"),
        "verdict": headline.text if headline else None,
        "score": selected.score_unit or selected.score_name,
        "effect": EFFECT_NAMES[data.task],
        "selected": [
            {
                **row,
                "near_duplicates": [
                    {"feature": name, "correlation": value} for name, value in near
                ],
            }
            for row, near in zip(report.rows(), report.near_duplicates, strict=True)
        ],
        "runners_up": [_runner_up(report, one) for one in report.runners_up],
        "pairs": [
            {
                "names": list(one.names),
                f"{place}s": list(one.columns),
                "strength": one.strength,
                "p_value": one.p_value,
            }
            for one in report.pairs
        ],
        "pairs_searched": report.pairs_searched,
        "validation": [
            {
                "features": one.what,
                "learner": one.learner,
                "measure": one.metric,
                "mean": one.mean,
                "sd": one.sd,
                "folds": list(one.fold_scores),
                "guess": one.guess,
            }
            for one in report.validation
        ],
        "k_curve": None
        if curve is None
        else {
            "k": list(curve.ks),
            "score": list(curve.scores),
            "behind_error": list(curve.behind_errors),
            "measure": curve.measure,
            "best": curve.best,
            "enough": curve.parsimonious,
            "is_at_edge": curve.is_at_edge,
        },
    }
    if report.sureness is not None:
        content["stability"] = _sureness(report.sureness, place)
    return json_text(content, indent=1, ensure_ascii=False, default=_plain) + "\n"


def named_duplicates(ones: Sequence[tuple[str, float | None]], most: int) -> str:
    """Return near duplicates with their correlations in one text."""
    named = (f"{name} ({MISSING if value is None else f'{value:.3f}'})" for name, value in ones)
    return some_of(named, most, separator="; ", last="; and ")


def _runner_up(report: SelectionReport, one: Feature) -> dict[str, Any]:
    return {
        "rank": one.rank,
        "feature": one.name,
        report.data.place: one.column,
        "score": one.score,
        **report.standing_row(one),
    }


def _sureness(facts: Sureness, place: str) -> dict[str, Any]:
    """Return what is said of all features together."""
    return {
        "statement": facts.statement,
        "half_samples": facts.n_half_samples,
        "features_per_fit": facts.n_per_fit,
        "threshold": facts.threshold,
        "confirmed": facts.n_confirmed,
        "expected_false": facts.expected_false,
        "agreement": facts.agreement,
        "confirmed_but_not_selected": list(facts.others),
        "groups": [
            {
                "features": list(one.names),
                f"{place}s": list(one.columns),
                "frequency": one.frequency,
                "verdict": one.verdict,
            }
            for one in facts.groups
        ],
    }


def _plain(value: Any) -> Any:
    """Return what JSON does not hold: a number of numpy's, or the name of a function or network."""
    if hasattr(value, "item"):
        return value.item()
    return getattr(value, "__qualname__", type(value).__name__)
